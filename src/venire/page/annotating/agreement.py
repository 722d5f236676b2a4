"""How far those who labelled agree, as the labels grow."""

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from venire.judging.criteria import Criterion
from venire.metrics.annotators import Agreement, AgreementSettings, agreements
from venire.page.annotating.work import Desk, Item
from venire.records import Annotation, Annotations, Dimension, Value, Winner
from venire.review.labels import Label, content_of_criteria

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
        Progress(annotator, len(answered), _median(own.values()))
        for annotator, own in sorted(desk.by_annotator().items())
        for answered in (desk.answered(annotator),)
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
    questions: list[Dimension | Criterion | None] = [*dimensions.values()] or [None, *desk.work.criteria]
    content = content_of_criteria(desk.work.criteria)
    asked = [_annotations(items, said, each, content) for each in questions]
    return [row for each in asked for row in agreements(each, settings)]


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
    items: Sequence[Item],
    said: Mapping[str, Mapping[str, Label]],
    question: Dimension | Criterion | None,
    content: str,
) -> Annotations:
    entries = [
        Annotation(instance_id, annotator, value)
        for annotator, own in said.items()
        for instance_id, label in own.items()
        if (value := _value(label, question, content)) is not None
    ]
    cluster = {item.instance.id: item.instance.cluster or item.instance.id for item in items}
    title = question.name if isinstance(question, Criterion) else ""
    dimension = question if isinstance(question, Dimension) else None
    return Annotations(title, tuple(entries), cluster, dimension)


def _value(label: Label, question: Dimension | Criterion | None, content: str) -> Value | None:
    match question:
        case Criterion(key=key):
            return label.on_criteria(content).get(key)
        case Dimension(name=name):
            return None if isinstance(label.verdict, Winner) else label.verdict.get(name)
        case None:
            return label.verdict if isinstance(label.verdict, Winner) else None
