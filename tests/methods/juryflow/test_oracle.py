"""The simulated annotator, whose outcomes are those of `auto` with a budget of 1; a plan without people."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.methods.juryflow.court import Court, judged, juryflow, pair
from tests.methods.juryflow.test_human import QUESTION

from venire.errors import DataError
from venire.methods.juryflow.choices import Choice, append_choice, read_choices
from venire.methods.juryflow.human import Human
from venire.methods.juryflow.oracle import Oracle, Supposed
from venire.methods.juryflow.select import Auto, Focal, Focus
from venire.records import Outcome

PAIR = pair("one. two. four", "three. five")


def court() -> Court:
    votes = {"one": "rrraa", "two": "raaau", "three": "rraau", "five": "aarrr", "four": "aaaaa"}
    return Court(votes=votes, revised={"two": "r", "five": "a"})


def bare(outcome: Outcome) -> Mapping[str, object]:
    """The outcome's detail without who chose and how long it took."""
    detail: dict[str, object] = json.loads(json.dumps(outcome.detail))
    for response in detail["responses"]:  # type: ignore[attr-defined]
        for name in ("selector", "seconds"):
            del response["focal"][name]
    return detail


def test_its_outcomes_are_those_of_auto_with_a_budget_of_one(tmp_path: Path) -> None:
    for budget in (1, 2):  # a person's choice is one claim, whatever the budget
        oracle = Oracle(str(tmp_path / "choices.jsonl"))
        by_oracle = judged(juryflow(focal=Focal(budget=budget, selector=oracle)), court(), PAIR)
        auto = judged(juryflow(focal=Focal(budget=1, selector=Auto())), court(), PAIR)
        assert bare(by_oracle) == bare(auto)
        assert (by_oracle.prediction, by_oracle.votes) == (auto.prediction, auto.votes)
        assert by_oracle.calls == auto.calls
    assert bare(judged(juryflow(focal=Focal(budget=2, selector=Auto())), court(), PAIR)) != bare(auto)


def test_its_choices_are_kept_once_and_say_that_no_person_made_them(tmp_path: Path) -> None:
    path = tmp_path / "choices.jsonl"
    for _ in range(2):
        assert asyncio.run(Oracle(str(path)).select(QUESTION)) == Focus((1,), 0.0)
    assert read_choices(path) == (
        Choice("set/1", 0, 1, "grass is red", (1, 2, 3), 0.0, "oracle", "", "oracle"),
    )
    assert asyncio.run(Oracle().select(QUESTION)) == Focus((1,), 0.0)
    assert len(read_choices(path)) == 1


def test_a_broken_file_is_refused_before_anything_is_called(tmp_path: Path) -> None:
    path = tmp_path / "choices.jsonl"
    path.write_text("{}\n")
    with pytest.raises(DataError, match=r"choices\.jsonl:1"):
        Oracle(str(path))


def test_in_a_plan_kept_choices_count_and_for_others_the_oracle_stands_in(tmp_path: Path) -> None:
    path = tmp_path / "choices.jsonl"
    supposed = Supposed(str(path))
    assert asyncio.run(supposed.select(QUESTION)) == Focus((1,))
    assert not path.exists()
    append_choice(path, Choice("set/1", 0, 3, "coal is black", (1, 2, 3), 4.5))
    assert asyncio.run(supposed.select(QUESTION)) == Focus((3,), 4.5)


def test_a_method_that_asks_a_person_asks_nobody_in_a_plan(tmp_path: Path) -> None:
    human = juryflow(focal=Focal(selector=Human(str(tmp_path / "choices.jsonl"))))
    assert human.asks_people
    alone = human.unattended()
    assert not alone.asks_people
    assert alone.focal == Focal(selector=Supposed(str(tmp_path / "choices.jsonl")))
    auto = juryflow()
    assert auto.unattended() is auto


def test_the_choices_that_outcomes_rest_on_are_found_again(tmp_path: Path) -> None:
    path = tmp_path / "choices.jsonl"
    append_choice(path, Choice("set/1", 0, 0, "one", (1, 0), 9.0))  # chosen again later
    append_choice(path, Choice("set/2", 0, 0, "one", (1, 0), 2.0))  # of another instance
    method = juryflow(focal=Focal(selector=Oracle(str(path))))
    outcome = judged(method, court(), PAIR)
    kept = read_choices(path)
    assert len(kept) == 4
    places = {choice.place: choice for choice in kept[2:]}
    assert method.choices([outcome]) == (places["set/1", 0], places["set/1", 1])
    assert juryflow().choices([outcome]) == ()
    assert juryflow(focal=None, propagation=None, rubric=None).choices([outcome]) == ()
