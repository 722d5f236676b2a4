"""Judgments: a preference, ratings, or the reason why there is none."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Winner(StrEnum):
    """Which response is better, in the data set's own order (never the order shown)."""

    FIRST = "response_1"
    SECOND = "response_2"
    TIE = "tie"


class Slot(StrEnum):
    """Which response is better, in the order shown to the judge."""

    A = "A"
    B = "B"
    TIE = "tie"


class Order(StrEnum):
    """How the two responses were shown: as the data set gives them, or swapped."""

    AS_GIVEN = "as_given"
    SWAPPED = "swapped"

    def winner(self, slot: Slot) -> Winner:
        """The data set's winner behind a slot of this order."""
        if slot is Slot.TIE:
            return Winner.TIE
        first = (slot is Slot.A) == (self is Order.AS_GIVEN)
        return Winner.FIRST if first else Winner.SECOND

    def slot(self, winner: Winner) -> Slot:
        """The slot of this order behind a data set's winner."""
        if winner is Winner.TIE:
            return Slot.TIE
        return Slot.A if (winner is Winner.FIRST) == (self is Order.AS_GIVEN) else Slot.B


class Reason(StrEnum):
    """Why there is no judgment."""

    UNPARSED = "unparsed"  # a reply came, but no judgment can be read from it
    TRUNCATED = "truncated"  # the reply was cut at the token limit, also after longer re-asks
    REFUSED = "refused"  # the model or the provider's filter declined
    PROVIDER_ERROR = "provider_error"  # no reply after all retries
    NO_MAJORITY = "no_majority"  # a panel whose votes name no single winner, with tie rule `unscored`
    NO_VOTES = "no_votes"  # a panel of which no judge gave a usable vote
    UNDEFINED = "undefined"  # the method's formula has no value here (said in `detail`)
    UNGROUNDED = "ungrounded"  # a verdict that must quote its evidence, and quotes nothing that is there
    ESCALATED = "escalated"  # no stage of a cascade was confident enough: left to people
    NOT_RUN = "not_run"  # the run stopped (budget, interrupt) before this instance was judged


@dataclass(frozen=True, slots=True)
class Preference:
    """A winner, with the judge's confidence in [0, 1] where it gave one."""

    winner: Winner
    confidence: float | None = None


# The dimension of a rating of the whole response: a baseline's one score, the mean of a judge's ratings.
OVERALL = "overall"


@dataclass(frozen=True, slots=True)
class Ratings:
    """One rating per dimension, on the data set's scale; a dimension rated N/A is absent.

    `OVERALL` is the response as a whole: measured against every dimension that was not rated itself.
    """

    by_dimension: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Unscored:
    """No judgment, and why. It never counts as a label, a tie or a 0."""

    reason: Reason
    detail: str = ""

    @property
    def as_detail(self) -> dict[str, str]:
        """JSON-ready, for `Outcome.detail`."""
        return {"reason": self.reason.value, "detail": self.detail}


Prediction = Preference | Ratings | Unscored
