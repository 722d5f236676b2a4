"""What the pages show: claims in rank order with votes, tags and edges; what changed; the pair's verdict."""

import asyncio
import threading

import pytest
from tests.methods.juryflow.court import Court, judged, juryflow, pair
from tests.page.jury.questions import node, question, sitting, weights_of

from venire.methods.juryflow.propagate import Propagation
from venire.methods.juryflow.select import Focal
from venire.page.jury.desk import Asked, key_of
from venire.page.jury.drawing import draw
from venire.page.jury.selector import Page
from venire.page.jury.views import (
    ChangedRow,
    DecisionView,
    Link,
    Votes,
    change_view,
    claim_rows,
    decision_view,
    question_view,
)
from venire.records import Outcome, Preference, Reason, Unscored, Winner

NODES = (
    node(0, (5, 0, 0), "agreed"),
    node(1, (3, 2, 0), "leaning", ["clear"]),
    node(2, (2, 2, 1), "split", ["clear", "safe"]),
    node(3, (1, 4, 0), "nearly"),
    node(4, (0, 0, 0), "unruled"),
    node(5, (2, 0, 3), "doubted"),
)
WEIGHTS = weights_of(6, {(2, 0): 0.5, (2, 1): 0.7, (2, 3): 0.7, (2, 4): 0.1, (1, 5): 0.2})
ASKED = question(NODES, WEIGHTS)
FIRST, SECOND = (f"the {each} response is better" for each in ("first", "second"))


def test_claims_are_ranked_and_the_top_m_are_marked() -> None:
    rows = claim_rows(ASKED)
    assert [(row.rank, row.number, row.text) for row in rows] == [
        *((1, 3, "split"), (2, 2, "leaning"), (3, 6, "doubted"), (4, 4, "nearly"), (5, 1, "agreed")),
        (6, 5, "unruled"),
    ]
    assert [row.disputed for row in rows] == [True, True, True, False, False, False]
    assert [row.starred for row in rows] == [True, True, False, False, False, False]
    assert [row.key for row in rows] == ["1", "2", "3", "", "", ""]


def test_a_row_has_votes_tags_the_panels_verdict_and_the_heaviest_edges() -> None:
    rows = {row.text: row for row in claim_rows(ASKED)}
    split = rows["split"]
    assert split.votes == (
        Votes("accept", 2, 0.0, 40.0),
        Votes("reject", 2, 40.0, 40.0),
        Votes("uncertain", 1, 80.0, 20.0),
    )
    assert split.tags == ("clear", "safe")
    assert split.links == (Link(2, 0.7), Link(4, 0.7), Link(1, 0.5))  # of equal ones the earlier claim first
    assert round(split.disagreement, 3) == 0.960
    assert rows["unruled"].votes == ()
    assert rows["unruled"].panel is None
    assert rows["nearly"].links == (Link(3, 0.7),)


def test_no_more_claims_than_keys_have_one() -> None:
    rows = claim_rows(question([node(index, (2, 2, 1)) for index in range(12)]))
    assert [row.key for row in rows] == [*"123456789", "", "", ""]


def test_a_question_shows_the_response_that_it_is_about() -> None:
    loop = asyncio.new_event_loop()
    asked = Asked(question(NODES, WEIGHTS, place=1, budget=9), loop.create_future(), key_of(ASKED))
    loop.close()
    view = question_view(asked, draw(NODES, WEIGHTS))
    assert (view.instance, view.response, view.responses, view.text) == ("set/1", 2, 2, "y")
    assert (view.disputed, view.budget, view.threshold) == (3, 3, 0.5)
    assert {index: row.text for index, row in view.by_claim.items()} == dict(
        enumerate(each.text for each in NODES)
    )


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Asked]:
    """JuryFlow on a pair, whose person takes the most disputed claim, none on the second response."""
    page = Page(str(tmp_path_factory.mktemp("views") / "choices.jsonl"))
    page.desk.open(sitting(), lambda _: None)

    def person() -> None:
        version = -1
        while not page.desk.closed:
            version = page.desk.wait(version, 5)
            for each in page.desk.open_questions:
                first = each.place[1] == 0
                page.desk.answer(each, each.question.ranked[0] if first else None, "ana", 2.0)

    answering = threading.Thread(target=person)
    answering.start()
    # "one" (3:1:1) and what is near it, "two", are judged again; "three" and "four" stay as they are.
    near = {"one": (1.0, 0.0), "two": (0.8, 0.6), "three": (0.0, 1.0)}
    court = Court(
        votes={"one": "rrrau", "two": "rrrra", "three": "aaaaa", "four": "rraaa"},
        revised={"one": "a", "two": "r"},
        vectors=near,
    )
    method = juryflow(focal=Focal(selector=page), propagation=Propagation(beta=0.8))
    judged(method, court, pair("one. two. three", "four"))
    page.desk.close()
    answering.join(5)
    return {each.place[1]: each for each in page.desk.questions}


def test_what_changed_is_shown_claim_by_claim(asked: dict[int, Asked]) -> None:
    assert asked[0].change is not None
    view = change_view(asked[0].change)
    chosen = ChangedRow(1, "one", "chosen", None, "reject", "accept", True, "looked again", "")
    # w = .5 * .8 + .5 * 1 (the same tag) = .9
    followed = ChangedRow(2, "two", "related to it", 0.9, "reject", "reject", False, "looked again", "")
    assert view.reviewed == (chosen, followed)
    assert view.others == (ChangedRow(3, "three", "", None, "accept", "accept", False, "", ""),)
    assert (view.overruled, view.criteria) == (1, ("criterion of one",))
    # rejected: 2 of 3, then 1 of 3
    assert view.score_before == pytest.approx(1 / 3)
    assert view.score_after == pytest.approx(2 / 3)


def test_of_none_nothing_changes(asked: dict[int, Asked]) -> None:
    assert asked[1].change is not None
    view = change_view(asked[1].change)
    assert (view.reviewed, view.overruled, view.criteria) == ((), 0, ())
    assert [row.text for row in view.others] == ["four"]
    assert view.score_before == view.score_after == 1.0


def test_the_pair_is_decided_with_both_responses(asked: dict[int, Asked]) -> None:
    assert decision_view(asked[0]) == decision_view(asked[1]) == DecisionView(SECOND, SECOND, "")


@pytest.mark.parametrize(
    ("before", "prediction", "tie_break", "after", "note"),
    [
        (Winner.FIRST, Preference(Winner.FIRST), None, FIRST, "by the panel alone: the same"),
        (Winner.FIRST, Preference(Winner.SECOND), None, SECOND, f"by the panel alone: {FIRST}"),
        (Winner.TIE, Preference(Winner.SECOND), None, SECOND, "by the panel alone: equal scores"),
        (
            *(Winner.TIE, Preference(Winner.FIRST), "consistent", FIRST),
            "equal scores, decided by comparing both; by the panel alone: equal scores",
        ),
        (Winner.FIRST, Preference(Winner.TIE), "off", "a tie", f"equal scores; by the panel alone: {FIRST}"),
        (
            *(None, Unscored(Reason.NO_VOTES), None, "no verdict (no_votes)"),
            "by the panel alone: no verdict",
        ),
    ],
)
def test_a_decision_is_said_in_words(
    asked: dict[int, Asked],
    before: Winner | None,
    prediction: Preference | Unscored,
    tie_break: str | None,
    after: str,
    note: str,
) -> None:
    each = asked[0]
    made = Asked(each.question, each.answer, each.key, winner_before=before)
    assert decision_view(made) is None
    made.outcome = Outcome("set/1", prediction, detail={"tie_break": tie_break})
    view = decision_view(made)
    assert view is not None
    assert (view.after, view.note) == (after, note)
