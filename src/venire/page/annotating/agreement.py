"""How far those who labelled agree, as the labels grow."""

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from venire.metrics.annotators import Agreement, AgreementSettings, agreements
from venire.page.annotating.work import Desk, Item
from venire.records import Annotation, Annotations, Dimension, Value, Winner
from venire.review.labels import Label

MOST_DRAWS = 500  # of the bootstrap: the figures are made anew as the labels grow
FEWEST = 5  # items that two people labelled, from which on agreement is told


@dataclass(frozen=True, slots=True)
class Progress:
    """How far somebody is: items labelled, and the median of the seconds that they took (None: not known)."""

    annotator: str
    labelled: int
    median_s: float | None


def progress(desk: Desk) -> list[Progress]:
    """Of everybody who labelled, by name."""
    return [
        Progress(annotator, len(own), _median(own.values()))
        for annotator, own in sorted(desk.by_annotator().items())
    ]


def _median(labels: Iterable[Label]) -> float | None:
    seconds = [each.seconds for each in labels if each.seconds is not None]
    return median(seconds) if seconds else None


def labelled_twice(desk: Desk) -> int:
    """How many items two people, or more, have labelled."""
    counts: dict[str, int] = {}
    for own in desk.by_annotator().values():
        for instance_id in own:
            counts[instance_id] = counts.get(instance_id, 0) + 1
    return sum(count > 1 for count in counts.values())


def agreement(desk: Desk, settings: AgreementSettings) -> list[Agreement]:
    """The agreement on each question; empty for fewer than `FEWEST` items that two people labelled.

    Fewer say nothing; and who labels while watching the figure could tell what the other said.
    """
    if labelled_twice(desk) < FEWEST:
        return []
    items, said = desk.work.items, desk.by_annotator()
    dimensions: dict[str, Dimension] = {each.name: each for item in items for each in item.asked}
    questions: list[Dimension | None] = [*dimensions.values()] or [None]
    return [row for each in questions for row in agreements(_annotations(items, said, each), settings)]


class Growing:
    """The agreement as it is now: made once for what there is, by one visitor at a time.

    Args:
        settings: how intervals are made; of the draws at most `MOST_DRAWS`.
    """

    def __init__(self, desk: Desk, settings: AgreementSettings) -> None:
        self._desk = desk
        self._settings = replace(settings, draws=min(settings.draws, MOST_DRAWS))
        self._turn = threading.Lock()
        self._made: tuple[int, list[Agreement]] | None = None

    def now(self) -> list[Agreement]:
        """As `agreement`."""
        with self._turn:
            self._desk.by_annotator()
            revision = self._desk.revision
            if self._made is None or self._made[0] != revision:
                self._made = (revision, agreement(self._desk, self._settings))
            return self._made[1]


def _annotations(
    items: Sequence[Item], said: Mapping[str, Mapping[str, Label]], dimension: Dimension | None
) -> Annotations:
    entries = [
        Annotation(instance_id, annotator, value)
        for annotator, own in said.items()
        for instance_id, label in own.items()
        if (value := _value(label, dimension)) is not None
    ]
    cluster = {item.instance.id: item.instance.cluster or item.instance.id for item in items}
    return Annotations("", tuple(entries), cluster, dimension)


def _value(label: Label, dimension: Dimension | None) -> Value | None:
    if isinstance(label.verdict, Winner):
        return label.verdict if dimension is None else None
    return None if dimension is None else label.verdict.get(dimension.name)
