"""How the debates of a run went: turns, and what of them did not go as it should."""

from collections import Counter
from collections.abc import Mapping, Sequence

from venire.metrics.measurement import Collector, metric_name
from venire.records import Outcome

DEBATE = "debate"


def debate_metrics(outcomes: Sequence[Outcome | None], out: Collector) -> None:
    """`debate/*`, sums over instances and groups of `Outcome.detail["debate"]`; nothing without debates."""
    totals: Counter[str] = Counter()
    held = 0
    for outcome in outcomes:
        counts = outcome.detail.get(DEBATE) if outcome else None
        if isinstance(counts, Mapping):
            held += 1
            totals.update({str(name): int(count) for name, count in counts.items()})
    if not held:
        return
    for name, total in sorted(totals.items()):
        out.put(metric_name(DEBATE, name), total)
