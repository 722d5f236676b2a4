"""Test doubles of the call path: a backend that follows a script, and a clock that never waits."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from venire.errors import BackendError
from venire.llm.budget import Budget
from venire.llm.clock import Clock
from venire.llm.open import open_llm
from venire.llm.protocol import AttemptFailed, Reply
from venire.llm.route import Client, Limits, Route
from venire.llm.settings import LLMSettings, Mode
from venire.llm.stored import StoredLLM
from venire.records import BackendKind, FinishReason, Message, Price, Request, Subject, Usage

MODEL = "fake-1"
PRICE = Price(input_per_mtok=1.0, output_per_mtok=2.0)
USAGE = Usage(100, 10)  # at PRICE: (100 * 1 + 10 * 2) / 1e6 = 0.00012 USD

Step = Reply | AttemptFailed | BackendError


def reply(text: str = "yes", finish: FinishReason = FinishReason.STOP, usage: Usage = USAGE) -> Reply:
    return Reply(text, finish, "fake-1-2026-01-01", usage, fingerprint="fp_1")


@dataclass
class FakeBackend:
    """Answers the k-th request with the script's k-th step, then with numbered replies.

    `hold` (an event that a test sets) keeps every request in flight.
    """

    script: Sequence[Step] = ()
    kind: BackendKind = BackendKind.LIVE
    hold: asyncio.Event | None = None
    usage: Usage = USAGE
    sent: list[Request] = field(default_factory=list)
    in_flight: int = 0
    peak: int = 0
    closed: int = 0

    async def send(self, request: Request) -> Reply:
        number = len(self.sent)
        self.sent.append(request)
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            await (self.hold.wait() if self.hold is not None else asyncio.sleep(0))
        finally:
            self.in_flight -= 1
        step = (
            self.script[number] if number < len(self.script) else reply(f"reply {number}", usage=self.usage)
        )
        if isinstance(step, Exception):
            raise step
        return step

    async def aclose(self) -> None:
        self.closed += 1


@dataclass
class FakeTime:
    """Time that passes only when somebody sleeps."""

    now: float = 1_800_000_000.0  # 2027-01-15T08:00:00Z
    slept: list[float] = field(default_factory=list)

    @property
    def clock(self) -> Clock:
        return Clock(wall=lambda: self.now, monotonic=lambda: self.now, sleep=self.sleep)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


def request(text: str = "Which is better?", **changes: object) -> Request:
    base = Request(MODEL, (Message("user", text),), max_tokens=50, role="j", subject=Subject("i/1"))
    return replace(base, **changes)  # type: ignore[arg-type]


def route(client: Client = Client.DIRECT, price: Price | None = PRICE, **limits: object) -> Route:
    return Route(MODEL, "", client, "fake", price=price, limits=Limits(**limits))  # type: ignore[arg-type]


@asynccontextmanager
async def opened(
    url: str,
    backend: FakeBackend,
    *,
    mode: Mode = Mode.LIVE,
    run_id: str = "run-1",
    sweep_id: str | None = None,
    budget: Budget | None = None,
    routes: Sequence[Route] | None = None,
    time: FakeTime | None = None,
    secrets: Sequence[str] = (),
    concurrency: int | None = None,
) -> AsyncIterator[StoredLLM]:
    """The call path over `backend`, with jitter of a fixed seed."""
    async with open_llm(
        routes if routes is not None else [route()],
        lambda _: backend,
        LLMSettings(mode, shared_limits=False, patience_s=0.0),  # a database has no made-up time
        store_url=url,
        run_id=run_id,
        sweep_id=sweep_id,
        budget=budget or Budget(),
        clock=(time or FakeTime()).clock,
        rng=np.random.default_rng(7),
        secrets=secrets,
        concurrency=concurrency,
    ) as llm:
        yield llm
