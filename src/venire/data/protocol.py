"""What a data set is to the rest of venire."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from venire.records import Instance, Winner


@dataclass(frozen=True, slots=True)
class Loaded:
    """A data set as it was read.

    Args:
        instances: in the data set's own order; ids are unique. A tuple, or, where they are not to be held
            all at once, a `Streamed`, which reads them anew each time that it is gone through.
        fingerprint: SHA-256 (hex) over ids, texts and gold of `instances`; see
            `venire.data.fingerprint`.
        source: where it came from (a path relative to the data root, or a Hub id).
        revision: the Hub revision, where it came from there.
        labels: the declared gold labels of a pairwise set; empty for ratings.
        warnings: what was odd but is kept (empty responses, ...), a sentence each.
        doubly_rated: where `instances` are a part of a rated set, all of the set that two humans rated:
            how they go with each other is told by all of them; empty where `instances` tell it.
    """

    instances: Sequence[Instance]
    fingerprint: str
    source: str
    revision: str | None = None
    labels: tuple[Winner, ...] = ()
    warnings: tuple[str, ...] = ()
    doubly_rated: tuple[Instance, ...] = ()


class Dataset(Protocol):
    """A benchmark's settings, which know how to load it."""

    @property
    def name(self) -> str:
        """Short name, as in `dataset=NAME`."""
        ...

    def load(self) -> Loaded:
        """Read and check everything. Nothing has been called yet.

        Raises:
            DataError: names file, row and field.
        """
        ...
