"""What a method is to the runner."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from venire.errors import VenireError
from venire.judging.judge import Judge
from venire.llm.embedding import EmbeddingModel
from venire.llm.protocol import LLM
from venire.records import BackendKind, Instance, Outcome


class Method(Protocol):
    """A frozen dataclass of settings with one asynchronous function.

    Order-dependent methods (`order_dependent` true) read `memory` and say in
    `Outcome.additions` what they add to it; `fold` makes the next memory. The others get and
    return None. A method never keeps state of its own.
    """

    @property
    def name(self) -> str:
        """As in `method=NAME`."""
        ...

    @property
    def judges(self) -> tuple[Judge, ...]:
        """Every judge that it may call (none for a baseline without a model)."""
        ...

    @property
    def embeddings(self) -> tuple[EmbeddingModel, ...]:
        """Every model whose vectors it may ask for (`llm.embed(model.model, texts)`)."""
        ...

    @property
    def prompts(self) -> tuple[str, ...]:
        """The names of the prompt files that it renders."""
        ...

    @property
    def order_dependent(self) -> bool:
        """Whether an instance's outcome depends on those before it."""
        ...

    def check(self, instances: Sequence[Instance]) -> None:
        """Refuse, before any call, instances that it cannot judge.

        Raises:
            DataError, MissingRecording, ConfigError
        """
        ...

    def initial_memory(self) -> object:
        """The memory before the first instance."""
        ...

    def fold(self, memory: object, outcome: Outcome) -> object:
        """The memory after `outcome`."""
        ...

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        """The outcome of one instance. A judge's failure is a record in it, never an exception."""
        ...


@runtime_checkable
class Fits(Protocol):
    """A method some of whose settings are chosen on a development split before it judges anything else."""

    def check_development(self, development: Sequence[Instance]) -> None:
        """Refuse, before any call, a development split (perhaps empty) that will not do.

        Raises:
            ConfigError
        """
        ...

    def fitted(self, development: Sequence[tuple[Instance, Outcome]]) -> Method:
        """The method as its own outcomes on the development split make it."""
        ...

    def replayed(self, outcome: Outcome) -> Outcome:
        """The outcome that the method, once fitted, gives an instance of the development split."""
        ...


@dataclass(frozen=True, slots=True)
class Sitting:
    """What people who are asked may know of the run.

    Args:
        name: of the run.
        kind: what answers the calls; every page says so.
        instances: how many there are to judge.
        home: the folder in which venire keeps things.
        say: prints a line for the user.
    """

    name: str
    kind: BackendKind
    instances: int
    home: Path
    say: Callable[[str], None] = lambda _: None


@runtime_checkable
class AsksPeople(Protocol):
    """A method that may put questions to a person while it judges."""

    @property
    def asks_people(self) -> bool:
        """Whether it does, as it is configured."""
        ...

    def stop_asking(self, reason: VenireError) -> None:
        """Give up the open question, and those to come: what waits for an answer raises `reason`."""
        ...

    def attended(self, sitting: Sitting) -> AbstractAsyncContextManager[None]:
        """Within it people can be asked; where they are asked on a page, it is served."""
        ...

    def unattended(self) -> Method:
        """The same method where nobody is there (a plan): it supposes answers, and keeps none."""
        ...
