"""Which backend answers a judge or computes vectors; heavy clients are imported at the first need."""

from collections.abc import Mapping, Sequence
from typing import assert_never

from venire.data.streamed import Streamed
from venire.judging.judge import Judge, RecordedJudge
from venire.llm.embedding import EmbeddingBackend, EmbeddingModel
from venire.llm.local import LocalSettings
from venire.llm.protocol import Backend
from venire.llm.route import Client, Route
from venire.llm.simulated import Simulation
from venire.records import Instance


class Backends:
    """The backends of one run, made at the first request; routes of one client share one.

    Args:
        judges: every judge of the run.
        environ: where API keys are read.
        local, simulation: settings of the two built-in backends.
        instances: what simulated judges know the gold of.
        litellm_workers: processes through which judges of client litellm are asked; 1 is this one.
    """

    def __init__(
        self,
        judges: Sequence[Judge],
        environ: Mapping[str, str],
        local: LocalSettings,
        simulation: Simulation,
        instances: Sequence[Instance],
        litellm_workers: int = 1,
    ) -> None:
        self._judges = judges
        self._environ = environ
        self._local = local
        self._simulation = simulation
        self._instances = instances
        self._litellm_workers = litellm_workers
        self._made: dict[Client, Backend] = {}

    def of(self, route: Route) -> Backend:
        """The backend that answers `route`."""
        if route.client not in self._made:
            self._made[route.client] = self._make(route.client)
        return self._made[route.client]

    def embeddings(self, model: EmbeddingModel) -> EmbeddingBackend:
        """A backend that computes the vectors of `model`."""
        route = model.route
        if route is None:
            from venire.llm.embedding_wordllama import WordLlamaBackend

            return WordLlamaBackend(model)
        from venire.llm.embedding_litellm import LiteLLMEmbeddings

        return LiteLLMEmbeddings(model, route, self._environ)

    def _make(self, client: Client) -> Backend:
        routes = [judge.route for judge in self._judges]
        match client:
            case Client.LITELLM if self._litellm_workers > 1:
                from venire.llm.litellm_workers import LiteLLMWorkers

                return LiteLLMWorkers(routes, self._environ, self._litellm_workers)
            case Client.LITELLM:
                from venire.llm.litellm_client import LiteLLMBackend

                return LiteLLMBackend(routes, self._environ)
            case Client.DIRECT:
                from venire.llm.direct import DirectBackend

                return DirectBackend(routes, self._environ)
            case Client.LOCAL:
                from venire.llm.local import LocalBackend

                return LocalBackend(self._local)
            case Client.RECORDED:
                return self._recorded()
            case Client.SIMULATED:
                from venire.llm.simulated import SimulatedBackend

                families = {judge.model: judge.family for judge in self._judges}
                streams = isinstance(self._instances, Streamed)
                return SimulatedBackend(self._simulation, self._instances, families, on_disk=streams)
        assert_never(client)

    def _recorded(self) -> Backend:
        from venire.llm.recorded import RecordedBackend

        recorded = [judge for judge in self._judges if isinstance(judge, RecordedJudge)]
        return RecordedBackend(recorded[0].root, [(judge.model, judge.strategy) for judge in recorded])
