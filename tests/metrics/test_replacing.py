import math

import pytest

from venire.data.annotations import annotations_of
from venire.data.mt_bench_votes import MTBenchVotes
from venire.errors import ConfigError, DataError
from venire.metrics.replacing import replacement, verdicts_by_unit
from venire.records import (
    Annotation,
    Annotations,
    Dimension,
    Preference,
    Ratings,
    Reason,
    Unscored,
    Winner,
)
from venire.stats.alt_test import AltTestSettings

FIRST, SECOND, TIE = Winner
SCALE = Dimension("fluency", "", 1, 5)
SMALL = AltTestSettings(min_items=1)


def votes(*entries, **more):
    return Annotations("", tuple(Annotation(*entry) for entry in entries), {}, **more)


THREE = votes(("a", "x", FIRST), ("a", "y", FIRST), ("a", "z", TIE), ("b", "x", TIE), ("b", "y", TIE))


def test_preferences_are_scored_by_how_many_say_the_same():
    found = replacement(THREE, ("gpt", {"a": FIRST, "b": SECOND}), SMALL)
    assert (found.question, found.judge, found.group) == ("preference", "gpt", "all")
    # x aside: a others {first, tie}: both .5; b others {tie}: judge 0, x 1. z aside: a: judge 1, z 0.
    by_name = {each.annotator: each for each in found.test.against}
    assert (by_name["x"].judge_ahead, by_name["x"].annotator_ahead) == (0.5, 1.0)
    assert (by_name["z"].judge_ahead, by_name["z"].annotator_ahead) == (1.0, 0.0)


def test_ratings_are_scored_by_their_distance():
    entries = (("a", "x", 2.0), ("a", "y", 4.0), ("b", "x", 3.0), ("b", "y", 3.0))
    found = replacement(votes(*entries, dimension=SCALE), ("gpt", {"a": 4.0, "b": 3.0}), SMALL)
    by_name = {each.annotator: each for each in found.test.against}
    # x aside, others y: on a the judge hits 4, x is 2 off; on b both hit.
    assert (by_name["x"].judge_ahead, by_name["x"].annotator_ahead) == (1.0, 0.5)


def test_an_annotator_who_contradicts_itself_is_left_out_there_and_it_is_said():
    both = votes(("a", "x", FIRST), ("a", "x", SECOND), ("a", "y", FIRST), ("a", "z", FIRST))
    found = replacement(both, ("gpt", {"a": FIRST}), SMALL)
    assert {each.annotator for each in found.test.against} == {"y", "z"}
    assert "1 annotations left out: an annotator contradicted itself" in found.notes


def test_items_that_share_a_prompt_are_said():
    shared = Annotations("", THREE.entries, {"a": "p", "b": "p"})
    assert any(
        "2 of them share 1 prompts" in note
        for note in replacement(shared, ("g", {"a": FIRST, "b": TIE}), SMALL).notes
    )
    assert not any("share" in note for note in replacement(THREE, ("g", {"a": FIRST}), SMALL).notes)


def test_two_annotators_are_said_to_be_few():
    two = votes(("a", "x", FIRST), ("a", "y", FIRST))
    (note,) = replacement(two, ("gpt", {"a": FIRST}), SMALL).notes
    assert note.startswith("2 annotators have enough items; below three")


def test_annotators_without_names_and_unknown_groups_are_refused():
    with pytest.raises(DataError, match="expected annotators by name, got counts of votes"):
        replacement(votes(("a", "1", FIRST), named=False), ("gpt", {}), SMALL)
    with pytest.raises(DataError, match=r"group: expected one of the data set's \(none\), got 'experts'"):
        replacement(THREE, ("gpt", {}), SMALL, group="experts")


@pytest.mark.parametrize(
    "settings", [{"epsilon": 1.0}, {"epsilon": -0.1}, {"q": 0.0}, {"q": 1.0}, {"min_items": 0}]
)
def test_settings_out_of_range_are_refused(settings):
    with pytest.raises(ConfigError, match="expected"):
        AltTestSettings(**settings)


def test_a_verdict_is_turned_with_the_responses_and_what_is_unscored_is_none():
    predictions = [
        (("a", False), Preference(FIRST)),
        (("b", True), Preference(FIRST)),
        (("c", True), Preference(TIE)),
        (("d", False), Unscored(Reason.REFUSED)),
    ]
    assert verdicts_by_unit(predictions, None) == ({"a": FIRST, "b": SECOND, "c": TIE}, ())


def test_a_judge_that_contradicts_itself_on_a_unit_calls_a_tie_and_it_is_said():
    predictions = [(("a", False), Preference(FIRST)), (("a", True), Preference(FIRST))]
    verdicts, notes = verdicts_by_unit(predictions, None)
    assert verdicts == {"a": TIE}
    assert notes == ("1 items on which the judge contradicts itself count as its ties",)


def test_ratings_off_the_scale_and_predictions_of_another_kind_are_refused():
    assert verdicts_by_unit([(("a", False), Ratings({"fluency": 2.0}))], SCALE) == ({"a": 2.0}, ())
    assert verdicts_by_unit([(("a", False), Ratings({"overall": 0.1}))], SCALE) == ({}, ())
    with pytest.raises(DataError, match="expected fluency from 1 to 5, got 0"):
        verdicts_by_unit([(("a", False), Ratings({"fluency": 0.0}))], SCALE)
    with pytest.raises(DataError, match="expected preferences"):
        verdicts_by_unit([(("a", False), Ratings({"fluency": 2.0}))], None)
    with pytest.raises(DataError, match="expected ratings on fluency"):
        verdicts_by_unit([(("a", False), Preference(FIRST))], SCALE)


def test_gpt_4_beside_the_mt_bench_annotators(data_root):
    # Held against an independent count: for each annotator with 30 items or more (GPT-4 voted, somebody
    # else too), whether GPT-4, and whether the annotator, agrees with at least as many of the others.
    dataset = MTBenchVotes(str(data_root))
    whole = annotations_of(dataset, dataset.load())[0]
    gpt = whole.machines["gpt4_pair"]
    found = replacement(whole, ("gpt4_pair", gpt), AltTestSettings())
    by_unit = {}
    for entry in whole.entries:
        by_unit.setdefault(entry.unit, {}).setdefault(entry.annotator, set()).add(entry.value)
    for each in found.test.against:
        ahead = []
        for unit, said in by_unit.items():
            said = {name: next(iter(values)) for name, values in said.items() if len(values) == 1}
            own = said.pop(each.annotator, None)
            if own is None or not said or unit not in gpt:
                continue
            judge, human = (sum(value == other for other in said.values()) for value in (gpt[unit], own))
            ahead.append((judge >= human, human >= judge))
        assert each.items == len(ahead) >= 30
        assert each.judge_ahead == pytest.approx(sum(j for j, _ in ahead) / len(ahead))
        assert each.annotator_ahead == pytest.approx(sum(h for _, h in ahead) / len(ahead))
    assert len(found.test.against) == 7
    assert found.test.winning_rate == pytest.approx(4 / 7)
    assert not math.isnan(found.test.advantage)
