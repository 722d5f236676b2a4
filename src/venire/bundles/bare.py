"""A run's outcomes without texts, and what of its numbers can still be derived from them."""

from dataclasses import replace

from venire.bundles.deriving import Derived, remeasured
from venire.bundles.instances import is_name, only_names
from venire.errors import VenireError
from venire.experiment import Experiment
from venire.launch import DURATION
from venire.records import Outcome, Prediction, RunRecord, Unscored, Vote
from venire.runs import CallLines


def bare_outcome(outcome: Outcome) -> Outcome:
    """`outcome` without replies, reasons, and whatever else of its detail is no name or number."""
    detail = only_names(outcome.detail)
    assert isinstance(detail, dict)
    return replace(
        outcome,
        prediction=_bare(outcome.prediction),
        by_order={order: _bare(each) for order, each in outcome.by_order.items()},
        votes=tuple(map(_bare_vote, outcome.votes)),
        detail=detail,
    )


def _bare_vote(vote: Vote) -> Vote:
    return replace(vote, prediction=_bare(vote.prediction), rationale="", raw="")


def _bare(prediction: Prediction) -> Prediction:
    if isinstance(prediction, Unscored) and not is_name(prediction.detail):
        return replace(prediction, detail="")
    return prediction


def not_derivable(experiment: Experiment, derived: Derived, lines: CallLines, record: RunRecord) -> list[str]:
    """The metrics of `record` that `derived`, and the data of `experiment`, do not give as they are.

    All of them, where they cannot be measured at all without texts.
    """
    try:
        measured = remeasured(experiment, derived, lines)
    except (VenireError, KeyError, ValueError):  # a text that a method reads its own outcomes by is gone
        return sorted(record.metrics)
    found = measured.metrics
    names = {*record.metrics, *found} - {DURATION}
    return sorted(
        name
        for name in names
        if repr(record.metrics.get(name)) != repr(found.get(name))  # NaN is itself here
        or record.notes.get(name) != measured.notes.get(name)
    )
