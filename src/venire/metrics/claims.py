"""What claim-level methods did beside their verdicts: re-evaluations, and ties that had to be broken."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Required, TypedDict, cast

from venire.metrics.measurement import Collector, metric_name
from venire.records import Outcome

# Re-evaluation calls by kind. Source: spec, section 1, "Reported"
REEVALUATION_STAGES = ("focal", "propagation", "rubric")
_TIE_BREAK = "tie_break"


class _Judgment(TypedDict, total=False):
    verdict: Required[str | None]
    reason: str | None


class _Response(TypedDict):
    judgments: Mapping[str, Sequence[_Judgment]]


def claim_metrics(outcomes: Sequence[Outcome | None], out: Collector) -> None:
    """`calls/reevaluation`, the same per instance, `claims/*`, and `tie_break/*`: pairs by how they ended.

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
    _verdict_metrics(judged, out)
    broken = Counter(str(outcome.detail[_TIE_BREAK]) for outcome in judged if outcome.detail[_TIE_BREAK])
    out.put("tie_break/total", broken.total())
    for how, count in sorted(broken.items()):
        out.put(metric_name(_TIE_BREAK, how), count)


def _verdict_metrics(outcomes: Sequence[Outcome], out: Collector) -> None:
    """`claims/judged`, `claims/abstained` (a judge failed on a claim), `claims/unruled` (nobody ruled)."""
    judged = abstained = unruled = 0
    for outcome in outcomes:
        for response in cast(Sequence[_Response], outcome.detail.get("responses", ())):
            by_claim = list(zip(*response["judgments"].values(), strict=True))
            given = [each for judgments in by_claim for each in judgments]
            judged += sum(each["verdict"] is not None for each in given)
            abstained += sum(each["verdict"] is None and each.get("reason") is not None for each in given)
            unruled += sum(all(each["verdict"] is None for each in judgments) for judgments in by_claim)
    out.put("claims/judged", judged)
    out.put("claims/abstained", abstained)
    out.put("claims/unruled", unruled)
