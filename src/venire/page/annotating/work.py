"""What there is to label, in which order each annotator sees it, and what was said of it."""

import hashlib
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import numpy as np
from filelock import FileLock

from venire.judging.criteria import Criterion
from venire.judging.rubric import CriterionRubric, rubric_values
from venire.page.times import Times, Visit, new_visit, times_path
from venire.records import Dimension, Instance, Order, Winner
from venire.review.labels import (
    Label,
    OnCriterion,
    Verdict,
    content_of,
    content_of_criteria,
    current,
)
from venire.review.queue import handle_of
from venire.review.sheets import Shown
from venire.review.store import LabelStore


@dataclass(frozen=True, slots=True)
class Item:
    """One item to label.

    Args:
        instance: the item itself.
        handle: names it without telling anything; see `review/queue.py`.
        content: hash of its texts: a label is of these.
        judged: what a run said of it, empty for nothing.
        why: why the run was unsure.
    """

    instance: Instance
    handle: str
    content: str
    judged: str = ""
    why: tuple[str, ...] = ()

    @classmethod
    def of(cls, instance: Instance, *, judged: str = "", why: tuple[str, ...] = ()) -> "Item":
        """The item that shows `instance`."""
        return cls(instance, handle_of(instance.id), content_of(instance), judged, why)

    @property
    def what(self) -> str:
        """Names the item and its texts where times are kept."""
        return f"{self.handle}:{self.content}"

    @property
    def asked(self) -> tuple[Dimension, ...]:
        """What it is rated on; empty where two responses are compared."""
        return tuple(each for each in self.instance.dimensions if each.asked)


@dataclass(frozen=True, slots=True)
class Guide:
    """What stands beside an item: a rubric of one criterion, or what a run learnt.

    Args:
        title, about: the criterion's name and what it measures.
        scale: that it is scored on; empty where it says nothing of one.
        rubric: as `judging.rubric.rubric_values` has it; empty for none.
        names: by which a dimension finds it, casefolded; empty: it stands beside every item.
    """

    title: str
    about: str
    scale: str = ""
    rubric: Mapping[str, object] = field(default_factory=dict)
    names: frozenset[str] = frozenset()

    @classmethod
    def of_rubric(cls, rubric: CriterionRubric) -> "Guide":
        """A criterion with its levels, edge cases and guidelines."""
        names = frozenset({rubric.key.casefold(), rubric.criterion.casefold()})
        return cls(rubric.criterion, rubric.description, str(rubric.scale), rubric_values(rubric), names)


@dataclass(frozen=True, slots=True)
class Work:
    """What there is to label.

    Args:
        name: of the mode: its addresses lie below `/<name>`.
        title: on its pages.
        items: in the data set's order.
        labels: the file that labels go to.
        winners: verdicts that are taken of pairs.
        guides: rubrics that stand beside the items.
        criteria: that pairs are compared on, besides on the whole.
        shuffled: whether each annotator has an order of one's own.
        seed: of that order, and of the sides on which responses stand.
        shown: whether names and verdicts are told.
        source: in the labels: where they come from.
        run_id: in the labels: whose uncertainty they answer.
        hints: commands by which one goes on, for the page of progress.
    """

    name: str
    title: str
    items: tuple[Item, ...]
    labels: Path
    winners: tuple[Winner, ...] = tuple(Winner)
    guides: tuple[Guide, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    shuffled: bool = False
    seed: int = 0
    shown: Shown = Shown()  # noqa: RUF009  (frozen)
    source: str = "page"
    run_id: str = ""
    hints: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Names the work in its forms: other work may have shown the responses the other way round."""
        told = "\n".join((self.name, self.source, self.run_id, str(self.seed)))
        return hashlib.sha256(told.encode()).hexdigest()[:12]

    def criteria_of(self, item: Item) -> tuple[Criterion, ...]:
        """What `item` is compared on; nothing where it is rated."""
        return self.criteria if item.instance.is_pairwise and not item.asked else ()

    def order(self, annotator: str) -> tuple[int, ...]:
        """The places in `items` in the order in which `annotator` sees them."""
        if not self.shuffled:
            return tuple(range(len(self.items)))
        rng = np.random.default_rng([self.seed, _number(annotator)])
        return tuple(int(place) for place in rng.permutation(len(self.items)))

    def sides(self, annotator: str, item: Item) -> Order:
        """In which order `annotator` sees the two responses: either is first on half of the items."""
        swapped = _number(f"{self.seed}\n{annotator}\n{item.instance.id}") % 2
        return Order.SWAPPED if swapped else Order.AS_GIVEN


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person said of an item; `seconds` are of this visit, None where the browser did not tell."""

    verdict: Verdict
    comment: str
    seconds: float | None
    by_criterion: Mapping[str, OnCriterion] = field(default_factory=dict)


class Desk:
    """Work, and the file of labels that it fills; for many threads, and beside other processes.

    Args:
        work: what there is to label.
        clock: the time, with its zone.
        changed: told after each change, of the file.
    """

    def __init__(
        self,
        work: Work,
        *,
        clock: Callable[[], datetime],
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self.work = work
        self._clock = clock
        self._changed = changed
        self._store = LabelStore(work.labels)
        self.times = Times(times_path(work.labels), clock)
        self._turn = threading.Lock()
        self._orders: dict[str, tuple[int, ...]] = {}
        self._content = {item.instance.id: item.content for item in work.items}
        self._items = {item.instance.id: item for item in work.items}
        self._known: tuple[int, dict[str, dict[str, Label]]] = (-1, {})
        self._answered: dict[str, dict[str, Label]] = {}
        self._criteria = content_of_criteria(work.criteria)

    @property
    def revision(self) -> int:
        """Of the labels that were read last: another one, other labels."""
        return self._store.revision

    def order(self, annotator: str) -> tuple[int, ...]:
        """As `Work.order`, made once."""
        if annotator not in self._orders:
            self._orders[annotator] = self.work.order(annotator)
        return self._orders[annotator]

    def item(self, annotator: str, number: int) -> Item | None:
        """The annotator's item `number`, from 1; None where there is none."""
        if not 1 <= number <= len(self.work.items):
            return None
        return self.work.items[self.order(annotator)[number - 1]]

    def number(self, annotator: str, item: Item) -> int:
        """Which of the annotator's items `item` is."""
        return self.order(annotator).index(self.work.items.index(item)) + 1

    def by_annotator(self) -> Mapping[str, Mapping[str, Label]]:
        """The labels of these items that count: annotator, then instance id; oldest first.

        Raises:
            DataError: the file is damaged.
        """
        with self._turn:
            labels = self._read()
            revision, found = self._known
            if revision != self._store.revision:
                found = {}
                for label in current(labels):
                    if self._content.get(label.instance_id) == label.content:
                        found.setdefault(label.annotator, {})[label.instance_id] = label
                self._known = (self._store.revision, found)
                self._answered = {who: self._whole(own) for who, own in found.items()}
            return found

    def _read(self) -> tuple[Label, ...]:
        """Under the lock of those who write, so that no half of a line is seen."""
        if not self.work.labels.parent.is_dir():
            return ()
        with FileLock(f"{self.work.labels}.lock"):
            return self._store.read()

    def own(self, annotator: str) -> Mapping[str, Label]:
        """What `annotator` says of these items, by instance id."""
        return self.by_annotator().get(annotator, {})

    def _whole(self, own: Mapping[str, Label]) -> dict[str, Label]:
        return {name: label for name, label in own.items() if self._is_whole(label)}

    def _is_whole(self, label: Label) -> bool:
        """Whether it says all that is asked of its item: one of another run may lack the criteria."""
        criteria = self.work.criteria_of(self._items[label.instance_id])
        said = label.on_criteria(self._criteria)
        return all(each.key in said for each in criteria)

    def answered(self, annotator: str) -> Mapping[str, Label]:
        """Those of `own` that say all that is asked."""
        self.by_annotator()
        return self._answered.get(annotator, {})

    def next_open(self, annotator: str, after: int = 0) -> int | None:
        """The annotator's first item behind `after` without a whole label, else the first from the start."""
        own, order = self.answered(annotator), self.order(annotator)
        for place in chain(range(after, len(order)), range(min(after, len(order)))):
            if self.work.items[order[place]].instance.id not in own:
                return place + 1
        return None

    def save(self, annotator: str, item: Item, answer: Answer, visit: Visit | None = None) -> None:
        """Add the label to the file; it is on the disk when this returns.

        Its seconds are those of all visits of `annotator` to the item, of labels from elsewhere, too; None
        where one of them is not known. What it is not asked about (criteria of another run) stays as it was.

        Raises:
            DataError: a file is damaged; no label is added.
            OSError: a file could not be written; no label is added.
        """
        now = self._clock().astimezone(UTC).isoformat(timespec="milliseconds")
        before = self.own(annotator).get(item.instance.id)
        on, content = answer.by_criterion, self._criteria if self.work.criteria_of(item) else ""
        if before is not None and not content:
            on, content = before.by_criterion, before.criteria_content
        label = Label(
            instance_id=item.instance.id,
            content=item.content,
            verdict=answer.verdict,
            annotator=annotator,
            created_at=now,
            seconds=self._spent(before, item, answer, visit or Visit(annotator, item.what, new_visit()), now),
            comment=answer.comment,
            imported_at=now,
            source=self.work.source,
            run_id=self.work.run_id,
            shown=self.work.sides(annotator, item) if item.instance.is_pairwise else None,
            by_criterion=on,
            criteria_content=content,
        )
        with self._turn:
            self._store.append([label])
        self._changed()

    def _spent(
        self, before: Label | None, item: Item, answer: Answer, visit: Visit, now: str
    ) -> float | None:
        if before is not None:
            self._count(before, item)
        return self.times.add(visit, answer.seconds, told=now)

    def _count(self, label: Label, item: Item) -> None:
        """The time of a label that came from elsewhere is a part of the sum, too."""
        if not self.times.is_told(label.annotator, item.what, label.created_at):
            given = Visit(label.annotator, item.what, f"label {label.created_at}")
            self.times.add(given, label.seconds, told=label.created_at)

    def undo(self, annotator: str) -> Item | None:
        """Take the annotator's latest label back, and return its item; None where there is none.

        Raises:
            DataError: the file is damaged; nothing is added.
        """
        own = self.own(annotator)
        if not own:
            return None
        latest = max(own.values(), key=lambda label: (label.imported_at, label.created_at))
        item = self._items[latest.instance_id]
        self._count(latest, item)
        now = self._clock().astimezone(UTC).isoformat(timespec="milliseconds")
        with self._turn:
            self._store.take_back(latest, at=now)
        self._changed()
        return item
