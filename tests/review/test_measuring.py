import json
import math

import pytest

from venire.errors import DataError, RunError
from venire.metrics.measure import MetricSettings
from venire.records import (
    BackendKind,
    Outcome,
    PreferenceGold,
    Ratings,
    RatingsGold,
    Reason,
    RunRecord,
    RunStatus,
    Unscored,
    Winner,
)
from venire.review.beside import Learnt, write_beside
from venire.review.feedback import calibration_points, corrections
from venire.review.labels import consensus, labels_by_instance
from venire.review.measuring import relabelled

FIRST, SECOND, TIE = Winner
QUICK = MetricSettings(draws=50)


def labels_of(instances, *labels):
    return labels_by_instance(labels, instances)


def test_people_agree_by_plurality_and_a_draw_is_no_label(pair, label):
    a = pair("a")
    votes = [label(a, FIRST, "x"), label(a, FIRST, "y"), label(a, TIE, "z")]
    assert consensus(votes) == PreferenceGold(FIRST, {FIRST: 2, TIE: 1})
    assert consensus(votes[1:]) is None
    assert consensus([]) is None


def test_ratings_of_people_are_their_mean_over_those_who_rated(rated, label):
    a = rated("a")
    gold = consensus([label(a, {"fluency": 2.0}, "x"), label(a, {"fluency": 5.0, "polite": 1.0}, "y")])
    assert isinstance(gold, RatingsGold)
    assert gold.mean == {"fluency": 3.5, "polite": 1.0}
    assert gold.by_annotator == {"x": {"fluency": 2.0}, "y": {"fluency": 5.0, "polite": 1.0}}


def test_only_the_latest_label_counts_and_only_for_the_texts_it_was_given_for(pair, label):
    a = pair("a")
    found = labels_of([a], label(a, FIRST), label(a, SECOND), label(pair("a", prompt="old"), TIE, "bob"))
    assert [each.verdict for each in found["a"]] == [SECOND]


@pytest.fixture
def world(pair, outcome):
    """Four pairs with gold 1 1 1 1; the run says 1 2 - tie."""
    instances = [pair(name) for name in "abcd"]
    outcomes = [
        outcome("a", FIRST, 0.9, as_given=FIRST, swapped=FIRST),
        outcome("b", SECOND, 0.6, as_given=SECOND, swapped=SECOND),
        Outcome("c", Unscored(Reason.ESCALATED)),
        outcome("d", TIE, 0.5, as_given=FIRST, swapped=SECOND),
    ]
    return instances, outcomes


def measured(world, labels, winners=(FIRST, SECOND)):
    instances, outcomes = world
    return relabelled(instances, outcomes, labels, winners=winners, seed=0, settings=QUICK)


def test_labels_as_verdicts_stand_in_for_the_run_s_word_against_the_gold(world, label):
    # People say 1 on c and 2 on d: then a and c are right, b and d wrong: 2 of 4; the run alone has 1 of 4.
    instances, _ = world
    found = measured(world, labels_of(instances, label(instances[2], FIRST), label(instances[3], SECOND)))
    assert found.as_verdicts is not None
    assert found.as_verdicts.metrics["accuracy/final"] == 0.5
    assert found.as_verdicts.metrics["coverage"] == 1.0
    assert found.as_verdicts.metrics["n"] == 4


def test_labels_as_gold_measure_the_run_on_the_labelled_items_alone(world, label):
    # On b people say 2, as the run; on d they say 1, where the run called a tie.
    instances, _ = world
    found = measured(world, labels_of(instances, label(instances[1], SECOND), label(instances[3], FIRST)))
    assert found.as_gold.metrics["n"] == 2
    assert found.as_gold.metrics["accuracy/final"] == 0.5
    assert not any(name.startswith(("calls", "cost_usd", "tokens")) for name in found.as_gold.metrics)


def test_a_tie_of_people_is_gold_where_the_data_has_none(world, label):
    instances, _ = world
    found = measured(world, labels_of(instances, label(instances[3], TIE)))
    assert found.as_gold.metrics["accuracy/final"] == 1.0


def test_items_on_which_people_draw_count_nowhere(world, label):
    instances, _ = world
    own = labels_of(
        instances,
        label(instances[0], FIRST),
        label(instances[1], FIRST, "x"),
        label(instances[1], SECOND, "y"),
    )
    found = measured(world, own)
    assert found.undecided == ("b",)
    assert found.as_gold.metrics["n"] == 1
    with pytest.raises(DataError, match="expected at least one item with a verdict of people"):
        measured(world, {"b": own["b"]})


def test_data_without_gold_is_measured_against_people_only(pair, outcome, label):
    instances = [pair("a", None), pair("b", None)]
    outcomes = [outcome("a", FIRST), outcome("b", FIRST)]
    own = labels_of(instances, label(instances[0], FIRST), label(instances[1], SECOND))
    found = relabelled(instances, outcomes, own, winners=(), seed=0, settings=QUICK)
    assert found.as_verdicts is None
    assert found.as_gold.metrics["accuracy"] == 0.5


def test_ratings_of_people_are_measured_as_ratings(rated, label):
    instances = [rated("a", fluency=1), rated("b", fluency=3), rated("c", fluency=5)]
    outcomes = [
        Outcome("a", Ratings({"fluency": 1.0})),
        Outcome("b", Ratings({"fluency": 3.0})),
        Outcome("c", Ratings({"fluency": 2.0})),
    ]
    own = labels_of(instances, *(label(each, {"fluency": 5.0}) for each in instances[2:]))
    found = relabelled(instances, outcomes, own, winners=(), seed=0, settings=QUICK)
    assert found.as_verdicts is not None
    assert found.as_verdicts.metrics["spearman/fluency"] == pytest.approx(1.0)


def test_calibration_points_are_the_confidences_that_people_checked(world, label):
    instances, outcomes = world
    own = labels_of(instances, *(label(each, FIRST) for each in instances))
    found = calibration_points(outcomes, own)
    assert [(point.instance_id, point.confidence, point.right) for point in found] == [
        ("a", 0.9, True),
        ("b", 0.6, False),
        ("d", 0.5, False),
    ]


def test_corrections_are_labels_that_differ_with_who_when_and_why(world, label):
    instances, outcomes = world
    own = labels_of(
        instances,
        label(instances[0], FIRST),
        label(instances[1], FIRST, comment="the second is padded", created_at="t"),
        label(instances[2], SECOND),
    )
    found = corrections(instances, outcomes, own)
    assert [(each.instance_id, each.judged, each.corrected) for each in found] == [
        ("b", "response_2 (0.60)", "response_1"),
        ("c", "no judgment: escalated", "response_2"),
    ]
    assert (found[0].annotator, found[0].comment, found[0].created_at) == ("ann", "the second is padded", "t")
    assert found[0].responses == ("one", "two")


def test_corrections_of_ratings_are_by_dimension(rated, label):
    instances = [rated("a")]
    outcomes = [Outcome("a", Ratings({"fluency": 3.0}))]
    found = corrections(
        instances, outcomes, labels_of(instances, label(instances[0], {"fluency": 4.0, "polite": 1.0}))
    )
    assert [(each.dimension, each.judged, each.corrected) for each in found] == [
        ("fluency", "3", "4"),
        ("polite", "no rating", "1"),
    ]


def test_what_is_written_beside_a_run_is_marked_and_touches_nothing(world, label, tmp_path):
    instances, outcomes = world
    own = labels_of(instances, label(instances[3], FIRST))
    record = RunRecord("run-1", "pairwise", RunStatus.FINISHED, BackendKind.SIMULATED, 0.0, 1.0)
    (tmp_path / "run.json").write_text("as it was")
    learnt = Learnt(
        measured(world, own),
        calibration_points(outcomes, own),
        corrections(instances, outcomes, own),
        "bench",
        2,
    )
    target = write_beside(tmp_path, record, learnt, "2026-11-30T12:34:56+00:00")
    assert target.parent == tmp_path / "labelled"
    assert target.name.startswith("20261130T123456-")
    assert (tmp_path / "run.json").read_text() == "as it was"
    content = json.loads((target / "measured.json").read_text())
    assert content["marked"].startswith("measured again with people's labels")
    assert (content["run_id"], content["kind"], content["dataset"]) == ("run-1", "simulated", "bench")
    assert (content["items_labelled"], content["annotators"]) == (1, {"ann": 1})
    assert content["labels_of_other_texts"] == 2
    assert content["labels_as_gold"]["metrics"]["n"] == 1
    # undefined: the one item is not consistent
    assert math.isnan(learnt.measured.as_gold.metrics["accuracy/consistent"])
    assert content["labels_as_gold"]["metrics"]["accuracy/consistent"] is None
    assert len((target / "labels.jsonl").read_text().splitlines()) == 1
    assert json.loads((target / "calibration.jsonl").read_text()) == {
        "instance_id": "d",
        "confidence": 0.5,
        "right": False,
    }
    assert json.loads((target / "corrections.jsonl").read_text())["corrected"] == "response_1"
    with pytest.raises(RunError, match="expected a new folder"):
        write_beside(tmp_path, record, learnt, "2026-11-30T12:34:56+00:00")
