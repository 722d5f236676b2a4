"""What all methods on pairs share: the check before any call, and the outcome after the last."""

from collections.abc import Mapping, Sequence

from venire.errors import DataError
from venire.judging.ballot import Ballot
from venire.judging.judge import Judge
from venire.judging.recorded import check_recordings
from venire.judging.votes import final, position_consistent
from venire.records import Instance, Order, Outcome, Prediction


def check_pairs(judges: Sequence[Judge], instances: Sequence[Instance]) -> None:
    """Nothing, where all `instances` are pairs and the recorded ones of `judges` know them.

    Raises:
        DataError: an instance has not exactly two responses.
        MissingRecording: see `venire.judging.recorded.check_recordings`.
    """
    for instance in instances:
        if not instance.is_pairwise:
            raise DataError(
                f"{instance.id}: expected two responses to compare, got {len(instance.responses)}; "
                "choose a pairwise data set, or a method that scores single responses"
            )
    check_recordings(judges, instances)


def pair_outcome(
    instance: Instance,
    by_order: Mapping[Order, Prediction],
    ballots: Mapping[Order, Sequence[Ballot]],
    detail: Mapping[str, object] | None = None,
) -> Outcome:
    """The outcome of a pair from its predictions and ballots, order by order.

    `detail` is extended by `orders` (those shown) and `position_consistent` (None unless both orders
    have a judgment).
    """
    cast = [ballot for made in ballots.values() for ballot in made]
    facts = {
        "orders": [order.value for order in by_order],
        "position_consistent": position_consistent(by_order),
    }
    return Outcome(
        instance_id=instance.id,
        prediction=final(by_order),
        by_order=by_order,
        votes=tuple(ballot.vote for ballot in cast),
        calls=tuple(call for ballot in cast for call in ballot.calls),
        detail={**facts, **(detail or {})},
    )
