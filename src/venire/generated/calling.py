"""What a build of personas or rubrics asks with, and the opened path of its calls."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from venire.backends import Backends
from venire.errors import ConfigError
from venire.experiment import Replicate
from venire.judging.judge import PromptedJudge
from venire.llm.budget import Budget, check_budget
from venire.llm.credentials import api_key, missing_keys
from venire.llm.local import LocalSettings
from venire.llm.open import open_llm
from venire.llm.protocol import LLM
from venire.llm.replicate import Replicated
from venire.llm.route import Client
from venire.llm.settings import LLMSettings, Mode
from venire.llm.simulated import Simulation
from venire.llm.totals import Summary
from venire.records import BackendKind
from venire.runner import Stop
from venire.runs import new_run_id, secret_values
from venire.stopping import Stopper

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Calling:
    """One judge and how its calls are made; the settings are those of a run.

    Args:
        judge: whose model reads, groups and writes; mapped to the backend, without a persona.
        llm, budget, simulation, local, seed, replicate: see `Experiment`.
        max_unscored: the largest share of a stage's calls that may fail.
    """

    judge: PromptedJudge
    llm: LLMSettings
    budget: Budget
    simulation: Simulation
    local: LocalSettings
    seed: int = 0
    replicate: Replicate = Replicate.SHARED
    max_unscored: float = 0.2

    @property
    def kind(self) -> BackendKind:
        """What answers."""
        return self.judge.client.kind

    @property
    def context_tokens(self) -> int | None:
        """Tokens of prompt and reply that one request may have; None where only the provider knows."""
        return self.local.n_ctx if self.judge.client is Client.LOCAL else None


@dataclass(frozen=True, slots=True)
class Door:
    """Where the outside comes in: home folder, environment, clock, and who is told of the progress."""

    home: Path
    environ: Mapping[str, str]
    now: Callable[[], float]
    say: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Called(Generic[T]):
    """What the calls were made for, and what they came to."""

    result: T
    summary: Summary


def check_calling(calling: Calling, environ: Mapping[str, str]) -> None:
    """Refuse, before any call, what cannot be called.

    Raises:
        ConfigError: a key is missing, or the budget bounds a model without a price.
    """
    if calling.llm.mode is Mode.REPLAY:
        return
    lacking = missing_keys({calling.judge.name: calling.judge.route}, environ)
    if lacking:
        raise ConfigError("\n".join(lacking))
    check_budget(calling.budget, [calling.judge.route])


def secrets_of(calling: Calling, environ: Mapping[str, str]) -> tuple[str, ...]:
    """What no file and no message may hold."""
    key = api_key(calling.judge.route, environ)
    return (*([key] if key else []), *secret_values(environ))


def with_llm(calling: Calling, door: Door, name: str, work: Callable[[LLM], Awaitable[T]]) -> Called[T]:
    """What `work` makes of the model; every call goes through the store, the budget and the ledger.

    Raises:
        STOPS: see `venire.runner`; what was paid is stored.
    """
    return asyncio.run(_with_llm(calling, door, name, work))


async def _with_llm(
    calling: Calling, door: Door, name: str, work: Callable[[LLM], Awaitable[T]]
) -> Called[T]:
    backends = Backends([calling.judge], door.environ, calling.local, calling.simulation, ())
    async with open_llm(
        [calling.judge.route],
        backends.of,
        calling.llm,
        store_url=calling.llm.url(door.home),
        run_id=new_run_id(door.now(), name),
        budget=calling.budget,
        secrets=secrets_of(calling, door.environ),
    ) as stored:
        Stopper(Stop(), stored, door.say).on_signals()
        llm: LLM = stored
        if calling.replicate is Replicate.PER_SEED:
            llm = Replicated(stored, calling.seed)
        result = await work(llm)
        return Called(result, stored.summary)
