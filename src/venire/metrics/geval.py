"""How G-Eval's scores of a run came about: by which scoring, and how much of the answers was on the scale."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from venire.metrics.measurement import Collector, metric_name
from venire.records import Outcome

GEVAL = "geval"


def geval_metrics(outcomes: Sequence[Outcome | None], out: Collector) -> None:
    """`geval/*` from `Outcome.detail` (`scoring`, `covered`, `unscored`); nothing of other methods.

    `geval/logprobs` or `geval/samples`: the instances scored in that way. `geval/covered/<dimension>`: the
    mean share of the probability, or of the samples, that was on the scale; `geval/covered/least`: the
    least of any score. `geval/unscored/<dimension>`: the instances without a score on it.
    """
    details = [outcome.detail for outcome in outcomes if outcome and "scoring" in outcome.detail]
    if not details:
        return
    for mode, count in sorted(Counter(str(detail["scoring"]) for detail in details).items()):
        out.put(metric_name(GEVAL, mode), count)
    shares: dict[str, list[float]] = {}
    for detail in details:
        for dimension, share in _numbers(detail.get("covered")):
            shares.setdefault(dimension, []).append(share)
    for dimension, found in sorted(shares.items()):
        out.put(metric_name(GEVAL, "covered", dimension), math.fsum(found) / len(found))
    if shares:
        out.put(metric_name(GEVAL, "covered", "least"), min(min(found) for found in shares.values()))
    failed = Counter(name for detail in details for name in _names(detail.get("unscored")))
    for dimension, count in sorted(failed.items()):
        out.put(metric_name(GEVAL, "unscored", dimension), count)


def _numbers(node: object) -> Iterator[tuple[str, float]]:
    for name, value in node.items() if isinstance(node, Mapping) else ():
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield str(name), float(value)


def _names(node: object) -> Iterator[str]:
    yield from map(str, node) if isinstance(node, Mapping) else ()
