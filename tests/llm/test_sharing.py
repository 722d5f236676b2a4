"""Limits over several processes, counted at a provider in another one; and one process's own portions."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable

import pytest
from sqlalchemy import select
from tests.llm.limits_study import Load, start, started_at
from tests.stub.process import stub_process

from venire.llm.clock import Clock
from venire.llm.route import Limits
from venire.llm.sharing import Share, SharedSlots, SharedWindow, Sharing
from venire.llm.store import open_engine
from venire.llm.store.allotting import Allotment, Grant, Wish
from venire.llm.store.schema import attempts, limit_members


def test_three_processes_have_no_more_in_flight_than_the_limit(store_url: str) -> None:
    with stub_process("--delay", "0.05") as stub:
        load = Load(stub.url, store_url, requests=40, concurrency=6, requests_per_minute=0)
        children = [start(load, f"run-{number}") for number in range(3)]
        assert [child.wait(timeout=120) for child in children] == [0, 0, 0]
        assert stub.stats()["requests"] == 120
        assert 0 < int(str(stub.stats()["max_in_flight"])) <= 6
    with open_engine(store_url).connect() as connection:
        assert connection.execute(select(limit_members)).all() == []  # all have left


def test_three_processes_send_no_more_in_a_minute_than_the_limit_and_each_gets_its_part(
    store_url: str,
) -> None:
    with stub_process() as stub:
        load = Load(stub.url, store_url, requests=60, concurrency=8, requests_per_minute=30)
        children = [start(load, f"run-{number}") for number in range(3)]
        limit = time.monotonic() + 60
        while stub.stats()["requests"] != 30:
            assert time.monotonic() < limit
            time.sleep(0.05)
        time.sleep(1.5)  # several more askings of each
        assert stub.stats()["requests"] == 30
        for child in children:
            child.kill()
            child.wait()
    times = started_at(store_url)
    assert len(times) == 30
    with open_engine(store_url).connect() as connection:
        by_run = Counter(connection.execute(select(attempts.c.run_id)).scalars())
    assert sum(by_run.values()) == 30


def test_three_processes_spend_no_more_tokens_in_a_minute_than_the_limit_as_the_provider_counts(
    store_url: str,
) -> None:
    with stub_process() as stub:
        load = Load(stub.url, store_url, 60, concurrency=8, requests_per_minute=0, tokens_per_minute=1500)
        children = [start(load, f"run-{number}") for number in range(3)]
        limit = time.monotonic() + 60
        # 34 tokens a call; of the last ones each reserves its worst case, some 100
        while sum(tokens for _, tokens in stub.tokens()) < 1300:
            assert time.monotonic() < limit
            time.sleep(0.05)
        time.sleep(1.5)  # several more askings of each
        assert sum(tokens for _, tokens in stub.tokens()) <= 1500
        for child in children:
            child.kill()
            child.wait()


def share(limits: Limits) -> tuple[Share, Sharing]:
    def never(wish: Wish) -> Awaitable[Allotment]:
        return asyncio.get_running_loop().create_future()

    sharing = Sharing(never, Clock())
    return sharing.of("p", limits), sharing


def test_a_process_fills_its_share_and_comes_down_to_its_fair_part_as_calls_end() -> None:
    async def scenario() -> list[int]:
        slots = SharedSlots(lambda: None)
        slots.share, slots.fair = 4, 4
        for _ in range(4):
            await slots.acquire()
        waiting = asyncio.create_task(slots.acquire())
        await asyncio.sleep(0)
        slots.fair = 2
        seen = [slots.give_back()]
        for _ in range(3):
            slots.release()
            await asyncio.sleep(0)
            seen.append(slots.give_back())
        assert waiting.done()  # at in_use 2 of 2 it waited, below it came in
        return seen

    assert asyncio.run(scenario()) == [4, 3, 2, 2]


def test_who_stops_waiting_leaves_its_place_to_the_next() -> None:
    async def scenario() -> int:
        slots = SharedSlots(lambda: None)
        slots.share = slots.fair = 1
        await slots.acquire()
        first, second = asyncio.create_task(slots.acquire()), asyncio.create_task(slots.acquire())
        await asyncio.sleep(0)
        first.cancel()
        slots.release()
        await second
        return slots.in_use

    assert asyncio.run(scenario()) == 1


def test_a_grant_is_used_in_portions_and_the_rest_goes_back() -> None:
    async def scenario() -> dict[int, int]:
        window = SharedWindow(100, Clock(monotonic=lambda: 0.0), lambda: None)
        window.receive(Grant(1, 50), asked_at=0.0)
        window.receive(Grant(2, 50), asked_at=0.0)
        taken = await window.take(70)  # 50 of the first, 20 of the second
        window.correct(taken, 10)
        window.give_back()
        return window.corrections

    # 60 too much: 50 of the first, 10 of the second; and the second's other 30
    assert asyncio.run(scenario()) == {1: -50, 2: -40}


def test_a_grant_is_not_used_after_its_time() -> None:
    now = [0.0]

    async def scenario() -> tuple[bool, dict[int, int]]:
        window = SharedWindow(100, Clock(monotonic=lambda: now[0]), lambda: None)
        window.receive(Grant(1, 50), asked_at=0.0)
        now[0] = 2.0
        waiting = asyncio.create_task(window.take(10))
        await asyncio.sleep(0)
        late = waiting.done()
        waiting.cancel()
        return late, window.corrections

    assert asyncio.run(scenario()) == (False, {1: -50})


def test_a_store_that_fails_fails_whoever_waits_and_whoever_comes_later() -> None:
    async def scenario() -> None:
        async def broken(wish: Wish) -> Allotment:
            raise OSError("gone")

        sharing = Sharing(broken, Clock())
        own = sharing.of("p", Limits(concurrency=2))
        for _ in range(2):
            with pytest.raises(OSError, match="gone"):
                await own.slots.acquire()
        await sharing.aclose()

    asyncio.run(scenario())


def test_limits_without_a_minute_ask_for_slots_alone() -> None:
    async def scenario() -> Wish:
        own, sharing = share(Limits(concurrency=3))
        waiting = asyncio.create_task(own.slots.acquire())
        await asyncio.sleep(0)
        wish = own.wish(0.0)
        waiting.cancel()
        await sharing.aclose()
        return wish

    assert asyncio.run(scenario()) == Wish("p", 3, held=0, wanted=1)
