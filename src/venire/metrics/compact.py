"""Pairs and their outcomes as far as metrics look at them: what a run keeps of instances it does not hold.

Instances and outcomes are *interned*: those that no metric tells apart (the same gold, subset, verdicts and
votes) are one object, so that each takes a pointer. What differs in each is in columns: cluster, confidences,
the times of calls. It is only for methods whose metrics are made of verdicts, votes, confidences and calls;
`Outcome.detail` and texts are not kept.
"""

import hashlib
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from venire.errors import DataError
from venire.judging.confidence import Source, confidence_of
from venire.metrics.confidence import Judged, Told
from venire.metrics.spent import Pooled, is_fixed, is_timed
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
from venire.stats.estimate import FloatArray, IntArray

if TYPE_CHECKING:
    import pyarrow as pa

Pair = tuple[Instance, Outcome | None]

_DIGEST = 16  # bytes of a request's key
_CHUNK = 8192  # texts that are put into a column at once
_BLANK = (Response(""), Response(""))
_SOME = "*"  # in place of an instance's id


@dataclass(frozen=True, slots=True)
class Compact:
    """A run's pairs in order of id.

    Args:
        pairs: interned, without ids, texts, confidences and calls.
        distinct_pairs: each of them once.
        cluster: codes as `codes_of` makes them, shape (n,).
        told: what each source of confidence tells.
        calls: those of judged instances, in order of instance id, interned.
        unfinished: those of instances that the run stopped before, interned.
        pooled: what interned calls do not tell.
        judged: how many instances have an outcome.
    """

    pairs: Judged
    distinct_pairs: Judged
    cluster: IntArray
    told: Mapping[Source, Told]
    calls: Sequence[Call]
    unfinished: Sequence[Call]
    pooled: Pooled
    judged: int


class Tally:
    """Takes pairs of instance and outcome one after another, and keeps what metrics need of them."""

    def __init__(self) -> None:
        self._ids = _Texts()
        self._clusters = _Texts()
        self._known: dict[object, Pair] = {}
        self._pairs: list[Pair] = []
        self._told = {source: array("d") for source in Source}
        self._calls = _Calls()
        self._unfinished = _Calls()
        self._judged = 0

    def add(self, instance: Instance, outcome: Outcome | None) -> None:
        """Keep one pair."""
        self._ids.add(instance.id)
        self._clusters.add(f"c{instance.cluster}" if instance.cluster else f"i{instance.id}")
        self._tell(instance, outcome)
        key = _key(instance, outcome)
        pair = self._known.get(key)
        if pair is None:
            pair = self._known[key] = (_slim_instance(instance), _slim_outcome(outcome))
        self._pairs.append(pair)
        self._calls.add(() if outcome is None else outcome.calls)
        self._judged += outcome is not None

    def add_unfinished(self, calls: Iterable[Call]) -> None:
        """Keep the calls of instances that the run stopped before."""
        self._unfinished.add(calls)

    def _tell(self, instance: Instance, outcome: Outcome | None) -> None:
        if outcome is None or not isinstance(instance.gold, PreferenceGold):
            return
        for source, column in self._told.items():
            value = confidence_of(source, instance, outcome)
            if value is not None:  # until there is a first one nothing is kept, not even that there is none
                column.extend([np.nan] * (len(self._pairs) - len(column)))
                column.append(value)

    def compact(self) -> Compact:
        """What was kept, in order of id.

        Raises:
            DataError: nothing was, two instances have one id, or a call is about no instance.
        """
        if not self._pairs:
            raise DataError("instances: expected at least one to measure, got none")
        order = self._ids.order()
        calls, unfinished = self._calls, self._unfinished
        keys = np.frombuffer(calls.keys + unfinished.keys, dtype=f"S{_DIGEST}")
        pooled = Pooled(
            distinct=len(np.unique(keys)),
            timed=np.array(calls.timed + unfinished.timed, dtype=np.float64),
            timed_of_judged=np.array(calls.timed, dtype=np.float64),
        )
        pairs = [self._pairs[at] for at in order]
        return Compact(
            pairs=pairs,
            distinct_pairs=list(self._known.values()),
            cluster=self._clusters.codes(order),
            told={source: self._told_by(source, pairs, order) for source in Source},
            calls=calls.in_order(order),
            unfinished=unfinished.calls,
            pooled=pooled,
            judged=self._judged,
        )

    def _told_by(self, source: Source, pairs: Sequence[Pair], order: IntArray) -> Told:
        column = self._told[source]
        if not column:
            return Told(source, np.zeros(len(pairs), np.bool_), np.zeros(0), np.zeros(0, np.bool_))
        values: FloatArray = np.full(len(pairs), np.nan)
        values[: len(column)] = column
        values = values[order]
        used = ~np.isnan(values)
        right = np.array([_is_right(*pairs[at]) for at in np.flatnonzero(used).tolist()], dtype=np.bool_)
        return Told(source, used, values[used], right)


class _Calls:
    """Calls, each in the place of all that took the same, and what is each one's own."""

    def __init__(self) -> None:
        self._known: dict[Call, Call] = {}
        self._counts = array("I")
        self.calls: list[Call] = []
        self.keys = bytearray()
        self.timed = array("d")

    def add(self, calls: Iterable[Call]) -> None:
        """Those of one instance."""
        before = len(self.calls)
        for call in calls:
            if is_fixed(call) or call.is_embedding:
                raise DataError(
                    f"calls: expected completions about one instance each, got one of stage {call.stage}"
                )
            slim = replace(call, key="", instance_id=_SOME, latency_s=0.0)
            self.calls.append(self._known.setdefault(slim, slim))
            self.keys += hashlib.blake2b(call.key.encode(), digest_size=_DIGEST).digest()
            if is_timed(call):
                self.timed.append(call.latency_s)
        self._counts.append(len(self.calls) - before)

    def in_order(self, order: IntArray) -> list[Call]:
        """With the instances in another order."""
        if not self.calls:
            return []
        ends = np.cumsum(self._counts)
        return [call for at in order for call in self.calls[ends[at] - self._counts[at] : ends[at]]]


class _Texts:
    """A column of texts: their bytes and 8 bytes each."""

    def __init__(self) -> None:
        self._chunks: list[pa.Array] = []
        self._open: list[str] = []

    def add(self, text: str) -> None:
        self._open.append(text)
        if len(self._open) == _CHUNK:
            self._close()

    def _close(self) -> None:
        import pyarrow as pa

        self._chunks.append(pa.array(self._open, pa.large_string()))
        self._open = []

    @property
    def _column(self) -> "pa.Array":
        import pyarrow as pa

        if self._open:
            self._close()
        self._chunks = [pa.concat_arrays(self._chunks)]
        return self._chunks[0]

    def order(self) -> IntArray:
        """The places of the texts, sorted as Python sorts them (by code point, which UTF-8 keeps).

        Raises:
            DataError: two are equal.
        """
        import pyarrow.compute as pc

        column = self._column
        order = pc.sort_indices(column)
        ordered = column.take(order)
        same = pc.equal(ordered[1:], ordered[:-1])
        if len(same) and (at := pc.index(same, True).as_py()) >= 0:
            raise DataError(f"instances: expected unique ids, got {ordered[at].as_py()!r} twice")
        return np.asarray(order.to_numpy(), dtype=np.int64)

    def codes(self, order: IntArray) -> IntArray:
        """Codes 0 .. C - 1 by first appearance in that order."""
        encoded = self._column.take(order).dictionary_encode()
        return np.asarray(encoded.indices.to_numpy(), dtype=np.int64)


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
