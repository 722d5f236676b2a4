"""The `LLM` of one instance of a plan: it answers what is known, and notes everything that is asked."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Never

import numpy as np

from venire.llm.embedding import EmbeddingModel, Vectors, text_key
from venire.llm.key import request_key
from venire.planning.answers import Answers, Computed, Store
from venire.planning.records import PlannedText, Recording, planned_call, text_tokens
from venire.records import (
    Attempt,
    AttemptStatus,
    BackendKind,
    Completion,
    Embeddings,
    Request,
    Usage,
)

# Turns of the event loop after which a method that asked nothing more is taken to wait.
_TURNS = 50
_TEXT_TOKENS = 16  # that a provider may add to a text


@dataclass(slots=True)
class Desk:
    """What all inquiries of a plan share.

    Args:
        store, answers: see there.
        recording: where everything is noted.
        models: embedding models by their model string.
        simulate: whether unknown replies are filled by simulated judges.
    """

    store: Store
    answers: Answers
    recording: Recording
    models: Mapping[str, EmbeddingModel]
    simulate: bool
    endpoints: dict[str, str] = field(default_factory=dict)
    vectors: dict[str, Vectors] = field(default_factory=dict)

    async def endpoint(self, model: EmbeddingModel) -> str:
        """What answers for `model`; read once."""
        if model.model not in self.endpoints:
            self.endpoints[model.model] = await asyncio.to_thread(model.endpoint)
        return self.endpoints[model.model]


class Inquiry:
    """Judges one instance without sending anything.

    A call whose reply is unknown never returns: what depends on it is not asked, and what does not
    is. `until_stuck` ends when nothing else is under way.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._open = 0
        self._waiting = 0
        self._moves = 0
        self._moved_on = asyncio.Event()

    async def complete(self, request: Request) -> Completion:
        """The stored reply, or a computed one; without either it waits for ever."""
        self._begin()
        try:
            return await self._known(request) or await self._wait()
        finally:
            self._end()

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """Vectors of `texts`: stored ones, and what this machine computes; else it waits for ever."""
        self._begin()
        try:
            rows = await self._known_rows(self._desk.models[model], texts)
            return Embeddings(rows) if rows is not None else await self._wait()
        finally:
            self._end()

    async def until_stuck(self) -> None:
        """Ends when every call under way waits, and no other comes."""
        while True:
            await self._moved_on.wait()
            self._moved_on.clear()
            if self._waiting and self._waiting == self._open and await self._is_quiet():
                return

    async def _is_quiet(self) -> bool:
        """Whether the method, given time to, begins and ends no call."""
        moves = self._moves
        for _ in range(_TURNS):
            await asyncio.sleep(0)
            if self._moves != moves:
                return False
        return True

    def _begin(self) -> None:
        self._open += 1
        self._moved()

    def _end(self) -> None:
        self._open -= 1
        self._moved()

    def _moved(self) -> None:
        self._moves += 1
        self._moved_on.set()

    async def _wait(self) -> Never:
        self._waiting += 1
        self._moved()
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self._waiting -= 1
        raise AssertionError("what is unknown has no reply")

    async def _known(self, request: Request) -> Completion | None:
        desk, key = self._desk, request_key(request)
        price = desk.answers.route(request).price
        stored = await desk.store.find(key)
        if stored is not None:
            took = stored.attempts[-1].usage if stored.attempts else Usage()
            desk.recording.note_call(planned_call(key, request, price, took=took, reply=None, exact=False))
            return stored.completion(key, replayed=True)
        computed = await desk.answers.reply(request)
        exact = computed is not None and computed.exact
        reply = computed.reply.usage if computed is not None else None
        desk.recording.note_call(planned_call(key, request, price, took=None, reply=reply, exact=exact))
        if computed is None or not (exact or desk.simulate):
            return None
        return _completion(key, request, computed)

    async def _known_rows(self, model: EmbeddingModel, texts: Sequence[str]) -> Vectors | None:
        desk = self._desk
        endpoint = await desk.endpoint(model)
        keys = [text_key(model.model, endpoint, text) if text.strip() else "" for text in texts]
        wanted = {key: text for key, text in zip(keys, texts, strict=True) if key}
        stored = await desk.store.find_vectors(list(wanted))
        for key, text in wanted.items():
            desk.recording.note_text(_planned_text(key, model, text, stored=key in stored))
        vectors = {key: desk.vectors[key] for key in wanted if key in desk.vectors} | dict(stored)
        missing = {key: text for key, text in wanted.items() if key not in vectors}
        if missing:
            if model.kind is BackendKind.LIVE and not desk.simulate:
                return None
            rows = await desk.answers.vectors(model, list(missing.values()))
            vectors |= dict(zip(missing, rows, strict=True))
            desk.vectors |= vectors
        made = np.zeros((len(keys), model.dimensions), dtype=np.float32)
        for row, key in enumerate(keys):
            if key:
                made[row] = vectors[key]
        return made


def _planned_text(key: str, model: EmbeddingModel, text: str, *, stored: bool) -> PlannedText:
    return PlannedText(
        key=key,
        model=model.model,
        stored=stored,
        billed=model.kind is BackendKind.LIVE,
        input_at_most=len(text.encode("utf-8", "surrogatepass")) + _TEXT_TOKENS,
        input_expected=text_tokens(text),
        price=model.price,
    )


def _completion(key: str, request: Request, computed: Computed) -> Completion:
    reply = computed.reply
    return Completion(
        text=reply.text,
        finish=reply.finish,
        key=key,
        model=reply.model,
        attempts=(Attempt(AttemptStatus.OK, 0.0, 0.0, reply.usage),),
        replayed=False,
        kind=BackendKind.SIMULATED,
        fingerprint=reply.fingerprint,
        logprobs=reply.logprobs,
    )
