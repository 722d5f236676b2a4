"""Pairs and their outcomes as far as metrics look at them: what a run keeps of instances it does not hold.

Instances and outcomes are *interned*: those that no metric tells apart (the same gold, subset, verdicts and
votes) are of one kind, and each takes 4 bytes to say which. What differs in each is in columns of codes:
cluster, confidences, calls. Ids, clusters' names and the keys of calls are sorted and told apart on disk. It
is only for methods whose metrics are made of verdicts, votes, confidences and calls; `Outcome.detail` and
texts are not kept.
"""

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from venire.errors import DataError
from venire.judging.confidence import Source, confidence_of
from venire.metrics.confidence import Judged, Told
from venire.metrics.spent import Pooled, is_fixed, is_timed
from venire.metrics.taken import Taken
from venire.records import (
    Call,
    Instance,
    Outcome,
    Prediction,
    Preference,
    PreferenceGold,
    Response,
    Unscored,
    Vote,
)
from venire.spilled import Digests, SortedTexts
from venire.stats.features import parts_of

Pair = tuple[Instance, Outcome | None]
Small = npt.NDArray[np.int32]

_BLANK = (Response(""), Response(""))
_SOME = "*"  # in place of an instance's id


@dataclass(frozen=True, slots=True)
class Compact:
    """A run's n pairs in order of id.

    Args:
        pairs: one of each kind, without ids, texts, confidences and calls; in order of appearance.
        kind: which of them each is, shape (n,).
        cluster: codes as `codes_of` makes them, shape (n,).
        told: what each source of confidence tells.
        calls: those of judged instances, in order of instance id.
        unfinished: those of instances that the run stopped before.
        pooled: what interned calls do not tell.
        judged: how many instances have an outcome.
    """

    pairs: Judged
    kind: Small
    cluster: Small
    told: Mapping[Source, Told]
    calls: Taken
    unfinished: Taken
    pooled: Pooled
    judged: int


class Tally:
    """Takes pairs of instance and outcome one after another, and keeps what metrics need of them."""

    def __init__(self) -> None:
        self._ids = SortedTexts()
        self._clusters = Digests()
        self._known: dict[object, int] = {}
        self._pairs: list[Pair] = []
        self._kind = array("i")
        self._told = {source: _Confidences() for source in Source}
        self._keys = Digests()
        self._calls = _Calls(self._keys)
        self._unfinished = _Calls(self._keys)
        self._judged = 0

    def add(self, instance: Instance, outcome: Outcome | None) -> None:
        """Keep one pair."""
        key = _key(instance, outcome)
        kind = self._known.setdefault(key, len(self._pairs))
        if kind == len(self._pairs):
            self._pairs.append((_slim_instance(instance), _slim_outcome(outcome)))
        self._calls.add(() if outcome is None else outcome.calls)
        self._tell(instance, outcome)
        self._ids.add(instance.id)
        self._clusters.add(f"c{instance.cluster}" if instance.cluster else f"i{instance.id}")
        self._kind.append(kind)
        self._judged += outcome is not None

    def add_unfinished(self, calls: Iterable[Call]) -> None:
        """Keep the calls of instances that the run stopped before."""
        self._unfinished.add(calls)

    def _tell(self, instance: Instance, outcome: Outcome | None) -> None:
        if outcome is None or not isinstance(instance.gold, PreferenceGold):
            return
        for source, column in self._told.items():
            value = confidence_of(source, instance, outcome)
            if value is not None:
                column.add(len(self._kind), value, _is_right(instance, outcome))

    def compact(self) -> Compact:
        """What was kept, in order of id.

        Raises:
            DataError: nothing was, two instances have one id, or a call is about no instance.
        """
        if not self._pairs:
            raise DataError("instances: expected at least one to measure, got none")
        order = _order_of(self._ids)
        calls, unfinished = self._calls, self._unfinished
        pooled = Pooled(
            distinct=self._keys.distinct(),
            timed=np.array(calls.timed + unfinished.timed, dtype=np.float64),
            timed_of_judged=np.array(calls.timed, dtype=np.float64),
        )
        kind, new = _by_appearance(np.frombuffer(self._kind, np.int32)[order], len(self._pairs))
        return Compact(
            pairs=[self._pairs[at] for at in np.argsort(new)],
            kind=kind,
            cluster=_by_appearance(self._clusters.firsts()[order], len(order))[0],
            told={source: column.told(source, order) for source, column in self._told.items()},
            calls=calls.in_order(order),
            unfinished=unfinished.taken,
            pooled=pooled,
            judged=self._judged,
        )


class _Confidences:
    """What one source tells: 4 bytes an instance from the first on of which it tells something."""

    def __init__(self) -> None:
        self._known: dict[tuple[float, bool], int] = {}
        self._kind = array("i")

    def add(self, place: int, value: float, right: bool) -> None:
        """Of the instance at `place`, which comes after those that were added."""
        self._kind.extend([0] * (place - len(self._kind)))
        self._kind.append(self._known.setdefault((value, right), len(self._known) + 1))

    def told(self, source: Source, order: Small) -> Told:
        """With the instances in another order; kind 0 is that of which nothing is told."""
        if not self._kind:
            return Told(source, np.zeros(len(order), np.bool_), np.zeros(0), np.zeros(0, np.bool_))
        kind = np.zeros(len(order), dtype=np.int32)
        kind[: len(self._kind)] = self._kind
        return Told(
            source,
            np.arange(1 + len(self._known)) > 0,
            np.array([value for value, _ in self._known], dtype=np.float64),
            np.array([right for _, right in self._known], dtype=np.bool_),
            kind[order],
        )


class _Calls:
    """Calls, each in the place of all that took the same, and what is each one's own."""

    def __init__(self, keys: Digests) -> None:
        self._known: dict[Call, int] = {}
        self._keys = keys
        self._codes = array("i")
        self._counts = array("i")
        self.timed = array("d")

    def add(self, calls: Iterable[Call]) -> None:
        """Those of one instance."""
        before = len(self._codes)
        for call in calls:
            if is_fixed(call) or call.is_embedding:
                raise DataError(
                    f"calls: expected completions about one instance each, got one of stage {call.stage}"
                )
            slim = replace(call, key="", instance_id=_SOME, latency_s=0.0)
            self._codes.append(self._known.setdefault(slim, len(self._known)))
            self._keys.add(call.key)
            if is_timed(call):
                self.timed.append(call.latency_s)
        self._counts.append(len(self._codes) - before)

    @property
    def taken(self) -> Taken:
        """In the order in which they were added."""
        return Taken(tuple(self._known), np.array(self._codes, dtype=np.int32))

    def in_order(self, order: Small) -> Taken:
        """With the instances in another order."""
        if not self._codes:
            return self.taken
        codes, counts = np.frombuffer(self._codes, np.int32), np.frombuffer(self._counts, np.int32)
        starts = np.cumsum(counts) - counts
        parts = [_ranges(starts[order[part]], counts[order[part]]) for part in parts_of(len(order))]
        return Taken(tuple(self._known), np.concatenate([codes[part] for part in parts]))


def _ranges(starts: npt.NDArray[np.int64], lengths: Small) -> npt.NDArray[np.int64]:
    """The numbers start, start + 1, ... of each range, one range after another."""
    ends = np.cumsum(lengths)
    return np.asarray(np.arange(ends[-1]) + np.repeat(starts - (ends - lengths), lengths))


def _order_of(ids: SortedTexts) -> Small:
    """The places of the ids, sorted.

    Raises:
        DataError: two are equal.
    """
    order = np.empty(len(ids), dtype=np.int32)
    before = None
    for at, (name, place) in enumerate(ids):
        if name == before:
            raise DataError(f"instances: expected unique ids, got {name!r} twice")
        before = name
        order[at] = place
    return order


def _by_appearance(codes: Small, size: int) -> tuple[Small, Small]:
    """Codes below `size` made anew, 0, 1, ... by first appearance; and the new one of each old one."""
    new = np.full(size, -1, dtype=np.int32)
    made = np.empty(len(codes), dtype=np.int32)
    known = 0
    for part in parts_of(len(codes)):
        own = codes[part]
        names, first = np.unique(own[new[own] < 0], return_index=True)
        new[names[np.argsort(first)]] = np.arange(known, known + len(names))
        known += len(names)
        made[part] = new[own]
    return made, new


def _key(instance: Instance, outcome: Outcome | None) -> object:
    gold = instance.gold.winner if isinstance(instance.gold, PreferenceGold) else None
    if outcome is None:
        return gold, instance.subset
    by_order = tuple((order, _bare(each)) for order, each in outcome.by_order.items())
    votes = tuple((vote.judge, vote.order, _bare(vote.prediction)) for vote in outcome.votes)
    return gold, instance.subset, _bare(outcome.prediction), by_order, votes


def _bare(prediction: Prediction) -> Prediction:
    """Without what differs from instance to instance and no verdict metric looks at."""
    match prediction:
        case Preference(winner):
            return Preference(winner)
        case Unscored(reason):
            return Unscored(reason)
        case _:
            raise DataError(
                "outcomes: expected preferences, as the gold is, got ratings; choose another method"
            )


def _slim_instance(instance: Instance) -> Instance:
    gold = PreferenceGold(instance.gold.winner) if isinstance(instance.gold, PreferenceGold) else None
    return Instance(id="", prompt="", responses=_BLANK, gold=gold, subset=instance.subset)


def _slim_outcome(outcome: Outcome | None) -> Outcome | None:
    if outcome is None:
        return None
    return Outcome(
        instance_id="",
        prediction=_bare(outcome.prediction),
        by_order={order: _bare(each) for order, each in outcome.by_order.items()},
        votes=tuple(Vote(vote.judge, vote.order, _bare(vote.prediction)) for vote in outcome.votes),
    )


def _is_right(instance: Instance, outcome: Outcome | None) -> bool:
    if outcome is None or not isinstance(outcome.prediction, Preference):
        return False
    return isinstance(instance.gold, PreferenceGold) and outcome.prediction.winner is instance.gold.winner
