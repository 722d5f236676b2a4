"""Shards of one run, joined into the run that they are the parts of."""

from venire.merging.joining import Merged, merge
from venire.merging.matching import Parts, matching

__all__ = ["Merged", "Parts", "matching", "merge"]
