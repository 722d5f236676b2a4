"""What is asked of a build of personas, and what comes of it."""

from dataclasses import dataclass
from enum import StrEnum

from venire.errors import ConfigError
from venire.judging.write_persona import PersonaReply
from venire.personas.views import Checked
from venire.records import Call, Evidence, Unscored

LEAST_PART = 128  # tokens; a part of less says nothing of anybody


class ConsolidateBy(StrEnum):
    """Who puts the views into groups."""

    MODEL = "model"
    NAMES = "names"  # equal names of stakeholders, equal names of dimensions; nothing is asked


@dataclass(frozen=True, slots=True)
class Brief:
    """What is to be built.

    Args:
        name: of the set; the calls of its later stages are booked on it.
        task: what will be judged, in a sentence.
        part_tokens: the most (estimated) tokens of a document that one call is shown; less where the
            model's context is known to be smaller.
        consolidate_by: see `ConsolidateBy`.
    """

    name: str
    task: str
    part_tokens: int = 6000
    consolidate_by: ConsolidateBy = ConsolidateBy.MODEL

    def __post_init__(self) -> None:
        if not any(map(str.isalnum, self.task)):
            raise ConfigError(f"--task: expected a sentence that says what is judged, got {self.task!r}")
        if self.part_tokens < LEAST_PART:
            raise ConfigError(f"--part-tokens: expected at least {LEAST_PART}, got {self.part_tokens}")


@dataclass(frozen=True, slots=True)
class UnreadPart:
    """Paragraphs of which the model gave no usable account."""

    document: str
    first: int
    last: int
    reason: Unscored


@dataclass(frozen=True, slots=True)
class Drafted:
    """A persona as it was written, with what it rests on."""

    dimension: str
    parts: PersonaReply
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class DraftedGroup:
    """A group with the personas that could be written."""

    name: str
    description: str
    personas: tuple[Drafted, ...]


@dataclass(frozen=True, slots=True)
class UnwrittenPersona:
    """A dimension of a group for which the model wrote nothing usable."""

    group: str
    dimension: str
    reason: Unscored


@dataclass(frozen=True, slots=True)
class Built:
    """What came of the documents.

    Args:
        groups: with at least one persona each.
        parts: how many parts each document was read in.
        part_tokens: the most tokens of a part.
        checked: the views of each document, in the order of the documents.
        unread, unwritten: what failed.
        calls: all of them, in the order of the stages.
    """

    groups: tuple[DraftedGroup, ...]
    parts: dict[str, int]
    part_tokens: int
    checked: dict[str, Checked]
    unread: tuple[UnreadPart, ...]
    unwritten: tuple[UnwrittenPersona, ...]
    calls: tuple[Call, ...]
