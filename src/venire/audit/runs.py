"""From a run to its findings: those that it measured, or those that its verdicts alone allow."""

from collections.abc import Sequence

import numpy as np

from venire.audit.table import Audited
from venire.data.protocol import Loaded
from venire.errors import RunError
from venire.metrics.audit.finding import findings_in
from venire.metrics.audit.readings import plain_readings
from venire.metrics.audit.verdict_findings import verdict_findings
from venire.metrics.estimators import Estimator
from venire.metrics.join import items_of, join
from venire.metrics.measure import MetricSettings
from venire.records import Outcome, RunRecord
from venire.runs import OutcomeRow
from venire.stats.intervals import Resampler

_STREAM = 0x61756469  # keeps these draws apart from other uses of a run's seed


def audited_run(record: RunRecord) -> Audited | None:
    """The findings among the metrics of a run of `method=audit`; None of any other run."""
    found = findings_in(record.metrics, record.notes)
    return Audited(record.name.removeprefix("audit "), record, found) if found else None


def audited_verdicts(
    record: RunRecord,
    rows: Sequence[OutcomeRow],
    loaded: Loaded,
    *,
    judge_family: str = "",
    settings: MetricSettings,
) -> Audited:
    """Position, length, self-enhancement and accuracy of a finished run of any method on pairs.

    Args:
        record, rows: the run's.
        loaded: the data that it judged, for the texts.
        judge_family: of its judge; empty where it has several.
        settings: draws and level of the intervals.

    Raises:
        RunError: it judged in no order, or rated.
    """
    outcomes = [Outcome(row.id, row.prediction, row.by_order) for row in rows]
    if not any(outcome.by_order for outcome in outcomes):
        raise RunError(f"{record.name}: expected verdicts on pairs shown in an order; this method shows none")
    pairs = join(loaded.instances, outcomes)
    items = items_of([instance for instance, _ in pairs], loaded.labels)
    seed = int(record.params.get("seed", "0"))
    resampler = Resampler.draw(items.cluster, settings.draws, np.random.default_rng((seed, _STREAM)))
    estimator = Estimator(items.gold, resampler, settings.level)
    readings = plain_readings(pairs, judge_family=judge_family)
    return Audited(record.name, record, list(verdict_findings(readings, estimator)))
