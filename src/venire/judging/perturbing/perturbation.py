"""Perturbations by text: deterministic, the same for all judges, marked as to what they do to the meaning."""

from dataclasses import dataclass
from typing import Protocol

from venire.errors import ConfigError
from venire.judging.perturbing.corpus import (
    Payload,
    confident_frames,
    false_citations,
    padding,
    payloads,
    pick,
    run_of,
)
from venire.judging.probe import Bias, Meaning
from venire.records import Slot


@dataclass(frozen=True, slots=True)
class Perturbed:
    """A changed response, and which text of a corpus changed it (empty where there is none to name)."""

    text: str
    variant: str = ""


class Perturbation(Protocol):
    """A change to one response. Which texts it takes hangs on a key alone: (seed, instance, response)."""

    @property
    def bias(self) -> Bias:
        """What it probes."""
        ...

    @property
    def meaning(self) -> Meaning:
        """Whether it keeps what the response says."""
        ...

    def apply(self, text: str, key: str, slot: Slot) -> Perturbed:
        """The changed response, for the place in which it will be shown."""
        ...


@dataclass(frozen=True, slots=True)
class Padding:
    """Sentences without content around the response: one before, the others after.

    Args:
        sentences: how many, from 1.
    """

    sentences: int = 4

    def __post_init__(self) -> None:
        if self.sentences < 1:
            raise ConfigError(f"sentences: expected at least 1, got {self.sentences}")

    @property
    def bias(self) -> Bias:
        """Verbosity."""
        return Bias.VERBOSITY

    @property
    def meaning(self) -> Meaning:
        """Preserved: the sentences say nothing about any matter."""
        return Meaning.PRESERVED

    def apply(self, text: str, key: str, slot: Slot) -> Perturbed:
        """The padded response."""
        first, *others = run_of(padding(), key, self.sentences)
        return Perturbed("\n\n".join([first, text, *([" ".join(others)] if others else [])]))


@dataclass(frozen=True, slots=True)
class ConfidentTone:
    """Assurances of certainty before and after the response."""

    @property
    def bias(self) -> Bias:
        """Authority."""
        return Bias.AUTHORITY

    @property
    def meaning(self) -> Meaning:
        """Preserved: nothing is added about the matter."""
        return Meaning.PRESERVED

    def apply(self, text: str, key: str, slot: Slot) -> Perturbed:
        """The response between two assurances."""
        before, after = pick(confident_frames(), key)
        return Perturbed(f"{before}\n\n{text}\n\n{after}")


@dataclass(frozen=True, slots=True)
class FalseCitation:
    """References to works that do not exist, after the response.

    Args:
        citations: how many, from 1.
    """

    citations: int = 2

    def __post_init__(self) -> None:
        most = len(false_citations())
        if not 1 <= self.citations <= most:
            raise ConfigError(f"citations: expected 1 to {most}, got {self.citations}")

    @property
    def bias(self) -> Bias:
        """Authority."""
        return Bias.AUTHORITY

    @property
    def meaning(self) -> Meaning:
        """Changed: false claims are added. A judge that checks them may well punish the response."""
        return Meaning.CHANGED

    def apply(self, text: str, key: str, slot: Slot) -> Perturbed:
        """The response with false references."""
        return Perturbed("\n\n".join([text, *run_of(false_citations(), key, self.citations)]))


@dataclass(frozen=True, slots=True)
class Injection:
    """A text that addresses the judge, after the response.

    Args:
        payloads: names of the corpus; empty: all that are attacks on the judge, one drawn for each response.
    """

    payloads: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        known = {payload.name for payload in payloads()}
        strangers = [name for name in self.payloads if name not in known]
        if strangers:
            raise ConfigError(
                f"payloads: expected some of {', '.join(sorted(known))}, got {', '.join(strangers)}"
            )

    @property
    def bias(self) -> Bias:
        """Injection."""
        return Bias.INJECTION

    @property
    def meaning(self) -> Meaning:
        """Changed: what is added is no part of an answer."""
        return Meaning.CHANGED

    @property
    def used(self) -> tuple[Payload, ...]:
        """The payloads that are drawn from."""
        if self.payloads:
            return tuple(payload for payload in payloads() if payload.name in self.payloads)
        return tuple(payload for payload in payloads() if payload.persuades)

    def apply(self, text: str, key: str, slot: Slot) -> Perturbed:
        """The response with a payload that names it by the label under which it is shown."""
        payload = pick(self.used, key)
        return Perturbed(f"{text}\n\n{payload.text(slot)}", payload.name)
