"""A fake model layer that answers every stage by rules on what the prompt shows."""

import asyncio
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from venire.judging.judge import PromptedJudge
from venire.judging.panel import Panel
from venire.judging.tags import TagSet
from venire.llm.embedding import OFFLINE
from venire.llm.key import request_key
from venire.methods.juryflow.method import JuryFlow
from venire.methods.protocol import Method
from venire.records import (
    EMBEDDING_STAGE,
    BackendKind,
    Call,
    Completion,
    Embeddings,
    FinishReason,
    Instance,
    Outcome,
    Request,
    Response,
    Usage,
)

TAGS = TagSet({name: f"whether it is {name}" for name in ("factual", "logical", "complete", "clear", "safe")})
JUDGES = tuple(PromptedJudge(f"j{i}", f"m{i}", f"f{i}", max_reasks=0) for i in range(5))
PANEL = Panel(JUDGES, "j2")

_MATERIAL = re.compile(r'<([a-z]+(?: [a-z0-9]+)*) id="([0-9a-f]{16})">\n(.*?)\n</\1 id="\2">', re.DOTALL)
_LETTERS = {"a": "accept", "r": "reject", "u": "uncertain"}

Said = str | tuple[str, FinishReason]


def material(request: Request) -> dict[str, str]:
    """What the request's prompt shows, by label."""
    text = "\n".join(message.content for message in request.messages)
    return {found[1]: found[3] for found in _MATERIAL.finditer(text)}


def rulings(
    claims: Mapping[int, str], verdict: Callable[[str], str], tags: Callable[[str], Sequence[str]]
) -> str:
    return json.dumps(
        {
            "judgments": [
                {
                    "claim": number,
                    "rationale": f"on {text}",
                    "verdict": verdict(text),
                    "tags": list(tags(text)),
                }
                for number, text in claims.items()
            ]
        }
    )


def unit(*components: float) -> tuple[float, ...]:
    length = sum(c * c for c in components) ** 0.5
    return tuple(c / length for c in components)


@dataclass
class Court:
    """Rules by stage; a claim's text says how it fares.

    `claims[response text]`: its claims; of other responses, its sentences.
    `votes[claim text]`: one letter a judge in the order j0, j1, ...: a, r, u, or - for no reply at all;
    "aaaaa" where nothing is said. `revised[claim text]`: the reviewer's letter, `a` else.
    `scripts[stage]` overrules all of it. `latency_s(request)` delays a reply.
    """

    claims: Mapping[str, Sequence[str]] = field(default_factory=dict)
    votes: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, Sequence[str]] = field(default_factory=dict)
    revised: Mapping[str, str] = field(default_factory=dict)
    vectors: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    criterion: Callable[[str], str] = lambda claim: f"criterion of {claim}"
    pairwise: str = "tie"
    scripts: Mapping[str, Callable[[Request], Said]] = field(default_factory=dict)
    latency_s: Callable[[Request], float] | None = None
    requests: list[Request] = field(default_factory=list)
    embedded: list[str] = field(default_factory=list)

    async def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        if self.latency_s is not None:
            await asyncio.sleep(self.latency_s(request))
        said = self.scripts.get(request.stage, self.answer)(request)
        text, finish = (said, FinishReason.STOP) if isinstance(said, str) else said
        return Completion(
            text, finish, request_key(request), request.model, (), False, BackendKind.SIMULATED, error="down"
        )

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        self.embedded += texts
        rows = np.array([self.vectors.get(text) or _hashed(text) for text in texts], dtype=np.float32)
        return Embeddings(rows, (_embedding_call(model, texts),))

    def of_stage(self, stage: str) -> list[Request]:
        return [request for request in self.requests if request.stage == stage]

    def answer(self, request: Request) -> Said:
        """What the rules say, scripts aside."""
        shown = material(request)
        match request.stage:
            case "decompose":
                response = shown["response"]
                return json.dumps({"claims": list(self.claims.get(response, response.split(". ")))})
            case "judge" if "response" in shown:
                return self._judge(request.role, shown)
            case "focal" | "propagation":
                return json.dumps({"rationale": "looked again", "verdict": self._revised(shown["claim"])})
            case "rubric":
                return json.dumps(entry(self.criterion(shown["claim"]), shown["claim"]))
            case _:
                return json.dumps({"reasoning": "r", "winner": self.pairwise, "confidence": 0.8})

    def _judge(self, role: str, shown: Mapping[str, str]) -> Said:
        claims = {int(label[6:]): text for label, text in shown.items() if re.fullmatch(r"claim \d+", label)}
        seat = int(role.removeprefix("j"))
        letters = {text: self.votes.get(text, "aaaaa")[seat] for text in claims.values()}
        if "-" in letters.values():
            return "", FinishReason.ERROR
        return rulings(
            claims, lambda text: _LETTERS[letters[text]], lambda text: self.tags.get(text, ["clear"])
        )

    def _revised(self, claim: str) -> str:
        return _LETTERS[self.revised.get(claim, "a")]


def entry(criterion: str, case: str) -> dict[str, str]:
    return {
        "dimension": "factual",
        "boundary": "always",
        "criterion": criterion,
        "positive_example": f"right on {case}",
        "negative_example": f"wrong on {case}",
    }


def _hashed(text: str) -> tuple[float, ...]:
    digest = hashlib.sha256(text.encode()).digest()
    return unit(*(byte - 127.5 for byte in digest[:16]))


def _embedding_call(model: str, texts: Sequence[str]) -> Call:
    return Call(
        key=hashlib.sha256("\0".join(texts).encode()).hexdigest(),
        stage=EMBEDDING_STAGE,
        role="",
        model_asked=model,
        model_returned=model,
        fingerprint=None,
        kind=BackendKind.LOCAL,
        usage=Usage(),
        usage_complete=True,
        cost_usd=0.0,
        cost_complete=True,
        latency_s=0.0,
        attempts=1,
        replayed=False,
        finish=FinishReason.STOP,
        texts=len(texts),
    )


def pair(first: str, second: str, name: str = "set/1") -> Instance:
    return Instance(name, "Say something true.", (Response(first), Response(second)))


def juryflow(**settings: object) -> JuryFlow:
    given: dict[str, object] = {"panel": PANEL, "tags": TAGS, "embedding": OFFLINE}
    return JuryFlow(**{**given, **settings})  # type: ignore[arg-type]


def judged(method: Method, court: Court, instance: Instance, memory: object = None) -> Outcome:
    before = method.initial_memory() if memory is None else memory
    return asyncio.run(method.judge(instance, before, court))
