"""What every metric of a run means: `catalogue.yaml`, by name."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from venire.errors import DataError
from venire.judging.confidence import Source

CATALOGUE = Path(__file__).parent / "catalogue.yaml"

# What a placeholder stands for; of those not named here, one part of a name.
_VALUES = {
    "order": "as_given|swapped",
    "coefficient": "spearman|kendall|pearson",
    "curve": "isotonic|platt",
    "variant": "mean_of_groups|mean_of_agents",
    "source": "|".join(Source),
    "judge": ".+?",
    "fact": ".+?",
    "Subset": ".+?",
}
_BOUNDS = ("/ci_low", "/ci_high")
_FIELDS = {"names", "is", "unit", "interval", "source"}


@dataclass(frozen=True, slots=True)
class Explained:
    """Metrics that are explained together.

    Args:
        names: with placeholders: `<judge>` for any judge.
        meaning: what they are.
        unit: `share` is 0 to 1.
        interval: whether or how, or which of them has one; empty for none.
        source: of the formula; empty where it is plain counting.
        section: what they are of, as a title.
        of: which data or method gives them.
        see: the page of `docs/` that says more; empty for none.
    """

    names: tuple[str, ...]
    meaning: str
    unit: str
    interval: str
    source: str
    section: str
    of: str
    see: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a metric's name means, and what its placeholders stand for in it (`{"judge": "gpt_4o"}`)."""

    of: Explained
    name: str
    values: Mapping[str, str]


@cache
def catalogue() -> tuple[Explained, ...]:
    """Every entry, in the order of the file.

    Raises:
        DataError: an entry has other fields than it should, or a section has a name twice.
    """
    entries = []
    for section in yaml.safe_load(CATALOGUE.read_text(encoding="utf-8")):
        for row in section["rows"]:
            if unknown := row.keys() - _FIELDS:
                raise DataError(f"{CATALOGUE.name}: {row['names']}: unknown {', '.join(sorted(unknown))}")
            entries.append(
                Explained(
                    names=tuple(row["names"]),
                    meaning=row["is"],
                    unit=row["unit"],
                    interval=row.get("interval", ""),
                    source=row.get("source", ""),
                    section=section["section"],
                    of=section["of"],
                    see=section.get("see", ""),
                )
            )
    names = [(entry.section, name) for entry in entries for name in entry.names]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise DataError(f"{CATALOGUE.name}: explained twice: {', '.join(name for _, name in twice)}")
    return tuple(entries)


def explain(metric: str) -> Explanation | None:
    """What `metric` means; None where the catalogue does not say.

    The bounds of an interval are explained as their metric; a name that is there for two kinds of data by the
    first. Of several names that fit the one with the fewest placeholders counts: `calls/paid` is no stage.
    """
    plain = metric
    for bound in _BOUNDS:
        plain = plain.removesuffix(bound)
    found = [
        Explanation(entry, name, match.groupdict())
        for entry in catalogue()
        for name in entry.names
        if (match := _pattern(name).fullmatch(plain)) is not None
    ]
    return min(found, key=lambda each: len(each.values), default=None)


@cache
def _pattern(name: str) -> re.Pattern[str]:
    parts = re.split(r"<(\w+)>", name)
    fixed, placeholders = parts[::2], parts[1::2]
    pieces = [re.escape(fixed[0])]
    for placeholder, text in zip(placeholders, fixed[1:], strict=True):
        pieces += [f"(?P<{placeholder}>{_VALUES.get(placeholder, '[^/]+')})", re.escape(text)]
    return re.compile("".join(pieces))
