"""What people are asked on the page, what they answered, and what came of it.

The run asks in its event loop, pages are made in threads: whatever changes does so under one lock, and
whoever waits on a page is woken by it.
"""

import asyncio
import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from venire.errors import InputEnded, VenireError
from venire.judging.verdicts import higher
from venire.methods.juryflow.choices import Answered, Choice
from venire.methods.juryflow.people import Change
from venire.methods.juryflow.select import Question
from venire.methods.protocol import Sitting
from venire.records import Outcome, Winner

PAGE = "page"

Place = tuple[str, int]


class Stage(StrEnum):
    """How far a question is."""

    OPEN = "open"
    CHOSEN = "chosen"  # and kept; stages 4 and 5 are under way
    RESOLVED = "resolved"  # they are through
    DECIDED = "decided"  # the instance is judged


@dataclass(slots=True)
class Asked:
    """A question of this run, and what became of it so far.

    Args:
        question: as the method asks it.
        answer: what the method waits for.
        key: names it by what is asked, so that a page from before a restart still answers it.
        choice: once there is one, it is kept.
        change: what stages 4 and 5 made of the response.
        outcome: the judgment of the instance.
        winner_before: what the panel alone says of the instance.
    """

    question: Question
    answer: "asyncio.Future[Choice]"
    key: str
    choice: Choice | None = None
    change: Change | None = None
    outcome: Outcome | None = None
    winner_before: Winner | None = None

    @property
    def place(self) -> Place:
        """The response that it is about."""
        return (self.question.matter.instance.id, self.question.matter.response_index)

    @property
    def stage(self) -> Stage:
        """See `Stage`."""
        if self.choice is None:
            return Stage.OPEN
        if self.outcome is not None:
            return Stage.DECIDED
        return Stage.CHOSEN if self.change is None else Stage.RESOLVED


class Desk:
    """The questions of one run.

    `sitting` is the run, None before it judges; `judged` counts its judged instances, `ended` is why nobody
    is asked any more, `closed` whether the run has ended, and `version` goes up with every change.
    """

    def __init__(self, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self.sitting: Sitting | None = None
        self.judged = 0
        self.ended: VenireError | None = None
        self.closed = False
        self.version = 0
        self._clock = clock
        self._keep: Callable[[Choice], None] | None = None
        self._asked: dict[str, Asked] = {}
        self._changes: dict[Place, Change] = {}
        self._changed = threading.Condition()

    # What the run does, in its event loop.

    def open(self, sitting: Sitting, keep: Callable[[Choice], None]) -> None:
        """From now on people can be asked; `keep` returns when a choice cannot be lost any more."""
        with self._changing():
            self.sitting, self._keep = sitting, keep

    async def ask(self, question: Question) -> Choice:
        """The choice of whoever answers first; it is kept by then.

        Raises:
            VenireError: nobody is asked any more, and why.
        """
        loop = asyncio.get_running_loop()
        with self._changing():
            if self.ended is not None:
                raise self.ended
            if self.sitting is None or self.closed:
                raise InputEnded("method.focal.selector: page asks only while a run judges")
            asked = Asked(question, loop.create_future(), key_of(question))
            self._asked[asked.key] = asked
        return await asked.answer

    def stop(self, reason: VenireError) -> None:
        """Ask nothing more: who waits for an answer gets `reason`."""
        with self._changing():
            self.ended = reason
            for asked in self._asked.values():
                if asked.choice is None and not asked.answer.done():
                    asked.answer.set_exception(reason)

    def resolved(self, change: Change) -> None:
        """Stages 4 and 5 are through with a response, whether it was asked about or not."""
        matter = change.proceeding.hearing.matter
        place = (matter.instance.id, matter.response_index)
        with self._changing():
            self._changes[place] = change
            for asked in self._asked.values():
                if asked.place == place:
                    asked.change = change

    def decided(self, outcome: Outcome) -> None:
        """An instance is judged."""
        with self._changing():
            self.judged += 1
            before = [self._changes.pop((outcome.instance_id, index), None) for index in (0, 1)]
            for asked in self._asked.values():
                if asked.place[0] == outcome.instance_id:
                    asked.outcome, asked.winner_before = outcome, _winner(before)

    def close(self) -> None:
        """The run has ended."""
        with self._changing():
            self.closed = True

    # What pages do, in threads.

    @property
    def questions(self) -> Sequence[Asked]:
        """All questions of this run, in the order in which they were asked."""
        with self._changed:
            return tuple(self._asked.values())

    @property
    def open_questions(self) -> Sequence[Asked]:
        """Those that wait for an answer, the one to show first."""
        if self.ended is not None or self.closed:
            return ()
        return [asked for asked in self.questions if asked.choice is None]

    def find(self, key: str) -> Asked | None:
        """The question of that key."""
        with self._changed:
            return self._asked.get(key)

    def answer(self, asked: Asked, claim: int | None, annotator: str, seconds: float | None) -> bool:
        """Keep an answer, then let the run go on; False where there is one already, or nobody is asked.

        Args:
            seconds: that `annotator` took; None where nobody knows.

        Raises:
            OSError: it could not be kept; the question is still open.
        """
        with self._changing():
            if asked.choice is not None or self.ended is not None or self.closed or self._keep is None:
                return False
            choice = Answered(claim, seconds, annotator, PAGE, self._clock()).to(asked.question)
            self._keep(choice)
            asked.choice = choice
            asked.answer.get_loop().call_soon_threadsafe(_settle, asked.answer, choice)
        return True

    def wait(self, version: int, timeout_s: float) -> int:
        """The present version: at once if it is another one, else at the next change or when it is time."""
        with self._changed:
            self._changed.wait_for(lambda: self.version != version or self.closed, timeout_s)
            return self.version

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with self._changed:
            yield
            self.version += 1
            self._changed.notify_all()


def key_of(question: Question) -> str:
    """A name for what is asked: the same for the same response with the same claims, in any process."""
    matter = question.matter
    told = [
        matter.instance.id,
        matter.response_index,
        [node.text for node in question.nodes],
        question.ranked,
    ]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:20]


def _settle(answer: "asyncio.Future[Choice]", choice: Choice) -> None:
    if not answer.done():
        answer.set_result(choice)


def _winner(changes: Sequence[Change | None]) -> Winner | None:
    """What the panel alone says of a pair; None where a response has no verdicts at all."""
    first, second = changes
    return None if first is None or second is None else higher(first.score_before, second.score_before)
