"""Named numbers and what must be said of them; how a metric is named."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from venire.errors import DataError
from venire.stats.estimate import NAN, Estimate

# What MLflow 3 takes on every platform: ASCII letters, digits, and these. Slashes group its charts.
_REFUSED = re.compile(r"[^A-Za-z0-9_\-. :/]")


def metric_name(*parts: str) -> str:
    """The parts joined by slashes, each refused character replaced by `_`.

    Equal in `summary.json` and in MLflow, which also refuses empty and dot-only path parts.
    """
    pieces = [piece for part in parts for piece in _REFUSED.sub("_", part).split("/")]
    return "/".join("_" if set(piece) <= {"."} else piece for piece in pieces if piece)


def distinct_names(values: Iterable[str]) -> dict[str, str]:
    """A metric name for each value; values that would share one get `_2`, `_3`, ... in sorted order."""
    names: dict[str, str] = {}
    for value in sorted(set(values)):
        plain = metric_name(value) or "_"
        name, suffix = plain, 1
        while name in names.values():
            suffix += 1
            name = f"{plain}_{suffix}"
        names[value] = name
    return names


@dataclass(frozen=True, slots=True)
class Measurement:
    """What a run measured.

    Args:
        metrics: name to number, NaN where undefined.
        notes: name to the method of its interval, the reason why it is undefined, or what else
            must be said of it.
    """

    metrics: Mapping[str, float] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)


class Collector:
    """Gathers named numbers while a run is measured; a name is given once."""

    def __init__(self) -> None:
        self._metrics: dict[str, float] = {}
        self._notes: dict[str, str] = {}

    def put(self, name: str, value: float, note: str = "") -> None:
        """Add one number.

        Raises:
            DataError: the name is taken (a stage or judge is called like a metric of ours).
        """
        if name in self._metrics:
            raise DataError(f"metric {name!r}: two values; rename the stage, judge or subset behind it")
        self._metrics[name] = float(value)
        if note:
            self._notes[name] = note

    def estimate(self, name: str, estimate: Estimate) -> None:
        """Add a value with its interval (`<name>/ci_low`, `<name>/ci_high`) and its note."""
        self.put(name, estimate.value, estimate.note)
        self.put(metric_name(name, "ci_low"), estimate.low)
        self.put(metric_name(name, "ci_high"), estimate.high)

    def point(self, name: str, estimate: Estimate) -> None:
        """Add a value without its interval; its note where it is undefined."""
        self.put(name, estimate.value, "" if estimate.is_defined else estimate.note)

    def missing(self, names: Iterable[str], reason: str) -> None:
        """Add names that have no value in this run, with the reason."""
        for name in names:
            self.put(name, NAN, f"undefined: {reason}")

    def result(self) -> Measurement:
        """Everything gathered."""
        return Measurement(dict(self._metrics), dict(self._notes))
