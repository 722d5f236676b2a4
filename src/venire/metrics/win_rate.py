"""How often the first response wins: as measured, corrected by the development split, and in truth."""

from collections.abc import Sequence

from venire.metrics.measurement import Collector
from venire.records import Instance, Outcome, Preference, PreferenceGold, Winner
from venire.stats.corrected import Labelled, corrected_rate, measured_rate

Judged = Sequence[tuple[Instance, Outcome | None]]


def win_rate_metrics(judged: Judged, development: Judged, out: Collector, *, level: float = 0.95) -> None:
    """`win_rate/*` over items with a final verdict: the rate of "the first response is better".

    The development split is the labelled part; the gold of the others is looked at for `win_rate/gold` only,
    and need not be there.
    """
    finals = [outcome.prediction for _, outcome in judged if outcome is not None]
    cast = [final.winner for final in finals if isinstance(final, Preference)]
    said = sum(verdict is Winner.FIRST for verdict in cast)
    known = _verdicts(development)
    first = [verdict for verdict, gold in known if gold is Winner.FIRST]
    others = [verdict for verdict, gold in known if gold is not Winner.FIRST]
    labelled = Labelled(
        positives=len(first),
        found=sum(verdict is Winner.FIRST for verdict in first),
        negatives=len(others),
        cleared=sum(verdict is not Winner.FIRST for verdict in others),
    )
    out.estimate("win_rate/measured", measured_rate(said, len(cast), level))
    out.estimate("win_rate/corrected", corrected_rate(said, len(cast), labelled, level))
    out.put("win_rate/sensitivity", labelled.sensitivity)
    out.put("win_rate/specificity", labelled.specificity)
    golds = [gold for _, gold in _verdicts(judged)]
    if len(golds) < len(cast):
        out.missing(["win_rate/gold"], f"{len(cast) - len(golds)} of the items have no human preference")
        return
    true = sum(gold is Winner.FIRST for gold in golds)
    out.estimate("win_rate/gold", measured_rate(true, len(golds), level))


def _verdicts(judged: Judged) -> list[tuple[Winner, Winner]]:
    """Verdict and gold of each item that has both."""
    return [
        (outcome.prediction.winner, instance.gold.winner)
        for instance, outcome in judged
        if outcome is not None
        and isinstance(outcome.prediction, Preference)
        and isinstance(instance.gold, PreferenceGold)
    ]
