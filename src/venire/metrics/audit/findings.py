"""Everything that an audit found, and how it goes among a run's metrics."""

from collections.abc import Sequence

from venire.metrics.audit.finding import Finding
from venire.metrics.audit.probe_findings import probe_findings
from venire.metrics.audit.readings import Readings, readings_of
from venire.metrics.audit.verdict_findings import verdict_findings
from venire.metrics.estimators import Estimator
from venire.metrics.measurement import Collector
from venire.records import Instance, Outcome


def audit_findings(readings: Readings, estimator: Estimator) -> list[Finding]:
    """Findings of verdicts, then of probes, arm by arm."""
    return [*verdict_findings(readings, estimator), *probe_findings(readings, estimator)]


def audit_metrics(
    pairs: Sequence[tuple[Instance, Outcome | None]], estimator: Estimator, out: Collector
) -> None:
    """`audit/<arm>/<finding>/*` of a run of `method=audit`; nothing of other runs."""
    readings = readings_of(pairs)
    if readings is None:
        return
    for finding in audit_findings(readings, estimator):
        finding.put(out)
