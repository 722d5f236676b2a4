"""How right a run was on single criteria, say people who compared the same pairs on them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from venire.judging.criteria import Criterion
from venire.metrics.measure import MetricSettings, measure
from venire.metrics.measurement import Measurement
from venire.records import Instance, Outcome, Preference, Unscored, Winner
from venire.review.feedback import on_criteria
from venire.review.labels import Label, consensus_on, content_of_criteria


@dataclass(frozen=True, slots=True)
class OnOneCriterion:
    """The run's winners on a criterion, measured with people's for gold.

    Args:
        criterion: which.
        undecided: pairs on which people draw: they count nowhere.
        left_out: pairs with a verdict of people on which the run has none, as the criterion applies to one
            response only, or to none.
        measured: over the other pairs with a verdict of people; a pair that the run left unjudged counts as
            not correct. None where there are none.
    """

    criterion: Criterion
    undecided: tuple[str, ...]
    left_out: tuple[str, ...]
    measured: Measurement | None


def on_each_criterion(
    instances: Sequence[Instance],
    outcomes: Sequence[Outcome],
    labels: Mapping[str, Sequence[Label]],
    criteria: Sequence[Criterion],
    seed: int,
    settings: MetricSettings,
) -> tuple[OnOneCriterion, ...]:
    """Those of `criteria` that people gave verdicts on, with these very words."""
    content = content_of_criteria(criteria)
    by_id = {outcome.instance_id: outcome for outcome in outcomes}
    found = []
    for criterion in criteria:
        asked = [each for each in instances if _is_said(labels.get(each.id, ()), criterion.key, content)]
        if asked:
            on = {each.id: _on(by_id.get(each.id), criterion.key) for each in asked}
            gold = {each.id: consensus_on(labels[each.id], criterion.key, content) for each in asked}
            decided = [each for each in asked if gold[each.id] is not None]
            pairs = [(each, told) for each in decided if (told := on[each.id]) is not None]
            judged = [replace(each, gold=gold[each.id]) for each, _ in pairs]
            found.append(
                OnOneCriterion(
                    criterion,
                    undecided=tuple(each.id for each in asked if gold[each.id] is None),
                    left_out=tuple(each.id for each in decided if on[each.id] is None),
                    measured=_measured(judged, [told for _, told in pairs], seed, settings),
                )
            )
    return tuple(found)


def _measured(
    instances: Sequence[Instance], outcomes: Sequence[Outcome], seed: int, settings: MetricSettings
) -> Measurement | None:
    """With people's verdicts for gold; None where there is no pair."""
    if not instances:
        return None
    whole = replace(settings, chosen=())
    return without_costs(measure(instances, outcomes, labels=tuple(Winner), seed=seed, settings=whole))


def _is_said(labels: Sequence[Label], key: str, content: str) -> bool:
    return any(label.on_criteria(content).get(key) is not None for label in labels)


def _on(outcome: Outcome | None, key: str) -> Outcome | None:
    """The outcome on one criterion; None where the run compared the pair, and not on it."""
    if outcome is None:
        return None
    winner = on_criteria(outcome).get(key)
    if winner is not None:
        return Outcome(outcome.instance_id, Preference(winner))
    is_unscored = isinstance(outcome.prediction, Unscored)
    return Outcome(outcome.instance_id, outcome.prediction) if is_unscored else None


# What calls took: people's labels took other things, which nobody counted here.
_COSTS = ("calls", "tokens", "cost_usd", "latency_s", "embeddings")


def without_costs(measured: Measurement) -> Measurement:
    """The same without what calls took."""

    def is_kept(name: str) -> bool:
        return name.partition("/")[0] not in _COSTS

    return Measurement(
        {name: value for name, value in measured.metrics.items() if is_kept(name)},
        {name: note for name, note in measured.notes.items() if is_kept(name)},
    )
