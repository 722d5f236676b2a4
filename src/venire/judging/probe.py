"""What an audit asks beside the plain question, and what it read: words that methods and metrics share."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from venire.records import Order, Prediction, Preference, Reason, Unscored, Winner

# The arm without any mitigation, and the probe that changes nothing.
PLAIN = "plain"
AS_IS = "as_is"
# An arm without questions of its own, one with other judges, and the probe that asks the same again.
SWAP, OTHER_FAMILIES, DRIFT = "swap", "other_families", "drift"
AUDIT = "audit"  # where an audit's facts stand in `Outcome.detail`


class Bias(StrEnum):
    """What sways a judge although it should not."""

    POSITION = "position"
    LENGTH = "length"
    VERBOSITY = "verbosity"
    AUTHORITY = "authority"
    SELF_ENHANCEMENT = "self_enhancement"
    INJECTION = "injection"
    DRIFT = "drift"


class Meaning(StrEnum):
    """Whether a change to a response keeps what it says."""

    PRESERVED = "preserved"  # by construction: nothing is added that says anything about the matter
    ASKED = "asked"  # a model was asked to preserve it; nobody checked
    CHANGED = "changed"  # something is added that is no part of an answer: a false source, an instruction


@dataclass(frozen=True, slots=True)
class Reading:
    """One verdict of an audit, mapped back to the data set's order.

    Args:
        arm: the mitigation under which it was given; `PLAIN` for none.
        probe: what was changed; `AS_IS` for nothing.
        order: as shown.
        prediction: the verdict.
        target: the response that was changed (0 or 1); None for none.
        variant: which text of a corpus was used.
        replicate: of equal questions, from 0.
        facts: JSON-ready numbers of the arm's own (scores, verified quotes).
    """

    arm: str
    probe: str
    order: Order
    prediction: Prediction
    target: int | None = None
    variant: str = ""
    replicate: int = 0
    facts: Mapping[str, float] = field(default_factory=dict)

    def as_json(self) -> dict[str, object]:
        """For `Outcome.detail`; what is empty is left out."""
        said: dict[str, object] = {"arm": self.arm, "probe": self.probe, "order": self.order.value}
        match self.prediction:
            case Preference(winner, confidence):
                said |= {"winner": winner.value, "confidence": confidence}
            case Unscored(reason, detail):
                said |= {"unscored": reason.value, "why": detail}
            case _:
                raise TypeError(f"expected a preference or none, got {type(self.prediction).__name__}")
        said |= {} if self.target is None else {"target": self.target}
        said |= {"variant": self.variant} if self.variant else {}
        said |= {"replicate": self.replicate} if self.replicate else {}
        return said | ({"facts": dict(self.facts)} if self.facts else {})

    @classmethod
    def from_json(cls, said: Mapping[str, object]) -> "Reading":
        """What `as_json` wrote."""
        prediction: Prediction
        if "winner" in said:
            confidence = said["confidence"]
            prediction = Preference(
                Winner(str(said["winner"])), confidence if isinstance(confidence, float) else None
            )
        else:
            prediction = Unscored(Reason(str(said["unscored"])), str(said["why"]))
        target, facts = said.get("target"), said.get("facts")
        return cls(
            arm=str(said["arm"]),
            probe=str(said["probe"]),
            order=Order(str(said["order"])),
            prediction=prediction,
            target=target if isinstance(target, int) else None,
            variant=str(said.get("variant", "")),
            replicate=int(str(said.get("replicate", 0))),
            facts=facts if isinstance(facts, Mapping) else {},
        )
