"""The gate: who waits is turned away, who is in flight arrives, unless it is aborted."""

import asyncio

import pytest

from venire.errors import VenireError
from venire.llm.gate import Gate

STOP = VenireError("the user has had enough")


async def _settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_who_waits_is_turned_away_and_who_departed_arrives() -> None:
    async def scenario() -> None:
        gate, landing = Gate(), asyncio.Event()

        async def fly(departs: bool) -> str:
            async with gate.passage() as passage:
                if departs:
                    passage.depart()
                await landing.wait()
            return "arrived"

        flying, waiting = asyncio.create_task(fly(True)), asyncio.create_task(fly(False))
        await _settled()
        assert gate.in_flight == 1
        gate.close(STOP)
        await _settled()
        assert waiting.done()
        assert waiting.exception() is STOP
        assert not flying.done()
        landing.set()
        assert await flying == "arrived"
        assert gate.in_flight == 0

    asyncio.run(scenario())


def test_nobody_enters_or_departs_once_it_is_closed() -> None:
    async def scenario() -> None:
        gate = Gate()
        async with gate.passage() as passage:
            gate.close(STOP)
            with pytest.raises(VenireError) as refused:
                passage.depart()
            assert refused.value is STOP
        with pytest.raises(VenireError):
            async with gate.passage():
                raise AssertionError("let in")
        assert gate.in_flight == 0

    asyncio.run(scenario())


def test_an_abort_breaks_off_what_is_in_flight_and_its_reason_counts() -> None:
    async def scenario() -> None:
        gate, aborted, broken_off = Gate(), VenireError("twice"), []

        async def fly() -> None:
            async with gate.passage() as passage:
                passage.depart()
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    broken_off.append(True)
                    raise

        flying = asyncio.create_task(fly())
        await _settled()
        gate.close(STOP)
        await _settled()
        assert not flying.done()
        gate.abort(aborted)
        await _settled()
        assert flying.exception() is aborted
        assert broken_off == [True]
        with pytest.raises(VenireError) as refused:
            gate.check()
        assert refused.value is aborted

    asyncio.run(scenario())


def test_of_two_reasons_to_close_the_first_counts() -> None:
    async def scenario() -> None:
        gate = Gate()
        gate.close(STOP)
        gate.close(VenireError("later"))
        assert gate.is_closed
        with pytest.raises(VenireError) as refused:
            gate.check()
        assert refused.value is STOP

    asyncio.run(scenario())


def test_a_cancellation_and_a_time_out_of_others_stay_what_they_are() -> None:
    async def scenario() -> None:
        gate = Gate()

        async def wait() -> None:
            async with gate.passage():
                await asyncio.Event().wait()

        cancelled = asyncio.create_task(wait())
        await _settled()
        cancelled.cancel()
        await asyncio.gather(cancelled, return_exceptions=True)
        assert cancelled.cancelled()
        with pytest.raises(TimeoutError, match="theirs"):
            async with gate.passage():
                raise TimeoutError("theirs")

    asyncio.run(scenario())
