"""Systematic disagreement: confusion tables by criterion and subset, and the items behind the worst cell."""

import json
import math

import pytest

from venire.audit.disagreement import disagreements, winners_on_criteria
from venire.audit.disagreement_table import as_json, confusion_table, items_table, symmetry_table
from venire.errors import RunError
from venire.records import (
    BackendKind,
    Dimension,
    Instance,
    Outcome,
    Prediction,
    Preference,
    PreferenceGold,
    Ratings,
    RatingsGold,
    Reason,
    Response,
    RunRecord,
    RunStatus,
    Unscored,
    Winner,
)

FIRST, SECOND, TIE = Winner.FIRST, Winner.SECOND, Winner.TIE
RECORD = RunRecord("r1", "pairwise", RunStatus.FINISHED, BackendKind.RECORDED, 0.0, 1.0)
DIMENSION = Dimension("fluency", "how it reads", 0.0, 2.0)


def pair(name: str, gold: Winner, lengths: tuple[int, int] = (5, 3), subset: str = "") -> Instance:
    responses = (Response("x" * lengths[0], generator="a"), Response("y" * lengths[1], generator="b"))
    return Instance(name, "p", responses, PreferenceGold(gold), subset)


def judged(*verdicts: tuple[Winner, Winner, tuple[int, int]]) -> tuple[list[Instance], dict[str, Prediction]]:
    instances = [pair(f"i{n}", gold, lengths) for n, (gold, _, lengths) in enumerate(verdicts)]
    return instances, {f"i{n}": Preference(said) for n, (_, said, _) in enumerate(verdicts)}


def test_a_judge_that_errs_towards_the_longer_response_shows_in_that_view_alone() -> None:
    # 12 times the gold is the shorter one and the verdict the longer, 2 times the other way; the longer
    # one is the first in half of them: as to first and second the disagreement is even.
    verdicts = [(SECOND, FIRST, (9, 2))] * 6 + [(FIRST, SECOND, (2, 9))] * 6
    verdicts += [(FIRST, SECOND, (9, 2)), (SECOND, FIRST, (2, 9))] + [(FIRST, FIRST, (9, 2))] * 5
    instances, said = judged(*verdicts)
    found = {each.criterion: each for each in disagreements(instances, said)}
    response, length = found["response"], found["length"]
    assert (response.n, length.n) == (19, 19)
    assert response.symmetry.statistic == 0
    assert response.symmetry.p == 1.0
    # (12 - 2)**2 / 14 with one degree of freedom: p = .0075.
    assert length.symmetry.statistic == pytest.approx(100 / 14)
    assert length.symmetry.p == pytest.approx(0.0075, abs=5e-5)
    assert length.margins.p == pytest.approx(length.symmetry.p)
    worst = length.worst
    assert worst is not None
    assert (length.labels[worst.first], length.labels[worst.second]) == ("shorter", "longer")
    assert length.behind == tuple(f"i{n}" for n in range(12))
    assert length.agreed == response.agreed == pytest.approx(5 / 19)


def test_generators_are_a_view_where_they_are_known() -> None:
    instances, said = judged(*[(FIRST, SECOND, (1, 2))] * 3)
    generator = {each.criterion: each for each in disagreements(instances, said)}["generator"]
    assert generator.labels == ("a", "b", "tie")
    assert generator.table.tolist() == [[0, 3, 0], [0, 0, 0], [0, 0, 0]]
    bare = [Instance("i0", "p", (Response("x"), Response("yy")), PreferenceGold(FIRST))]
    views = [each.criterion for each in disagreements(bare, {"i0": Preference(FIRST)})]
    assert views == ["response", "length"]


def test_a_judge_s_criteria_of_pairs_are_views_held_against_the_overall_gold() -> None:
    instances, said = judged(*[(FIRST, FIRST, (2, 1))] * 4, *[(SECOND, SECOND, (2, 1))] * 4)
    told: list[dict[str, object]] = [{"by_criterion": {"clarity": FIRST.value, "accuracy": FIRST.value}}] * 6
    # clarity applies to one response of the last but one; the last was not compared on criteria
    told += [{"by_criterion": {"accuracy": TIE.value}}, {}]
    outcomes = [
        Outcome(each.id, said[each.id], detail=detail) for each, detail in zip(instances, told, strict=True)
    ]
    found = {each.criterion: each for each in disagreements(instances, said, winners_on_criteria(outcomes))}
    assert list(found) == ["response", "length", "generator", "criterion clarity", "criterion accuracy"]
    assert found["response"].agreed == 1.0
    clarity, accuracy = found["criterion clarity"], found["criterion accuracy"]
    assert clarity.table.tolist() == [[4, 0, 0], [2, 0, 0], [0, 0, 0]]
    assert (clarity.n, clarity.left_out, clarity.behind) == (6, 2, ("i4", "i5"))
    assert accuracy.table.tolist() == [[4, 0, 0], [2, 0, 1], [0, 0, 0]]
    # gold second, verdict first: 2 against 0; second and tie: 1 against 0. (2 - 0)^2 / 2 + (1 - 0)^2 / 1 = 3
    assert (accuracy.symmetry.statistic, accuracy.symmetry.df) == (pytest.approx(3.0), 2)


def test_equal_lengths_and_missing_verdicts_are_left_out_and_counted() -> None:
    instances, said = judged((FIRST, FIRST, (4, 4)), (FIRST, TIE, (5, 4)), (SECOND, SECOND, (5, 4)))
    said["i2"] = Unscored(Reason.REFUSED)
    found = {each.criterion: each for each in disagreements(instances, said)}
    assert (found["response"].n, found["response"].left_out) == (2, 1)
    assert (found["length"].n, found["length"].left_out) == (1, 2)
    assert found["length"].items == {(0, 2): ("i1",)}


def test_every_subset_has_a_table_of_its_own_where_there_are_several() -> None:
    instances = [pair("i0", FIRST, subset="s"), pair("i1", SECOND, subset="t"), pair("i2", FIRST)]
    said: dict[str, Prediction] = {each.id: Preference(FIRST) for each in instances}
    found = [(each.criterion, each.subset, each.n) for each in disagreements(instances, said)]
    assert found[:4] == [
        ("response", "all", 3),
        ("response", "s", 1),
        ("response", "t", 1),
        ("response", "unnamed", 1),
    ]


def rated(name: str, mean: float) -> Instance:
    gold = RatingsGold({"fluency": mean})
    return Instance(name, "p", (Response("r"),), gold, dimensions=(DIMENSION,))


def test_ratings_go_to_the_nearest_point_half_way_to_the_higher_one() -> None:
    instances = [rated("i0", 0.5), rated("i1", 1.49), rated("i2", 2.0), rated("i3", 0.0)]
    said: dict[str, Prediction] = {
        "i0": Ratings({"fluency": 0.4}),
        "i1": Ratings({"fluency": 9.0}),  # off the scale: its end
        "i2": Ratings({}),
    }
    (found,) = disagreements(instances, said)
    assert (found.criterion, found.labels) == ("fluency", ("0", "1", "2"))
    assert found.items == {(1, 0): ("i0",), (1, 2): ("i1",)}
    assert found.left_out == 2


def test_nothing_to_compare_is_an_error() -> None:
    with pytest.raises(RunError, match="expected verdicts and gold of one kind on some item"):
        disagreements([pair("i0", FIRST)], {})


def test_perfect_agreement_has_no_worst_cell_and_no_test() -> None:
    instances, said = judged((FIRST, FIRST, (2, 1)), (SECOND, SECOND, (2, 1)))
    found = disagreements(instances, said)[0]
    assert found.worst is None
    assert found.behind == ()
    assert math.isnan(found.symmetry.p)
    row = symmetry_table(RECORD, [found]).rows[0]
    assert row[-1] == "the two sides agree on every item"


def test_what_is_shown_is_a_row_a_table_counts_and_items() -> None:
    instances, said = judged(*[(FIRST, SECOND, (9, 2))] * 3, (SECOND, SECOND, (9, 2)))
    found = disagreements(instances, said)
    rows = symmetry_table(RECORD, found).rows
    assert [row[0] for row in rows] == ["response", "length", "generator"]
    assert rows[0][10] == "response_1 > response_2: 3 against 0"
    confusion = confusion_table(found[0])
    assert confusion.columns == ("", "response_1", "response_2", "tie")
    assert [cell.value for cell in confusion.rows[0][1:]] == [0, 3, 0]
    items = items_table(found[:1], 2)
    assert [row[2] for row in items.rows] == ["i0", "i1"]
    assert items.footer == ("response: 1 more (--items).",)


def test_plain_values_hold_every_item_and_no_nan() -> None:
    instances, said = judged(*[(FIRST, SECOND, (9, 2))] * 3, (FIRST, FIRST, (9, 2)))
    told = json.loads(json.dumps(as_json(RECORD, disagreements(instances, said)), allow_nan=False))
    first = told["tables"][0]
    assert first["gold_by_verdict"] == [[1, 3, 0], [0, 0, 0], [0, 0, 0]]
    assert first["worst"]["items"] == ["i0", "i1", "i2"]
    assert first["bowker"]["df"] == 1
