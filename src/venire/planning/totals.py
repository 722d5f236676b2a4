"""Sums over planned requests: by stage and model, over a job, over the jobs of a sweep."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from venire.planning.records import PlannedCall, PlannedText
from venire.records import Price, Usage


@dataclass(frozen=True, slots=True)
class Amounts:
    """What new calls would take; None where it cannot be told.

    Args:
        stored, new: distinct calls.
        input_tokens, output_tokens: expected, of the new ones.
        usd: expected.
        usd_at_most: the worst case: input by bytes, output up to `max_tokens`, one attempt a call.
        unpriced: new calls whose price is unknown: the dollars are without them.
    """

    stored: int
    new: int
    input_tokens: int | None
    output_tokens: int | None
    usd: float | None
    usd_at_most: float | None
    unpriced: int


def union(calls: Iterable[Mapping[str, PlannedCall]]) -> dict[str, PlannedCall]:
    """The distinct calls of several jobs: what they share is paid once."""
    return {key: call for each in calls for key, call in each.items()}


def by_stage(calls: Iterable[PlannedCall]) -> dict[tuple[str, str], Amounts]:
    """Amounts by (stage, model), in the order in which stages were first met."""
    everything = list(calls)
    groups: dict[tuple[str, str], list[PlannedCall]] = defaultdict(list)
    for call in everything:
        groups[call.stage, call.model].append(call)
    stages = list(dict.fromkeys(call.stage for call in everything))
    ordered = sorted(groups, key=lambda each: (stages.index(each[0]), each[1]))
    forecast = Forecast(everything)
    return {each: _amounts(groups[each], forecast) for each in ordered}


def amounts(calls: Iterable[PlannedCall]) -> Amounts:
    """Amounts over all `calls`."""
    everything = list(calls)
    return _amounts(everything, Forecast(everything))


class Forecast:
    """Expected tokens of new calls, after what stored calls of the same kind took.

    Output is as long as that stage's stored replies of that model are on average, else as long as a
    simulated reply.
    """

    def __init__(self, calls: Sequence[PlannedCall]) -> None:
        outputs: dict[tuple[str, str], list[int]] = defaultdict(list)
        for call in calls:
            if call.stored and call.expected.output_tokens is not None:
                outputs[call.stage, call.model].append(call.expected.output_tokens)
        self._output = {kind: sum(sizes) / len(sizes) for kind, sizes in outputs.items()}

    def usage(self, call: PlannedCall) -> Usage:
        """Of a new call."""
        mean = self._output.get((call.stage, call.model))
        if call.exact or mean is None:
            return call.expected
        return Usage(call.expected.input_tokens, round(mean))


def _amounts(calls: Sequence[PlannedCall], forecast: Forecast) -> Amounts:
    new = [call for call in calls if not call.stored]
    usages = [forecast.usage(call) for call in new]
    return Amounts(
        stored=len(calls) - len(new),
        new=len(new),
        input_tokens=_sum([usage.input_tokens for usage in usages]),
        output_tokens=_sum([usage.output_tokens for usage in usages]),
        usd=_dollars([(call.price, usage) for call, usage in zip(new, usages, strict=True)]),
        usd_at_most=_dollars([(call.price, Usage(call.input_at_most, call.output_at_most)) for call in new]),
        unpriced=sum(call.price is None for call in new),
    )


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _dollars(priced: Sequence[tuple[Price | None, Usage]]) -> float | None:
    """Of the calls whose price is known; None where it is for none, or where some usage is unknown."""
    costs = [price.cost_usd(usage) for price, usage in priced if price is not None]
    known = [cost for cost in costs if cost is not None]
    if len(known) < len(costs) or (priced and not costs):
        return None
    return sum(known)


@dataclass(frozen=True, slots=True)
class TextAmounts:
    """What vectors would take: distinct texts, and of the new ones tokens and dollars."""

    model: str
    stored: int
    new: int
    billed: bool
    input_tokens: int
    usd: float | None
    usd_at_most: float | None


def text_amounts(texts: Iterable[PlannedText]) -> list[TextAmounts]:
    """Amounts by model, in the order of their first text."""
    groups: dict[str, list[PlannedText]] = defaultdict(list)
    for text in texts:
        groups[text.model].append(text)
    return [_texts(model, group) for model, group in groups.items()]


def _texts(model: str, texts: Sequence[PlannedText]) -> TextAmounts:
    new = [text for text in texts if not text.stored]
    billed = [text for text in new if text.billed]
    return TextAmounts(
        model=model,
        stored=len(texts) - len(new),
        new=len(new),
        billed=any(text.billed for text in texts),
        input_tokens=sum(text.input_expected for text in billed),
        usd=_dollars([(text.price, Usage(text.input_expected, 0)) for text in billed]),
        usd_at_most=_dollars([(text.price, Usage(text.input_at_most, 0)) for text in billed]),
    )
