"""Concurrency, and requests and tokens a minute."""

import asyncio
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.llm.fakes import FakeTime, route

from venire.llm.clock import Clock
from venire.llm.limits import Limiter, Window, limiters, strictest
from venire.llm.route import Limits
from venire.records import Usage


def test_a_window_lets_through_up_to_its_limit_at_once_and_the_next_after_a_minute() -> None:
    time = FakeTime(now=0.0)

    async def scenario() -> list[float]:
        window = Window(3, time.clock)
        taken = []
        for _ in range(4):
            await window.take(1)
            taken.append(time.now)
        return taken

    taken = asyncio.run(scenario())
    assert taken[:3] == [0.0, 0.0, 0.0]
    assert taken[3] == pytest.approx(60.0)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 50), st.lists(st.tuples(st.integers(1, 60), st.floats(0, 40)), max_size=25))
def test_no_sixty_seconds_ever_hold_more_than_the_limit(limit: int, asks: list[tuple[int, float]]) -> None:
    time = FakeTime(now=0.0)

    async def scenario() -> list[tuple[float, int]]:
        window = Window(limit, time.clock)
        taken = []
        for amount, pause in asks:
            await window.take(amount)
            taken.append((time.now, min(amount, limit)))
            time.now += pause
        return taken

    taken = asyncio.run(scenario())
    for start, _ in taken:
        # half open, and a hair shorter than a minute: entries leave by floating-point subtraction
        assert sum(amount for at, amount in taken if start <= at < start + 60 - 1e-6) <= limit


def test_what_was_reserved_too_much_makes_room_for_the_next() -> None:
    time = FakeTime(now=0.0)

    async def scenario() -> float:
        window = Window(100, time.clock)
        first = await window.take(90)
        window.correct(first, 10)
        await window.take(90)
        return time.now

    assert asyncio.run(scenario()) == 0.0


def test_a_correction_after_the_minute_changes_nothing() -> None:
    time = FakeTime(now=0.0)

    async def scenario() -> float:
        window = Window(10, time.clock)
        old = await window.take(10)
        time.now = 61.0
        await window.take(10)
        window.correct(old, 0)  # would make room for 10 more if it still counted
        await window.take(10)
        return time.now

    assert asyncio.run(scenario()) == pytest.approx(121.0)


@pytest.mark.parametrize("concurrency", [1, 3])
def test_no_more_slots_than_concurrency(concurrency: int) -> None:
    async def scenario() -> int:
        limiter = Limiter(Limits(concurrency=concurrency), Clock())
        inside = peak = 0

        async def one() -> None:
            nonlocal inside, peak
            async with limiter.slot(1):
                inside += 1
                peak = max(peak, inside)
                await asyncio.sleep(0)
                inside -= 1

        await asyncio.gather(*[one() for _ in range(20)])
        return peak

    assert asyncio.run(scenario()) == concurrency


def test_a_slot_reserves_the_worst_case_and_keeps_what_was_used() -> None:
    time = FakeTime(now=0.0)

    async def scenario() -> list[float]:
        limiter = Limiter(Limits(tokens_per_minute=100), time.clock)
        starts = []
        for usage in (Usage(20, 10), Usage(), Usage(5, 5)):
            async with limiter.slot(60) as slot:
                starts.append(time.now)
                slot.used(usage)
        return starts

    # 60 corrected to 30; 30 + 60 fits; the second's usage is unknown and stays 60: the third waits
    # for the first to leave the window
    first, second, third = asyncio.run(scenario())
    assert (first, second) == (0.0, 0.0)
    assert third == pytest.approx(60.0)


def test_an_unused_slot_gives_back_its_request() -> None:
    time = FakeTime(now=0.0)

    async def scenario() -> float:
        limiter = Limiter(Limits(requests_per_minute=1), time.clock)
        async with limiter.slot(1) as slot:
            slot.unused()
        async with limiter.slot(1):
            return time.now

    assert asyncio.run(scenario()) == 0.0


def test_routes_of_one_provider_share_the_strictest_limits() -> None:
    loose = Limits(concurrency=8, requests_per_minute=None, tokens_per_minute=500)
    tight = Limits(concurrency=4, requests_per_minute=60, tokens_per_minute=900)
    both = strictest([loose, tight])
    assert (both.concurrency, both.requests_per_minute, both.tokens_per_minute) == (4, 60, 500)
    shared = limiters([route(concurrency=8), route(concurrency=4)], Clock())
    assert list(shared) == ["fake"]


def test_a_bound_over_all_providers_holds_beside_their_own() -> None:
    async def scenario() -> int:
        a = route(concurrency=5)
        b = type(a)("other", "", a.client, "other", limits=Limits(concurrency=5))
        of = limiters([a, b], Clock(), concurrency=3)
        inside = peak = 0

        async def one(provider: str) -> None:
            nonlocal inside, peak
            async with of[provider].slot(1):
                inside += 1
                peak = max(peak, inside)
                await asyncio.sleep(0)
                inside -= 1

        await asyncio.gather(*[one(name) for name in ("fake", "other") for _ in range(10)])
        return peak

    assert asyncio.run(scenario()) == 3


def test_waiters_go_in_the_order_in_which_they_came() -> None:
    time = FakeTime(now=0.0)

    async def scenario() -> list[int]:
        window = Window(1, time.clock)
        order: list[int] = []

        async def one(number: int) -> None:
            await window.take(1)
            order.append(number)

        await asyncio.gather(*[one(number) for number in range(5)])
        return order

    order = asyncio.run(scenario())
    assert all(earlier < later for earlier, later in pairwise(order))
