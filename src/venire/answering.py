"""Who answers for a judge under `backend=live|simulated|local`."""

from dataclasses import replace

from venire.bundles.sources import Sources
from venire.errors import ConfigError
from venire.judging.judge import PromptedJudge, RecordedJudge
from venire.llm.local import LocalSettings
from venire.llm.route import Client
from venire.llm.simulated import Simulation, simulation_endpoint
from venire.records import Price

_FREE = Price(0.0, 0.0, source="runs on this machine")
_LOCAL_LOGPROBS = 20


def recorded_under(judge: RecordedJudge, path: str, backend: str) -> RecordedJudge:
    """`judge`, which is only what it is.

    Raises:
        ConfigError: `backend` would have another answer for it; names `path`.
    """
    if backend != "live":
        raise ConfigError(f"backend: {path} is recorded and cannot be {backend}; drop backend={backend}")
    return judge


def answered_under(
    judge: PromptedJudge,
    backend: str,
    simulation: Simulation,
    local: LocalSettings,
    fingerprint: str,
    *,
    sources: Sources = Sources(),  # noqa: B008  (frozen)
) -> PromptedJudge:
    """`judge` as `backend` answers for it; a judge of client `local` is local under `live`, too."""
    if backend == "simulated":
        endpoint = simulation_endpoint(simulation, family=judge.family, data_fingerprint=fingerprint)
        return replace(judge, client=Client.SIMULATED, api_base=None, endpoint_tag=endpoint)
    if backend == "local" or judge.client is Client.LOCAL:
        model, tag = sources.weights(local)
        return replace(
            judge,
            client=Client.LOCAL,
            model=model,
            provider="local",
            api_base=None,
            endpoint_tag=tag,
            price=_FREE,
            limits=local.limits,
            top_logprobs=_LOCAL_LOGPROBS,
        )
    return judge
