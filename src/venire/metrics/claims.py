"""What claim-level methods did beside their verdicts: re-evaluations, and ties that had to be broken."""

from collections import Counter
from collections.abc import Sequence

from venire.metrics.measurement import Collector, metric_name
from venire.records import Outcome

# Re-evaluation calls by kind. Source: spec, section 1, "Reported"
REEVALUATION_STAGES = ("focal", "propagation", "rubric")
_TIE_BREAK = "tie_break"


def claim_metrics(outcomes: Sequence[Outcome | None], out: Collector) -> None:
    """`calls/reevaluation`, the same per instance, and `tie_break/*`: how many pairs, by how they ended.

    Only for methods that compare scores of claims, which say in their detail whether a tie was broken.
    `tie_break/total` are the pairs with equal (or undefined) scores.
    """
    judged = [outcome for outcome in outcomes if outcome is not None and _TIE_BREAK in outcome.detail]
    if not judged:
        return
    stages = Counter(call.stage for outcome in judged for call in outcome.calls)
    made = sum(stages[stage] for stage in REEVALUATION_STAGES)
    out.put("calls/reevaluation", made)
    out.put("calls/reevaluation/per_instance", made / len(judged))
    broken = Counter(str(outcome.detail[_TIE_BREAK]) for outcome in judged if outcome.detail[_TIE_BREAK])
    out.put("tie_break/total", broken.total())
    for how, count in sorted(broken.items()):
        out.put(metric_name(_TIE_BREAK, how), count)
