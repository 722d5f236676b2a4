"""Embedding models as values, the seam to what computes vectors, and the address of a text's vector."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from venire.errors import ConfigError
from venire.llm.route import Client, Limits, Route, check_address
from venire.records import BackendKind, Price, Usage

Vectors = npt.NDArray[np.float32]

_VERSION = b"venire.embedding.v1\n"


class EmbeddingClient(StrEnum):
    """What computes the vectors of a model."""

    WORDLLAMA = "wordllama"  # static weights of the package wordllama, on this machine
    LITELLM = "litellm"

    @property
    def kind(self) -> BackendKind:
        """The kind of the vectors; no part of a run's kind, which its judges decide."""
        return BackendKind.LIVE if self is EmbeddingClient.LITELLM else BackendKind.LOCAL


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """A model that turns texts into vectors.

    Args:
        name: short, for messages and tables.
        model: what `LLM.embed` is asked for: the client's own name (`openai/text-embedding-3-large`);
            of wordllama, `wordllama/<weights file without .safetensors>`.
        dimensions: of its vectors; a reply of another size is refused.
        client: what computes them.
        provider: whose limits its requests share; None for limits of its own.
        api_base: an OpenAI-compatible server of one's own.
        api_key_env: environment variable of the key.
        max_batch: texts in one request.
        max_batch_tokens: tokens in one request, bounded by the texts' UTF-8 bytes; a longer text goes
            alone.
        price: US dollars per million tokens; None where unknown. What runs here costs nothing.
        limits: see `Limits`; without effect on what runs here.
    """

    name: str
    model: str
    dimensions: int
    client: EmbeddingClient = EmbeddingClient.LITELLM
    provider: str | None = None
    api_base: str | None = None
    api_key_env: str | None = None
    max_batch: int = 512
    max_batch_tokens: int = 200_000
    price: Price | None = None
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        for name in ("dimensions", "max_batch", "max_batch_tokens"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name}: expected at least 1, got {getattr(self, name)}")
        if self.client is EmbeddingClient.WORDLLAMA and not self.model.startswith(_WORDLLAMA):
            raise ConfigError(f"model: expected {_WORDLLAMA}<weights>, got {self.model!r}")
        check_address(self.api_base)

    @property
    def kind(self) -> BackendKind:
        """LIVE or LOCAL."""
        return self.client.kind

    @property
    def route(self) -> Route | None:
        """How its requests are sent and billed; None for what runs here."""
        if self.client is EmbeddingClient.WORDLLAMA:
            return None
        return Route(
            model=self.model,
            endpoint=self.api_base or "",
            client=Client.LITELLM,
            provider=self.provider or f"embedding:{self.name}",
            api_base=self.api_base,
            api_key_env=self.api_key_env,
            price=self.price,
            limits=self.limits,
        )

    def endpoint(self) -> str:
        """What answers, as keys name it: a server's address, or version and digest of the weights.

        Reads the weights (16 MB) where they lie here.

        Raises:
            ConfigError: there are no such weights.
        """
        return _weights_tag(self.model) if self.client is EmbeddingClient.WORDLLAMA else self.api_base or ""


@dataclass(frozen=True, slots=True)
class Embedded:
    """What one request brought: a row a text, in order, of any length; `model` as the provider names it."""

    vectors: Vectors
    model: str
    usage: Usage


class EmbeddingBackend(Protocol):
    """What computes vectors. It tries once; batches, retries, limits, budget and store lie above it."""

    async def embed(self, texts: Sequence[str]) -> Embedded:
        """One attempt.

        Raises:
            AttemptFailed: this attempt brought nothing.
            BackendError: no attempt ever will (bad key, unknown model): the run stops.
        """
        ...

    async def aclose(self) -> None:
        """Let go of connections."""
        ...


_WORDLLAMA = "wordllama/"
_INSTALL = "pip install wordllama"

# What takes the place of a live model where nothing may be sent (`backend=simulated`, `backend=local`).
OFFLINE = EmbeddingModel("wordllama", "wordllama/l2_supercat_256", 256, EmbeddingClient.WORDLLAMA)


def text_key(model: str, endpoint: str, text: str) -> str:
    """SHA-256 (hex): the content address of `text`'s vector under these weights."""
    covered = json.dumps([model, endpoint, text], separators=(",", ":"))
    return hashlib.sha256(_VERSION + covered.encode()).hexdigest()


def unit_rows(vectors: Vectors) -> Vectors:
    """`vectors` with rows of length 1, float32; a zero row stays zero: it is similar to nothing.

    Raises:
        ValueError: a component is NaN or infinite.
    """
    wide = np.asarray(vectors, dtype=np.float64)
    if not np.isfinite(wide).all():
        raise ValueError("a vector has a component that is no finite number")
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    return (wide / np.where(lengths == 0, 1.0, lengths)).astype(np.float32)


def weights_files(model: str) -> tuple[Path, Path, Path]:
    """The folder of the package wordllama, and in it the weights and the tokenizer of `model`.

    Raises:
        ConfigError: the package is not installed, or has no such weights.
    """
    spec = find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise ConfigError(f"embedding: {model} needs the package wordllama: {_INSTALL}")
    package = Path(spec.origin).parent
    stem = model.removeprefix(_WORDLLAMA)
    weights = package / "weights" / f"{stem}.safetensors"
    tokenizer = package / "tokenizers" / f"{stem.rpartition('_')[0]}_tokenizer_config.json"
    for path in (weights, tokenizer):
        if not path.is_file():
            raise ConfigError(f"embedding.model: {model} has no file {path.name} in the package wordllama")
    return package, weights, tokenizer


def _weights_tag(model: str) -> str:
    """`wordllama:0.4.0.post1@<12 hex digits>`: version of the package, digest of weights and tokenizer."""
    _, *files = weights_files(model)
    content = hashlib.sha256(b"".join(hashlib.sha256(path.read_bytes()).digest() for path in files))
    return f"wordllama:{metadata.version('wordllama')}@{content.hexdigest()[:12]}"
