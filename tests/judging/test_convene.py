"""Stage 1 on one response: who is asked, and what becomes of failures."""

import asyncio
from dataclasses import replace

import pytest
from tests.methods.juryflow.court import JUDGES, PANEL, TAGS, Court, material, pair, unit

from venire.errors import ConfigError
from venire.judging.claims import ClaimForm
from venire.judging.convene import Convening, Decomposing, Hearing, convene
from venire.judging.judge import RecordedJudge
from venire.judging.matter import Matter
from venire.judging.panel import Panel
from venire.records import FinishReason, Persona, Reason, Request, Verdict

FORM = ClaimForm(TAGS)
SHARED = Convening(panel=PANEL, form=FORM)
PER_JUDGE = Convening(panel=PANEL, form=FORM, decomposing=Decomposing.PER_JUDGE, embedding="e")
MATTER = Matter(pair("one. two", "three"), 0)


def heard(court: Court, convening: Convening = SHARED) -> Hearing:
    return asyncio.run(convene(convening, MATTER, court))


def test_the_strongest_judge_decomposes_once_and_all_rule_on_the_same_claims() -> None:
    court = Court(votes={"two": "arur-"})
    made = heard(court, replace(SHARED, panel=Panel(JUDGES[:4], "j2")))
    assert [request.role for request in court.of_stage("decompose")] == ["j2"]
    assert [claim.text for claim in made.claims] == ["one", "two"]
    assert list(made.judgments) == ["j0", "j1", "j2", "j3"]
    letters = [each.verdict for each in made.of_claim(1)]
    assert letters == [Verdict.ACCEPT, Verdict.REJECT, Verdict.UNCERTAIN, Verdict.REJECT]
    assert len(made.calls) == 5
    assert court.embedded == []


def test_the_shared_decomposition_is_made_without_anybody_s_persona() -> None:
    persona = Persona("p", "a person")
    court = Court()
    judges = tuple(replace(judge, persona=persona) for judge in JUDGES)
    heard(court, replace(SHARED, panel=Panel(judges, "j2")))
    assert "a person" not in court.of_stage("decompose")[0].messages[0].content
    assert all("a person" in request.messages[0].content for request in court.of_stage("judge"))


def test_a_judge_that_failed_abstains_on_all_claims() -> None:
    made = heard(Court(votes={"two": "aa-ar"}))
    assert made.unscored is None
    failure = made.failure("j2")
    assert failure is not None
    assert failure.reason is Reason.PROVIDER_ERROR
    assert [each.verdict for each in made.judgments["j2"]] == [None, None]
    assert made.failure("j0") is None


def test_a_response_on_which_nobody_ruled_is_unscored() -> None:
    made = heard(Court(votes={"two": "-----"}))
    assert made.unscored is not None
    assert (made.unscored.reason, made.unscored.detail) == (Reason.NO_VOTES, "provider_error")


def test_a_failed_decomposition_is_unscored_and_asks_no_judge() -> None:
    court = Court(scripts={"decompose": lambda request: ("", FinishReason.REFUSED)})
    made = heard(court)
    assert made.unscored is not None
    assert (made.unscored.reason, made.unscored.detail) == (Reason.REFUSED, "decomposition by j2")
    assert court.of_stage("judge") == []
    assert made.failure("j4") == made.unscored


def test_a_response_without_claims_is_heard_and_asks_no_judge() -> None:
    court = Court(claims={"one. two": []})
    made = heard(court)
    assert (made.unscored, made.claims) == (None, ())
    assert court.of_stage("judge") == []
    assert made.failure("j0") is None


# Each judge words the claims in its own way; X and Y are two meanings.
X, Y = (1.0, 0.0), (0.0, 1.0)
OWN = {"j0": ["x0"], "j1": ["x1", "y1"], "j2": ["y2", "x2"], "j3": [], "j4": ["x4", "z4"]}
VECTORS = {"x0": X, "x1": X, "y1": Y, "y2": Y, "x2": X, "x4": X, "z4": unit(-1.0, -1.0)}


def decompose_own(request: Request) -> str:
    return '{"claims": [' + ", ".join(f'"{claim}"' for claim in OWN[request.role]) + "]}"


def test_with_own_decompositions_claims_are_aligned_and_judges_without_one_abstain() -> None:
    court = Court(votes={"x1": "arrrr", "z4": "uuuuu"}, vectors=VECTORS, scripts={"decompose": decompose_own})
    made = heard(court, PER_JUDGE)
    # j2 is the strongest: its words and its order lead.
    assert [claim.text for claim in made.claims] == ["y2", "x2", "z4"]
    assert {judge: [each.verdict for each in own] for judge, own in made.judgments.items()} == {
        "j0": [None, Verdict.ACCEPT, None],
        "j1": [Verdict.ACCEPT, Verdict.REJECT, None],
        "j2": [Verdict.ACCEPT, Verdict.ACCEPT, None],
        "j3": [None, None, None],
        "j4": [None, Verdict.ACCEPT, Verdict.UNCERTAIN],
    }
    # Each is shown its own claims; one that has none is not asked, and has not failed.
    shown = {request.role: material(request).get("claim 1") for request in court.of_stage("judge")}
    assert shown == {"j0": "x0", "j1": "x1", "j2": "y2", "j4": "x4"}
    assert made.failure("j3") is None
    assert made.vectors is not None
    assert made.vectors.shape == (3, 2)


def test_a_failed_own_decomposition_is_that_judge_s_failure_alone() -> None:
    def script(request: Request) -> str | tuple[str, FinishReason]:
        return ("", FinishReason.REFUSED) if request.role == "j1" else decompose_own(request)

    made = heard(Court(vectors=VECTORS, scripts={"decompose": script}), PER_JUDGE)
    failure = made.failure("j1")
    assert made.unscored is None
    assert failure is not None
    assert failure.reason is Reason.REFUSED


def test_no_own_decomposition_at_all_is_unscored() -> None:
    made = heard(Court(scripts={"decompose": lambda request: ("", FinishReason.REFUSED)}), PER_JUDGE)
    assert made.unscored is not None
    assert made.unscored.reason is Reason.NO_VOTES


def test_nobody_s_own_decomposition_has_a_claim() -> None:
    made = heard(Court(scripts={"decompose": lambda request: '{"claims": []}'}), PER_JUDGE)
    assert (made.unscored, made.claims) == (None, ())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"panel": Panel((RecordedJudge("GPT-4", "CoT"),), "GPT-4")},
            "panel: expected judges that can be asked",
        ),
        ({"alignment_threshold": 0.0}, "alignment_threshold: expected above 0 to 1, got 0.0"),
        ({"decomposing": Decomposing.PER_JUDGE}, "embedding: decomposition=per_judge"),
    ],
)
def test_settings_that_do_not_fit_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        replace(SHARED, **settings)
    assert str(caught.value).startswith(message)
