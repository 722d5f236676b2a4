"""Agreement on the page is that of `venire.metrics.annotators`; here, what goes into it."""

from pathlib import Path

from tests.page.served import FLUENCY, POLITE, Clock, pair, rated, work_of

from venire.metrics.annotators import AgreementSettings
from venire.page.annotating.agreement import Growing, agreement, labelled_twice, progress
from venire.page.annotating.work import Answer, Desk
from venire.records import Winner
from venire.stats.coincidence import Level

SETTINGS = AgreementSettings(draws=20)
A, B, TIE = Winner.FIRST, Winner.SECOND, Winner.TIE


def desk_of(path: Path, said: dict[str, list[Winner | None]]) -> Desk:
    """A desk with pairs on which each annotator said so, in order; None: nothing yet."""
    work = work_of([pair(f"i{n}") for n in range(6)], path)
    desk = Desk(work, clock=Clock())
    for annotator, winners in said.items():
        for number, (item, winner) in enumerate(zip(work.items, winners, strict=False), start=1):
            if winner is not None:
                desk.save(annotator, item, Answer(winner, "", float(number)))
    return desk


def test_agreement_is_cohens_kappa_of_two_in_the_data_sets_order(tmp_path):
    # By hand: 6 items, 4 agree. ann: A3 B2 tie1, bob: A3 B3. By chance (3*3 + 2*3 + 0) / 36 = 15/36.
    # kappa = (4/6 - 15/36) / (1 - 15/36) = 9/21.
    desk = desk_of(tmp_path / "l.jsonl", {"ann": [A, A, A, B, B, TIE], "bob": [A, A, B, B, B, A]})
    (found,) = agreement(desk, SETTINGS)
    assert (found.question, found.units, found.annotators) == ("preference", 6, 2)
    assert (found.with_ties.agree, found.with_ties.total) == (4, 6)
    assert round(found.kappa.value, 12) == round(9 / 21, 12)
    assert found.kappa_kind == "Cohen's"


def test_agreement_on_few_items_is_not_told(tmp_path):
    desk = desk_of(tmp_path / "l.jsonl", {"ann": [A] * 6, "bob": [A, A, A, B], "eve": [None] * 5 + [A]})
    assert labelled_twice(desk) == 5
    assert len(agreement(desk, SETTINGS)) == 1
    desk.undo("eve")
    assert labelled_twice(desk) == 4
    assert agreement(desk, SETTINGS) == []


def test_each_dimension_is_a_question_and_what_does_not_apply_is_no_label(tmp_path):
    work = work_of([rated(f"i{n}", FLUENCY, POLITE) for n in range(5)], tmp_path / "l.jsonl")
    desk = Desk(work, clock=Clock())
    for annotator, ratings in (("ann", (1, 2, 3, 4, 5)), ("bob", (1, 2, 3, 4, 4))):
        for item, rating in zip(work.items, ratings, strict=True):
            polite = {} if rating == 1 else {"polite": 1.0}
            desk.save(annotator, item, Answer({"fluency": float(rating), **polite}, "", None))
    found = agreement(desk, SETTINGS)
    assert [(each.question, each.units, each.with_ties.agree) for each in found] == [
        ("fluency", 5, 4),
        ("polite", 4, 4),
    ]
    assert found[0].quadratic_kappa is not None
    assert not found[1].kappa.is_defined


def test_progress_is_by_annotator_with_the_median_time(tmp_path):
    desk = desk_of(tmp_path / "l.jsonl", {"bob": [A, A, A], "ann": [A]})
    assert [(each.annotator, each.labelled, each.median_s) for each in progress(desk)] == [
        ("ann", 1, 1.0),
        ("bob", 3, 2.0),
    ]
    desk.save("eve", desk.work.items[0], Answer(A, "", None))
    assert progress(desk)[-1].median_s is None


def test_agreement_is_made_anew_when_labels_come_and_only_then(tmp_path):
    desk = desk_of(tmp_path / "l.jsonl", {"ann": [A] * 6, "bob": [A, A, A, B, B]})
    growing = Growing(desk, AgreementSettings(draws=2000))
    first = growing.now()
    assert growing.now() is first
    assert "5 items, 500 draws" in first[0].alpha[Level.NOMINAL].note
    desk.save("bob", desk.work.items[5], Answer(A, "", None))
    assert [each.units for each in (*first, *growing.now())] == [5, 6]
