"""What replies are known before a run: those in the store, and those that can be computed for nothing."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from time import time

import numpy as np

from venire.backends import Backends
from venire.errors import BackendError, ConfigError
from venire.experiment import Experiment
from venire.llm.budget import Budget, Scope
from venire.llm.embedding import OFFLINE, EmbeddingBackend, EmbeddingModel, Vectors, unit_rows
from venire.llm.owner import Owner
from venire.llm.protocol import AttemptFailed, Reply
from venire.llm.route import Route
from venire.llm.settings import Mode
from venire.llm.simulated import SimulatedBackend
from venire.llm.store import CallStore, StoredReply, open_engine
from venire.llm.store.engine import exists
from venire.llm.store.writing import Terms
from venire.records import BackendKind, Request

# What is computed, not asked for: a plan then has the very replies that the run will get.
_COMPUTED = (BackendKind.SIMULATED, BackendKind.RECORDED)


@dataclass(frozen=True, slots=True)
class Computed:
    """A reply that no provider gave; `exact` where the run will get the same one."""

    reply: Reply
    exact: bool


class Store:
    """The call store, read only. A store that does not exist yet is empty, and is not made."""

    def __init__(self, url: str, mode: Mode) -> None:
        self._refresh = mode is Mode.REFRESH
        self._store = CallStore(open_engine(url), _reading()) if exists(url) else None

    async def find(self, key: str) -> StoredReply | None:
        """The reply that a run would replay."""
        return None if self._store is None or self._refresh else await self._store.find(key)

    async def find_vectors(self, keys: Sequence[str]) -> Mapping[str, Vectors]:
        """The vectors that a run would replay, by key."""
        if self._store is None or self._refresh or not keys:
            return {}
        return {key: each.vector for key, each in (await self._store.find_vectors(keys)).items()}

    def close(self) -> None:
        """Let go."""
        if self._store is not None:
            self._store.close()


def _reading() -> Terms:
    return Terms(Owner.here(), Budget(), Scope("plan"), time)


class Answers:
    """Computes replies and vectors without a provider.

    Args:
        experiment: whose judges and simulation are used.
        environ: of the backends.
    """

    def __init__(self, experiment: Experiment, environ: Mapping[str, str]) -> None:
        method, instances = experiment.method, experiment.loaded.instances
        judges = {(judge.route.model, judge.route.endpoint): judge.route for judge in method.judges}
        self._routes: Mapping[tuple[str, str], Route] = judges
        at_once = replace(experiment.simulation, latency_s=0.0)
        self._own = Backends(method.judges, environ, experiment.local, at_once, instances)
        families = {judge.model: judge.family for judge in method.judges}
        self._simulated = SimulatedBackend(at_once, instances, families)
        self._offline: EmbeddingBackend | None = None

    def route(self, request: Request) -> Route:
        """Of the judge that `request` asks.

        Raises:
            ConfigError: there is none.
        """
        route = self._routes.get((request.model, request.endpoint))
        if route is None:
            raise ConfigError(f"model: no judge of this run is {request.model} at {request.endpoint!r}")
        return route

    async def reply(self, request: Request) -> Computed | None:
        """What the simulated or recorded judge replies, or what a simulated one would in a real one's place.

        None where the simulation has no model of such a question.
        """
        route = self.route(request)
        if route.client.kind in _COMPUTED:
            try:
                return Computed(await self._own.of(route).send(request), exact=True)
            except AttemptFailed:
                return None
        with suppress(BackendError):
            return Computed(self._simulated.reply(request), exact=False)
        return None

    async def vectors(self, model: EmbeddingModel, texts: Sequence[str]) -> Vectors:
        """Unit rows of `model`, or of the offline model in a live one's place, in as many dimensions."""
        if self._offline is None:
            offline = OFFLINE if model.kind is BackendKind.LIVE else model
            self._offline = self._own.embeddings(offline)
        rows = (await self._offline.embed(texts)).vectors[:, : model.dimensions]
        room = np.zeros((len(texts), model.dimensions - rows.shape[1]), dtype=np.float32)
        return unit_rows(np.hstack([rows, room]))
