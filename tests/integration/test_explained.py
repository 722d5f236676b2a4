"""Every metric of real runs stands in `docs/reference/metrics.md`, and under the right name."""

import json
from pathlib import Path

import pytest
from tests.integration.command import Ran, Venire

from venire.metrics.catalogue import explain
from venire.results import LoadedRun, load_sweep

PREFERENCES = "method=majority,juryflow,direct,audit"
RATINGS = "method=maj_eval,geval,rouge_l"


def unexplained(run: LoadedRun) -> list[str]:
    """Metrics that the catalogue does not explain, or takes for a stage that the run does not have."""
    calls = run.calls()
    stages = set(calls["stage"]) if len(calls) else set()
    found = {name: explain(name) for name in json.loads((run.folder / "summary.json").read_text())}
    return [
        f"{run.record.params['method']}: {name}"
        for name, said in found.items()
        if said is None or ("calls/<stage>" in said.name and said.values["stage"] not in stages)
    ]


def runs_of(ran: Ran, count: int) -> list[LoadedRun]:
    assert ran.status == 0, ran.out + ran.err
    runs = load_sweep(Path(ran.last_line))
    assert len(runs) == count
    return runs


@pytest.mark.slow
def test_every_metric_of_methods_on_preferences_is_explained(simulated: Venire) -> None:
    common = ("dataset=sample", "dataset.limit=8", "development=half", "backend=simulated", "max_unscored=1")
    ran = simulated.run("-m", PREFERENCES, *common, "metrics.draws=20", "sweep.plots=false")
    assert [name for run in runs_of(ran, 4) for name in unexplained(run)] == []


@pytest.mark.slow
def test_every_metric_of_methods_on_ratings_is_explained(recorded: Venire) -> None:
    common = ("dataset=mslr", "dataset.sample=102", "dataset.limit=6", "backend=simulated", "max_unscored=1")
    ran = recorded.run("-m", RATINGS, *common, "metrics.draws=20", "sweep.plots=false")
    assert [name for run in runs_of(ran, 3) for name in unexplained(run)] == []
