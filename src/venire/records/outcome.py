"""What a method made of one instance."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from venire.records.call import Call
from venire.records.judgment import Order, Prediction


@dataclass(frozen=True, slots=True)
class Vote:
    """One judge's own judgment of one instance, mapped back to the data set's order.

    `order` is None for scoring. `rationale` is the judge's reasoning as it gave it;
    `raw` the reply's text that the judgment was read from.
    """

    judge: str
    order: Order | None
    prediction: Prediction
    rationale: str = ""
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A method's judgment of one instance, with every vote and call that made it.

    Args:
        instance_id: joins to the data set.
        prediction: the method's final word. In both orders: the consistent winner with mean
            confidence, or a tie with confidence .5 where the orders disagree (spec, section 3).
        by_order: the prediction within each order judged, mapped back; empty for scoring.
        votes: each judge's judgments, in panel order, order by order.
        calls: every call, re-asks included.
        detail: JSON-ready facts of the method (`tie_break`, graphs, ...), for the outcomes file.
        additions: what an order-dependent method adds to its memory (rubric entries, corrections);
            None for the others. The runner folds it in instance order.
    """

    instance_id: str
    prediction: Prediction
    by_order: Mapping[Order, Prediction] = field(default_factory=dict)
    votes: tuple[Vote, ...] = ()
    calls: tuple[Call, ...] = ()
    detail: Mapping[str, object] = field(default_factory=dict)
    additions: object | None = None
