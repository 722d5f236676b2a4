import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from venire.llm.key import request_key
from venire.llm.replicate import Replicated
from venire.records import BackendKind, Completion, Embeddings, FinishReason, Message, Request, Subject


@dataclass
class Asked:
    """An LLM that keeps what it is asked."""

    requests: list[Request] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    async def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        return Completion(str(request.replicate), FinishReason.STOP, "k", "m", (), False, BackendKind.LIVE)

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        self.texts += texts
        return Embeddings(np.ones((len(texts), 1), dtype=np.float32))


REQUEST = Request("m", (Message("user", "Which?"),), role="a", stage="focal", subject=Subject("set/1"))


@pytest.mark.parametrize(
    ("seed", "replicate", "asked"), [(0, 0, 0), (0, 7, 7), (1, 0, 1_000_000), (3, 2, 3_000_002)]
)
def test_each_seed_has_replicates_of_its_own(seed: int, replicate: int, asked: int) -> None:
    llm = Asked()
    request = Request("m", REQUEST.messages, replicate=replicate)
    completion = asyncio.run(Replicated(llm, seed).complete(request))
    assert llm.requests == [Request("m", REQUEST.messages, replicate=asked)]
    assert completion.text == str(asked)


def test_the_first_seed_shares_its_replies_with_runs_that_share_them() -> None:
    llm = Asked()
    asyncio.run(Replicated(llm, 0).complete(REQUEST))
    assert llm.requests == [REQUEST]


def test_another_seeds_request_has_another_key_and_is_otherwise_the_same() -> None:
    llm = Asked()
    for seed in (0, 1, 2):
        asyncio.run(Replicated(llm, seed).complete(REQUEST))
    assert len({request_key(request) for request in llm.requests}) == 3
    assert {(r.role, r.stage, r.subject, r.messages) for r in llm.requests} == {
        (REQUEST.role, REQUEST.stage, REQUEST.subject, REQUEST.messages)
    }


def test_embeddings_are_the_same_for_all_seeds() -> None:
    llm = Asked()
    vectors = asyncio.run(Replicated(llm, 5).embed("e", ["x", "y"])).vectors
    assert llm.texts == ["x", "y"]
    assert vectors.shape == (2, 1)


def test_replicates_that_would_run_into_the_next_seed_are_refused() -> None:
    request = Request("m", REQUEST.messages, replicate=1_000_000)
    with pytest.raises(ValueError, match="replicate: expected 0 to 999999, got 1000000"):
        asyncio.run(Replicated(Asked(), 1).complete(request))
