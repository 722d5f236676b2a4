"""The two seams of the model layer: what methods call, and what a backend implements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol, runtime_checkable

from venire.records import (
    AttemptStatus,
    BackendKind,
    Completion,
    Embeddings,
    FinishReason,
    Request,
    Usage,
)


class LLM(Protocol):
    """What judging and methods are given: the only effect they have."""

    async def complete(self, request: Request) -> Completion:
        """The stored or fresh reply to `request`.

        A provider that gave no reply after all retries is a `Completion` whose `finish` is ERROR.

        Raises:
            BackendError: the provider refused for good (key, model, address).
            ReplayMiss: mode `replay`, and the store does not hold it.
            BudgetExhausted: its worst case does not fit into the budget.
        """
        ...

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """Unit vectors of `texts`, in order; `model` is the `model` of an `EmbeddingModel` of the method.

        Equal texts are asked for once; an empty text has a zero row and asks for nothing.

        Raises:
            BackendError: no vectors came, for good or after all retries: the run stops.
            ReplayMiss, BudgetExhausted: as `complete`.
        """
        ...


@dataclass(frozen=True, slots=True)
class Reply:
    """What one successful attempt at a backend brought."""

    text: str
    finish: FinishReason
    model: str
    usage: Usage = field(default_factory=Usage)
    fingerprint: str | None = None
    logprobs: tuple[Mapping[str, float], ...] | None = None


class AttemptFailed(Exception):
    """One attempt brought no reply; whether another may is `retryable`.

    `retry_after_s` is the provider's own word, where it gave one. `usage` is what the attempt
    is known to have used: `Usage(0, 0)` where the provider certainly did not run the model
    (429, 4xx), `Usage()` where nobody can say (time-out, reset, 5xx, malformed body).
    """

    def __init__(
        self,
        status: AttemptStatus,
        detail: str,
        *,
        retryable: bool,
        retry_after_s: float | None = None,
        usage: Usage = Usage(),  # noqa: B008  (frozen)
    ) -> None:
        super().__init__(f"{status}: {detail}")
        self.status = status
        self.detail = detail
        self.retryable = retryable
        self.retry_after_s = retry_after_s
        self.usage = usage

    def __reduce__(self) -> tuple[object, ...]:
        """Made anew of its fields, where it goes to another process."""
        made = partial(
            AttemptFailed, retryable=self.retryable, retry_after_s=self.retry_after_s, usage=self.usage
        )
        return made, (self.status, self.detail)


class Backend(Protocol):
    """One place that answers. It tries once; retries, limits, budget and store lie above it."""

    @property
    def kind(self) -> BackendKind:
        """What its replies are."""
        ...

    async def send(self, request: Request) -> Reply:
        """One attempt.

        Raises:
            AttemptFailed: this attempt brought nothing.
            BackendError: no attempt ever will (bad key, unknown model): the run stops.
        """
        ...

    async def aclose(self) -> None:
        """Let go of connections and processes."""
        ...


@runtime_checkable
class Loading(Protocol):
    """A backend that takes seconds to get ready, which are no part of its first attempts."""

    async def load(self) -> None:
        """Get ready; at once where it is."""
        ...
