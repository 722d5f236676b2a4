"""A run's readings, item by item, as the measures look at them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from venire.judging.probe import AS_IS, AUDIT, PLAIN, SWAP, Bias, Meaning, Reading
from venire.metrics.join import NOT_ASKED, UNSCORED, code_of
from venire.records import Instance, Order, Outcome, Prediction, Preference, Winner
from venire.stats.estimate import FloatArray, IntArray

Case = tuple[int | None, int]  # the response that was changed, and the number of the replicate
Cases = Mapping[Case, Mapping[Order, Prediction]]


@dataclass(frozen=True, slots=True)
class Item:
    """One instance's readings: by arm and probe, then case, then order. Variants by probe and target."""

    instance: Instance
    readings: Mapping[tuple[str, str], Mapping[Case, Mapping[Order, Prediction]]] = field(
        default_factory=dict
    )
    variants: Mapping[tuple[str, int | None], str] = field(default_factory=dict)
    families: tuple[str | None, ...] = ()

    def of(self, arm: str, probe: str) -> Cases:
        """The verdicts of a probe; empty where it was not asked."""
        return self.readings.get((arm, probe), {})

    def as_is(self, arm: str) -> Mapping[Order, Prediction]:
        """The verdicts on the pair as it is."""
        return self.of(arm, AS_IS).get((None, 0), {})


@dataclass(frozen=True, slots=True)
class Readings:
    """All items of a run, and what its audit was.

    Args:
        items: one an instance, in order of id; without readings where it was not judged.
        judge_family: of the audited judge.
        arms: the ways of asking, the plain one first.
        against: arm to the biases that it is meant to lessen.
        before: arm to the arm that it is compared with, where that is not the plain one.
        probes: probe to bias and what it does to the meaning.
        replicates: of an epoch, where drift was looked at.
        not_applicable: what was set and not asked, and why.
    """

    items: Sequence[Item]
    judge_family: str
    arms: tuple[str, ...]
    against: Mapping[str, tuple[Bias, ...]] = field(default_factory=dict)
    before: Mapping[str, str] = field(default_factory=dict)
    probes: Mapping[str, tuple[Bias, Meaning]] = field(default_factory=dict)
    replicates: int | None = None
    not_applicable: Mapping[str, str] = field(default_factory=dict)

    def columns(self, arm: str) -> dict[Order, IntArray]:
        """The verdicts on the pairs as they are: codes of `WINNERS`, order by order, each of shape (n,).

        A pair that was not judged at all, as in a run that was stopped, is unscored in every order.
        """
        orders = [order for order in Order if any(order in item.as_is(arm) for item in self.items)]
        return {
            order: np.array([_code(item, arm, order) for item in self.items], dtype=np.int64)
            for order in orders
        }


def _code(item: Item, arm: str, order: Order) -> int:
    by_order = item.as_is(arm)
    if order in by_order:
        return code_of(by_order[order])
    return NOT_ASKED if item.as_is(PLAIN) else UNSCORED


def won(prediction: Prediction | None, response: int) -> float | None:
    """1 where `response` (0 or 1) won, .5 in a tie, 0 where the other did; None without a verdict."""
    match prediction:
        case Preference(winner=Winner.TIE):
            return 0.5
        case Preference(winner=winner):
            return float((winner is Winner.FIRST) == (response == 0))
        case _:
            return None


def mean_won(by_order: Mapping[Order, Prediction], response: int) -> float | None:
    """The mean of `won` over the orders asked; None where there is none, or one has no verdict."""
    wins = [won(prediction, response) for prediction in by_order.values()]
    scored = [win for win in wins if win is not None]
    return sum(scored) / len(scored) if scored and len(scored) == len(wins) else None


def readings_of(pairs: Sequence[tuple[Instance, Outcome | None]]) -> Readings | None:
    """The readings of a run of `method=audit`; None where no outcome has any."""
    told = [outcome.detail.get(AUDIT) if outcome else None for _, outcome in pairs]
    first = next((each for each in told if isinstance(each, Mapping)), None)
    if first is None:
        return None
    items = [
        _item(instance, outcome, each) if outcome and isinstance(each, Mapping) else Item(instance)
        for (instance, outcome), each in zip(pairs, told, strict=True)
    ]
    against = {arm: tuple(map(Bias, biases)) for arm, biases in first["against"].items()}
    return Readings(
        items=items,
        judge_family=str(first["judge_family"]),
        arms=(PLAIN, *against),
        against=against,
        before=dict(first["before"]),
        probes={
            name: (Bias(each["bias"]), Meaning(each["meaning"])) for name, each in first["probes"].items()
        },
        replicates=first["replicates"],
        not_applicable=dict(first["not_applicable"]),
    )


def _item(instance: Instance, outcome: Outcome, told: Mapping[str, object]) -> Item:
    listed, families, against = told["readings"], told["families"], told["against"]
    assert isinstance(listed, list)
    assert isinstance(families, list)
    assert isinstance(against, Mapping)
    found: dict[tuple[str, str], dict[Case, dict[Order, Prediction]]] = {}
    variants: dict[tuple[str, int | None], str] = {}
    for each in listed:
        reading = Reading.from_json(each)
        cases = found.setdefault((reading.arm, reading.probe), {})
        cases.setdefault((reading.target, reading.replicate), {})[reading.order] = reading.prediction
        if reading.variant:
            variants[reading.probe, reading.target] = reading.variant
    if SWAP in against:  # no question of its own: the final word over both orders
        found[SWAP, AS_IS] = {(None, 0): dict.fromkeys(outcome.by_order, outcome.prediction)}
    return Item(instance, found, variants, tuple(families))


def plain_readings(pairs: Sequence[tuple[Instance, Outcome | None]], *, judge_family: str = "") -> Readings:
    """The readings of a run of any method on pairs: its verdicts, and nothing beside them."""
    items = [
        Item(instance, {(PLAIN, AS_IS): {(None, 0): outcome.by_order}} if outcome else {})
        for instance, outcome in pairs
    ]
    return Readings(items, judge_family, (PLAIN,))


def lengths(items: Sequence[Item]) -> FloatArray:
    """Characters of both responses, at least 1 each, shape (n, 2)."""
    return np.array(
        [[max(1, len(response.text)) for response in item.instance.responses] for item in items], dtype=float
    ).reshape(len(items), 2)


def before_of(readings: Readings, arm: str) -> str:
    """The arm that `arm` is compared with; empty for the plain one."""
    return "" if arm == PLAIN else readings.before.get(arm, PLAIN)
