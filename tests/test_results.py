"""`venire.results`: finished runs and sweeps as a notebook reads them."""

import json
import math
from pathlib import Path

import pytest

from venire.errors import RunError
from venire.records import (
    BackendKind,
    Instance,
    Order,
    Outcome,
    Preference,
    PreferenceGold,
    Reason,
    Response,
    RunRecord,
    RunStatus,
    Unscored,
    Vote,
    Winner,
)
from venire.results import frame, load_run, load_sweep
from venire.runs import write_run

ONE, TWO = Preference(Winner.FIRST), Preference(Winner.SECOND)


def a_run(home: Path, run_id: str, *, accuracy: float = 0.5, status: RunStatus = RunStatus.FINISHED) -> Path:
    two = (Response("yes"), Response("no"))
    gold = PreferenceGold(Winner.FIRST)
    instances = [Instance(f"a/{place}", "Is it?", two, gold, "Natural") for place in (1, 2, 3)]
    outcomes = [
        Outcome(
            "a/1",
            ONE,
            {Order.AS_GIVEN: ONE, Order.SWAPPED: TWO},
            votes=(Vote("gpt_4o", Order.AS_GIVEN, ONE), Vote("gpt_4o", Order.SWAPPED, TWO)),
            detail={"counts": {"response_1": 1}},
        ),
        Outcome("a/2", Unscored(Reason.UNPARSED), {Order.AS_GIVEN: ONE, Order.SWAPPED: ONE}),
    ]
    record = RunRecord(
        run_id=run_id,
        name=f"run {run_id}",
        status=status,
        kind=BackendKind.SIMULATED,
        started_at=1.0,
        ended_at=2.0,
        metrics={"n": 3.0, "accuracy": accuracy, "accuracy/ci_low": 0.2, "accuracy/ci_high": 0.8},
        params={"method": "pairwise"},
    )
    folder = home / "runs" / run_id
    write_run(folder, record, config_yaml="method:\n  orders: both\n", instances=instances, outcomes=outcomes)
    return folder


def a_sweep(home: Path, **folders: Path) -> Path:
    jobs = home / "sweeps" / "sample-1" / "jobs" / "0001"
    jobs.mkdir(parents=True)
    for number, (ablation, folder) in enumerate(folders.items()):
        job = {
            "number": number,
            "overrides": [f"ablation={ablation}"],
            "status": "finished",
            "folder": str(folder),
            "error": "",
            "interrupted": False,
        }
        (jobs / f"{number}.json").write_text(json.dumps(job), encoding="utf-8")
    (home / "sweeps" / "sample-1" / "summary.json").write_text("{}", encoding="utf-8")
    return home / "sweeps" / "sample-1" / "summary.json"


def test_a_run_is_found_by_the_beginning_of_its_id_and_says_what_answered(tmp_path: Path) -> None:
    a_run(tmp_path, "2026-a")
    run = load_run("2026", root=tmp_path)
    assert (run.name, run.kind, run.summary["accuracy"]) == ("run 2026-a", BackendKind.SIMULATED, 0.5)
    assert run.interval("accuracy") == (0.2, 0.8)
    assert all(map(math.isnan, run.interval("n")))
    assert run.config() == {"method": {"orders": "both"}}


def test_outcomes_have_a_row_an_instance_and_a_missing_verdict_is_not_right(tmp_path: Path) -> None:
    outcomes = load_run(a_run(tmp_path, "2026-a")).outcomes()
    # a/1: right in one of two orders; a/2: both; a/3 was not judged
    assert outcomes["right"].to_dict() == {"a/1": 0.5, "a/2": 1.0, "a/3": 0.0}
    assert outcomes.loc["a/3", "prediction_reason"] == "not_run"
    assert outcomes.loc["a/1", "detail"] == {"counts": {"response_1": 1}}


def test_votes_have_a_row_a_vote_beside_the_gold(tmp_path: Path) -> None:
    votes = load_run(a_run(tmp_path, "2026-a")).votes()
    assert votes[["id", "gold", "judge", "order", "winner"]].to_numpy().tolist() == [
        ["a/1", "response_1", "gpt_4o", "as_given", "response_1"],
        ["a/1", "response_1", "gpt_4o", "swapped", "response_2"],
    ]


def test_a_run_without_calls_has_no_rows_of_calls(tmp_path: Path) -> None:
    assert load_run(a_run(tmp_path, "2026-a")).calls().empty


def test_a_sweeps_runs_have_its_overrides_and_those_that_stopped_early_are_asked_for(tmp_path: Path) -> None:
    whole, part = (
        a_run(tmp_path, "2026-a"),
        a_run(tmp_path, "2026-b", accuracy=0.1, status=RunStatus.INCOMPLETE),
    )
    summary = a_sweep(tmp_path, none=whole, no_tie=part)
    assert [run.record.params["ablation"] for run in load_sweep(summary)] == ["none"]
    by_id = load_sweep("sample", root=tmp_path, partial=True)
    table = frame(by_id, ["accuracy", "n"], by=["ablation", "panel"])
    assert table["ablation"].tolist() == ["none", "no_tie"]
    assert table["accuracy"].tolist() == [0.5, 0.1]
    assert table["accuracy/ci_low"].tolist() == [0.2, 0.2]
    assert "n/ci_low" not in table
    assert table["panel"].isna().all()


def test_a_metric_that_no_run_has_is_an_error_that_names_near_ones(tmp_path: Path) -> None:
    run = load_run(a_run(tmp_path, "2026-a"))
    with pytest.raises(RunError, match=r"'accuracy/wurst': no run has it; there are accuracy, accuracy/ci"):
        frame([run], ["accuracy/wurst"])


def test_a_sweep_without_a_finished_run_is_an_error(tmp_path: Path) -> None:
    part = a_run(tmp_path, "2026-b", status=RunStatus.FAILED)
    with pytest.raises(RunError, match="found none among 1 runs"):
        load_sweep(a_sweep(tmp_path, none=part))
