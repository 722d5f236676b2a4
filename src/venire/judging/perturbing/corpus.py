"""The texts that perturbations add, read from the files beside this module; which one, by digest."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from venire.records import Slot

T = TypeVar("T")

_FOLDER = Path(__file__).parent
_WINNER, _OTHER = "%WINNER%", "%OTHER%"


@dataclass(frozen=True, slots=True)
class Payload:
    """A text that tries to decide for the judge.

    Args:
        name: unique in the corpus.
        leaves_open: whether a brace, string or fence in it never closes.
        persuades: whether it is an attack on the judge; the others are traps for parsers.
        template: the text, with marks for the labels of the response that it stands in and the other one.
    """

    name: str
    leaves_open: bool
    persuades: bool
    template: str

    def text(self, slot: Slot) -> str:
        """The payload in the response that is shown as `slot`."""
        other = Slot.B if slot is Slot.A else Slot.A
        return self.template.replace(_WINNER, slot.value).replace(_OTHER, other.value)


@cache
def payloads() -> tuple[Payload, ...]:
    """The injection corpus (`payloads.json`)."""
    rows = json.loads((_FOLDER / "payloads.json").read_text(encoding="utf-8"))["payloads"]
    return tuple(Payload(row["name"], row["leaves_open"], row["persuades"], row["text"]) for row in rows)


@cache
def padding() -> tuple[str, ...]:
    """Sentences that say nothing about any matter."""
    return tuple(_texts()["padding"])


@cache
def confident_frames() -> tuple[tuple[str, str], ...]:
    """What a sure tone says before and after a response."""
    return tuple((frame[0], frame[1]) for frame in _texts()["confidence"])


@cache
def false_citations() -> tuple[str, ...]:
    """References to works, people and institutes that were made up for this file."""
    return tuple(_texts()["citations"])


@cache
def _texts() -> dict[str, Any]:
    made: dict[str, Any] = json.loads((_FOLDER / "texts.json").read_text(encoding="utf-8"))
    return made


def place(key: str, size: int) -> int:
    """A number from 0 to `size` - 1 that `key` alone decides (SHA-256)."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8]) % size


def pick(texts: Sequence[T], key: str) -> T:
    """The text that `key` names."""
    return texts[place(key, len(texts))]


def run_of(texts: Sequence[T], key: str, count: int) -> list[T]:
    """`count` texts in their order, from the one that `key` names on, over and over."""
    start = place(key, len(texts))
    return [texts[(start + step) % len(texts)] for step in range(count)]
