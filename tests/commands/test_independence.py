import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from venire.commands.independence import independence
from venire.errors import RunError
from venire.metrics.measure import MetricSettings, measure
from venire.records import (
    BackendKind,
    Instance,
    Order,
    Outcome,
    Preference,
    PreferenceGold,
    Response,
    RunRecord,
    RunStatus,
    Vote,
    Winner,
)
from venire.runs import write_run
from venire.tracking.settings import TrackingSettings
from venire.tracking.store import opened
from venire.tracking.upload import upload_run

FIVE = {"a": "11121122", "b": "11221212", "c": "12121121"}  # gold is 1 throughout
CONFIG = "seed: 7\nmetrics: {draws: 200, level: 0.95}\n"


def panel_run(
    home: Path,
    said: Mapping[str, str] = FIVE,
    *,
    config: str = CONFIG,
    detail: Mapping[str, object] | None = None,
) -> dict[str, float]:
    """A finished run of a panel, measured as `venire run` does; returns its metrics."""
    pair = (Response("x"), Response("y"))
    items = range(len(next(iter(said.values()))))
    instances = [Instance(f"i{i}", "Q", pair, gold=PreferenceGold(Winner.FIRST)) for i in items]
    outcomes = []
    for i in items:
        votes = tuple(
            Vote(judge, order, Preference(Winner.FIRST if text[i] == "1" else Winner.SECOND, None))
            for judge, text in said.items()
            for order in Order
        )
        by_order = dict.fromkeys(Order, votes[0].prediction)
        outcomes.append(Outcome(f"i{i}", votes[0].prediction, by_order, votes))
    measured = measure(
        instances, outcomes, labels=(Winner.FIRST, Winner.SECOND), seed=7, settings=MetricSettings(draws=200)
    )
    record = RunRecord(
        run_id="panel", name="a panel", status=RunStatus.FINISHED, kind=BackendKind.RECORDED,
        started_at=1.0, ended_at=2.0, metrics=measured.metrics, params={"seed": "7"},
    )  # fmt: skip
    write_run(
        home / "runs" / "panel",
        record,
        config_yaml=config,
        instances=instances,
        outcomes=[replace(each, detail=detail or {}) for each in outcomes],
    )
    return dict(measured.metrics)


def test_values_and_intervals_are_those_of_the_runs_metrics(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    metrics = panel_run(tmp_path)
    assert independence(tmp_path, "panel", "json", out=None) == 0
    numbers = json.loads(capsys.readouterr().out)["numbers"]
    for name in ("majority_accuracy", "independent_accuracy", "independence_gap", "effective_votes"):
        (found,) = [n for n in numbers if (n["view"], n["statistic"], n["judge"]) == ("as_given", name, "")]
        key = f"panel/{name}/as_given"
        assert found["value"] == pytest.approx(metrics[key])
        assert found["ci_low"] == pytest.approx(metrics[f"{key}/ci_low"])
        assert found["ci_high"] == pytest.approx(metrics[f"{key}/ci_high"])


def test_files_are_written_into_a_folder_that_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    panel_run(tmp_path)
    out = tmp_path / "new" / "folder"
    assert independence(tmp_path, "panel", "text", out=out) == 0
    assert capsys.readouterr().out.rstrip().endswith("independence.md")
    names = {path.name for path in out.iterdir()}
    assert {f"independence.{form}" for form in ("md", "csv", "tex", "html", "json")} <= names
    assert {"independence_as_given.svg", "independence_as_given.png", "independence_swapped.svg"} <= names


def test_files_of_a_run_that_is_in_mlflow_go_beside_it_or_it_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    panel_run(tmp_path, config=CONFIG + "tracking: {}\n")
    settings = TrackingSettings()
    run_id = upload_run(settings, tmp_path / "runs" / "panel", home=tmp_path)
    assert independence(tmp_path, "panel", "text", out=tmp_path / "out") == 0
    with opened(settings, tmp_path) as store:
        logged = {each.path for each in store.client.list_artifacts(run_id)}
    assert {"independence.html", "independence_as_given.pdf"} <= logged
    (tmp_path / "runs" / "panel" / "config.yaml").write_text(CONFIG + "tracking: {uri: nonsense}\n")
    assert independence(tmp_path, "panel", "text", out=tmp_path / "out") == 0
    assert "WARNING: not logged to MLflow" in capsys.readouterr().err


def test_without_out_nothing_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    panel_run(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    assert independence(tmp_path, "panel", "text", out=None) == 0
    assert sorted(tmp_path.rglob("*")) == before
    assert "effective votes" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"said": {"a": "1121"}}, "two judges or more"),
        ({"config": "seed: 7\n"}, r"metrics\.draws and metrics\.level"),
        ({"detail": {"cascade": {}}}, "a cascade asks only some"),
    ],
)
def test_what_is_no_panel_of_all_items_is_refused(
    changes: Mapping[str, Any], said: str, tmp_path: Path
) -> None:
    panel_run(tmp_path, **changes)
    with pytest.raises(RunError, match=said):
        independence(tmp_path, "panel", "text", out=None)
