"""Stage 3 by a human: the question, the kept answer, and its replay."""

import asyncio
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest
from tests.methods.juryflow.court import Court, judged, juryflow, pair

from venire.errors import ConfigError, DataError, InputEnded, MissingRecording
from venire.judging.convene import Hearing
from venire.judging.matter import Matter
from venire.methods.juryflow.choices import read_choices
from venire.methods.juryflow.graph import Graph, Node
from venire.methods.juryflow.human import Human, Recorded, question_text
from venire.methods.juryflow.select import Focal, Focus, Question
from venire.methods.juryflow.terminal import Terminal, TypedLines
from venire.records import Verdict
from venire.runner import Interrupted

VOTES = {Verdict.ACCEPT: 2, Verdict.REJECT: 2, Verdict.UNCERTAIN: 1}
NODES = (
    Node(0, "the sky is blue", {Verdict.ACCEPT: 5}, 0.0, ("clear",), Verdict.ACCEPT),
    Node(1, "grass is red", VOTES, 0.9602, ("clear", "factual"), Verdict.REJECT),
    Node(2, "snow is white", {Verdict.ACCEPT: 3, Verdict.REJECT: 2}, 0.6126, (), Verdict.ACCEPT),
    Node(3, "coal is black", {Verdict.ACCEPT: 2, Verdict.REJECT: 3}, 0.6126, (), Verdict.REJECT),
)


def asked(place: int = 0, nodes: tuple[Node, ...] = NODES) -> Question:
    graph = Graph(Hearing(Matter(pair("x", "y"), place)), nodes, np.zeros((len(nodes), len(nodes))))
    return Question(graph, (1, 2, 3), 2, 0.5, np.random.default_rng(0))


QUESTION = asked()
NOON = datetime(2026, 12, 1, 13, 0, tzinfo=timezone(timedelta(hours=1)))


def ticking(step_s: float) -> Iterator[float]:
    now = 0.0
    while True:
        yield now
        now += step_s


def terminal(*typed: str) -> tuple[Terminal, list[str]]:
    """One whose user types these lines, then is gone; and what it shows."""
    lines, ticks = iter(typed), ticking(4.5)
    shown: list[str] = []

    async def read() -> str:
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    return Terminal(shown.append, read, lambda: next(ticks), lambda: NOON), shown


def choose(path: Path, *typed: str, question: Question = QUESTION) -> tuple[Focus, list[str]]:
    made, shown = terminal(*typed)
    return asyncio.run(Human(str(path), "ana", made).select(question)), shown


def test_the_question_shows_the_request_and_the_ranked_claims_with_votes_and_tags() -> None:
    text = question_text(QUESTION)
    assert "set/1, response 1 of 2" in text
    assert "Say something true." in text
    assert "*  1  d = 0.960  2 accept, 2 reject, 1 uncertain  [clear, factual]\n      grass is red" in text
    assert "*  2  d = 0.613  3 accept, 2 reject\n      snow is white" in text
    assert "   3  d = 0.613  2 accept, 3 reject\n      coal is black" in text
    assert "the sky is blue" not in text


def test_the_chosen_claim_is_the_only_one_and_the_answer_is_kept_with_its_time(tmp_path: Path) -> None:
    path = tmp_path / "made" / "choices.jsonl"
    focus, _ = choose(path, "3")
    assert focus == Focus((3,), 4.5)
    assert [json.loads(line) for line in path.read_text().splitlines()] == [
        {
            "instance_id": "set/1",
            "response_index": 0,
            "claim": 3,
            "text": "coal is black",
            "offered": [1, 2, 3],
            "seconds": 4.5,
            "annotator": "ana",
            "chosen_at": "2026-12-01T12:00:00+00:00",
            "selector": "human",
        }
    ]


def test_none_is_an_answer(tmp_path: Path) -> None:
    path = tmp_path / "choices.jsonl"
    assert choose(path, " None ")[0] == Focus((), 4.5)
    assert read_choices(path)[0].claim is None


def test_what_is_no_choice_is_asked_again(tmp_path: Path) -> None:
    focus, shown = choose(tmp_path / "c.jsonl", "0", "4", "first", "", "1")
    assert focus.claims == (1,)
    assert shown[1:] == ["Expected a number from 1 to 3, or none."] * 4


def test_an_answered_question_is_not_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "choices.jsonl"
    choose(path, "2")
    focus, shown = choose(path)
    assert (focus, shown) == (Focus((2,), 4.5), [])
    assert len(read_choices(path)) == 1


def test_other_claims_are_another_question(tmp_path: Path) -> None:
    path = tmp_path / "choices.jsonl"
    choose(path, "2")
    changed = asked(nodes=(*NODES[:2], replace(NODES[2], text="snow is cold"), NODES[3]))
    assert choose(path, "1", question=changed)[0].claims == (1,)


def test_nobody_to_ask_is_said_and_no_further_question_is_put(tmp_path: Path) -> None:
    made, shown = terminal()
    human = Human(str(tmp_path / "choices.jsonl"), terminal=made)

    async def both() -> list[object]:
        other = asked(1)
        return await asyncio.gather(human.select(QUESTION), human.select(other), return_exceptions=True)

    for raised in asyncio.run(both()):
        assert isinstance(raised, InputEnded)
        assert str(raised).startswith("method.focal.selector: human asks in a terminal")
    assert len(shown) == 1


def test_an_open_question_is_given_up_with_the_reason_and_no_other_is_put(tmp_path: Path) -> None:
    shown: list[str] = []

    async def nothing_typed() -> str:
        await asyncio.Event().wait()
        return ""

    async def interrupted() -> list[object]:
        human = Human(str(tmp_path / "choices.jsonl"), terminal=Terminal(shown.append, nothing_typed))
        other = asked(1)
        waiting = [asyncio.ensure_future(human.select(each)) for each in (QUESTION, other)]
        await asyncio.sleep(0.01)
        human.stop_asking(Interrupted("interrupted (SIGINT)"))
        return await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), 5)

    assert [type(raised) for raised in asyncio.run(interrupted())] == [Interrupted, Interrupted]
    assert len(shown) == 1
    assert not (tmp_path / "choices.jsonl").exists()


def test_lines_are_read_as_they_come_and_the_last_one_needs_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading) as typed:
        monkeypatch.setattr("sys.stdin", typed)
        read = TypedLines()

        async def all_of_it() -> list[str]:
            os.write(writing, b"1\nnon")
            first = await read()
            os.write(writing, b"e\n2")
            os.close(writing)
            lines = [first, await read(), await read()]
            with pytest.raises(EOFError):
                await read()
            return lines

        assert asyncio.run(all_of_it()) == ["1", "none", "2"]


def test_a_wait_for_a_line_can_be_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading) as typed, os.fdopen(writing, "wb"):
        monkeypatch.setattr("sys.stdin", typed)

        async def broken_off() -> None:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(TypedLines()(), 0.01)

        asyncio.run(broken_off())


def test_a_plain_file_is_a_terminal_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "typed"
    path.write_text("1\n2\n")
    with path.open() as typed:
        monkeypatch.setattr("sys.stdin", typed)
        read = TypedLines()

        async def both() -> list[str]:
            return [await read(), await read()]

        assert asyncio.run(both()) == ["1", "2"]


def test_recorded_choices_are_given_again(tmp_path: Path) -> None:
    path = tmp_path / "choices.jsonl"
    choose(path, "3")
    assert asyncio.run(Recorded(str(path)).select(QUESTION)) == Focus((3,), 4.5)


@pytest.mark.parametrize("index", [0, 1])
def test_a_choice_that_was_not_made_is_missing(tmp_path: Path, index: int) -> None:
    path = tmp_path / "choices.jsonl"
    choose(path, "3")
    other = (
        asked(1),
        asked(nodes=(*NODES[:3], replace(NODES[3], text="coal is grey"))),
    )[index]
    with pytest.raises(MissingRecording, match="no choice on response"):
        asyncio.run(Recorded(str(path)).select(other))


def test_files_that_are_none_or_broken_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^choices: expected a file of recorded choices"):
        Recorded(str(tmp_path / "none.jsonl"))
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"instance_id": "a"}\n')
    for make in (Recorded, Human):
        with pytest.raises(DataError, match=r"broken\.jsonl:1: expected a recorded choice"):
            make(str(broken))


def test_a_whole_run_by_hand_and_its_replay_agree(tmp_path: Path) -> None:
    path = tmp_path / "choices.jsonl"

    def court() -> Court:
        return Court(votes={"one": "rrraa", "two": "raaau", "three": "rraau"}, revised={"two": "r"})

    instance = pair("one. two. four", "three")
    # First response: "two" (3:1:1) before "one" (3:2); the human takes the second. Second: none.
    made, shown = terminal("2", "none")
    by_hand = juryflow(focal=Focal(selector=Human(str(path), terminal=made)))
    outcome = judged(by_hand, court(), instance)
    assert len(shown) == 2
    replayed = judged(juryflow(focal=Focal(selector=Recorded(str(path)))), court(), instance)
    assert replayed.prediction == outcome.prediction
    assert replayed.calls == outcome.calls
    focal = [response["focal"] for response in outcome.detail["responses"]]  # type: ignore[attr-defined]
    assert {each["selector"] for each in focal} == {"human"}
    assert sorted(each["claims"] for each in focal) in ([[], [0]], [[], [1]])
