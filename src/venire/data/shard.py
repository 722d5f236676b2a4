"""A part of a data set for one of several runs, which `venire merge` joins again."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from venire.data.fingerprint import fingerprint
from venire.data.protocol import Loaded
from venire.data.streamed import Streamed
from venire.errors import ConfigError
from venire.records import Instance


@dataclass(frozen=True, slots=True)
class Shard:
    """Every `count`-th instance, from the `index`-th on.

    By position: the shards differ in size by one instance at most, and each has its share of whatever part
    of a sorted file; a hash of ids would do neither. The data's fingerprint holds the positions.

    Args:
        index: 1 to `count`.
        count: how many shards there are.
    """

    index: int
    count: int

    @classmethod
    def read(cls, text: str) -> "Shard":
        """The shard that `text` (`2/8`) names.

        Raises:
            ConfigError: it names none.
        """
        found = re.fullmatch(r"(\d+)/(\d+)", text)
        if found is None or not 1 <= int(found[1]) <= int(found[2]):
            raise ConfigError(f"shard: expected i/n with i from 1 to n, as in 2/8, got {text!r}")
        return cls(int(found[1]), int(found[2]))

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    def of(self, loaded: Loaded) -> Loaded:
        """That part of a data set; what is said of the whole (warnings, double ratings) stays.

        Raises:
            ConfigError: there are fewer instances than shards.
        """
        whole = loaded.instances
        if len(whole) < self.count:
            raise ConfigError(
                f"shard: {loaded.source} has {len(whole)} instances, too few for {self.count} shards"
            )
        part: Sequence[Instance]
        if isinstance(whole, Streamed):
            size = (len(whole) - self.index) // self.count + 1
            part = Streamed(lambda: islice(iter(whole), self.index - 1, None, self.count), size)
        else:
            part = tuple(whole[self.index - 1 :: self.count])
        return replace(loaded, instances=part, fingerprint=fingerprint(part))
