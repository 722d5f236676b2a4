"""Simulated judges under the real judging layer: its prompts, schemas and parser."""

import asyncio
import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from venire.judging.judge import PromptedJudge, ReplyFormat
from venire.judging.pairwise import compare
from venire.llm.key import request_key
from venire.llm.simulated import ReplyStyle, SimulatedBackend, Simulation, simulation_endpoint
from venire.records import (
    Attempt,
    AttemptStatus,
    Completion,
    Embeddings,
    Instance,
    Order,
    Preference,
    PreferenceGold,
    Reason,
    Request,
    Response,
    Unscored,
    Vote,
    Winner,
)


@dataclass
class Unstored:
    """An LLM that passes every request on to the backend and keeps it."""

    backend: SimulatedBackend
    requests: list[Request] = field(default_factory=list)

    async def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        reply = await self.backend.send(request)
        attempt = Attempt(AttemptStatus.OK, 0.0, 0.0, reply.usage)
        key = request_key(request)
        return Completion(
            reply.text,
            reply.finish,
            key,
            reply.model,
            (attempt,),
            False,
            self.backend.kind,
            reply.fingerprint,
        )

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        raise NotImplementedError


def instances(n: int = 40) -> list[Instance]:
    winners = (Winner.FIRST, Winner.SECOND)
    return [
        Instance(
            f"q/{k}",
            f"Question {k}?",
            (Response(f"yes {k}"), Response(f"no {k}")),
            PreferenceGold(winners[k % 2]),
        )
        for k in range(n)
    ]


def judged(
    items: list[Instance], simulation: Simulation, reply_format: ReplyFormat, allow_tie: bool = True
) -> tuple[list[Vote], list[Request]]:
    judge = PromptedJudge(
        "j", "acme/large", "acme", reply_format=reply_format, endpoint_tag=simulation_endpoint(simulation)
    )
    llm = Unstored(SimulatedBackend(simulation, items, {judge.model: judge.family}))

    async def vote(instance: Instance, order: Order) -> Vote:
        ballot = await compare(judge, instance, order, llm, prompt="pairwise", allow_tie=allow_tie)
        return ballot.vote

    async def all_votes() -> list[Vote]:
        return [await vote(instance, order) for instance in items for order in Order]

    return asyncio.run(all_votes()), llm.requests


@pytest.mark.parametrize("reply_format", list(ReplyFormat))
def test_every_reply_is_parsed_to_a_preference_fenced_and_prefixed_ones_too(
    reply_format: ReplyFormat,
) -> None:
    style = ReplyStyle(fenced=0.4, prefixed=0.4)
    votes, requests = judged(instances(), Simulation(style=style), reply_format)
    assert len(votes) == len(requests) == 80  # 40 pairs in two orders, no re-ask
    assert all(isinstance(vote.prediction, Preference) for vote in votes)
    assert all(vote.rationale.startswith("[simulated]") for vote in votes)
    assert {vote.raw[:3] for vote in votes} == {"```", "Her", '{"r'}


def test_without_ties_no_reply_is_asked_again() -> None:
    votes, requests = judged(instances(), Simulation(tie_width=5.0), ReplyFormat.JSON_SCHEMA, allow_tie=False)
    assert len(requests) == len(votes)
    assert Winner.TIE not in {v.prediction.winner for v in votes if isinstance(v.prediction, Preference)}


@pytest.mark.parametrize(
    ("style", "reason", "calls"),
    [
        # two re-asks after the first call, then no answer; a refusal is final
        (ReplyStyle(fenced=0, prefixed=0, malformed=1), Reason.UNPARSED, 3),
        (ReplyStyle(fenced=0, prefixed=0, refused=1), Reason.REFUSED, 1),
    ],
)
def test_a_reply_without_a_verdict_is_never_an_answer(style: ReplyStyle, reason: Reason, calls: int) -> None:
    votes, requests = judged(instances(3), Simulation(style=style), ReplyFormat.JSON_SCHEMA)
    assert [v.prediction.reason for v in votes if isinstance(v.prediction, Unscored)] == [reason] * 6
    assert len(requests) == 6 * calls


def test_gold_and_subject_never_reach_a_message_or_a_key() -> None:
    """With every gold label turned round the requests stay the same, to the byte, and the replies do not."""
    items = instances()
    turned = [
        dataclasses.replace(i, id=f"turned/{i.id}", gold=PreferenceGold(w))
        for i, w in zip(items, (Winner.SECOND, Winner.FIRST) * 20, strict=True)
    ]
    votes, requests = judged(items, Simulation(), ReplyFormat.JSON_SCHEMA)
    other_votes, other_requests = judged(turned, Simulation(), ReplyFormat.JSON_SCHEMA)
    assert [r.messages for r in requests] == [r.messages for r in other_requests]
    assert [request_key(r) for r in requests] == [request_key(r) for r in other_requests]
    assert not any(gold in m.content for r in requests for m in r.messages for gold in ("response_1", "q/"))
    assert [v.prediction for v in votes] != [v.prediction for v in other_votes]
