"""What an audit asks: probes, mitigations, repetitions; each is an object or null."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from venire.errors import ConfigError
from venire.judging.mitigating.evidence import Evidence
from venire.judging.mitigating.scores import LengthNormalised
from venire.judging.mitigating.stage import Prompted, Stage
from venire.judging.orders import seeded_order
from venire.judging.perturbing.perturbation import (
    ConfidentTone,
    FalseCitation,
    Injection,
    Padding,
    Perturbation,
)
from venire.judging.perturbing.rewriting import Rewrite
from venire.judging.probe import Bias
from venire.records import Instance, Order, PreferenceGold, Winner


@dataclass(frozen=True, slots=True)
class Probes:
    """Changes to a response that must not turn the verdict to its favour; null leaves one out.

    `verbose_rewrite` and `confident_rewrite` cost a call of a model for each response changed.
    """

    padding: Padding | None = field(default_factory=Padding)
    confident_tone: ConfidentTone | None = field(default_factory=ConfidentTone)
    false_citation: FalseCitation | None = field(default_factory=FalseCitation)
    injection: Injection | None = field(default_factory=Injection)
    verbose_rewrite: Rewrite | None = None
    confident_rewrite: Rewrite | None = None

    @property
    def named(self) -> Mapping[str, Perturbation | Rewrite]:
        """Those that are asked, by name."""
        every: dict[str, Perturbation | Rewrite | None] = {
            "padding": self.padding,
            "confident_tone": self.confident_tone,
            "false_citation": self.false_citation,
            "injection": self.injection,
            "verbose_rewrite": self.verbose_rewrite,
            "confident_rewrite": self.confident_rewrite,
        }
        return {name: probe for name, probe in every.items() if probe is not None}


@dataclass(frozen=True, slots=True)
class Swap:
    """Both orders are judged, and a verdict that changes with the order is a tie.

    It takes no call of its own: an audit judges both orders anyway.
    Source: the evaluation guide, "Position Bias Mitigation Protocol".
    """

    @property
    def against(self) -> tuple[Bias, ...]:
        """Position."""
        return (Bias.POSITION,)


@dataclass(frozen=True, slots=True)
class Mitigations:
    """What is meant to lessen biases, each audited beside the plain question; null leaves one out.

    `other_families` stands at the audit itself, as `substitutes`: it needs other judges.
    """

    swap: Swap | None = field(default_factory=Swap)
    ignore_length: Prompted | None = field(
        default_factory=lambda: Prompted("pairwise_ignore_length", (Bias.LENGTH, Bias.VERBOSITY))
    )
    penalise_padding: Prompted | None = field(
        default_factory=lambda: Prompted("pairwise_penalise_padding", (Bias.LENGTH, Bias.VERBOSITY))
    )
    length_normalised: LengthNormalised | None = field(default_factory=LengthNormalised)
    evidence: Evidence | None = field(default_factory=Evidence)

    def __post_init__(self) -> None:
        for name in ("ignore_length", "penalise_padding"):
            stage = getattr(self, name)
            if stage is not None and not stage.against:
                raise ConfigError(f"{name}.against: expected at least one bias, got none")

    @property
    def stages(self) -> Mapping[str, Stage]:
        """Those that ask in a way of their own, by name."""
        every: dict[str, Stage | None] = {
            "ignore_length": self.ignore_length,
            "penalise_padding": self.penalise_padding,
            "length_normalised": self.length_normalised,
            "evidence": self.evidence,
        }
        return {name: stage for name, stage in every.items() if stage is not None}


@dataclass(frozen=True, slots=True)
class Drift:
    """A fixed set of instances, scored again and again.

    Whether an instance is an anchor hangs on its id alone, so that all runs over the data set have the
    same ones. An epoch is a time at which the anchors are scored: raise `epochs` by one to score them
    again today; the epochs before are replayed from the call store.

    Args:
        share: of the instances that are anchors, in (0, 1].
        replicates: equal questions an epoch, from 2: their disagreement is the noise.
        epochs: from 1.
    """

    share: float = 0.1
    replicates: int = 3
    epochs: int = 1

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise ConfigError(f"share: expected above 0 and at most 1, got {self.share}")
        if self.replicates < 2:
            raise ConfigError(f"replicates: expected at least 2, got {self.replicates}")
        if not 1 <= self.epochs * self.replicates < 100:
            raise ConfigError(
                f"epochs: expected 1 or more, and fewer than 100 replicates in all, got {self.epochs} "
                f"epochs of {self.replicates}"
            )

    def is_anchor(self, instance_id: str) -> bool:
        """Whether this instance is scored again."""
        digest = hashlib.sha256(f"anchor\0{instance_id}".encode()).digest()
        return int.from_bytes(digest[:8]) < self.share * 2**64

    @property
    def numbers(self) -> range:
        """The replicates' numbers; 0 is the plain question's own."""
        return range(1, 1 + self.epochs * self.replicates)


class Target(StrEnum):
    """Which response a probe changes. Chosen before any verdict: what lost by chance would win by chance."""

    WORSE = "worse"  # the one that the humans prefer less; in a tie as `seeded`
    SEEDED = "seeded"  # the one that (seed, instance id) names
    BOTH = "both"  # each in turn, which doubles the calls

    def of(self, instance: Instance, seed: int) -> tuple[int, ...]:
        """The indices of the responses to change, one at a time."""
        if self is Target.BOTH:
            return (0, 1)
        if self is Target.WORSE and isinstance(instance.gold, PreferenceGold):
            if instance.gold.winner is Winner.FIRST:
                return (1,)
            if instance.gold.winner is Winner.SECOND:
                return (0,)
        return (0,) if seeded_order(seed, f"target\0{instance.id}") is Order.AS_GIVEN else (1,)
