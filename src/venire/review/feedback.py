"""What labels teach: how sure the run was where it was right, and where people corrected it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from venire.judging.criteria import Criterion
from venire.metrics.criteria import BY_CRITERION
from venire.records import (
    Instance,
    Outcome,
    Prediction,
    Preference,
    PreferenceGold,
    Ratings,
    Unscored,
    Winner,
)
from venire.review.labels import Label, consensus, content_of_criteria
from venire.review.sheets import NO_JUDGMENT, judged_text

NO_RATING = "no rating"
NO_VERDICT = "no verdict on it"


@dataclass(frozen=True, slots=True)
class CalibrationPoint:
    """A final confidence, and whether people say that the verdict was right."""

    instance_id: str
    confidence: float
    right: bool


def calibration_points(
    outcomes: Sequence[Outcome], labels: Mapping[str, Sequence[Label]]
) -> list[CalibrationPoint]:
    """A point for each labelled preference that came with a confidence.

    Where only uncertain items were labelled, they tell of low confidences only.
    """
    points = []
    for outcome in outcomes:
        gold = consensus(labels.get(outcome.instance_id, ()))
        match outcome.prediction:
            case Preference(winner, float() as confidence) if isinstance(gold, PreferenceGold):
                points.append(CalibrationPoint(outcome.instance_id, confidence, winner is gold.winner))
    return points


@dataclass(frozen=True, slots=True)
class Correction:
    """A person's label that differs from what the run said, as an example for a rubric.

    Args:
        instance_id: what it was learnt on: a rubric with it must not judge this item.
        dimension: what was rated, or the criterion that responses were compared on; empty for the whole.
        judged: what the run said.
        corrected: what the person says.
        annotator, comment, created_at: as in the label.
        prompt, context, responses: the item's texts.
    """

    instance_id: str
    dimension: str
    judged: str
    corrected: str
    annotator: str
    comment: str
    created_at: str
    prompt: str
    responses: tuple[str, ...]
    context: str | None = None

    @property
    def has_judgment(self) -> bool:
        """Whether the run said something that the person corrects."""
        return not self.judged.startswith((NO_JUDGMENT, NO_RATING, NO_VERDICT))


def corrections(
    instances: Sequence[Instance],
    outcomes: Sequence[Outcome],
    labels: Mapping[str, Sequence[Label]],
    criteria: Sequence[Criterion] = (),
) -> list[Correction]:
    """Every label that differs from the run's final word: no word of the run is corrected, too.

    Args:
        criteria: that the run compared pairs on: verdicts on these are held against its own.
    """
    by_id = {outcome.instance_id: outcome for outcome in outcomes}
    content = content_of_criteria(criteria)
    found = []
    for instance in instances:
        for label in labels.get(instance.id, ()):
            outcome = by_id.get(instance.id)
            prediction = outcome.prediction if outcome else None
            differing = [*_differing(prediction, label), *_differing_on(outcome, label, content)]
            for dimension, judged, corrected in differing:
                found.append(
                    Correction(
                        instance_id=instance.id,
                        dimension=dimension,
                        judged=judged,
                        corrected=corrected,
                        annotator=label.annotator,
                        comment=label.comment,
                        created_at=label.created_at,
                        prompt=instance.prompt,
                        responses=tuple(each.text for each in instance.responses),
                        context=instance.context,
                    )
                )
    return found


def _differing(prediction: Prediction | None, label: Label) -> list[tuple[str, str, str]]:
    """Dimension, what was judged, what was said instead."""
    if not isinstance(label.verdict, Mapping):
        if isinstance(prediction, Preference) and prediction.winner is label.verdict:
            return []
        return [("", _judged(prediction), label.verdict.value)]
    given = prediction.by_dimension if isinstance(prediction, Ratings) else {}
    why = _judged(prediction) if isinstance(prediction, Unscored) or prediction is None else NO_RATING
    return [
        (name, f"{given[name]:g}" if name in given else why, f"{rating:g}")
        for name, rating in label.verdict.items()
        if given.get(name) != rating
    ]


def _differing_on(outcome: Outcome | None, label: Label, content: str) -> list[tuple[str, str, str]]:
    """As `_differing`, on the criteria that a pair was compared on; what does not apply corrects nothing."""
    prediction = outcome.prediction if outcome else None
    given = on_criteria(outcome)
    none = _judged(prediction) if isinstance(prediction, Unscored) or prediction is None else NO_VERDICT
    return [
        (key, given[key].value if key in given else none, winner.value)
        for key, winner in label.on_criteria(content).items()
        if winner is not None and given.get(key) is not winner
    ]


def on_criteria(outcome: Outcome | None) -> dict[str, Winner]:
    """What the run said of a pair on each criterion that it compared it on."""
    said = outcome.detail.get(BY_CRITERION) if outcome else None
    return {str(key): Winner(each) for key, each in said.items()} if isinstance(said, Mapping) else {}


def _judged(prediction: Prediction | None) -> str:
    return NO_JUDGMENT if prediction is None else judged_text(prediction)
