"""Vectors by the static weights of the package wordllama: offline, deterministic, without torch."""

import asyncio
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from venire.llm.embedding import Embedded, EmbeddingModel, Vectors, weights_files
from venire.records import Usage

if TYPE_CHECKING:
    from wordllama import WordLlamaInference


class WordLlamaBackend:
    """The mean of a text's token vectors. Loads the weights in a thread, when the first text comes."""

    def __init__(self, model: EmbeddingModel) -> None:
        self._model = model
        self._loading = asyncio.Lock()
        self._loaded: WordLlamaInference | None = None

    async def embed(self, texts: Sequence[str]) -> Embedded:
        """One row a text; all-zero where a text has no token. No provider counts its tokens: usage is 0."""
        async with self._loading:
            if self._loaded is None:
                self._loaded = await asyncio.to_thread(_load, self._model)
        vectors = await asyncio.to_thread(_rows, self._loaded, texts)
        return Embedded(vectors, self._model.model, Usage(0, 0))

    async def aclose(self) -> None:
        """Nothing to let go of."""


def _load(model: EmbeddingModel) -> "WordLlamaInference":
    package, weights, _ = weights_files(model.model)
    # The package sets up the root logger when it is imported, after which every library's
    # INFO lines, prompts among them, would go to standard error.
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    from wordllama import WordLlama

    root.handlers[:], root.level = handlers, level
    config, _, dimensions = weights.stem.rpartition("_")
    return WordLlama.load(config, cache_dir=package, dim=int(dimensions), disable_download=True)


def _rows(loaded: "WordLlamaInference", texts: Sequence[str]) -> Vectors:
    # One by one: a vector must not depend on its neighbours, and a batch is padded to its longest text.
    rows = [loaded.embed([_plain(text)])[0] for text in texts]
    return np.asarray(rows, dtype=np.float32).reshape(len(rows), loaded.embedding.shape[1])


def _plain(text: str) -> str:
    """`text` without lone surrogates, which the tokenizer refuses."""
    return text.encode("utf-8", "replace").decode()
