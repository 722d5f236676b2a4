"""Calls in their order, those that took the same kept once."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from venire.records import Call
from venire.stats.estimate import Codes
from venire.stats.features import parts_of, weights_of

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Taken:
    """Calls one after another.

    Args:
        distinct: each of them at least once.
        codes: which of `distinct` each call is, shape (n,).
    """

    distinct: Sequence[Call]
    codes: Codes

    @classmethod
    def of(cls, calls: "Sequence[Call] | Taken") -> "Taken":
        """Each call by itself."""
        return calls if isinstance(calls, Taken) else cls(calls, np.arange(len(calls)))

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[Call]:
        return (self.distinct[code] for code in self._each())

    def _each(self) -> Iterator[int]:
        for part in parts_of(len(self.codes)):
            yield from self.codes[part].tolist()

    @property
    def counts(self) -> list[int]:
        """How often each distinct call is there."""
        return weights_of(self.codes).tolist() if len(self) else [0] * len(self.distinct)

    def where(self, is_meant: Callable[[Call], bool]) -> "Taken":
        """Those that are meant, in their order."""
        kept = np.array([is_meant(call) for call in self.distinct], dtype=np.bool_)
        if kept.all():
            return self
        anew = np.cumsum(kept, dtype=np.int32) - np.int32(1)
        distinct = [call for call, is_kept in zip(self.distinct, kept, strict=True) if is_kept]
        codes: Codes = anew[self.codes[kept[self.codes]]]
        return Taken(distinct, codes)

    def count(self, is_meant: Callable[[Call], bool]) -> int:
        """How many are meant."""
        return sum(count for call, count in zip(self.distinct, self.counts, strict=True) if is_meant(call))

    def count_by(self, name: Callable[[Call], Name]) -> Counter[Name]:
        """How many there are by name."""
        found: Counter[Name] = Counter()
        for call, count in zip(self.distinct, self.counts, strict=True):
            found[name(call)] += count
        return found

    def sum(self, values: Sequence[float | int | None]) -> float | int:
        """The sum of what is known, of `values` of each distinct call, in the order of the calls."""
        if all(value is None or isinstance(value, int) for value in values):  # then no order matters
            pairs = zip(values, self.counts, strict=True)
            return sum(value * count for value, count in pairs if value is not None)
        known = (values[code] for code in self._each())
        return sum(value for value in known if value is not None)


def joined(*parts: Taken) -> Taken:
    """All calls, one part after another."""
    some = [part for part in parts if len(part)]
    if len(some) < 2:
        return some[0] if some else Taken((), np.arange(0))
    starts = np.cumsum([0, *(len(part.distinct) for part in some)])
    shifted = [np.int32(start) + part.codes for part, start in zip(some, starts, strict=False)]
    codes: Codes = np.concatenate(shifted)
    return Taken([call for part in some for call in part.distinct], codes)
