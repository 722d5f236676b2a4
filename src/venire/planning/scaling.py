"""What a plan costs once and what it costs for every instance: sums that scale with the data."""

from collections.abc import Iterable
from dataclasses import dataclass

from venire.planning.records import PlannedCall
from venire.planning.totals import Forecast


@dataclass(frozen=True, slots=True)
class Load:
    """Calls, tokens and US dollars, of a part or as a mean; None where it cannot be told."""

    calls: float
    input_tokens: float | None
    output_tokens: float | None
    usd: float | None

    def __add__(self, other: "Load") -> "Load":
        return Load(
            self.calls + other.calls,
            _sum(self.input_tokens, other.input_tokens),
            _sum(self.output_tokens, other.output_tokens),
            _sum(self.usd, other.usd),
        )

    def times(self, factor: float) -> "Load":
        """As much, `factor` times."""
        return Load(
            self.calls * factor,
            None if self.input_tokens is None else self.input_tokens * factor,
            None if self.output_tokens is None else self.output_tokens * factor,
            None if self.usd is None else self.usd * factor,
        )

    @property
    def tokens(self) -> float | None:
        """In and out."""
        return _sum(self.input_tokens, self.output_tokens)


@dataclass(frozen=True, slots=True)
class Scaling:
    """A plan's calls, stored ones included, by what they grow with.

    Args:
        fixed: about no instance: once, however many there are.
        per_instance: the mean over `instances`.
        per_group_instance: the mean over the pairs of a stakeholder group and an instance; None where
            there are no groups. It is a part of `per_instance`.
        instances: how many were looked at.
    """

    fixed: Load
    per_instance: Load
    per_group_instance: Load | None
    instances: int

    def of(self, instances: int) -> Load:
        """What so many instances take."""
        return self.fixed + self.per_instance.times(instances)


def scaling(calls: Iterable[PlannedCall], instances: int) -> Scaling:
    """`calls` of one plan over `instances`, by what they grow with."""
    everything = list(calls)
    forecast = Forecast(everything)
    of_groups = [call for call in everything if call.group and not call.is_fixed]
    pairs = {(call.group, call.instance_id) for call in of_groups}
    return Scaling(
        fixed=_load([call for call in everything if call.is_fixed], forecast),
        per_instance=_load([call for call in everything if not call.is_fixed], forecast).times(1 / instances),
        per_group_instance=_load(of_groups, forecast).times(1 / len(pairs)) if pairs else None,
        instances=instances,
    )


def published_tokens(
    *, documents: int, per_document: int, groups: int, per_group_instance: int, instances: int = 1
) -> int:
    """Tokens of personas from documents and of debates, as MAJ-EVAL's paper adds them up.

    `documents x per_document + instances x groups x per_group_instance`. The paper's sum for one item
    carries the whole of the personas' cost, which a run of many items pays once.

    Source: MAJ-EVAL, section on cost (docs/papers/maj_eval.md holds its figures against each other).
    """
    return documents * per_document + instances * groups * per_group_instance


def _load(calls: list[PlannedCall], forecast: Forecast) -> Load:
    usages = [call.expected if call.stored else forecast.usage(call) for call in calls]
    dollars = [
        None if call.price is None else call.price.cost_usd(usage)
        for call, usage in zip(calls, usages, strict=True)
    ]
    return Load(
        float(len(calls)),
        _total([usage.input_tokens for usage in usages]),
        _total([usage.output_tokens for usage in usages]),
        _total(dollars),
    )


def _total(values: list[int | None] | list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(sum(known)) if len(known) == len(values) else None


def _sum(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other
