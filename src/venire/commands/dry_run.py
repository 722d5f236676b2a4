"""`venire run --dry-run=N`: the real prompts, with sizes; nothing is called."""

import asyncio
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field

from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig

from venire.commands.composing import experiment_in_job, look_at_each_job, overrides_of_job
from venire.errors import ConfigError
from venire.experiment import Experiment
from venire.records import BackendKind, Completion, Embeddings, FinishReason, Message, Request

_CHARACTERS_A_TOKEN = 4


@dataclass(slots=True)
class _Recorder:
    """Keeps requests and declines them, so that a method goes no further than their replies allow."""

    kind: BackendKind
    requests: list[Request] = field(default_factory=list)

    async def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        return Completion(
            text="",
            finish=FinishReason.REFUSED,
            key="",
            model=request.model,
            attempts=(),
            replayed=False,
            kind=self.kind,
            error="dry run",
        )

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        raise ConfigError(f"dry run: {model} is not asked for embeddings")


def dry_run(arguments: Sequence[str], n: int) -> int:
    """Print every request that the first `n` instances would send first, and their sizes; job by job."""
    if n < 1:
        raise ConfigError(f"--dry-run: expected at least 1 instance, got {n}")

    def job(cfg: DictConfig) -> None:
        hydra_cfg = HydraConfig.get()
        if hydra_cfg.mode is RunMode.MULTIRUN:
            print(f"=== job {hydra_cfg.job.num}: {shlex.join(overrides_of_job())}")
        _show(experiment_in_job(cfg), n)

    look_at_each_job(job, arguments, command="venire run")
    return 0


def _show(experiment: Experiment, n: int) -> None:
    method, instances = experiment.method, experiment.loaded.instances[:n]
    method.check(instances)
    llm = _Recorder(experiment.kind)

    async def ask() -> None:
        for instance in instances:
            await method.judge(instance, method.initial_memory(), llm)

    asyncio.run(ask())
    first_shown: dict[Message, int] = {}
    for number, request in enumerate(llm.requests, 1):
        about = request.subject.instance_id if request.subject else ""
        characters = sum(len(message.content) for message in request.messages)
        print(f"=== request {number}: {request.role} ({request.model}), stage {request.stage}, {about}")
        tokens = -(-characters // _CHARACTERS_A_TOKEN)
        print(f"=== {characters} characters, about {tokens} tokens in, at most {request.max_tokens} out")
        for message in request.messages:
            if (first := first_shown.setdefault(message, number)) < number:
                print(f"--- {message.role}, as in request {first}")
            else:
                print(f"--- {message.role}\n{message.content}")
    print(f"=== {len(llm.requests)} requests for {len(instances)} instances; nothing was called")
