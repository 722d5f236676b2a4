"""An LLM that copies the vectors that are asked for from one store to another before it hands them out."""

from collections.abc import Sequence

from sqlalchemy import Engine

from venire.bundles.entries import Row, rows_of
from venire.llm.embedding import EmbeddingModel, text_key
from venire.llm.protocol import LLM
from venire.llm.store.engine import writing
from venire.llm.store.schema import vectors
from venire.records import Completion, Embeddings, Request


class Copying:
    """`llm`, whose store `target` is filled from `source` as it goes; `copied` are the rows.

    Which texts have vectors is in no file of a run: it is found by judging again.
    """

    def __init__(
        self, llm: LLM, models: Sequence[EmbeddingModel], source: Engine | None, target: Engine
    ) -> None:
        self._llm = llm
        self._models = {model.model: model for model in models}
        self._source = source
        self._target = target
        self._known: set[str] = set()
        self.copied: list[Row] = []

    async def complete(self, request: Request) -> Completion:
        """See `LLM.complete`."""
        return await self._llm.complete(request)

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """See `LLM.embed`."""
        endpoint = self._models[model].endpoint()
        keys = {text_key(model, endpoint, text) for text in texts if text.strip()} - self._known
        if keys and self._source is not None:
            rows = rows_of(self._source, vectors, sorted(keys))
            with self._target.connect() as connection, writing(connection):
                if rows:
                    connection.execute(vectors.insert(), rows)
            self.copied += rows
            self._known |= keys
        return await self._llm.embed(model, texts)
