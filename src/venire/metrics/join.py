"""Joins instances and outcomes by id, and lays verdicts out as columns of codes."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from venire.errors import DataError
from venire.records import (
    Instance,
    Order,
    Outcome,
    Prediction,
    Preference,
    PreferenceGold,
    Ratings,
    Reason,
    Unscored,
    Winner,
)
from venire.stats.estimate import Codes, IntArray
from venire.stats.intervals import codes_of

WINNERS = (Winner.FIRST, Winner.SECOND, Winner.TIE)
CODE = {winner: code for code, winner in enumerate(WINNERS)}
UNSCORED = -1  # was to be judged, has no judgment
NOT_ASKED = -2  # was not to be judged in this order

Value = TypeVar("Value")
Made = TypeVar("Made")

Judgments = Mapping[Order | None, Prediction]  # by order shown; under None where there is no order


@dataclass(frozen=True, slots=True)
class Items:
    """The instances in order of id, as arrays of shape (n,).

    Args:
        ids: sorted; empty where nobody asks for them.
        gold: position in `WINNERS`.
        cluster: codes 0 .. C - 1; an instance without a cluster is one of its own.
        subset: name, empty where it has none.
    """

    ids: tuple[str, ...]
    gold: IntArray
    cluster: Codes
    subset: tuple[str, ...]

    @property
    def n(self) -> int:
        """How many instances."""
        return len(self.gold)


@dataclass(frozen=True, slots=True)
class Columns:
    """One judge's or method's verdicts: codes of `WINNERS`, `UNSCORED` or `NOT_ASKED`, each of shape (n,).

    Args:
        by_order: a column for each order that was shown.
        main: the columns whose mean is the plain metric: both orders, or the only verdict of each
            item (one order, or none).
    """

    by_order: Mapping[Order, IntArray]
    main: tuple[IntArray, ...]

    @property
    def both_orders(self) -> bool:
        """Whether every item was to be judged in both orders."""
        return len(self.main) == 2


def join(instances: Sequence[Instance], outcomes: Iterable[Outcome]) -> list[tuple[Instance, Outcome | None]]:
    """Each instance with its outcome, None where it was not judged; in order of id.

    Raises:
        DataError: an id that occurs twice, or an outcome of no instance.
    """
    by_id: dict[str, Outcome] = {}
    for outcome in outcomes:
        if outcome.instance_id in by_id:
            raise DataError(f"outcomes: instance {outcome.instance_id!r} has two; expected at most one")
        by_id[outcome.instance_id] = outcome
    known = Counter(instance.id for instance in instances)
    twice = [name for name, count in known.items() if count > 1]
    if twice:
        raise DataError(f"instances: expected unique ids, got {twice[0]!r} {known[twice[0]]} times")
    strangers = sorted(by_id.keys() - known.keys())
    if strangers:
        raise DataError(
            f"outcomes: {len(strangers)} of no instance of this data set, first {strangers[0]!r}; "
            "measure a run with the data set (and dataset.limit) that it judged"
        )
    return [(instance, by_id.get(instance.id)) for instance in sorted(instances, key=lambda each: each.id)]


def items_of(
    instances: Sequence[Instance], labels: Sequence[Winner], *, cluster: Codes | None = None
) -> Items:
    """Arrays of instances with a human preference, in the given order; `cluster` where they do not say it.

    Raises:
        DataError: an instance without one, or with a label that is not declared.
    """
    gold = [_gold_code(instance, labels) for instance in instances]
    return Items(
        ids=tuple(each.id for each in instances),
        gold=np.array(gold, dtype=np.int64),
        cluster=codes_of(clusters_of(instances)) if cluster is None else cluster,
        subset=tuple(each.subset for each in instances),
    )


def clusters_of(instances: Sequence[Instance]) -> list[tuple[str, str]]:
    """The cluster of each instance; one without a cluster is one of its own."""
    return [("cluster", each.cluster) if each.cluster else ("id", each.id) for each in instances]


def orders_asked(judgments: Sequence[Judgments]) -> list[frozenset[Order | None]]:
    """In which orders each item was to be judged, `{None}` for a verdict of no order.

    All orders that any item was judged in, where one was in several, or all in the same one; else
    each item's own one (an order drawn for each instance). An item without any judgment (the run
    stopped) then counts as asked under None. Where there are orders, a verdict of none is no part.
    """
    every = frozenset(order for each in judgments for order in each)
    if any(len(each) > 1 for each in judgments):
        return [every - {None}] * len(judgments)
    if len(every) == 1:
        return [every] * len(judgments)
    return each_once(lambda each: frozenset(each) or frozenset({None}), judgments)


def each_once(make: Callable[[Value], Made], values: Sequence[Value]) -> list[Made]:
    """What `make` makes of each value; once of one that stands there several times, as the same object."""
    made: dict[int, Made] = {}
    return [made[id(each)] if id(each) in made else made.setdefault(id(each), make(each)) for each in values]


def columns(judgments: Sequence[Judgments], asked: Sequence[frozenset[Order | None]]) -> Columns:
    """Verdicts as columns. `asked` says where a missing judgment is unscored."""
    every = frozenset[Order | None]().union(*asked)
    by_order = {
        order: np.array(
            [
                code_of(each.get(order)) if order in orders else NOT_ASKED
                for each, orders in zip(judgments, asked, strict=True)
            ],
            dtype=np.int64,
        )
        for order in Order
        if order in every
    }
    if any(len(orders) > 1 for orders in asked):
        return Columns(by_order, tuple(by_order.values()))
    only = [
        code_of(next((each[order] for order in orders if order in each), None))
        for each, orders in zip(judgments, asked, strict=True)
    ]
    return Columns(by_order, (np.array(only, dtype=np.int64),))


def code_of(prediction: Prediction | None) -> int:
    """The code of a verdict, `UNSCORED` where there is none.

    Raises:
        DataError: ratings where a preference is due.
    """
    match prediction:
        case Preference(winner=winner):
            return CODE[winner]
        case Unscored() | None:
            return UNSCORED
        case Ratings():
            raise DataError(
                "outcomes: expected preferences, as the gold is, got ratings; choose another method"
            )


def reasons(
    judgments: Sequence[Judgments],
    asked: Sequence[frozenset[Order | None]],
    weights: IntArray | None = None,
) -> Counter[Reason]:
    """How often each reason stands in for a verdict; `weights`: for how many items, None: for one each."""
    found: Counter[Reason] = Counter()
    counts = [1] * len(judgments) if weights is None else weights.tolist()
    for each, orders, count in zip(judgments, asked, counts, strict=True):
        for order in orders:
            match each.get(order):
                case None:
                    found[Reason.NOT_RUN] += count
                case Unscored(reason=reason):
                    found[reason] += count
    return found


def _gold_code(instance: Instance, labels: Sequence[Winner]) -> int:
    match instance.gold:
        case PreferenceGold(winner=winner) if winner in labels:
            return CODE[winner]
        case PreferenceGold(winner=winner):
            declared = ", ".join(labels)
            raise DataError(f"gold of {instance.id!r}: expected one of {declared} as declared, got {winner}")
        case other:
            kind = "no gold" if other is None else "ratings"
            raise DataError(f"gold of {instance.id!r}: expected a preference like the others, got {kind}")
