"""A run measured once more, with what people said of its items; the run itself stays as it is."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from venire.errors import DataError
from venire.judging.criteria import Criterion
from venire.metrics.measure import MetricSettings, measure
from venire.metrics.measurement import Measurement
from venire.records import (
    Gold,
    Instance,
    Outcome,
    Prediction,
    Preference,
    PreferenceGold,
    Ratings,
    RatingsGold,
    Winner,
)
from venire.review.labels import Label, consensus
from venire.review.measuring_criteria import OnOneCriterion, on_each_criterion, without_costs


@dataclass(frozen=True, slots=True)
class Relabelled:
    """A run beside people's labels.

    Args:
        labels: the current labels that count, by instance.
        undecided: instances whose annotators have no single leading verdict: they count nowhere.
        as_gold: measured on the labelled instances alone, with the labels for gold.
        as_verdicts: measured on all instances against the data set's own gold, with the labels in place of
            the method's final word; None where the data set has no gold. Orders are not told apart in it.
        by_criterion: of the criteria that the run compared pairs on, those that people gave verdicts on.
    """

    labels: Mapping[str, Sequence[Label]]
    undecided: tuple[str, ...]
    as_gold: Measurement
    as_verdicts: Measurement | None
    by_criterion: tuple[OnOneCriterion, ...] = ()


def relabelled(
    instances: Sequence[Instance],
    outcomes: Sequence[Outcome],
    labels: Mapping[str, Sequence[Label]],
    *,
    winners: Sequence[Winner],
    seed: int,
    settings: MetricSettings,
    criteria: Sequence[Criterion] = (),
) -> Relabelled:
    """The run measured with `labels` (by instance).

    Args:
        winners: the gold labels that the data set declares; those that people gave are added.
        seed, settings: of the bootstrap, and how metrics are made.
        criteria: that the run compared pairs on.

    Raises:
        DataError: no instance has a label that counts.
    """
    said = {instance_id: consensus(own) for instance_id, own in labels.items()}
    decided = {instance_id: gold for instance_id, gold in said.items() if gold is not None}
    if not decided:
        raise DataError("labels: expected at least one item with a verdict of people, got none")
    as_gold = measure(
        [replace(each, gold=decided[each.id]) for each in instances if each.id in decided],
        [replace(each, calls=()) for each in outcomes if each.instance_id in decided],
        labels=_declared(winners, decided.values()),
        seed=seed,
        settings=settings,
    )
    return Relabelled(
        labels=labels,
        undecided=tuple(sorted(said.keys() - decided.keys())),
        as_gold=without_costs(as_gold),
        as_verdicts=_as_verdicts(instances, outcomes, decided, winners, seed, settings),
        by_criterion=on_each_criterion(instances, outcomes, labels, criteria, seed, settings),
    )


def _as_verdicts(
    instances: Sequence[Instance],
    outcomes: Sequence[Outcome],
    decided: Mapping[str, Gold],
    winners: Sequence[Winner],
    seed: int,
    settings: MetricSettings,
) -> Measurement | None:
    judged = [each for each in instances if _has_gold(each)]
    if not judged:
        return None
    known = {each.id for each in judged}
    by_id = {each.instance_id: each for each in outcomes}
    final = [
        Outcome(name, _verdict(decided[name]) if name in decided else by_id[name].prediction)
        for name in sorted(known & (by_id.keys() | decided.keys()))
    ]
    return without_costs(measure(judged, final, labels=winners, seed=seed, settings=settings))


def _has_gold(instance: Instance) -> bool:
    return isinstance(instance.gold, PreferenceGold) or (
        isinstance(instance.gold, RatingsGold) and bool(instance.gold.mean)
    )


def _verdict(gold: Gold) -> Prediction:
    match gold:
        case PreferenceGold(winner=winner):
            return Preference(winner)
        case RatingsGold(mean=mean):
            return Ratings(mean)


def _declared(winners: Sequence[Winner], golds: Iterable[Gold]) -> tuple[Winner, ...]:
    given = {gold.winner for gold in golds if isinstance(gold, PreferenceGold)}
    return tuple(winner for winner in Winner if winner in (*winners, *given))
