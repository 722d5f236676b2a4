"""Stage 3 by a human: one question in the terminal, its answer kept, and kept answers given again."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

from venire.errors import ConfigError, InputEnded, MissingRecording, VenireError
from venire.methods.juryflow.choices import Answered, Choice, append_choice, given_choice, read_choices
from venire.methods.juryflow.graph import Node
from venire.methods.juryflow.select import Focus, Question
from venire.methods.juryflow.terminal import Terminal


class _Asking:
    """Whose turn it is, the line that is waited for, and why nobody is asked any more."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.ended: VenireError | None = None
        self._line: asyncio.Future[str] | None = None

    def end(self, reason: VenireError) -> None:
        """Ask nothing more, and wait for no line."""
        self.ended = reason
        if self._line is not None:
            self._line.cancel()

    async def line(self, terminal: Terminal) -> str:
        """What is typed.

        Raises:
            VenireError: why nobody is asked any more.
        """
        if self.ended is not None:
            raise self.ended
        self._line = asyncio.ensure_future(terminal.read())
        try:
            return await self._line
        except EOFError:
            self.ended = InputEnded(
                "method.focal.selector: human asks in a terminal, and the input has ended; the choices made "
                "so far are kept"
            )
            raise self.ended from None
        except asyncio.CancelledError:
            if self.ended is None:
                raise
            raise self.ended from None
        finally:
            self._line.cancel()


@dataclass(frozen=True, slots=True)
class Human:
    """A human names the claim to resolve first; it is c*, and the only one re-evaluated on its own.

    No verdict, label or reason is asked for. Questions come one at a time. Each answer is appended to
    `choices` at once; what is answered there already is not asked again, so a run that was broken off
    goes on where it was.

    Args:
        choices: a JSONL file, made where there is none.
        annotator: who chooses, kept with each choice.
        terminal: injected by tests.

    Raises:
        DataError: the file breaks its format.

    Source: JuryFlow, "Focal selection" (human mode); spec, section 1, stage 3.
    """

    choices: str
    annotator: str = ""
    terminal: Terminal = field(default_factory=Terminal, compare=False, repr=False)
    _asking: _Asking = field(default_factory=_Asking, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        read_choices(Path(self.choices))

    @property
    def name(self) -> str:
        """`human`."""
        return "human"

    async def select(self, question: Question) -> Focus:
        """The human's choice.

        Raises:
            InputEnded: there is nobody to ask (the input has ended).
            VenireError: what `stop_asking` was told.
        """
        async with self._asking.turn:
            given = given_choice(Path(self.choices), question)
            if given is None:
                given = await self._ask(question)
                append_choice(Path(self.choices), given)
        return given.focus

    def stop_asking(self, reason: VenireError) -> None:
        """Give up the open question, and those to come: `select` raises `reason`."""
        self._asking.end(reason)

    async def _ask(self, question: Question) -> Choice:
        if self._asking.ended is not None:
            raise self._asking.ended
        asked_at = self.terminal.clock()
        self.terminal.show(question_text(question))
        while True:
            typed = (await self._asking.line(self.terminal)).strip().casefold()
            if typed == "none" or (typed.isdecimal() and 1 <= int(typed) <= len(question.ranked)):
                break
            self.terminal.show(f"Expected a number from 1 to {len(question.ranked)}, or none.")
        claim = None if typed == "none" else question.ranked[int(typed) - 1]
        seconds = self.terminal.clock() - asked_at
        return Answered(claim, seconds, self.annotator, self.name, self.terminal.now()).to(question)


@dataclass(frozen=True, slots=True)
class Recorded:
    """The choices of a human, given again.

    Args:
        choices: the JSONL file that `Human` wrote.

    Raises:
        ConfigError: there is no such file.
        DataError: it breaks its format.
    """

    choices: str

    def __post_init__(self) -> None:
        if not Path(self.choices).is_file():
            raise ConfigError(f"choices: expected a file of recorded choices, got {self.choices}")
        read_choices(Path(self.choices))

    @property
    def name(self) -> str:
        """`recorded`."""
        return "recorded"

    async def select(self, question: Question) -> Focus:
        """The recorded choice.

        Raises:
            MissingRecording: nobody chose on this response, or among other claims.
        """
        given = given_choice(Path(self.choices), question)
        if given is None:
            raise MissingRecording(
                f"{self.choices}: no choice on response {question.matter.response_index + 1} of "
                f"{question.matter.instance.id!r} with these claims; choose with "
                "selector@method.focal.selector=human, on the same panel, seed and block"
            )
        return given.focus


def question_text(question: Question) -> str:
    """What the human sees: the request, the response, and the disputed claims, ranked."""
    instance, place = question.matter.instance, question.matter.response_index
    ranked = [
        _claim_text(number, question.nodes[index], index in question.candidates)
        for number, index in enumerate(question.ranked, start=1)
    ]
    return "\n".join(
        [
            f"\n{instance.id}, response {place + 1} of {len(instance.responses)}",
            f"\nRequest:\n{instance.prompt}",
            f"\nResponse:\n{instance.responses[place].text}",
            f"\nDisputed claims, most disputed first (* the {question.budget} that auto would take):",
            *ranked,
            "\nWhich disagreement should be resolved first? A number, or none:",
        ]
    )


def _claim_text(number: int, node: Node, starred: bool) -> str:
    votes = ", ".join(f"{count} {verdict}" for verdict, count in node.votes.items())
    tags = f"  [{', '.join(node.tags)}]" if node.tags else ""
    star = "*" if starred else " "
    return f"{star} {number:>2}  d = {node.disagreement:.3f}  {votes}{tags}\n      {node.text}"
