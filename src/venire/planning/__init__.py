"""What a run would ask for, against what the call store holds: calls, tokens and dollars beforehand."""

from venire.planning.plan import Plan, plan_of
from venire.planning.records import PlannedCall, PlannedText, Recording
from venire.planning.scaling import Load, Scaling, published_tokens, scaling
from venire.planning.totals import Amounts, amounts, by_stage, union

__all__ = [
    "Amounts",
    "Load",
    "Plan",
    "PlannedCall",
    "PlannedText",
    "Recording",
    "Scaling",
    "amounts",
    "by_stage",
    "plan_of",
    "published_tokens",
    "scaling",
    "union",
]
