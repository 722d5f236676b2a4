"""Vectors of any embedding model that litellm knows, one attempt a request."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from venire.llm.credentials import api_key
from venire.llm.embedding import Embedded, EmbeddingModel, Vectors
from venire.llm.litellm_client import LiteLLM, call_options, close_litellm, load_litellm, read_error
from venire.llm.openai_wire import malformed
from venire.llm.protocol import AttemptFailed
from venire.llm.route import Route
from venire.records import AttemptStatus, Usage


class LiteLLMEmbeddings:
    """The backend of an `EmbeddingModel` of client `litellm`.

    Args:
        model: what is asked.
        route: its route.
        environ: where keys are looked up.
        clock: seconds since the epoch, for `Retry-After` dates.
    """

    def __init__(
        self,
        model: EmbeddingModel,
        route: Route,
        environ: Mapping[str, str],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._model = model
        self._options = call_options(route, api_key(route, environ))
        self._clock = clock
        self._loading = asyncio.Lock()
        self._litellm: LiteLLM | None = None

    async def embed(self, texts: Sequence[str]) -> Embedded:
        """One request with all `texts`; raises as `EmbeddingBackend.embed`.

        Nothing is raised inside an `except`: litellm's exceptions carry requests and headers.
        """
        result = await self._attempt(await self._loaded(), [_plain(text) for text in texts])
        if isinstance(result, Exception):
            raise result
        return result

    async def load(self) -> None:
        """Import litellm, where nothing has yet."""
        await self._loaded()

    async def _loaded(self) -> LiteLLM:
        async with self._loading:
            if self._litellm is None:
                self._litellm = await asyncio.to_thread(load_litellm)
            return self._litellm

    async def aclose(self) -> None:
        """Close litellm's cached HTTP clients and its logging task."""
        if self._litellm is not None:
            await close_litellm(self._litellm)

    async def _attempt(self, litellm: LiteLLM, texts: Sequence[str]) -> Embedded | Exception:
        try:
            response = await litellm.aembedding(
                model=self._model.model, input=texts, encoding_format="float", **self._options
            )
        except Exception as error:  # litellm maps most errors to its own, but lets any other through
            failed = read_error(error, str(self._options.get("api_key", "")), self._clock())
            if isinstance(failed, Exception):
                return failed
            return AttemptFailed(AttemptStatus.REFUSED, "the provider's filter declined", retryable=False)
        return _embedded(response, self._model)


def _embedded(response: object, model: EmbeddingModel) -> Embedded | AttemptFailed:
    entries = getattr(response, "data", None)
    if not isinstance(entries, list) or not entries:
        return malformed("no data in the body")
    rows: dict[int, Vectors] = {}
    for position, entry in enumerate(entries):
        fields = entry if isinstance(entry, Mapping) else vars(entry)
        try:
            row = np.asarray(fields["embedding"], dtype=np.float32)
            rows[int(fields.get("index", position))] = row
        except (KeyError, TypeError, ValueError):
            return malformed(f"data[{position}]: no vector of numbers")
    if sorted(rows) != list(range(len(entries))) or len({row.shape for row in rows.values()}) > 1:
        return malformed(f"{len(entries)} vectors of unequal length, or numbered twice")
    vectors = np.stack([rows[index] for index in range(len(entries))])
    tokens = getattr(getattr(response, "usage", None), "prompt_tokens", None)
    # litellm writes 0 where the provider said nothing, and no text has 0 tokens.
    usage = Usage(int(tokens), 0) if tokens else Usage()
    return Embedded(vectors, str(getattr(response, "model", None) or model.model), usage)


def _plain(text: str) -> str:
    """`text` without lone surrogates, which no request body can carry."""
    return text.encode("utf-8", "replace").decode()
