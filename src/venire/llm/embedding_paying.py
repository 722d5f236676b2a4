"""Paying for vectors: claim what is missing, send it within limits and budget, settle what came.

The same order as of a completion (`venire.llm.stored`), with a lease a text and an attempt a request.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from venire.errors import BackendError, BudgetExhausted, ConfigError, VenireError
from venire.llm.budget import Budget, Scope, Spending, how_to_go_on
from venire.llm.clock import Clock
from venire.llm.embedding import Embedded, EmbeddingBackend, EmbeddingModel, Vectors, unit_rows
from venire.llm.embedding_shares import batch_key, embedding_call, shares, worst_of
from venire.llm.gate import Gate, Passage
from venire.llm.limits import Limiter, Slot
from venire.llm.protocol import AttemptFailed, Loading
from venire.llm.retry import broken_off, clean, cost_of, pause_s, refusal
from venire.llm.route import Route
from venire.llm.store import CallStore, Intent
from venire.llm.store.vectors import BatchClaim, BatchIntent, BatchSettlement, StoredVector
from venire.records import EMBEDDING_STAGE, Attempt, AttemptStatus, Call, Usage

_LEASE_MARGIN_S = 60.0  # beyond the attempt's time-out: for commits, and for clocks that differ
_LOOK_AGAIN_S = 0.2  # until another owner's vectors are looked for again


@dataclass(slots=True)
class Lane:
    """How one model is reached; `refused` once it has refused for good."""

    model: EmbeddingModel
    backend: EmbeddingBackend
    refused: BackendError | None = None


@dataclass(slots=True)
class Batch:
    """A request on its way: the texts still to be had, by key, and what was tried so far."""

    lane: Lane
    route: Route
    texts: dict[str, str]
    attempts: list[Attempt] = field(default_factory=list)
    failures: int = 0
    found: dict[str, StoredVector] = field(default_factory=dict)
    paid: dict[str, StoredVector] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    uncertain: bool = False

    def drop(self, keys: Sequence[str]) -> None:
        """These texts are had."""
        for key in keys:
            self.texts.pop(key, None)


@dataclass(frozen=True, slots=True)
class PayingTerms:
    """On whose account vectors are paid, and how: as of `StoredLLM`."""

    scope: Scope
    budget: Budget
    clock: Clock
    rng: np.random.Generator
    gate: Gate
    secrets: Sequence[str] = ()


class Payer:
    """Pays for vectors of live models.

    Args:
        store: where vectors, leases and the ledger are.
        terms: see `PayingTerms`.
        limiters: by provider.
        made: the keys of all vectors that this run has made; shared, and added to.
        refresh: whether what is stored is paid again.
    """

    def __init__(
        self,
        store: CallStore,
        terms: PayingTerms,
        limiters: Mapping[str, Limiter],
        made: set[str],
        *,
        refresh: bool,
    ) -> None:
        self._store = store
        self._terms = terms
        self._limiters = limiters
        self._made = made
        self._refresh = refresh

    async def pay(self, batch: Batch) -> None:
        """Have every text of `batch` found or paid; raises as `Embedder.embed`."""
        if isinstance(batch.lane.backend, Loading):
            async with self._terms.gate.passage():
                await batch.lane.backend.load()
        while batch.texts:
            pause = await self._turn(batch)
            if batch.texts:
                async with self._terms.gate.passage():
                    await self._terms.clock.sleep(pause)

    async def _turn(self, batch: Batch) -> float:
        """One attempt at what is not held by others; the seconds until the next."""
        await self._take_ready(batch)
        worst = {key: worst_of(text, batch.route) for key, text in batch.texts.items()}
        whole = sum(worst.values(), start=Spending())
        sent: _Sent | None = None
        limiter = self._limiters[batch.route.provider]
        async with self._terms.gate.passage() as passage, limiter.slot(whole.tokens) as slot:
            if batch.lane.refused is not None:
                slot.unused()
                raise batch.lane.refused
            claim = await self._claim(BatchIntent(self._intent(batch, whole), worst))
            batch.found |= claim.stored
            batch.drop(list(claim.stored))
            if claim.granted:
                granted = {key: worst[key] for key in claim.granted}
                intent = self._intent(batch, sum(granted.values(), start=Spending()))
                self._depart(batch, BatchIntent(intent, granted), claim, passage, slot)
                sent = await self._send(batch, BatchIntent(intent, granted), slot)
            else:
                slot.unused()
        if sent is not None:
            return await self._land(batch, sent)
        if claim.refused is not None and not claim.refused.in_flight:
            raise _exhausted(self._terms, claim.refused.spent, batch, whole)
        return _LOOK_AGAIN_S if batch.texts else 0.0

    async def _take_ready(self, batch: Batch) -> None:
        """What this run has paid meanwhile is not asked for again, `llm=refresh` or not."""
        ready = [key for key in batch.texts if key in self._made]
        if ready:
            batch.found |= await self._store.find_vectors(ready)
            batch.drop(ready)

    def _intent(self, batch: Batch, worst: Spending) -> Intent:
        now = self._terms.clock.wall()
        return Intent(
            key=batch_key(list(batch.texts)),
            scope=self._terms.scope,
            stage=EMBEDDING_STAGE,
            role=batch.lane.model.name,
            model=batch.route.model,
            kind=batch.lane.model.kind,
            started_at=now,
            expires_at=now + batch.route.limits.timeout_s + _LEASE_MARGIN_S,
            worst=worst,
            refresh=self._refresh,
        )

    async def _claim(self, batch: BatchIntent) -> BatchClaim:
        try:
            return await self._store.claim_batch(batch)
        except asyncio.CancelledError:
            # Perhaps granted: take it back. Texts that another batch of ours is at lose their lease, too.
            self._store.settle_batch(BatchSettlement(batch, None))
            raise

    def _depart(
        self, batch: Batch, granted: BatchIntent, claim: BatchClaim, passage: Passage, slot: Slot
    ) -> None:
        batch.uncertain |= bool(claim.abandoned)
        batch.attempts += claim.abandoned
        try:
            passage.depart()
        except VenireError:
            self._store.settle_batch(BatchSettlement(granted, None))
            slot.unused()
            raise

    async def _send(self, batch: Batch, granted: BatchIntent, slot: Slot) -> "_Sent":
        asked = {key: batch.texts[key] for key in granted.worst}
        started_at, began = granted.intent.started_at, self._terms.clock.monotonic()
        try:
            outcome = await self._try(batch, list(asked.values()))
        except BaseException:  # cancelled, or a fault of ours: what the provider did is unknown
            self._store.settle_batch(BatchSettlement(granted, None, abandoned=True))
            batch.attempts.append(broken_off(started_at, self._terms.clock.monotonic() - began))
            raise
        latency_s = self._terms.clock.monotonic() - began
        attempt = _attempt(outcome, batch.route, started_at, latency_s)
        attempt = replace(attempt, detail=clean(attempt.detail, self._terms.secrets))
        slot.used(attempt.usage)
        batch.attempts.append(attempt)
        pause: float | None = None
        made: dict[str, StoredVector] = {}
        match outcome:
            case BackendError():
                batch.lane.refused = refusal(outcome, self._terms.secrets)
            case AttemptFailed():
                batch.failures += 1
                pause = pause_s(outcome, batch.failures, batch.route.limits, self._terms.rng)
            case Embedded():
                made = shares(asked, outcome, batch.attempts)
        ends_call = pause is None or self._terms.gate.is_closed
        first = await self._store.settle_batch(BatchSettlement(granted, attempt, ends_call, made))
        return _Sent(outcome, pause, made, first)

    async def _try(self, batch: Batch, texts: Sequence[str]) -> "_Outcome":
        limits = batch.route.limits
        try:
            async with asyncio.timeout(limits.timeout_s):
                embedded = await batch.lane.backend.embed(texts)
            return replace(embedded, vectors=checked(embedded, batch.lane.model, len(texts)))
        except (AttemptFailed, BackendError) as failed:
            return failed
        except TimeoutError:
            late = f"no vectors within {limits.timeout_s:g} s"
            return AttemptFailed(AttemptStatus.TIMEOUT, late, retryable=True)

    async def _land(self, batch: Batch, sent: "_Sent") -> float:
        """Take in what an attempt brought; the seconds until the next one, where there is any."""
        match sent.outcome:
            case BackendError():
                raise batch.lane.refused or sent.outcome
            case AttemptFailed() if sent.pause_s is None:
                raise BackendError(
                    f"embedding: {batch.route.model} gave no vectors after {len(batch.attempts)} attempts: "
                    f"{batch.attempts[-1].status}: {batch.attempts[-1].detail}; run again to go on: what is "
                    "stored is not paid again"
                )
            case AttemptFailed():
                return sent.pause_s or 0.0
            case Embedded():
                model, attempts = batch.lane.model, batch.attempts
                call = embedding_call(model, sent.made, attempts)
                batch.calls.append(replace(call, uncertain=batch.uncertain))
                # Where another process took over our lease and stored a vector first, that one counts.
                batch.paid |= {key: sent.first.get(key, each) for key, each in sent.made.items()}
                self._made.update(sent.made)
                batch.drop(list(sent.made))
                batch.attempts, batch.uncertain = [], False
        return 0.0 if not batch.texts else _LOOK_AGAIN_S


_Outcome = Embedded | AttemptFailed | BackendError


@dataclass(frozen=True, slots=True)
class _Sent:
    """An attempt that is in the ledger; `pause_s` None where no other follows."""

    outcome: _Outcome
    pause_s: float | None
    made: Mapping[str, StoredVector]
    first: Mapping[str, StoredVector]


def _attempt(outcome: _Outcome, route: Route, started_at: float, latency_s: float) -> Attempt:
    match outcome:
        case Embedded():
            status, usage, detail = AttemptStatus.OK, outcome.usage, ""
        case AttemptFailed():
            status, usage, detail = outcome.status, outcome.usage, outcome.detail
        case BackendError():
            status, usage, detail = AttemptStatus.REJECTED, Usage(0, 0), str(outcome)
    cost_usd = cost_of(usage, route.price, answered=status is AttemptStatus.OK)
    return Attempt(status, started_at, latency_s, usage, cost_usd, detail)


def checked(embedded: Embedded, model: EmbeddingModel, texts: int) -> Vectors:
    """The vectors of a reply as unit rows.

    Raises:
        AttemptFailed: they are not one finite vector a text.
        ConfigError: they are of another size than `model` says.
    """
    shape = embedded.vectors.shape
    if len(shape) == 2 and shape[0] == texts and shape[1] != model.dimensions:
        raise ConfigError(
            f"embedding.dimensions: {model.model} gives vectors of {shape[1]} dimensions, "
            f"expected {model.dimensions}"
        )
    if shape != (texts, model.dimensions):
        raise _malformed(f"expected {texts} vectors of {model.dimensions} dimensions, got shape {shape}")
    try:
        return unit_rows(embedded.vectors)
    except ValueError as error:
        raise _malformed(str(error)) from None


def _malformed(detail: str) -> AttemptFailed:
    return AttemptFailed(AttemptStatus.MALFORMED, detail, retryable=True)


def _exhausted(terms: PayingTerms, spent: Spending, batch: Batch, worst: Spending) -> BudgetExhausted:
    budget = terms.budget
    bounds = {"usd": budget.usd, "tokens": budget.tokens}
    shown = ", ".join(f"budget.{name}={bound}" for name, bound in bounds.items() if bound is not None)
    return BudgetExhausted(
        f"{shown}: spent {spent.usd:.6f} USD, {spent.tokens} tokens; the vectors of {len(batch.texts)} texts "
        f"(model {batch.route.model}) could take {worst.usd:.6f} USD, {worst.tokens} tokens; "
        + how_to_go_on(budget, terms.scope, replace(worst, calls=0))
    )
