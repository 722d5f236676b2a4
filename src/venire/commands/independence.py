"""`venire independence`: how far the judges of a run's panel err independently of each other."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml

from venire.commands import exits
from venire.errors import RunError, TrackingError
from venire.judging.cascade import is_cascade
from venire.metrics.estimators import Estimator
from venire.metrics.independence import Independence, independence_of
from venire.metrics.join import CODE
from venire.metrics.measure import STREAM
from venire.metrics.panel import bench_of
from venire.records import PreferenceGold, RunRecord
from venire.reporting.independence import as_json, draw, long_table, tables
from venire.reporting.pairing import Run, clusters_of
from venire.reporting.table import TABLE_FORMS, Format, render_tables
from venire.runs import find_run, read_judged, read_outcomes, read_record, write_atomically
from venire.runs.folder import CONFIG_FILE
from venire.stats.intervals import Resampler
from venire.tracking.artifacts import log_artifacts
from venire.tracking.sync import settings_of


def independence(home: Path, reference: str, form: str, *, out: Path | None) -> int:
    """Print the report on the run that `reference` names; with `out`, write it there with heat maps.

    Raises:
        RunError: no such run, or one without several judges' verdicts on the same pairs.
    """
    folder = find_run(home, reference)
    record = read_record(folder)
    views = report_of(folder, record)
    if form == "json":
        print(json.dumps(as_json(record, views), indent=1))
    else:
        print(_rendered(record, views, Format(form)), end="")
    if out is not None:
        paths = _written(out, record, views)
        if record.mlflow_run_id is not None:
            _log(home, folder, record.mlflow_run_id, paths)
        for path in paths:
            print(path)
        print(out / f"independence.{Format.MARKDOWN}")
    return exits.OK


def _written(out: Path, record: RunRecord, views: list[Independence]) -> list[Path]:
    out.mkdir(parents=True, exist_ok=True)
    texts = {str(kind): _rendered(record, views, kind) for kind in TABLE_FORMS}
    texts["json"] = json.dumps(as_json(record, views), indent=1) + "\n"
    for kind, text in texts.items():
        write_atomically(out / f"independence.{kind}", text)
    return [*(out / f"independence.{kind}" for kind in texts), *draw(record, views, out / "independence")]


def _log(home: Path, folder: Path, mlflow_run_id: str, paths: list[Path]) -> None:
    """Beside the run in MLflow; where that cannot be, the files stay and it is said."""
    try:
        log_artifacts(settings_of(folder), mlflow_run_id, paths, home=home)
    except TrackingError as error:
        print(f"WARNING: not logged to MLflow: {error}", file=sys.stderr)


def report_of(folder: Path, record: RunRecord) -> list[Independence]:
    """The run's panel, order by order.

    Raises:
        RunError: as `independence`.
    """
    judged = {outcome.instance_id: outcome for outcome in read_judged(folder)}
    rows = {row.id: row for row in read_outcomes(folder)}
    items = sorted(rows)
    if any(is_cascade(judged[item]) for item in items):
        raise RunError(
            f"{record.name}: expected every judge's verdict on every item, a cascade asks only some"
        )
    golds = [rows[item].gold for item in items]
    codes = [CODE[gold.winner] for gold in golds if isinstance(gold, PreferenceGold)]
    bench = bench_of([judged[item] for item in items])
    if len(codes) < len(golds) or len(bench.judges) < 2:
        raise RunError(
            f"{record.name}: expected verdicts of two judges or more on pairs with a preference; this run "
            f"has {len(bench.judges)} with votes, and {len(codes)} of {len(golds)} items with one. Try a run "
            "of method=majority or method=juryflow"
        )
    set_ = _settings(folder)
    # the stream of `measure`, so that intervals are those of the run's own metrics; a test holds them equal
    rng = np.random.default_rng((set_.seed, STREAM))
    resampler = Resampler.draw(clusters_of(Run(record, rows), items), set_.draws, rng)
    estimator = Estimator(np.array(codes, dtype=np.int64), resampler, set_.level)
    return independence_of(bench, estimator, [rows[item].subset for item in items])


@dataclass(frozen=True, slots=True)
class _Settings:
    """How a run's own intervals were made."""

    seed: int
    draws: int
    level: float


def _settings(folder: Path) -> _Settings:
    path = folder / CONFIG_FILE
    try:
        config = yaml.safe_load(path.read_text(encoding="utf-8"))
        metrics = config["metrics"]
        return _Settings(int(config["seed"]), int(metrics["draws"]), float(metrics["level"]))
    except (OSError, yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        raise RunError(f"{path}: expected the run's seed, metrics.draws and metrics.level: {error}") from None


def _rendered(record: RunRecord, views: list[Independence], form: Format) -> str:
    if form is Format.CSV:
        return long_table(record, views).render(form)
    return render_tables(tables(record, views), form)
