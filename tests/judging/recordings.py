"""Recordings of one pair, judges that answer from them, and an LLM that counts."""

import gzip
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from venire.judging.judge import RecordedJudge, RecordedParser
from venire.llm.protocol import Backend
from venire.llm.recordings import FILE
from venire.records import Attempt, AttemptStatus, Completion, Embeddings, Instance, Order, Request, Response

PAIR = Instance("Toy/3", "Name a colour.", (Response("Red."), Response("Seven.")), subset="Toy")


@dataclass
class PlainLLM:
    """Asks the backend and keeps every request; no store, so that each request is a call."""

    backend: Backend
    asked: list[Request] = field(default_factory=list)

    async def complete(self, request: Request) -> Completion:
        self.asked.append(request)
        reply = await self.backend.send(request)
        attempts = (Attempt(AttemptStatus.OK, 0.0, 0.0, reply.usage),)
        key = repr((request.model, request.endpoint, request.messages))
        return Completion(reply.text, reply.finish, key, reply.model, attempts, False, self.backend.kind)

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        raise AssertionError("a recorded judge embeds nothing")


def row(strategy: str, order: Order, **fields: object) -> dict[str, object]:
    """A row about `PAIR`; its winner is not looked at by what is tested here."""
    place = {"subset": "Toy", "index": 3, "model": "GPT-4", "winner": None, "finish_reason": "stop"}
    return place | {"strategy": strategy, "swap": order is Order.SWAPPED} | fields


def written(root: Path, rows: list[dict[str, object]]) -> Path:
    (root / FILE).parent.mkdir(exist_ok=True)
    (root / FILE).write_bytes(gzip.compress(b"\n".join(map(orjson.dumps, rows)), mtime=0))
    return root


def both(strategy: str, as_given: dict[str, object], swapped: dict[str, object]) -> list[dict[str, object]]:
    return [row(strategy, Order.AS_GIVEN, **as_given), row(strategy, Order.SWAPPED, **swapped)]


def said(text: str) -> dict[str, object]:
    return {"completion": text}


def twice(first: str, second: str) -> dict[str, object]:
    stage1 = {"stage1_completion": first, "stage1_finish_reason": "stop"}
    return {"completion": second, "n_stages": 2} | stage1


def scored(one: str, two: str) -> dict[str, object]:
    reasons = {"score_1_finish_reason": "stop", "score_2_finish_reason": "stop"}
    return {"score_1_raw": one, "score_2_raw": two} | reasons


def judge_of(
    root: Path, strategy: str, parser: RecordedParser = RecordedParser.AS_PUBLISHED
) -> RecordedJudge:
    return RecordedJudge("GPT-4", strategy, parser, str(root))
