"""Stage 3 by a simulated annotator, for tests and studies, and in the place of a person in a plan."""

from dataclasses import dataclass
from pathlib import Path

from venire.methods.juryflow.choices import Answered, append_choice, given_choice, read_choices
from venire.methods.juryflow.select import Focus, Question

ORACLE = "oracle"


@dataclass(frozen=True, slots=True)
class Oracle:
    """Names the most disputed claim, as a person who always agrees with `auto` would.

    Like a person's, its choice is the only claim that is re-evaluated on its own: outcomes are those of
    `auto` with a budget of 1. Its choices say that no person made them.

    Args:
        choices: a JSONL file that they are appended to, as a person's are; "": none.

    Raises:
        DataError: the file breaks its format.
    """

    choices: str = ""

    def __post_init__(self) -> None:
        if self.choices:
            read_choices(Path(self.choices))

    @property
    def name(self) -> str:
        """`oracle`."""
        return ORACLE

    async def select(self, question: Question) -> Focus:
        """c* as `auto` takes it."""
        choice = Answered(question.ranked[0], 0.0, ORACLE, ORACLE).to(question)
        if self.choices and given_choice(Path(self.choices), question) != choice:
            append_choice(Path(self.choices), choice)
        return choice.focus


@dataclass(frozen=True, slots=True)
class Supposed:
    """What a person chose, and where that is not known, what the oracle names; nothing is kept.

    Args:
        choices: the person's file, perhaps not there yet.
    """

    choices: str

    @property
    def name(self) -> str:
        """`supposed`."""
        return "supposed"

    async def select(self, question: Question) -> Focus:
        """See class."""
        given = given_choice(Path(self.choices), question)
        return Focus(question.ranked[:1]) if given is None else given.focus
