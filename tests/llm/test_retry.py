"""One attempt and its record; the pause before the next."""

import asyncio

import numpy as np
import pytest
from tests.llm.fakes import USAGE, FakeBackend, FakeTime, reply, request, route

from venire.errors import BackendError
from venire.llm.clock import Clock
from venire.llm.protocol import AttemptFailed, Reply
from venire.llm.retry import Tried, clean, pause_s, refusal, try_once
from venire.llm.route import Limits
from venire.records import AttemptStatus, FinishReason, Usage

LIMITS = Limits(retries=3, backoff_s=1.0, backoff_max_s=5.0)


def failed(**changes: object) -> AttemptFailed:
    arguments: dict[str, object] = {"retryable": True, **changes}
    return AttemptFailed(AttemptStatus.SERVER_ERROR, "down", **arguments)  # type: ignore[arg-type]


def attempt(backend: FakeBackend, **limits: object) -> Tried:
    clock = Clock() if limits else FakeTime().clock
    return asyncio.run(try_once(backend, request(), route(**limits), clock=clock, secrets=["s3cret"]))


def test_pauses_double_up_to_the_longest_and_lose_at_most_half_to_jitter() -> None:
    rng = np.random.default_rng(0)
    # 1, 2, 4, then 5 (not 8): backoff_max_s
    for failures, longest in ((1, 1.0), (2, 2.0), (3, 4.0)):
        pauses = [pause_s(failed(), failures, LIMITS, rng) for _ in range(200)]
        assert all(pause is not None and longest / 2 <= pause <= longest for pause in pauses)
        assert len(set(pauses)) == 200
    many = Limits(retries=9, backoff_s=1.0, backoff_max_s=5.0)
    assert all(2.5 <= (pause_s(failed(), 9, many, rng) or 0) <= 5.0 for _ in range(200))


def test_retry_after_is_waited_for_and_never_cut() -> None:
    rng = np.random.default_rng(0)
    pauses = [pause_s(failed(retry_after_s=90.0), 1, LIMITS, rng) or 0 for _ in range(200)]
    assert min(pauses) >= 90.0
    assert max(pauses) <= 91.0  # up to backoff_s more, so that not all come back at once


def test_a_retry_after_in_the_past_is_no_wait() -> None:
    pause = pause_s(failed(retry_after_s=-5.0), 1, LIMITS, np.random.default_rng(0))
    assert pause is not None
    assert 0.0 <= pause <= 1.0


def test_there_are_as_many_pauses_as_retries() -> None:
    rng = np.random.default_rng(0)
    assert [pause_s(failed(), n, LIMITS, rng) is None for n in (1, 2, 3, 4)] == [False, False, False, True]
    assert pause_s(failed(), 1, Limits(retries=0), rng) is None
    assert pause_s(failed(retryable=False), 1, LIMITS, rng) is None


def test_the_same_seed_gives_the_same_jitter_and_another_another() -> None:
    def pauses(seed: int) -> list[float | None]:
        rng = np.random.default_rng(seed)
        return [pause_s(failed(), 1, LIMITS, rng) for _ in range(5)]

    assert pauses(1) == pauses(1)
    assert pauses(1) != pauses(2)


def test_a_reply_is_recorded_with_usage_and_cost() -> None:
    tried = attempt(FakeBackend())
    assert tried.attempt.status is AttemptStatus.OK
    assert tried.attempt.usage == USAGE
    assert tried.attempt.cost_usd == pytest.approx(0.00012)  # (100 * 1 + 10 * 2) / 1e6
    assert isinstance(tried.outcome, Reply)


def test_unknown_usage_has_no_cost() -> None:
    tried = attempt(FakeBackend(usage=Usage()))
    assert tried.attempt.usage == Usage()
    assert tried.attempt.cost_usd is None


def test_an_attempt_ends_with_its_time() -> None:
    async def scenario() -> Tried:
        hanging = FakeBackend(hold=asyncio.Event())
        return await try_once(hanging, request(), route(timeout_s=0.01), clock=Clock())

    tried = asyncio.run(scenario())
    assert tried.attempt.status is AttemptStatus.TIMEOUT
    assert tried.attempt.usage == Usage()  # nobody knows what it took
    assert isinstance(tried.outcome, AttemptFailed)
    assert tried.outcome.retryable


def test_a_refused_request_is_an_empty_reply() -> None:
    refused = AttemptFailed(AttemptStatus.REFUSED, "filtered", retryable=False, usage=Usage(0, 0))
    tried = attempt(FakeBackend([refused]))
    assert tried.attempt.status is AttemptStatus.REFUSED
    assert isinstance(tried.outcome, Reply)
    assert (tried.outcome.text, tried.outcome.finish) == ("", FinishReason.REFUSED)


def test_a_reply_that_the_backend_calls_an_error_is_a_failed_attempt() -> None:
    tried = attempt(FakeBackend([reply("upstream broke", FinishReason.ERROR)]))
    assert tried.attempt.status is AttemptStatus.MALFORMED
    assert isinstance(tried.outcome, AttemptFailed)
    assert tried.attempt.usage == USAGE  # billed all the same


def test_a_final_refusal_of_the_provider_is_recorded_as_rejected_and_free() -> None:
    tried = attempt(FakeBackend([BackendError("no such model")]))
    assert tried.attempt.status is AttemptStatus.REJECTED
    assert tried.attempt.cost_usd == 0.0
    assert isinstance(tried.outcome, BackendError)


@pytest.mark.parametrize(
    "step",
    [
        AttemptFailed(AttemptStatus.CONNECTION, "refused", retryable=True, usage=Usage(0, 0)),
        BackendError("no such model"),
    ],
)
def test_what_reached_no_model_cost_nothing_even_where_no_price_is_known(
    step: AttemptFailed | BackendError,
) -> None:
    backend = FakeBackend([step])
    tried = asyncio.run(try_once(backend, request(), route(price=None), clock=FakeTime().clock))
    assert (tried.attempt.usage, tried.attempt.cost_usd) == (Usage(0, 0), 0.0)


def test_what_may_have_been_billed_has_an_unknown_cost() -> None:
    assert attempt(FakeBackend([failed()])).attempt.cost_usd is None
    unpriced = asyncio.run(try_once(FakeBackend(), request(), route(price=None), clock=FakeTime().clock))
    assert unpriced.attempt.cost_usd is None


def test_a_secret_reaches_neither_record_nor_error() -> None:
    error = BackendError("bad key s3cret")
    tried = attempt(FakeBackend([error]))
    assert tried.attempt.detail == "bad key [key]"
    assert str(refusal(error, ["s3cret"])) == "bad key [key]"
    assert refusal(error, ["other", ""]) is error


def test_a_detail_is_short_and_fit_for_any_database() -> None:
    assert clean("a\0b\ud800" + "x" * 1000, []) == "a b?" + "x" * 496
