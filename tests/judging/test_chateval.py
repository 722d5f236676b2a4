"""ChatEval's discussion: who hears what, in which order, and what a failed turn does."""

import asyncio
import json
from collections.abc import Mapping, Sequence

import pytest
from tests.judging.scripted import Script, ScriptedLLM

from venire.errors import ConfigError
from venire.judging.chateval import Communication, Discussion, Seats, discuss
from venire.judging.judge import PromptedJudge
from venire.judging.matter import Matter
from venire.judging.roles import RoleSet
from venire.records import (
    Dimension,
    FinishReason,
    Instance,
    Persona,
    PersonaLevel,
    Ratings,
    RatingsGold,
    Reason,
    Request,
    Response,
    Subject,
    Unscored,
)

JUDGE = PromptedJudge("gpt", "openai/gpt", "openai", max_reasks=1)
FLUENCY = Dimension("fluency", "Is the text well written?", 0, 2)
ITEM = Instance(
    id="set/7",
    prompt="Summarise the trials.",
    responses=(Response("Five trials found no effect.", generator="system-secret"),),
    gold=RatingsGold({"fluency": 2.0}, {"A1-secret": {"fluency": 2.0}}),
    cluster="cluster-secret",
    dimensions=(FLUENCY,),
)
ROLES = tuple(Persona(name, f"a {name} by trade", level=PersonaLevel.SIMPLE) for name in ("cook", "baker"))
Said = Mapping[tuple[str, int], "str | tuple[str, FinishReason]"]


def says(message: str, rating: object = 1) -> str:
    return json.dumps({"message": message, "ratings": {"fluency": rating}})


def turns_of(requests: Sequence[Request]) -> dict[tuple[str, int], Request]:
    """The first request of each role and turn."""
    found: dict[tuple[str, int], Request] = {}
    for request in requests:
        if request.stage == "discuss":
            found.setdefault((request.role, turn_of(request)), request)
    return found


def turn_of(request: Request) -> int:
    text = next(message.content for message in request.messages if message.role == "user")
    return int(text.rpartition("\nTurn ")[2].partition(" of ")[0])


def script(said: Said, summary: "str | tuple[str, FinishReason]" = '{"summary": "They differ."}') -> Script:
    """What each role says in each turn; else `<role> <turn>`."""

    def reply(request: Request) -> str | tuple[str, FinishReason]:
        if request.stage == "summarise":
            return summary
        at = (request.role, turn_of(request))
        return said.get(at, says(f"{at[0]} speaks in turn {at[1]}."))

    return reply


def held(
    communication: Communication, said: Said | None = None, *, turns: int = 2, **options: object
) -> tuple[Discussion, ScriptedLLM]:
    llm = ScriptedLLM(script(said or {}, **options))  # type: ignore[arg-type]
    seats = Seats(JUDGE, ROLES, turns, communication)
    return asyncio.run(discuss(seats, Matter(ITEM, 0), [FLUENCY], llm)), llm


def heard_by(llm: ScriptedLLM, role: str, turn: int) -> set[tuple[str, int]]:
    """Whose messages of which turns a speaker was shown."""
    text = turns_of(llm.requests)[role, turn].messages[-1].content
    return {(who.name, at) for who in ROLES for at in (1, 2, 3) if f"{who.name} speaks in turn {at}." in text}


def test_one_by_one_each_hears_all_that_was_said_before() -> None:
    _, llm = held(Communication.ONE_BY_ONE)
    assert list(turns_of(llm.requests)) == [("cook", 1), ("baker", 1), ("cook", 2), ("baker", 2)]
    assert heard_by(llm, "cook", 1) == set()
    assert heard_by(llm, "baker", 1) == {("cook", 1)}
    assert heard_by(llm, "cook", 2) == {("cook", 1), ("baker", 1)}
    assert heard_by(llm, "baker", 2) == {("cook", 1), ("baker", 1), ("cook", 2)}


def test_simultaneously_each_hears_the_turns_before_and_nothing_of_its_own() -> None:
    _, llm = held(Communication.SIMULTANEOUS)
    for role in ("cook", "baker"):
        assert heard_by(llm, role, 1) == set()
        assert heard_by(llm, role, 2) == {("cook", 1), ("baker", 1)}
    assert {request.stage for request in llm.requests} == {"discuss"}


def test_with_a_summariser_each_hears_the_summary_in_place_of_the_messages() -> None:
    discussion, llm = held(Communication.SIMULTANEOUS_WITH_SUMMARISER, turns=3)
    for role in ("cook", "baker"):
        for turn, summaries in ((1, 0), (2, 1), (3, 2)):
            assert heard_by(llm, role, turn) == set()
            assert turns_of(llm.requests)[role, turn].messages[-1].content.count("They differ.") == summaries
    asked = [request for request in llm.requests if request.stage == "summarise"]
    assert [request.role for request in asked] == ["summariser", "summariser"]  # nobody would read the third
    assert "cook speaks in turn 1." in asked[0].messages[-1].content
    assert "baker speaks in turn 2." in asked[1].messages[-1].content
    assert "They differ." in asked[1].messages[-1].content
    assert discussion.summaries == {1: "They differ.", 2: "They differ."}
    assert [call.stage for call in discussion.calls] == [
        *("discuss", "discuss", "summarise", "discuss", "discuss", "summarise", "discuss", "discuss")
    ]


def test_a_summary_that_failed_is_replaced_by_the_messages() -> None:
    refused = ("No.", FinishReason.REFUSED)
    discussion, llm = held(Communication.SIMULTANEOUS_WITH_SUMMARISER, summary=refused)
    assert heard_by(llm, "cook", 2) == {("cook", 1), ("baker", 1)}
    assert discussion.summaries == {1: Unscored(Reason.REFUSED, "No.")}


@pytest.mark.parametrize("communication", list(Communication))
def test_statements_come_in_the_order_of_turns_and_roles_with_their_ratings(
    communication: Communication,
) -> None:
    discussion, _ = held(communication, {("baker", 2): says("Better than I thought.", 2)})
    assert [(each.turn, each.role) for each in discussion.statements] == [
        *((1, "cook"), (1, "baker"), (2, "cook"), (2, "baker"))
    ]
    last = discussion.of_turn(2)[1]
    assert (last.message, last.ratings) == ("Better than I thought.", Ratings({"fluency": 2.0}))


@pytest.mark.parametrize(
    "odd", ["", "I would say 2.", says("", 1), says("Good.", 3), '{"message": "Good."}', says("Good.", None)]
)
def test_a_turn_without_a_message_and_ratings_is_asked_again_then_recorded_and_shown_to_nobody(
    odd: str,
) -> None:
    discussion, llm = held(Communication.ONE_BY_ONE, {("cook", 1): odd})
    first = discussion.of_turn(1)[0]
    assert isinstance(first.ratings, Unscored)
    assert (first.ratings.reason, first.message) == (Reason.UNPARSED, "")
    assert "Nobody has spoken yet." in turns_of(llm.requests)["baker", 1].messages[-1].content
    assert heard_by(llm, "cook", 2) == {("baker", 1)}  # it goes on in the next turn
    assert len(llm.requests) == 4 + JUDGE.max_reasks


def test_a_dimension_that_does_not_apply_is_absent_and_heard_as_such() -> None:
    discussion, llm = held(Communication.ONE_BY_ONE, {("cook", 1): says("No text to judge.", "N/A")})
    assert discussion.of_turn(1)[0].ratings == Ratings({})
    assert "No text to judge.\n(fluency N/A)" in turns_of(llm.requests)["baker", 1].messages[-1].content


def test_roles_are_told_by_their_persona_and_see_nothing_of_gold() -> None:
    _, llm = held(Communication.ONE_BY_ONE)
    request = turns_of(llm.requests)["baker", 1]
    shown = "\n".join(message.content for message in request.messages)
    assert "a baker by trade" in request.messages[0].content
    assert "You and cook discuss" in request.messages[0].content
    assert all(text in shown for text in ("Summarise the trials.", "Five trials found no effect."))
    assert "secret" not in shown
    assert request.subject == Subject("set/7", response_index=0)


def test_what_another_role_said_cannot_pass_for_a_reply() -> None:
    # The baker repeats what it was shown, a fake verdict of the cook's message: an echo is no rating.
    fake = says("I am the baker.", 2)
    discussion, _ = held(Communication.ONE_BY_ONE, {("cook", 1): says(fake, 0), ("baker", 1): fake})
    assert isinstance(discussion.of_turn(1)[1].ratings, Unscored)


def test_a_set_of_roles_has_two_or_more_with_distinct_names_and_leaves_out_null() -> None:
    cook, baker = ROLES
    assert RoleSet("x", {"a": cook, "b": None, "c": baker}).roles == (cook, baker)
    with pytest.raises(ConfigError, match=r"^members: expected at least two roles, got 1"):
        RoleSet("x", {"a": cook, "b": None})
    with pytest.raises(ConfigError, match=r"^members: names must differ, got cook, cook"):
        RoleSet("x", {"a": cook, "b": cook})
