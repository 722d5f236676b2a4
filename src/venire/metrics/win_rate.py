"""How often the first response wins: as measured, corrected by the development split, and in truth."""

from collections import Counter
from collections.abc import Sequence

from venire.metrics.measurement import Collector
from venire.records import Instance, Outcome, Preference, PreferenceGold, Winner
from venire.stats.corrected import Labelled, corrected_rate, measured_rate
from venire.stats.estimate import IntArray

Judged = Sequence[tuple[Instance, Outcome | None]]


def win_rate_metrics(
    judged: Judged,
    development: Judged,
    out: Collector,
    *,
    level: float = 0.95,
    weights: IntArray | None = None,
) -> None:
    """`win_rate/*` over items with a final verdict: the rate of "the first response is better".

    The development split is the labelled part; the gold of the others is looked at for `win_rate/gold` only,
    and need not be there. `weights`: how many items each of `judged` stands for; None: one each.
    """
    cast, known = _cast(judged, weights), _cast(development)
    n, said = cast.total(), _count(cast, verdict=(Winner.FIRST,))
    others = (Winner.SECOND, Winner.TIE)
    labelled = Labelled(
        positives=_count(known, gold=(Winner.FIRST,)),
        found=_count(known, verdict=(Winner.FIRST,), gold=(Winner.FIRST,)),
        negatives=_count(known, gold=others),
        cleared=_count(known, verdict=others, gold=others),
    )
    out.estimate("win_rate/measured", measured_rate(said, n, level))
    out.estimate("win_rate/corrected", corrected_rate(said, n, labelled, level))
    out.put("win_rate/sensitivity", labelled.sensitivity)
    out.put("win_rate/specificity", labelled.specificity)
    if lacking := n - _count(cast, gold=tuple(Winner)):
        out.missing(["win_rate/gold"], f"{lacking} of the items have no human preference")
        return
    out.estimate("win_rate/gold", measured_rate(_count(cast, gold=(Winner.FIRST,)), n, level))


def _cast(judged: Judged, weights: IntArray | None = None) -> Counter[tuple[Winner, Winner | None]]:
    """How many items with a verdict have each verdict and gold (None: they have none)."""
    cast: Counter[tuple[Winner, Winner | None]] = Counter()
    counts = [1] * len(judged) if weights is None else weights.tolist()
    for (instance, outcome), count in zip(judged, counts, strict=True):
        if outcome is not None and isinstance(outcome.prediction, Preference):
            gold = instance.gold.winner if isinstance(instance.gold, PreferenceGold) else None
            cast[outcome.prediction.winner, gold] += count
    return cast


def _count(
    cast: Counter[tuple[Winner, Winner | None]],
    *,
    verdict: Sequence[Winner] = tuple(Winner),
    gold: Sequence[Winner | None] = (*Winner, None),
) -> int:
    return sum(count for (said, true), count in cast.items() if said in verdict and true in gold)
