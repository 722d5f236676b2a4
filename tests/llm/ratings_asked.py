"""Questions about ratings as venire's methods ask them: real prompts, real schemas, made-up responses."""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from venire.judging.agent import Group, group_of
from venire.judging.debate import name_next, rate_finally, speak
from venire.judging.history import History
from venire.judging.judge import PromptedJudge
from venire.judging.matter import Matter
from venire.judging.rating import OwnScale, asked_dimensions, rate
from venire.llm.protocol import LLM
from venire.llm.simulated import ReplyStyle, SimulatedBackend, Simulation
from venire.records import (
    BackendKind,
    Completion,
    Dimension,
    Embeddings,
    FinishReason,
    Instance,
    Opinion,
    Persona,
    PersonaLevel,
    PersonaSet,
    Ratings,
    RatingsGold,
    Request,
    Response,
    StakeholderGroup,
    Utterance,
)

PLAIN = ReplyStyle(reasoning_words=0, fenced=0, prefixed=0)
BASE = Simulation(style=PLAIN)
FAMILIES = {"acme/large": "acme", "acme/small": "acme", "bolt/large": "bolt"}
CLARITY = Dimension("clarity", "Is the wording of the account plain and understandable?", 0, 4)
COVERAGE = Dimension("coverage", "Does it report events, causes and consequences?", 0, 2)
DIMENSIONS = (CLARITY, COVERAGE)


class Straight:
    """A model layer without store or retries; remembers replies, as a store would, and requests."""

    def __init__(self, backend: SimulatedBackend) -> None:
        self.backend = backend
        self.requests: list[Request] = []
        self._replies: dict[object, Completion] = {}

    async def complete(self, request: Request) -> Completion:
        """The simulated reply."""
        self.requests.append(request)
        key = replace(request, subject=None, stage="", role="")
        if key not in self._replies:
            made = self.backend.reply(request)
            self._replies[key] = Completion(
                made.text,
                made.finish,
                "",
                made.model,
                (),
                False,
                BackendKind.SIMULATED,
                logprobs=made.logprobs,
            )
        return self._replies[key]

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """No method of ratings asks for vectors."""
        raise NotImplementedError


def items(count: int = 20, seed: int = 0) -> list[Instance]:
    """Accounts rated on both dimensions, evenly over the scales."""
    draw = random.Random(seed)
    return [
        item(k, {"clarity": float(draw.randrange(5)), "coverage": float(draw.randrange(3))}, seed=seed)
        for k in range(count)
    ]


def item(number: int, gold: dict[str, float] | None, *, seed: int = 0) -> Instance:
    return Instance(
        f"world {seed}/{number}",
        f"Write an account of event {number}, with its causes and consequences.",
        (Response(f"The account of event {number} in world {seed}."),),
        None if gold is None else RatingsGold(gold),
        dimensions=DIMENSIONS,
    )


def person(name: str, level: PersonaLevel = PersonaLevel.DETAILED, dimension: str = "") -> Persona:
    """A persona of the accounts' domain: it shares words with their request and dimensions."""
    return Persona(
        name,
        f"a {name} who reads accounts",
        demographics="Not young.",
        perspective="An account has plain wording and reports events, causes and consequences.",
        expertise="Knows what is understandable.",
        traits="Calm.",
        relations="Answers to readers.",
        dimension=dimension,
        level=level,
    )


def people(groups: int, size: int, level: PersonaLevel = PersonaLevel.DETAILED) -> PersonaSet:
    made = tuple(
        StakeholderGroup(
            f"group_{g}", "readers", tuple(person(f"reader_{g}_{p}", level) for p in range(size))
        )
        for g in range(groups)
    )
    return PersonaSet("readers", "judging accounts", made, level)


def backend(instances: Sequence[Instance], simulation: Simulation = BASE) -> SimulatedBackend:
    return SimulatedBackend(simulation, instances, FAMILIES)


def judge(persona: Persona | None = None, model: str = "acme/large") -> PromptedJudge:
    return PromptedJudge("j", model, FAMILIES[model], persona=persona, top_logprobs=20)


class _Listening:
    """A model layer that answers nothing and remembers what it was asked."""

    def __init__(self) -> None:
        self.requests: list[Request] = []

    async def complete(self, request: Request) -> Completion:
        """A failure, which nobody asks about again."""
        self.requests.append(request)
        return Completion("", FinishReason.ERROR, "", request.model, (), False, BackendKind.SIMULATED)

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """No method of ratings asks for vectors."""
        raise NotImplementedError


def asked(ask: Callable[[LLM], Awaitable[object]]) -> Request:
    """The first request that `ask` makes."""
    llm = _Listening()
    asyncio.run(_run(ask, llm))
    return llm.requests[0]


async def _run(ask: Callable[[LLM], Awaitable[object]], llm: LLM) -> None:
    await ask(llm)


def rating(
    instance: Instance, persona: Persona | None = None, model: str = "acme/large", replicate: int = 0
) -> Request:
    """A direct rating, or an agent's first one."""
    seat, matter = judge(persona, model), Matter(instance, 0)
    dimensions = asked_dimensions(instance)
    return asked(lambda llm: rate(seat, matter, dimensions, llm, replicate=replicate))


def group(size: int = 2, level: PersonaLevel = PersonaLevel.DETAILED, model: str = "acme/large") -> Group:
    """One group's agents: `reader 0 0`, `reader 0 1`, ...; none with a dimension of its own."""
    return group_of(people(1, size, level).groups[0], 1, judge(model=model), DIMENSIONS, OwnScale())


def heard(among: Group, feedback: Sequence[str] = (), turns: Sequence[tuple[int, str]] = ()) -> History:
    """What was said: one feedback an agent, then turns (agent's number, message)."""
    middle = Ratings({"clarity": 2.0, "coverage": 1.0})
    told = [*feedback, *([""] * (len(among.agents) - len(feedback)))]
    return History(
        among.agents,
        tuple(Opinion(middle, text) for text in told),
        tuple(Utterance(n, among.agents[who].name, text) for n, (who, text) in enumerate(turns, 1)),
    )


def turn(instance: Instance, among: Group, history: History, speaker: int = 0) -> Request:
    agent = among.agents[speaker]
    return asked(lambda llm: speak(agent, Matter(instance, 0), history, llm))


def final(
    instance: Instance, among: Group, history: History, speaker: int = 0, debated: bool = True
) -> Request:
    agent, matter = among.agents[speaker], Matter(instance, 0)
    return asked(lambda llm: rate_finally(agent, matter, history, llm, debated=debated))


def coordinating(
    instance: Instance, among: Group, history: History, taken: Sequence[int], open_to: Sequence[int]
) -> Request:
    counts = {agent.name: n for agent, n in zip(among.agents, taken, strict=True)}
    able = [among.agents[n] for n in open_to]
    return asked(
        lambda llm: name_next(judge(), among, Matter(instance, 0), history, llm, taken=counts, open_to=able)
    )


def read(judges: SimulatedBackend, request: Request) -> dict[str, object]:
    made: dict[str, object] = json.loads(judges.reply(request).text)
    return made


def rated(judges: SimulatedBackend, request: Request) -> dict[str, object]:
    ratings = read(judges, request)["ratings"]
    assert isinstance(ratings, dict)
    return ratings
