"""The prepared view of MLflow's UI: which columns are there without choosing any.

MLflow's run table shows no metric until the user picks some, and keeps the choice in the browser. A
saved view is a tag of the experiment, `mlflow.sharedViewState.<key>`, that the address names; so it
can be made from here. Source: the UI's own code of MLflow 3.17 (its saved views).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from venire.tracking.store import Store

VIEW_KEY = "venire"
VIEW_TAG = f"mlflow.sharedViewState.{VIEW_KEY}"

# Shown where runs have them, in this order; the first four also where there is no run yet.
_SPENT = ("calls/paid", "cost_usd/total")
METRICS = ("accuracy", "kappa", *_SPENT, "calls/total", "position_consistency", "coverage")
# Of runs on human ratings, and where runs of both kinds lie together.
RATED = ("spearman/mean", "abs_spearman/mean", *_SPENT, "coverage", "kendall/mean", "pearson/mean")
MIXED = ("accuracy", "spearman/mean", *_SPENT, "kappa", "abs_spearman/mean", "coverage")
LEADING = 4
MAX_METRICS, MAX_PARAMS = 7, 5

# Two params stand before accuracy, kappa, calls and cost, the others behind them: so much is seen on a
# screen of 1440 points with MLflow's side panels open.
FIRST_PARAMS = 2
PARAM_WIDTH, METRIC_WIDTH = 80, 105
PARAMS = ("ablation", "method", "panel", "judge", "judge.model", "dataset", "seed", "backend")

# The newest runs; a view of more is slow to make and says no more.
LOOKED_AT = 200

_NAME_COLUMN = "attributes.`Run Name`"
_CREATED_COLUMN = "runDateAndNestInfo"


@dataclass(frozen=True, slots=True)
class Shown:
    """A run as far as the view looks at it."""

    params: Mapping[str, str]
    metrics: Mapping[str, float]


def prepare_view(store: "Store", *, now: float) -> str:
    """Save the view for the runs that are there now; returns its address below the UI's root.

    Args:
        store: an open store; its experiment gets the view.
        now: seconds since the epoch.

    Raises:
        MlflowException: the store refuses; `opened` makes it a `TrackingError`.
    """
    runs = store.client.search_runs([store.experiment_id], max_results=LOOKED_AT)
    shown = [Shown(run.data.params, run.data.metrics) for run in runs]
    params = {name: _longest(name, shown) for name in params_shown(shown)}
    tag = view_tag(params, metrics_shown(shown), now=now)
    store.client.set_experiment_tag(store.experiment_id, VIEW_TAG, tag)
    return view_path(store.experiment_id)


def view_path(experiment_id: str) -> str:
    """The view's address below the UI's root."""
    return f"/#/experiments/{experiment_id}/runs?viewStateShareKey={VIEW_KEY}"


def params_shown(runs: Sequence[Shown]) -> tuple[str, ...]:
    """At most five params: those that vary over `runs` by name, then the telling ones that do not."""
    values: dict[str, set[str | None]] = {}
    with_params = [run for run in runs if run.params]  # a sweep's parent has none
    for name in sorted({name for run in with_params for name in run.params}):
        values[name] = {run.params.get(name) for run in with_params}
    varying = [name for name, seen in values.items() if len(seen) > 1]
    telling = [name for name in PARAMS if name in values and name not in varying]
    ordered = [*sorted(varying, key=_telling_first), *telling]
    return tuple(ordered[:MAX_PARAMS])


def _telling_first(name: str) -> tuple[int, str]:
    return (PARAMS.index(name) if name in PARAMS else len(PARAMS), name)


def metrics_shown(runs: Sequence[Shown]) -> tuple[str, ...]:
    """At most seven metrics, of those that `runs` have; the first four of the kind of runs in any case."""
    present = {name for run in runs for name in run.metrics}
    kinds = ("accuracy" in present, RATED[0] in present)
    order = {(True, True): MIXED, (False, True): RATED}.get(kinds, METRICS)
    return tuple(name for name in order if name in order[:LEADING] or name in present)[:MAX_METRICS]


def _longest(name: str, runs: Sequence[Shown]) -> str:
    return max((name, *(run.params.get(name, "") for run in runs)), key=len)


def view_tag(params: Mapping[str, str], metrics: Sequence[str], *, now: float) -> str:
    """The tag's value: the saved view's name and times, and in it, as JSON again, the table's state.

    Args:
        params: column to the longest text in it, for the column's width.
        metrics: columns.
        now: seconds since the epoch.
    """
    widths = {f"params.`{name}`": _width(text, PARAM_WIDTH) for name, text in params.items()}
    widths |= {f"metrics.`{name}`": _width(name, METRIC_WIDTH) for name in metrics}
    chosen = list(widths)
    n, four = min(len(params), FIRST_PARAMS), len(params) + LEADING
    columns = [*chosen[:n], *chosen[len(params) : four], *chosen[n : len(params)], *chosen[four:]]
    state = {
        "selectedColumns": columns,
        "columnOrder": [_NAME_COLUMN, _CREATED_COLUMN, *columns],
        "columnWidths": {_NAME_COLUMN: 200, _CREATED_COLUMN: 80, **widths},
        "runsHiddenMode": "FIRST_20_RUNS",
    }
    at = round(now * 1000)
    return json.dumps({"name": VIEW_KEY, "createdAt": at, "updatedAt": at, "state": json.dumps(state)})


def _width(text: str, most: int) -> int:
    return min(most, max(64, 7 * len(text) + 22))
