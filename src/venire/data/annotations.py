"""The single annotations of a data set: its own where it publishes more than its instances hold."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from venire.data.protocol import Loaded
from venire.errors import DataError
from venire.records import Annotation, Annotations, Instance, PreferenceGold, RatingsGold, Winner

ANNOTATOR = "annotator"  # the metadata key of data sets with one instance a vote
TURNED = {Winner.FIRST: Winner.SECOND, Winner.SECOND: Winner.FIRST, Winner.TIE: Winner.TIE}


@runtime_checkable
class Annotated(Protocol):
    """A data set that knows of annotations which its instances do not show."""

    def annotations(self) -> tuple[Annotations, ...]:
        """All annotations, one entry a question and publication."""
        ...

    def unit_of(self, instance: Instance) -> tuple[str, bool]:
        """The unit that an instance shows, and whether its responses stand in the other order there."""
        ...


def annotations_of(dataset: object, loaded: Loaded) -> tuple[Annotations, ...]:
    """What several annotators said of the same units.

    From the data set itself where it is `Annotated`; else from its instances: ratings by annotator
    (each dimension is a question), one instance a vote (a unit is a prompt with its two responses, in
    either order), or counts of votes (whose annotators have no names).

    Raises:
        DataError: no unit has two annotations; says what to do.
    """
    found = dataset.annotations() if isinstance(dataset, Annotated) else in_instances(loaded.instances)
    if not any(_meet(each) for each in found):
        raise DataError(
            f"{loaded.source}: expected items that several annotators judged, found none; agreement needs "
            "two annotations of an item (of a table: columns.annotator where ratings are given, "
            "columns.metadata.annotator where pairs are compared)"
        )
    return tuple(each for each in found if _meet(each))


def units_in(dataset: object, instances: Sequence[Instance]) -> list[tuple[str, bool]]:
    """The unit of each instance in the annotations, and whether its responses are turned around there."""
    if isinstance(dataset, Annotated):
        return [dataset.unit_of(each) for each in instances]
    if any(ANNOTATOR in each.metadata for each in instances if each.is_pairwise):
        return units_of(instances)
    return [(each.id, False) for each in instances]


def in_instances(instances: Sequence[Instance]) -> tuple[Annotations, ...]:
    """The annotations that instances hold, whether or not any unit has two."""
    if any(isinstance(each.gold, RatingsGold) for each in instances):
        return _ratings(instances)
    pairs = [each for each in instances if isinstance(each.gold, PreferenceGold)]
    if any(ANNOTATOR in each.metadata for each in pairs):
        return (_single_votes(pairs),)
    return (_counted_votes(pairs),) if pairs else ()


def _meet(annotations: Annotations) -> bool:
    """Whether some unit has two annotations."""
    units = [entry.unit for entry in annotations.entries]
    return len(set(units)) < len(units)


def _ratings(instances: Sequence[Instance]) -> tuple[Annotations, ...]:
    dimensions = {each.name: each for instance in instances for each in instance.dimensions}
    rated = [(each, each.gold) for each in instances if isinstance(each.gold, RatingsGold)]
    cluster = {each.id: each.cluster or each.id for each, _ in rated}
    return tuple(
        Annotations(
            title="",
            entries=tuple(
                Annotation(each.id, annotator, own[dimension.name])
                for each, gold in rated
                for annotator, own in gold.by_annotator.items()
                if dimension.name in own
            ),
            cluster=cluster,
            dimension=dimension,
        )
        for dimension in dimensions.values()
    )


def _single_votes(instances: Sequence[Instance]) -> Annotations:
    entries: list[Annotation] = []
    cluster: dict[str, str] = {}
    for instance, (unit, is_turned) in zip(instances, units_of(instances), strict=True):
        winner = _winner(instance)
        value = TURNED[winner] if is_turned else winner
        entries.append(Annotation(unit, instance.metadata.get(ANNOTATOR, ""), value))
        cluster.setdefault(unit, instance.cluster or unit)
    return Annotations("", tuple(entries), cluster)


def units_of(instances: Sequence[Instance]) -> list[tuple[str, bool]]:
    """The unit of each pair, and whether its responses stand in the other order there.

    A unit is a prompt and context with two responses in either order; it is called like the first
    instance of it, and has that one's order.
    """
    first: dict[tuple[object, ...], tuple[str, tuple[object, ...]]] = {}
    found: list[tuple[str, bool]] = []
    for instance in instances:
        sides = tuple((each.generator or "", each.text) for each in instance.responses)
        key = (instance.prompt, instance.context, *sorted(sides))
        unit, own = first.setdefault(key, (instance.id, sides))
        found.append((unit, sides != own))
    return found


def _counted_votes(instances: Sequence[Instance]) -> Annotations:
    """Votes that are only counted: their annotators are numbered, and mean nobody across units."""
    entries: list[Annotation] = []
    for instance in instances:
        counts = instance.gold.votes if isinstance(instance.gold, PreferenceGold) else {}
        votes = [winner for winner, count in counts.items() for _ in range(count)]
        entries += [Annotation(instance.id, f"vote {at}", vote) for at, vote in enumerate(votes, start=1)]
    cluster = {each.id: each.cluster or each.id for each in instances}
    note = "votes are counted by item: who gave them is not known"
    return Annotations("", tuple(entries), cluster, named=False, notes=(note,))


def _winner(instance: Instance) -> Winner:
    assert isinstance(instance.gold, PreferenceGold)
    return instance.gold.winner
