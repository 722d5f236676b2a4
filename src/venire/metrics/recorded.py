"""What is said of recorded judges alone: where the parsers differ, and the source's own "kappa"."""

from collections.abc import Mapping, Sequence

from venire.judging.judge import Judge, RecordedJudge, RecordedParser
from venire.judging.recorded import published_llmbar_kappa
from venire.judging.recorded_parser import parser_difference
from venire.metrics.measurement import Measurement, metric_name
from venire.records import Instance, Order, Outcome, Prediction, Preference, PreferenceGold, Winner

_WHY = (
    "NOT Cohen's kappa: LLMBar's script compares verdicts coded 1/0 with labels coded 1/2; shown only to be "
    "held against publications, see docs/recorded.md"
)


def recorded_metrics(
    judges: Sequence[Judge], instances: Sequence[Instance], outcomes: Sequence[Outcome]
) -> Measurement:
    """`parser/*` and, for one judge read `as_published`, `published_kappa/<subset>/<order>`.

    Empty without recorded judges. The published figures are per subset and order, so are these.
    """
    difference = parser_difference(judges, outcomes)
    if difference is None:
        return Measurement()
    metrics, notes = difference.as_metrics(), {}
    only = judges[0]
    if len(judges) == 1 and isinstance(only, RecordedJudge) and only.parser is RecordedParser.AS_PUBLISHED:
        by_id = {outcome.instance_id: outcome for outcome in outcomes}
        for subset in dict.fromkeys(instance.subset for instance in instances):
            rows = [instance for instance in instances if instance.subset == subset]
            for order in Order:
                name = metric_name("published_kappa", subset, order)
                metrics[name] = _published(rows, by_id, order)
                notes[name] = _WHY
    return Measurement(metrics, notes)


def _published(rows: Sequence[Instance], by_id: Mapping[str, Outcome], order: Order) -> float:
    judged = [
        (row.gold.winner, _winner(by_id[row.id].by_order[order]))
        for row in rows
        if isinstance(row.gold, PreferenceGold) and row.id in by_id and order in by_id[row.id].by_order
    ]
    return published_llmbar_kappa([verdict for _, verdict in judged], [gold for gold, _ in judged])


def _winner(prediction: Prediction) -> Winner | None:
    return prediction.winner if isinstance(prediction, Preference) else None
