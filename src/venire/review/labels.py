"""Labels that people gave: what one is, and what labels there are of an item."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from venire.data.fingerprint import content_id
from venire.data.scores import mean_ratings
from venire.judging.criteria import Criterion
from venire.records import Gold, Instance, Order, PreferenceGold, RatingsGold, Winner

Verdict: TypeAlias = Winner | Mapping[str, float]
OnCriterion: TypeAlias = Winner | None  # None: the criterion does not apply

NOT_APPLICABLE = "N/A"


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
        by_criterion: of a pair, the verdict on each criterion that was answered, by the criterion's key.
        criteria_content: hash of the criteria that these were asked on (`content_of_criteria`); "" for none.
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
    by_criterion: Mapping[str, OnCriterion] = field(default_factory=dict)
    criteria_content: str = ""

    @property
    def who_and_what(self) -> tuple[str, str, str]:
        """Annotator and item: a later label of both replaces an earlier one."""
        return self.instance_id, self.content, self.annotator

    def says_the_same(self, other: "Label") -> bool:
        """Whether both give the same verdicts with one comment, whenever and from wherever they came."""
        return (
            self.who_and_what == other.who_and_what
            and self.comment == other.comment
            and said_by(self) == said_by(other)
        )

    def on_criteria(self, criteria_content: str) -> Mapping[str, OnCriterion]:
        """The verdicts on these criteria; none where it was asked on other ones."""
        return self.by_criterion if self.criteria_content == criteria_content else {}


def _plain(verdict: Verdict) -> object:
    return verdict if isinstance(verdict, Winner) else dict(verdict)


def said_by(label: Label) -> dict[str, object]:
    """What the label says, as JSON fields: `verdict`, with `by_criterion`, or `ratings` by dimension."""
    plain = _plain(label.verdict)
    if not isinstance(plain, Winner):
        return {"ratings": plain}
    if not label.by_criterion:
        return {"verdict": str(plain)}
    on = {
        key: NOT_APPLICABLE if winner is None else str(winner) for key, winner in label.by_criterion.items()
    }
    return {"verdict": str(plain), "by_criterion": on, "criteria_content": label.criteria_content}


def on_criterion(said: object) -> OnCriterion:
    """The verdict that a text names.

    Raises:
        ValueError: it names none.
    """
    return None if said == NOT_APPLICABLE else Winner(str(said))


def content_of(instance: Instance) -> str:
    """The hash of an item's texts."""
    return content_id(instance.prompt, instance.context, [each.text for each in instance.responses])


def content_of_criteria(criteria: Iterable[Criterion]) -> str:
    """The hash of what pairs are compared on: keys, names, descriptions; empty for no criteria."""
    told = sorted((each.key, each.name, each.description) for each in criteria)
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16] if told else ""


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
        return _plurality(votes)
    ratings = {
        label.annotator: dict(label.verdict) for label in labels if not isinstance(label.verdict, Winner)
    }
    return RatingsGold(mean_ratings(list(ratings.values())), ratings) if ratings else None


def consensus_on(labels: Sequence[Label], key: str, criteria_content: str) -> PreferenceGold | None:
    """What the annotators of one pair say together on a criterion; None for a draw, and where nobody says."""
    said = [label.on_criteria(criteria_content).get(key) for label in labels]
    votes = Counter(winner for winner in said if winner is not None)
    return _plurality(votes) if votes else None


def _plurality(votes: Counter[Winner]) -> PreferenceGold | None:
    (winner, most), *others = votes.most_common()
    return None if others and others[0][1] == most else PreferenceGold(winner, dict(votes))
