"""Questions and answers between a run and its page: kept before anybody goes on, ended with a reason."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.methods.juryflow.court import Court, judged, juryflow, pair
from tests.page.jury.questions import Asking, asking, node, noon, question, sitting

from venire.errors import InputEnded
from venire.methods.juryflow.choices import Choice
from venire.methods.juryflow.select import Focal
from venire.page.jury.desk import Asked, Desk, Stage, key_of
from venire.page.jury.selector import Page
from venire.records import Winner
from venire.runner import Interrupted

CLAIMS = (node(0, (5, 0, 0)), node(1, (2, 2, 1)), node(2, (3, 2, 0)))
FIRST, SECOND = question(CLAIMS), question(CLAIMS, place=1)


@pytest.fixture
def run() -> Iterator[Asking]:
    with asking() as made:
        yield made


def first(run: Asking) -> Asked:
    return run.desk.open_questions[0]


def test_a_choice_is_kept_before_the_run_goes_on_with_it(run: Asking) -> None:
    run.ask(FIRST, SECOND)
    assert [asked.place for asked in run.desk.open_questions] == [("set/1", 0), ("set/1", 1)]
    assert run.desk.answer(first(run), 2, "ana", 1.5)
    choice = Choice("set/1", 0, 2, "claim 2", (1, 2), 1.5, "ana", "2026-12-01T12:00:00+00:00", "page")
    assert run.kept == [choice]
    run.settle()
    assert run.answers == [choice]
    assert [asked.place for asked in run.desk.open_questions] == [("set/1", 1)]


def test_the_first_answer_counts_and_no_second_one_is_kept(run: Asking) -> None:
    run.ask(FIRST)
    asked = first(run)
    assert run.desk.answer(asked, None, "ana", None)
    assert not run.desk.answer(asked, 1, "bob", 2.0)
    assert [(choice.claim, choice.annotator) for choice in run.kept] == [(None, "ana")]


def test_what_cannot_be_kept_is_no_answer_and_the_question_stays_open() -> None:
    def full(_: Choice) -> None:
        raise OSError(28, "No space left on device")

    run = Asking(Desk(noon))
    run.desk.open(sitting(), full)
    run.ask(FIRST)
    with pytest.raises(OSError, match="No space left"):
        run.desk.answer(first(run), 1, "ana", 2.0)
    assert first(run).stage is Stage.OPEN
    run.settle()
    assert run.answers == []
    run.desk.open(sitting(), run.kept.append)
    assert run.desk.answer(first(run), 1, "ana", 2.0)
    run.close()


def test_asked_to_stop_every_question_ends_with_the_reason_and_none_is_put(run: Asking) -> None:
    run.ask(FIRST, SECOND)
    asked = first(run)
    assert run.desk.answer(asked, 1, "ana", 2.0)
    reason = Interrupted("interrupted (SIGINT)")
    run.loop.call_soon_threadsafe(run.desk.stop, reason)
    run.settle()
    assert [type(answer) for answer in run.answers] == [Choice, Interrupted]
    assert run.desk.open_questions == ()
    assert not run.desk.answer(run.desk.questions[1], 1, "ana", 2.0)


def test_nobody_is_asked_before_a_run_judges_or_after(run: Asking) -> None:
    run.desk.close()
    unopened = Asking(Desk())
    for each in (run, unopened):
        each.loop.call_soon_threadsafe(lambda each=each: each.loop.create_task(each._ask(FIRST)))
        each.settle()
        assert [type(answer) for answer in each.answers] == [InputEnded]
    unopened.close()


def test_whoever_waits_is_woken_by_a_change_and_waits_no_longer_than_asked_to(run: Asking) -> None:
    before = run.desk.version
    assert run.desk.wait(before, 0.01) == before
    woken: list[int] = []
    waiting = threading.Thread(target=lambda: woken.append(run.desk.wait(before, 5)))
    waiting.start()
    run.ask(FIRST)
    waiting.join(5)
    assert woken == [before + 1]
    run.desk.close()
    assert run.desk.wait(run.desk.version, 5) == before + 2


def test_a_question_is_named_by_what_is_asked() -> None:
    assert key_of(FIRST) == key_of(question(CLAIMS, budget=1))
    others = (SECOND, question(CLAIMS[:2]), question(CLAIMS, threshold=0.7))
    assert len({key_of(each) for each in (FIRST, *others)}) == 4


def test_what_a_choice_led_to_reaches_its_question_and_progress_counts(tmp_path: Path) -> None:
    # JuryFlow itself, its person answering from a thread
    page = Page(str(tmp_path / "choices.jsonl"))
    kept: list[Choice] = []
    page.desk.open(sitting(), kept.append)

    def person() -> None:
        version = -1
        while not page.desk.closed:
            version = page.desk.wait(version, 5)
            for asked in page.desk.open_questions:
                page.desk.answer(asked, asked.question.ranked[-1], "ana", 2.0)

    answering = threading.Thread(target=person)
    answering.start()
    # Panel: "one" rejected 3:2, "two" accepted, so .5; "three" accepted 3:2, so 1: the second wins.
    court = Court(
        votes={"one": "rrraa", "two": "aaaaa", "three": "rraaa"}, revised={"one": "a", "three": "r"}
    )
    outcome = judged(juryflow(focal=Focal(selector=page)), court, pair("one. two", "three"))
    page.desk.close()
    answering.join(5)
    asked = {each.place[1]: each for each in page.desk.questions}
    assert page.desk.judged == 1
    assert {each.stage for each in asked.values()} == {Stage.DECIDED}
    changes = {place: each.change for place, each in asked.items()}
    assert changes[0] is not None
    assert (changes[0].score_before, changes[0].score_after) == (0.5, 1.0)
    assert changes[1] is not None
    assert (changes[1].score_before, changes[1].score_after) == (1.0, 0.0)
    assert {each.winner_before for each in asked.values()} == {Winner.SECOND}
    assert all(each.outcome is outcome for each in asked.values())
    assert {choice.claim for choice in kept} == {0}
