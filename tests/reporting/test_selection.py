"""Choosing among arms: the best, of equals the cheaper, then the simpler; the strongest judge; the file."""

from collections.abc import Callable
from typing import Any

import pytest
import yaml

from venire.commands.select import config_file
from venire.errors import RunError
from venire.records import BackendKind, RunRecord
from venire.reporting.selection import judge_accuracies, select_best

MakeRecord = Callable[..., RunRecord]
TAU, BETA = "method.focal.threshold", "method.propagation.beta"


def arm(
    make_record: MakeRecord, tau: str, accuracy: float, cost: float, focal: float = 0.0, **more: Any
) -> RunRecord:
    seed = more.pop("seed", 0)
    metrics = {"accuracy": accuracy, "cost_usd/per_1000": cost, "calls/focal": focal, **more}
    params = {TAU: tau, BETA: "0.5", "method.seed": "0"}
    kind = BackendKind.SIMULATED
    return make_record(arm=tau, seed=seed, metrics=metrics, params=params, kind=kind)


def chosen(records: list[RunRecord]) -> str:
    return select_best(records).best.values[TAU]


def test_the_highest_mean_over_seeds_wins(make_record: MakeRecord) -> None:
    # .5: (.9 + .5) / 2 = .7; .7: (.8 + .7) / 2 = .75, though no single run of it is the best
    records = [
        arm(make_record, "0.5", 0.9, 1.0),
        arm(make_record, "0.5", 0.5, 1.0, seed=1),
        arm(make_record, "0.7", 0.8, 9.0),
        arm(make_record, "0.7", 0.7, 9.0, seed=1),
    ]
    best = select_best(records).best
    assert best.values == {TAU: "0.7"}  # what was not swept is not chosen
    assert best.accuracy == pytest.approx(0.75)
    assert best.seeds == 2


def test_of_equals_the_cheaper_wins_then_fewer_calls_then_the_one_swept_first(
    make_record: MakeRecord,
) -> None:
    cheap = [arm(make_record, "0.2", 0.8, 2.0), arm(make_record, "0.5", 0.8, 1.0)]
    assert chosen(cheap) == "0.5"
    fewer = [arm(make_record, "0.2", 0.8, 1.0, 64.0), arm(make_record, "0.5", 0.8, 1.0, 32.0)]
    assert chosen(fewer) == "0.5"
    equal = [arm(make_record, "0.5", 0.8, 1.0), arm(make_record, "0.2", 0.8, 1.0)]
    assert chosen(equal) == "0.5"
    unpriced = [arm(make_record, "0.5", 0.8, float("nan")), arm(make_record, "0.2", 0.8, 1.0)]
    assert chosen(unpriced) == "0.2"


def test_what_cannot_be_compared_is_refused(make_record: MakeRecord) -> None:
    one, two = arm(make_record, "0.2", 0.8, 1.0), arm(make_record, "0.5", 0.8, 1.0)
    with pytest.raises(RunError, match="expected a sweep"):
        select_best([one])
    with pytest.raises(RunError, match="same seeds for every arm, got 0 and 0"):
        select_best([one, two, arm(make_record, "0.2", 0.8, 1.0, seed=1)])
    other = make_record(arm="x", params={TAU: "0.9"}, tags={"data_fingerprint": "e" * 64})
    with pytest.raises(RunError, match="same data"):
        select_best([one, other])
    with pytest.raises(RunError, match="1 have none"):
        select_best([one, arm(make_record, "0.7", float("nan"), 1.0)])


def test_the_table_shows_every_arm_and_what_answered(make_record: MakeRecord) -> None:
    table = select_best([arm(make_record, "0.2", 0.7, 1.0), arm(make_record, "0.5", 0.8, 1.0)]).table
    assert [row[:2] for row in table.rows] == [("chosen", "0.5"), ("", "0.2")]
    assert any("SIMULATED" in sentence for sentence in table.footer)


def test_the_strongest_judge_is_the_one_with_the_highest_mean_of_its_own_accuracies(
    make_record: MakeRecord,
) -> None:
    records = [
        arm(make_record, "0.2", 0.7, 1.0, **{"judge/a/accuracy": 0.6, "judge/b/accuracy": 0.7}),
        arm(make_record, "0.5", 0.7, 1.0, **{"judge/a/accuracy": 0.9, "judge/b/accuracy": 0.7}),
    ]
    accuracies = judge_accuracies(records)
    assert list(accuracies) == ["a", "b"]
    assert accuracies == pytest.approx({"a": 0.75, "b": 0.7})
    tied = [arm(make_record, "0.2", 0.7, 1.0, **{"judge/b/accuracy": 0.7, "judge/a/accuracy": 0.7})]
    assert list(judge_accuracies(tied)) == ["a", "b"]
    assert judge_accuracies([arm(make_record, "0.2", 0.7, 1.0, **{"judge/a/accuracy/swapped": 1.0})]) == {}


def test_the_file_is_a_global_configuration_with_the_chosen_values(make_record: MakeRecord) -> None:
    selection = select_best([arm(make_record, "0.2", 0.7, 1.0), arm(make_record, "0.5", 0.8, 1.0)])
    text = config_file("grid-1", selection, {"mixed": {"gpt_4o": 0.9, "other": 0.8}})
    assert text.splitlines()[0] == "# @package _global_"
    assert "SIMULATED" in text.splitlines()[1]
    assert yaml.safe_load(text) == {
        "method": {"focal": {"threshold": 0.5}},
        "selected": {"strongest": {"mixed": "gpt_4o"}},
    }
    assert "selected" not in yaml.safe_load(config_file("grid-1", selection, {}))
