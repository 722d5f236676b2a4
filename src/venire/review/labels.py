"""Labels that people gave: what one is, and what labels there are of an item."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from venire.data.fingerprint import content_id
from venire.data.scores import mean_ratings
from venire.records import Gold, Instance, Order, PreferenceGold, RatingsGold, Winner

Verdict: TypeAlias = Winner | Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Label:
    """One person's judgment of one item.

    Args:
        instance_id: of the data set.
        content: hash of the item's texts: a label counts for these texts only.
        verdict: the better response in the data set's own order, or ratings by dimension.
        annotator: who.
        created_at: when it was given, ISO 8601, as the file says; else when it was imported.
        seconds: how long it took, where known.
        comment: what the person wrote beside it.
        imported_at: when it was taken into the store, ISO 8601, UTC.
        source: the file (or page) that it came from.
        run_id: the run whose uncertainty it answers; empty where none was named.
        shown: in which order the person saw the two responses; None where that is not known.
    """

    instance_id: str
    content: str
    verdict: Verdict
    annotator: str
    created_at: str
    seconds: float | None = None
    comment: str = ""
    imported_at: str = ""
    source: str = ""
    run_id: str = ""
    shown: Order | None = None

    @property
    def who_and_what(self) -> tuple[str, str, str]:
        """Annotator and item: a later label of both replaces an earlier one."""
        return self.instance_id, self.content, self.annotator

    def says_the_same(self, other: "Label") -> bool:
        """Whether both give one verdict with one comment, whenever and from wherever they came."""
        return (
            self.who_and_what == other.who_and_what
            and self.comment == other.comment
            and _plain(self.verdict) == _plain(other.verdict)
        )


def _plain(verdict: Verdict) -> object:
    return verdict if isinstance(verdict, Winner) else dict(verdict)


def said_by(label: Label) -> dict[str, object]:
    """What the label says, as a JSON field: `verdict`, or `ratings` by dimension."""
    plain = _plain(label.verdict)
    return {"verdict": str(plain)} if isinstance(plain, Winner) else {"ratings": plain}


def content_of(instance: Instance) -> str:
    """The hash of an item's texts."""
    return content_id(instance.prompt, instance.context, [each.text for each in instance.responses])


def current(labels: Iterable[Label]) -> list[Label]:
    """The latest label of each annotator on each item, in the order in which they first appeared."""
    latest: dict[tuple[str, str, str], Label] = {}
    for label in labels:
        latest[label.who_and_what] = label
    return list(latest.values())


def labels_by_instance(labels: Iterable[Label], instances: Sequence[Instance]) -> dict[str, list[Label]]:
    """The current labels of each instance that has some, given for the texts that it has now."""
    content = {instance.id: content_of(instance) for instance in instances}
    found: dict[str, list[Label]] = {}
    for label in current(labels):
        if content.get(label.instance_id) == label.content:
            found.setdefault(label.instance_id, []).append(label)
    return found


def consensus(labels: Sequence[Label]) -> Gold | None:
    """What the annotators of one item say together: the unique plurality, or the mean ratings.

    None where preferences have no single leading winner: no label is made up from a draw.
    """
    votes = Counter(label.verdict for label in labels if isinstance(label.verdict, Winner))
    if votes:
        (winner, most), *others = votes.most_common()
        return None if others and others[0][1] == most else PreferenceGold(winner, dict(votes))
    ratings = {
        label.annotator: dict(label.verdict) for label in labels if not isinstance(label.verdict, Winner)
    }
    return RatingsGold(mean_ratings(list(ratings.values())), ratings) if ratings else None
