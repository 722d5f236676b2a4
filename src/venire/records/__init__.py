"""The field's words as frozen values: what an instance, a judgment, a call and an outcome are."""

from venire.records.call import (
    Attempt,
    AttemptStatus,
    BackendKind,
    Call,
    Completion,
    Embeddings,
    FinishReason,
    Message,
    Price,
    Request,
    Subject,
    Usage,
)
from venire.records.instance import Gold, Instance, PreferenceGold, RatingsGold, Response
from venire.records.judgment import (
    Order,
    Prediction,
    Preference,
    Ratings,
    Reason,
    Slot,
    Unscored,
    Winner,
)
from venire.records.outcome import Outcome, Vote
from venire.records.run import RunRecord, RunStatus

__all__ = [
    "Attempt",
    "AttemptStatus",
    "BackendKind",
    "Call",
    "Completion",
    "Embeddings",
    "FinishReason",
    "Gold",
    "Instance",
    "Message",
    "Order",
    "Outcome",
    "Prediction",
    "Preference",
    "PreferenceGold",
    "Price",
    "Ratings",
    "RatingsGold",
    "Reason",
    "Request",
    "Response",
    "RunRecord",
    "RunStatus",
    "Slot",
    "Subject",
    "Unscored",
    "Usage",
    "Vote",
    "Winner",
]
