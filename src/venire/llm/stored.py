"""The call path: what happens between a method's `complete` and a backend's `send`."""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from venire.errors import BackendError, BudgetExhausted, ReplayMiss, VenireError
from venire.llm.budget import Budget, Scope, Spending, how_to_go_on, worst_case
from venire.llm.clock import Clock
from venire.llm.embedding_path import Embedder
from venire.llm.gate import Gate, Passage
from venire.llm.key import canonical, key_of
from venire.llm.lanes import Lane, Lanes
from venire.llm.limits import Slot
from venire.llm.protocol import AttemptFailed, Reply
from venire.llm.retry import Tried, broken_off, pause_s, refusal, try_once
from venire.llm.settings import Mode
from venire.llm.store import (
    CallStore,
    Claimed,
    ClaimResult,
    Intent,
    OverBudget,
    Settlement,
    StoredReply,
)
from venire.llm.totals import Summary, Totals
from venire.records import Attempt, Completion, Embeddings, FinishReason, Request

_LEASE_MARGIN_S = 60.0  # beyond the attempt's time-out: for commits, and for clocks that differ
_LOOK_AGAIN_S = (0.02, 1.0)  # first and longest wait for another process, or for room in the budget


@dataclass(slots=True)
class _Paying:
    """One call on its way: what was asked (`asked`: as `key.canonical` writes it), what was tried so far."""

    key: str
    asked: str
    request: Request
    lane: Lane
    worst: Spending
    attempts: list[Attempt] = field(default_factory=list)
    failures: int = 0
    waits: int = 0
    uncertain: bool = False


class StoredLLM:
    """The `LLM` over a call store. Make it with `venire.llm.open.open_llm`."""

    def __init__(
        self,
        store: CallStore,
        lanes: Lanes,
        *,
        mode: Mode,
        scope: Scope,
        budget: Budget,
        clock: Clock,
        rng: np.random.Generator,
        embedder: Embedder,
        gate: Gate,
        secrets: Sequence[str] = (),
    ) -> None:
        self._embedder = embedder
        self._gate = gate
        self._store = store
        self._lanes = lanes
        self._mode = mode
        self._scope = scope
        self._budget = budget
        self._clock = clock
        self._rng = rng
        self._secrets = secrets
        self._flights: dict[str, asyncio.Future[Completion | Exception | None]] = {}
        self._refreshed: set[str] = set()
        self._totals = Totals()

    @property
    def summary(self) -> Summary:
        """What was paid, replayed and spent so far, and what to warn about."""
        return self._totals.summary(self._embedder.lost)

    @property
    def in_flight(self) -> int:
        """How many requests have been sent and are not answered yet."""
        return self._gate.in_flight

    def halt(self, reason: VenireError) -> None:
        """Send nothing more: who needs it gets `reason`. Stored replies are served, those in flight kept."""
        self._gate.close(reason)

    def abort(self, reason: VenireError) -> None:
        """Halt, and break off what is in flight: perhaps billed, left to the next run as uncertain."""
        self._gate.abort(reason)

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        """See `venire.llm.protocol.LLM` and `Embedder.embed`."""
        return await self._embedder.embed(model, texts)

    async def complete(self, request: Request) -> Completion:
        """See `venire.llm.protocol.LLM`. Equal requests that are under way share one call."""
        asked = canonical(request)
        key = key_of(asked)
        while (flight := self._flights.get(key)) is not None:
            landed = await asyncio.shield(flight)
            if isinstance(landed, Completion):
                return self._totals.count(request, replace(landed, replayed=True, uncertain=False))
            if landed is not None:
                raise landed
            # Whoever led was cancelled: the first to come here leads.
        return self._totals.count(request, await self._lead(key, asked, request))

    async def _lead(self, key: str, asked: str, request: Request) -> Completion:
        flight = self._flights[key] = asyncio.get_running_loop().create_future()
        landed: Completion | Exception | None = None
        try:
            landed = await self._answer(key, asked, request)
            return landed
        except Exception as error:
            landed = error
            raise
        finally:
            del self._flights[key]
            flight.set_result(landed)

    async def _answer(self, key: str, asked: str, request: Request) -> Completion:
        if self._mode != Mode.REFRESH or key in self._refreshed:
            stored = await self._store.find(key)
            if stored is not None:
                return stored.completion(key, replayed=True)
        if self._mode == Mode.REPLAY:
            raise _miss(key, request)
        lane = self._lanes.of(request)
        call = _Paying(key, asked, request, lane, worst_case(request, lane.route, self._budget))
        if lane.loading is not None:
            async with self._gate.passage():
                await lane.loading.load()
        try:
            while True:
                turn = await self._turn(call)
                if isinstance(turn, Completion):
                    return turn
                async with self._gate.passage():
                    await self._clock.sleep(turn)
        except BaseException:
            if call.attempts:  # nobody is handed a completion that would carry them
                self._totals.lose(request, _given_up(call))
            raise

    async def _turn(self, call: _Paying) -> Completion | float:
        """One attempt, if it is ours to make: the completion, or the seconds until the next turn."""
        sent: _Sent | None = None
        async with self._gate.passage() as passage, call.lane.limiter.slot(call.worst.tokens) as slot:
            if call.lane.refused is not None:
                slot.unused()
                raise call.lane.refused
            intent = self._intent(call)
            claim = await self._claim(intent)
            if isinstance(claim, Claimed):
                self._depart(call, intent, claim, passage, slot)
                sent = await self._send(call, intent, slot)
            else:
                slot.unused()
        # The slot is free before the commit is done. Writes keep their order, so a crash still
        # leaves no more intents behind than there are slots.
        if sent is not None:
            return self._land(call, sent, await sent.settled)
        match claim:
            case StoredReply():
                return claim.completion(call.key, replayed=True)
            case OverBudget(in_flight=False):
                raise _exhausted(self._budget, self._scope, claim.spent, call)
            case _:
                return self._look_again_s(call)

    def _intent(self, call: _Paying) -> Intent:
        now = self._clock.wall()
        return Intent(
            key=call.key,
            scope=self._scope,
            stage=call.request.stage,
            role=call.request.role,
            model=call.request.model,
            kind=call.lane.backend.kind,
            started_at=now,
            expires_at=now + call.lane.route.limits.timeout_s + _LEASE_MARGIN_S,
            worst=call.worst,
            refresh=self._mode == Mode.REFRESH,
        )

    async def _claim(self, intent: Intent) -> ClaimResult:
        try:
            return await self._store.claim(intent)
        except asyncio.CancelledError:
            self._store.settle(Settlement(intent, None))  # it may have been granted: take it back
            raise

    def _depart(self, call: _Paying, intent: Intent, claim: Claimed, passage: Passage, slot: Slot) -> None:
        if claim.abandoned is not None:
            call.uncertain = True
            call.attempts.append(claim.abandoned)
        try:
            passage.depart()
        except VenireError:
            self._store.settle(Settlement(intent, None))
            slot.unused()
            raise

    async def _send(self, call: _Paying, intent: Intent, slot: Slot) -> "_Sent":
        route, began = call.lane.route, self._clock.monotonic()
        try:
            tried = await try_once(
                call.lane.backend, call.request, route, clock=self._clock, secrets=self._secrets
            )
        except BaseException:  # cancelled, or a fault of ours: what the provider did is unknown
            # As if the process had died: whoever asks again finds the intent, and books the attempt.
            self._store.settle(Settlement(intent, None, abandoned=True))
            call.attempts.append(broken_off(intent.started_at, self._clock.monotonic() - began))
            raise
        slot.used(tried.attempt.usage)
        call.attempts.append(tried.attempt)
        return self._settle(call, intent, tried)

    def _settle(self, call: _Paying, intent: Intent, tried: Tried) -> "_Sent":
        outcome, pause, reply = tried.outcome, None, None
        if isinstance(outcome, BackendError):
            call.lane.refused = refusal(outcome, self._secrets)
        elif isinstance(outcome, AttemptFailed):
            call.failures += 1
            pause = pause_s(outcome, call.failures, call.lane.route.limits, self._rng)
        elif isinstance(outcome, Reply):
            reply = _stored(call, outcome)
        settlement = Settlement(
            intent,
            tried.attempt,
            ends_call=pause is None or self._gate.is_closed,
            reply=reply,
            request="" if reply is None else call.asked,
        )
        return _Sent(tried, pause, reply, self._store.settle(settlement))

    def _land(self, call: _Paying, sent: "_Sent", first: StoredReply | None) -> Completion | float:
        """What an attempt comes to, now that it is in the ledger."""
        if isinstance(sent.tried.outcome, BackendError):
            raise refusal(sent.tried.outcome, self._secrets)
        if sent.reply is not None:
            self._refreshed.add(call.key)
            # Where another process took over our lease and stored its reply first, that one counts.
            reply = sent.reply if first is None else replace(first, attempts=sent.reply.attempts)
            return reply.completion(call.key, replayed=False, uncertain=call.uncertain)
        return sent.pause_s if sent.pause_s is not None else _given_up(call)

    def _look_again_s(self, call: _Paying) -> float:
        first, longest = _LOOK_AGAIN_S
        call.waits += 1
        wait_s = min(longest, first * 2.0 ** min(call.waits, 10))
        return float(self._rng.uniform(wait_s / 2, wait_s))


@dataclass(frozen=True, slots=True)
class _Sent:
    """An attempt that was made; `pause_s` None where the call ends with it."""

    tried: Tried
    pause_s: float | None
    reply: StoredReply | None
    settled: Awaitable[StoredReply | None]


def _stored(call: _Paying, reply: Reply) -> StoredReply:
    return StoredReply(
        text=reply.text,
        finish=reply.finish,
        model=reply.model,
        kind=call.lane.backend.kind,
        attempts=tuple(call.attempts),
        fingerprint=reply.fingerprint,
        logprobs=reply.logprobs,
        price=call.lane.route.price,
    )


def _given_up(call: _Paying) -> Completion:
    last = call.attempts[-1]
    return Completion(
        text="",
        finish=FinishReason.ERROR,
        key=call.key,
        model=call.request.model,
        attempts=tuple(call.attempts),
        replayed=False,
        kind=call.lane.backend.kind,
        error=f"{last.status}: {last.detail}",
        uncertain=call.uncertain,
    )


def _named(request: Request) -> str:
    about = f", instance {request.subject.instance_id}" if request.subject else ""
    return f"model {request.model}, stage {request.stage}{about}"


def _miss(key: str, request: Request) -> ReplayMiss:
    return ReplayMiss(
        f"llm.mode=replay: expected a stored reply, got none for {_named(request)} (key {key[:12]}); "
        "run once with llm=live, or name the right store in llm.store"
    )


def _exhausted(budget: Budget, scope: Scope, spent: Spending, call: _Paying) -> BudgetExhausted:
    bounds = {"usd": budget.usd, "calls": budget.calls, "tokens": budget.tokens}
    shown = ", ".join(f"budget.{name}={bound}" for name, bound in bounds.items() if bound is not None)
    return BudgetExhausted(
        f"{shown}: spent {spent.usd:.6f} USD, {spent.calls} calls, {spent.tokens} tokens; the next call "
        f"({_named(call.request)}) could take {call.worst.usd:.6f} USD, {call.worst.tokens} tokens; "
        + how_to_go_on(budget, scope, call.worst)
    )
