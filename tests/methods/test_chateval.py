"""`method=chateval`."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.judging.scripted import Script
from tests.methods.panels import PAIR
from tests.methods.rated import ITEM, JUDGE, run

from venire.build import build
from venire.errors import ConfigError, DataError
from venire.judging.chateval import Communication
from venire.judging.roles import RoleSet
from venire.methods.chateval import ChatEval
from venire.records import OVERALL, FinishReason, Persona, PersonaLevel, Ratings, Reason, Request, Unscored

CONF = Path(__file__).parents[2] / "conf"
ROLES = RoleSet("two", {name: Persona(name, f"a {name}") for name in ("cook", "baker")})
METHOD = ChatEval(JUDGE, ROLES)


def rates(**by_role: list[tuple[object, object]]) -> Script:
    """Fluency and strength that each role gives, turn by turn; None for a refusal."""

    def script(request: Request) -> str | tuple[str, FinishReason]:
        turn = int(request.messages[-1].content.rpartition("\nTurn ")[2].partition(" of ")[0])
        fluency, strength = by_role[request.role][turn - 1]
        if fluency is None:
            return ("No.", FinishReason.REFUSED)
        return json.dumps({"message": "So.", "ratings": {"fluency": fluency, "strength": strength}})

    return script


def test_the_prediction_is_the_mean_over_roles_of_the_last_turn() -> None:
    # Fluency (2 + 1) / 2 = 1.5, strength (3 + 0) / 2 = 1.5; overall (1.5 / 2 + 1.5 / 3) / 2 = .625.
    outcome, llm = run(METHOD, rates(cook=[(0, 0), (2, 3)], baker=[(0, 0), (1, 0)]))
    assert outcome.prediction == Ratings({OVERALL: pytest.approx(0.625), "fluency": 1.5, "strength": 1.5})
    assert len(llm.requests) == len(outcome.calls) == 4
    assert [vote.judge for vote in outcome.votes] == ["cook", "baker"]
    assert outcome.votes[1].prediction == Ratings({OVERALL: 0.25, "fluency": 1.0, "strength": 0.0})


def test_a_role_that_failed_in_the_last_turn_has_no_part_in_the_mean() -> None:
    # Its first turn's ratings do not stand in: the mean is the cook's alone.
    outcome, _ = run(METHOD, rates(cook=[(0, 0), (2, 3)], baker=[(0, 0), (None, None)]))
    assert outcome.prediction == Ratings({OVERALL: 1.0, "fluency": 2.0, "strength": 3.0})
    assert outcome.detail["failed"] == [{"turn": 2, "role": "baker", "reason": "refused"}]
    assert isinstance(outcome.votes[1].prediction, Unscored)


def test_a_rating_of_not_applicable_has_no_part_in_its_dimension_s_mean() -> None:
    outcome, _ = run(METHOD, rates(cook=[(0, 0), (2, "N/A")], baker=[(0, 0), (1, 3)]))
    assert outcome.prediction == Ratings({OVERALL: pytest.approx(0.875), "fluency": 1.5, "strength": 3.0})


@pytest.mark.parametrize(
    ("last", "reason"), [((None, None), Reason.REFUSED), (("N/A", "N/A"), Reason.UNDEFINED)]
)
def test_without_any_rating_in_the_last_turn_there_is_no_judgment(
    last: tuple[object, object], reason: Reason
) -> None:
    outcome, _ = run(METHOD, rates(cook=[(1, 1), last], baker=[(1, 1), last]))
    assert isinstance(outcome.prediction, Unscored)
    assert outcome.prediction.reason is reason


def test_the_detail_has_the_discussion() -> None:
    outcome, _ = run(replace(METHOD, turns=1), rates(cook=[(2, 3)], baker=[(1, "N/A")]))
    assert outcome.detail == {
        "communication": "one_by_one",
        "statements": [
            {"turn": 1, "role": "cook", "message": "So.", "ratings": {"fluency": 2.0, "strength": 3.0}},
            {"turn": 1, "role": "baker", "message": "So.", "ratings": {"fluency": 1.0}},
        ],
        "summaries": [],
        "failed": [],
    }


def test_the_summary_s_prompt_is_among_the_prompts_where_there_are_summaries() -> None:
    assert METHOD.prompts == ("chateval_turn", "reask", "persona")
    summarised = replace(METHOD, communication=Communication.SIMULTANEOUS_WITH_SUMMARISER)
    assert summarised.prompts == ("chateval_turn", "chateval_summary", "reask", "persona")


def test_only_rated_data_and_a_judge_without_a_persona_are_admitted() -> None:
    with pytest.raises(DataError, match="expected one response to rate, got 2"):
        METHOD.check([PAIR])
    with pytest.raises(ConfigError, match=r"^judge\.persona: expected null"):
        replace(METHOD, judged_by=replace(JUDGE, persona=Persona("nurse", "a nurse"))).check([ITEM])


def test_settings_are_checked_when_the_method_is_built() -> None:
    with pytest.raises(ConfigError, match=r"^turns: expected at least 1, got 0"):
        ChatEval(JUDGE, ROLES, turns=0)
    with pytest.raises(ConfigError, match=r"^roles: no role may be called summariser"):
        ChatEval(JUDGE, RoleSet("x", {"a": Persona("summariser", "one"), "b": Persona("cook", "a cook")}))


def read(name: str) -> dict[str, Any]:
    return dict(yaml.safe_load((CONF / f"{name}.yaml").read_text(encoding="utf-8")))


def test_the_method_s_file_builds_it_with_its_defaults_and_shows_every_setting() -> None:
    file = read("method/chateval")
    assert file.pop("defaults") == [{"/roles@roles": "chateval"}, "_self_"]
    assert file["judged_by"] == "${judge}"
    node = {**file, "judged_by": JUDGE, "roles": read("roles/chateval")}
    roles = build(read("roles/chateval"), "roles")
    assert build(node, "method") == ChatEval(JUDGE, roles)
    assert set(node) - {"_target_"} == set(ChatEval.__dataclass_fields__)


def test_the_paper_s_five_roles_are_told_by_one_line_each() -> None:
    roles = build(read("roles/chateval"), "roles").roles
    assert [role.name for role in roles] == [
        "general public",
        "critic",
        "news author",
        "psychologist",
        "scientist",
    ]
    assert {role.level for role in roles} == {PersonaLevel.SIMPLE}
