"""JuryFlow run on simulated judges, straight on the backend: what its stages gain, world by world."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from venire.judging.judge import PromptedJudge
from venire.judging.panel import Panel
from venire.judging.tags import TagSet
from venire.llm.embedding import OFFLINE, unit_rows
from venire.llm.embedding_wordllama import WordLlamaBackend
from venire.llm.simulated import ReplyStyle, SimulatedBackend, Simulation
from venire.methods.juryflow.method import JuryFlow
from venire.methods.juryflow.propagate import Propagation
from venire.records import (
    BackendKind,
    Completion,
    Embeddings,
    Instance,
    Persona,
    Preference,
    PreferenceGold,
    Request,
)

SKILL = {"default": 0.8, "openai": 1.2, "anthropic": 1.2, "google": 1.0}  # of conf/simulation/default.yaml
STANDARD = Simulation(skill=SKILL, style=ReplyStyle(fenced=0, prefixed=0))
OFF = replace(STANDARD, blind_spots=None, claims=replace(STANDARD.claims, blind_spots=None))

TAGS = TagSet(
    {name: f"whether it is {name}" for name in ("factual", "logical", "complete", "clear", "safe", "apt")}
)
PERSONAS = [Persona(name, f"a {name}") for name in ("checker", "teacher", "editor", "engineer", "lawyer")]
FAMILIES = ("openai", "anthropic", "google", "meta", "qwen")
MIXED = Panel(
    tuple(PromptedJudge(f, f"{f}/model", f, persona=p) for f, p in zip(FAMILIES, PERSONAS, strict=True)),
    "openai",
)
ONE_MODEL = Panel(
    tuple(PromptedJudge(p.name, "openai/model", "openai", persona=p) for p in PERSONAS), "checker"
)


class Straight:
    """A model layer without store or retries; remembers replies and vectors, as a store would."""

    def __init__(self, backend: SimulatedBackend, weights: WordLlamaBackend) -> None:
        self.backend = backend
        self._weights = weights
        self._replies: dict[object, Completion] = {}
        self._vectors: dict[str, npt.NDArray[np.float32]] = {}

    async def complete(self, request: Request) -> Completion:
        """The simulated reply."""
        key = (request.model, request.messages, request.schema, request.max_tokens, request.replicate)
        if key not in self._replies:
            made = self.backend.reply(request)
            self._replies[key] = Completion(
                made.text, made.finish, "", made.model, (), False, BackendKind.SIMULATED
            )
        return self._replies[key]

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """The offline model's vectors."""
        missing = list(dict.fromkeys(text for text in texts if text not in self._vectors))
        if missing:
            made = await self._weights.embed(missing)
            self._vectors |= dict(zip(missing, unit_rows(made.vectors), strict=True))
        return Embeddings(np.stack([self._vectors[text] for text in texts]))


@dataclass(frozen=True, slots=True)
class Tally:
    """Shares that are right: of the pairs, and of the claims' final verdicts; and re-evaluations a pair."""

    pairs: float
    claims: float
    reevaluations: float


def arm(panel: Panel, *, stages: str, beta: float = 0.5) -> JuryFlow:
    """JuryFlow with the stages that `stages` names: `f`ocal, `p`ropagation, `r`ubric."""
    whole = JuryFlow(panel=panel, tags=TAGS, embedding=OFFLINE)
    return replace(
        whole,
        focal=whole.focal if "f" in stages else None,
        propagation=Propagation(beta=beta) if "p" in stages else None,
        rubric=whole.rubric if "r" in stages else None,
    )


ARMS: Mapping[str, JuryFlow] = {
    "majority": arm(MIXED, stages=""),
    "focal": arm(MIXED, stages="f"),
    "no_propagation": arm(MIXED, stages="fr"),
    "no_rubric": arm(MIXED, stages="fp"),
    "whole": arm(MIXED, stages="fpr"),
    "beta=0": arm(MIXED, stages="fp", beta=0.0),
    "beta=.9": arm(MIXED, stages="fp", beta=0.9),
    "one model: majority": arm(ONE_MODEL, stages=""),
    "one model: whole": arm(ONE_MODEL, stages="fpr"),
}


def tally(method: JuryFlow, llm: Straight, instances: Sequence[Instance]) -> Tally:
    """The method run over `instances` in their order, its memory folded one by one."""
    return asyncio.run(_tally(method, llm, instances))


async def _tally(method: JuryFlow, llm: Straight, instances: Sequence[Instance]) -> Tally:
    memory = method.initial_memory()
    pairs, claims, reevaluations = [], [], 0
    for instance in instances:
        outcome = await method.judge(instance, memory, llm)
        memory = method.fold(memory, outcome)
        won = outcome.prediction.winner if isinstance(outcome.prediction, Preference) else None
        assert isinstance(instance.gold, PreferenceGold)
        pairs.append(won is instance.gold.winner)
        reevaluations += sum(call.stage in ("focal", "propagation", "rubric") for call in outcome.calls)
        responses = outcome.detail["responses"]
        assert isinstance(responses, list)
        for index, response in enumerate(responses):
            signs = _signs(llm.backend, instance, index, response["claims"])
            given = [{"accept": 1, "reject": -1}.get(verdict, 0) for verdict in response["verdicts"]]
            claims += [sign == verdict for sign, verdict in zip(signs, given, strict=True)]
    return Tally(float(np.mean(pairs)), float(np.mean(claims)), reevaluations / len(instances))


def _signs(backend: SimulatedBackend, instance: Instance, index: int, claims: Sequence[str]) -> list[int]:
    candidate = backend.world.candidates.by_place[instance.id, index]
    return [backend.world.claims.fact(candidate, claim).sign for claim in claims]


@dataclass(frozen=True, slots=True)
class Gain:
    """A mean difference over worlds, and its standard error."""

    mean: float
    error: float

    @property
    def sure(self) -> bool:
        """Whether it is above 0 by more than two standard errors."""
        return self.mean > 2 * self.error


def gain(better: Sequence[float], worse: Sequence[float]) -> Gain:
    """`better` over `worse`, paired by world."""
    differences = np.array(better) - np.array(worse)
    return Gain(float(differences.mean()), float(differences.std(ddof=1) / len(differences) ** 0.5))
