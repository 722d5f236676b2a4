"""Vectors by way of the store: order, doubles, units, modes, money, failures."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from tests.llm.fakes import FakeTime
from tests.llm.vectors import LIVE, LOCAL, TOKENS_A_TEXT, FakeVectors, opened, vector

from venire.errors import BackendError, BudgetExhausted, ConfigError, ReplayMiss
from venire.llm.budget import Budget
from venire.llm.embedding import Embedded, text_key
from venire.llm.ledger import open_intents, reconcile, spent_by_run
from venire.llm.protocol import AttemptFailed
from venire.llm.settings import Mode
from venire.llm.store import open_engine
from venire.llm.stored import StoredLLM
from venire.records import AttemptStatus, BackendKind, Call, Embeddings, Usage

LATE = AttemptFailed(AttemptStatus.TIMEOUT, "late", retryable=True)


def embed(url: str, backend: FakeVectors, *requests: Sequence[str], **options: object) -> list[Embeddings]:
    """Each request after the other, in one opening."""

    async def scenario() -> list[Embeddings]:
        async with opened(url, backend, **options) as llm:  # type: ignore[arg-type]
            return [await llm.embed(LIVE.model, texts) for texts in requests]

    return asyncio.run(scenario())


def during(url: str, backend: FakeVectors, act: Callable[[StoredLLM], Awaitable[object]]) -> object:
    async def scenario() -> object:
        async with opened(url, backend) as llm:
            return await act(llm)

    return asyncio.run(scenario())


def unit(text: str) -> list[float]:
    row = vector(text).astype(np.float64)
    return [float(x) for x in row / np.linalg.norm(row)]


def texts_of(calls: Sequence[Call]) -> list[tuple[int, bool]]:
    return [(call.texts, call.replayed) for call in calls]


def test_rows_are_unit_vectors_in_the_order_of_the_texts(store_url: str) -> None:
    (made,) = embed(store_url, FakeVectors(), ["bb", "a a", "ccc"])
    assert made.vectors.dtype == np.float32
    assert made.vectors == pytest.approx(np.array([unit("bb"), unit("a a"), unit("ccc")]), abs=1e-6)


def test_a_text_that_comes_twice_is_asked_for_once(store_url: str) -> None:
    backend = FakeVectors()
    (made,) = embed(store_url, backend, ["x", "y y", "x"])
    assert backend.asked == [["x", "y y"]]
    assert made.vectors.shape == (3, 3)
    assert (made.vectors[0] == made.vectors[2]).all()
    assert texts_of(made.calls) == [(2, False)]


def test_no_texts_ask_for_nothing(store_url: str) -> None:
    backend = FakeVectors()
    (made,) = embed(store_url, backend, [])
    assert (made.vectors.shape, made.calls, backend.asked) == ((0, 3), (), [])


@pytest.mark.parametrize("blank", ["", " \n\t"])
def test_an_empty_text_is_not_sent_and_similar_to_nothing(store_url: str, blank: str) -> None:
    backend = FakeVectors()
    (made,) = embed(store_url, backend, ["x", blank])
    assert backend.asked == [["x"]]
    assert not made.vectors[1].any()


def test_a_vector_of_zeros_stays_one(store_url: str) -> None:
    zeros = Embedded(np.zeros((1, 3), dtype=np.float32), "m", Usage(1, 0))
    (made,) = embed(store_url, FakeVectors([zeros]), ["x"])
    assert not made.vectors.any()


def test_a_text_is_paid_once_over_runs_and_bit_for_bit_the_same(store_url: str) -> None:
    first, second = FakeVectors(), FakeVectors()
    (paid,) = embed(store_url, first, ["x", "y y"])
    (replayed,) = embed(store_url, second, ["y y", "x"], run_id="run-2")
    assert second.asked == []
    assert (replayed.vectors[::-1] == paid.vectors).all()
    assert texts_of(replayed.calls) == [(2, True)]


def test_only_what_is_missing_is_asked_for(store_url: str) -> None:
    backend = FakeVectors()
    embed(store_url, backend, ["x"])
    (made,) = embed(store_url, backend, ["x", "y y"])
    assert backend.asked == [["x"], ["y y"]]
    assert texts_of(made.calls) == [(1, True), (1, False)]
    assert made.vectors == pytest.approx(np.array([unit("x"), unit("y y")]), abs=1e-6)


def test_the_key_covers_model_weights_and_text() -> None:
    keys = {
        text_key(model, endpoint, text) for model in "ab" for endpoint in ("", "v1") for text in ("x", "x ")
    }
    assert len(keys) == 8
    # no pair of fields runs into another
    assert text_key("a", "b", "") != text_key("ab", "", "")


def test_an_unknown_model_is_refused_and_the_known_ones_named(store_url: str) -> None:
    async def act(llm: StoredLLM) -> object:
        return await llm.embed("another/model", ["x"])

    with pytest.raises(ConfigError, match=r"this run \(fake/vectors\), got another/model"):
        during(store_url, FakeVectors(), act)


def test_batches_are_cut_by_texts_and_by_bytes(store_url: str) -> None:
    backend = FakeVectors()
    small = replace(LIVE, max_batch=2, max_batch_tokens=6)
    # aa bb | cccccccc (alone: 8 bytes) | dd ee | ff
    texts = ["aa", "bb", "cccccccc", "dd", "ee", "ff"]
    (made,) = embed(store_url, backend, texts, model=small)
    assert backend.asked == [["aa", "bb"], ["cccccccc"], ["dd", "ee"], ["ff"]]
    assert made.vectors == pytest.approx(np.array([unit(text) for text in texts]), abs=1e-6)
    assert sum(call.texts for call in made.calls) == 6


def test_what_a_request_took_is_in_its_call_and_in_the_ledger(store_url: str) -> None:
    (made,) = embed(store_url, FakeVectors(), ["x", "y y"])
    (call,) = made.calls
    assert (call.stage, call.role, call.kind) == ("embedding", "fake", BackendKind.LIVE)
    assert (call.model_asked, call.model_returned) == ("fake/vectors", "fake/vectors-2026")
    # 2 texts of 10 tokens at 1 USD a million tokens
    assert (call.usage.input_tokens, call.usage.output_tokens) == (20, 0)
    assert call.cost_usd == pytest.approx(20e-6, abs=1e-11)
    assert (call.usage_complete, call.cost_complete, call.attempts) == (True, True, 1)
    (line,) = reconcile(open_engine(store_url))
    assert (line.model, line.calls, line.input_tokens) == ("fake/vectors", 1, 20)
    assert line.cost_usd == pytest.approx(20e-6)
    assert open_intents(open_engine(store_url)) == []


def test_replayed_texts_count_what_they_took_when_they_were_paid(store_url: str) -> None:
    # "x" and "y y" share a request of 20 tokens by their bytes: 1 : 3, so 5 and 15.
    embed(store_url, FakeVectors(), ["x", "y y"])
    (made,) = embed(store_url, FakeVectors(), ["y y"])
    (call,) = made.calls
    assert (call.usage.input_tokens, call.replayed, call.attempts) == (15, True, 0)
    assert call.cost_usd == pytest.approx(15e-6, abs=1e-11)


def test_sums_do_not_depend_on_who_paid_what_when(store_url: str) -> None:
    texts = [f"claim {number} of " + "x" * (number % 17) for number in range(100)]
    odd = replace(LIVE, price=replace(LIVE.price, input_per_mtok=0.13))  # type: ignore[type-var]
    parts = [texts[:31], texts[10:64], texts[40:]]
    first = embed(store_url, FakeVectors(), *parts, model=odd)
    again = embed(store_url, FakeVectors(), *parts, model=odd)

    def sums(made: Sequence[Embeddings]) -> tuple[int, float]:
        calls = [call for each in made for call in each.calls]
        return sum(c.usage.input_tokens or 0 for c in calls), sum(c.cost_usd or 0.0 for c in calls)

    assert [len(each.calls) for each in first] == [1, 2, 2]  # replayed and paid
    assert [len(each.calls) for each in again] == [1, 1, 1]
    assert sums(first) == sums(again)  # to the last bit


def test_unknown_usage_is_unknown_not_nothing(store_url: str) -> None:
    (made,) = embed(store_url, FakeVectors(usage=False), ["x"])
    (call,) = made.calls
    assert (call.usage, call.cost_usd) == (Usage(), None)
    assert (call.usage_complete, call.cost_complete) == (False, False)
    (replayed,) = embed(store_url, FakeVectors(), ["x"])
    assert (replayed.calls[0].usage, replayed.calls[0].cost_usd) == (Usage(), None)


def test_a_replay_never_asks_and_says_what_is_missing(store_url: str) -> None:
    backend = FakeVectors()
    embed(store_url, backend, ["x"])
    (made,) = embed(store_url, backend, ["x"], mode=Mode.REPLAY)
    assert texts_of(made.calls) == [(1, True)]
    with pytest.raises(ReplayMiss, match=r"fake/vectors, 1 are missing"):
        embed(store_url, backend, ["x", "y y"], mode=Mode.REPLAY)
    assert backend.asked == [["x"]]


def test_a_refresh_pays_once_a_run_and_replaces(store_url: str) -> None:
    embed(store_url, FakeVectors(), ["x"])
    other = Embedded(np.array([[0, 0, 2]], dtype=np.float32), "m", Usage(1, 0))
    backend = FakeVectors([other])
    one, two = embed(store_url, backend, ["x"], ["x"], mode=Mode.REFRESH)
    assert backend.asked == [["x"]]
    assert one.vectors.tolist() == two.vectors.tolist() == [[0, 0, 1]]
    (kept,) = embed(store_url, FakeVectors(), ["x"])
    assert kept.vectors.tolist() == [[0, 0, 1]]


def test_equal_texts_under_way_at_once_are_paid_once(store_url: str) -> None:
    backend = FakeVectors(hold=asyncio.Event())

    async def act(llm: StoredLLM) -> object:
        asked = [asyncio.create_task(llm.embed(LIVE.model, texts)) for texts in (["x", "y y"], ["y y", "z"])]
        while len(backend.asked) < 2:
            await asyncio.sleep(0.001)
        assert backend.hold is not None
        backend.hold.set()
        return await asyncio.gather(*asked)

    one, other = during(store_url, backend, act)  # type: ignore[misc]
    assert sorted(map(sorted, backend.asked)) == [["x", "y y"], ["z"]]
    assert (one.vectors[1] == other.vectors[0]).all()
    assert texts_of(other.calls) == [(1, True), (1, False)]


def test_a_failed_attempt_is_tried_again_and_billed(store_url: str) -> None:
    time = FakeTime()
    backend = FakeVectors([LATE])
    (made,) = embed(store_url, backend, ["x"], time=time)
    assert len(backend.asked) == 2
    assert 0.5 <= time.slept[0] <= 1.0
    (call,) = made.calls
    assert (call.attempts, call.usage_complete, call.cost_complete) == (2, False, False)
    assert call.usage.input_tokens == TOKENS_A_TEXT
    (line,) = reconcile(open_engine(store_url))
    assert (line.calls, line.attempts, line.unknown_usage) == (1, 2, 1)


def test_exhausted_retries_stop_the_run(store_url: str) -> None:
    backend = FakeVectors([LATE] * 9)
    with pytest.raises(BackendError, match=r"fake/vectors gave no vectors after 3 attempts: timeout: late"):
        embed(store_url, backend, ["x"])
    assert len(backend.asked) == 3  # 1 + retries
    assert open_intents(open_engine(store_url)) == []


def test_a_refusal_for_good_is_sent_once_and_holds_no_secret(store_url: str) -> None:
    backend = FakeVectors([BackendError("HTTP 401: bad key sk-123456")])

    async def scenario() -> list[object]:
        async with opened(store_url, backend, secrets=["sk-123456"]) as llm:
            asked = [llm.embed(LIVE.model, [text]) for text in ("x", "y")]
            first = (await asyncio.gather(asked[0], return_exceptions=True))[0]
            return [first, *await asyncio.gather(asked[1], return_exceptions=True)]

    assert [str(error) for error in asyncio.run(scenario())] == ["HTTP 401: bad key [key]"] * 2
    assert len(backend.asked) == 1


@pytest.mark.parametrize(
    "rows",
    [np.zeros((2, 3)), np.array([[1.0, np.nan, 0.0]]), np.array([[np.inf, 0.0, 0.0]]), np.zeros(3)],
    ids=["too many", "nan", "infinite", "no rows"],
)
def test_a_reply_that_is_no_vectors_is_a_failed_attempt(store_url: str, rows: np.ndarray) -> None:
    odd = Embedded(rows.astype(np.float32), "m", Usage(1, 0))
    backend = FakeVectors([odd])
    (made,) = embed(store_url, backend, ["x"])
    assert len(backend.asked) == 2
    assert made.vectors == pytest.approx(np.array([unit("x")]), abs=1e-6)


def test_vectors_of_another_size_than_configured_are_refused(store_url: str) -> None:
    with pytest.raises(ConfigError, match=r"embedding\.dimensions: fake/vectors gives vectors of 5 dimen"):
        embed(store_url, FakeVectors(dimensions=5), ["x"])
    embed(store_url, FakeVectors(), ["x"])
    with pytest.raises(ConfigError, match=r"embedding\.dimensions: the stored vectors .* have 3, got 4"):
        embed(store_url, FakeVectors(), ["x"], model=replace(LIVE, dimensions=4))


def test_an_unpriced_model_is_refused_under_a_budget_in_dollars(store_url: str) -> None:
    with pytest.raises(ConfigError, match="fake/vectors"):
        embed(store_url, FakeVectors(), ["x"], model=replace(LIVE, price=None), budget=Budget(usd=1.0))


def test_a_budget_bounds_dollars_and_tokens_of_vectors_but_they_are_no_calls(store_url: str) -> None:
    # The worst case of a text of 4 bytes: 4 + 16 = 20 tokens.
    backend = FakeVectors()
    embed(store_url, backend, ["aaaa"], budget=Budget(calls=0, tokens=20))
    assert spent_by_run(open_engine(store_url), "run-1").calls == 0
    with pytest.raises(BudgetExhausted, match=r"budget\.tokens=19: spent .*of 1 texts"):
        embed(store_url, backend, ["bbbb"], budget=Budget(tokens=19), run_id="run-2")
    with pytest.raises(BudgetExhausted, match=r"budget\.usd="):
        embed(store_url, backend, ["bbbb"], budget=Budget(usd=19e-6), run_id="run-3")
    assert backend.asked == [["aaaa"]]


def test_what_runs_here_is_kept_but_neither_billed_nor_in_the_ledger(store_url: str) -> None:
    backend = FakeVectors(dimensions=256)

    async def scenario() -> Embeddings:
        async with opened(store_url, backend, LOCAL, budget=Budget(usd=0.0, calls=0, tokens=0)) as llm:
            return await llm.embed(LOCAL.model, ["x", "y"])

    made, again = asyncio.run(scenario()), asyncio.run(scenario())
    assert backend.asked == [["x", "y"]]
    assert (again.vectors == made.vectors).all()
    assert texts_of(made.calls) == [(2, False)]
    assert texts_of(again.calls) == [(2, True)]
    assert (made.calls[0].kind, made.calls[0].cost_usd) == (BackendKind.LOCAL, 0.0)
    assert reconcile(open_engine(store_url)) == []


@pytest.mark.parametrize("mode", [Mode.LIVE, Mode.REFRESH])
def test_a_text_of_two_requests_at_once_is_computed_once(store_url: str, mode: Mode) -> None:
    backend = FakeVectors(dimensions=256)

    async def scenario() -> list[Embeddings]:
        async with opened(store_url, backend, LOCAL, mode=mode) as llm:
            asked = [llm.embed(LOCAL.model, texts) for texts in (["x", "y"], ["y", "z"], ["x"])]
            return await asyncio.gather(*asked)

    made = asyncio.run(scenario())
    assert sorted(text for texts in backend.asked for text in texts) == ["x", "y", "z"]
    assert (made[0].vectors[1] == made[1].vectors[0]).all()
    assert texts_of(made[2].calls) == [(1, True)]


def test_lone_surrogates_and_nul_have_an_address_of_their_own(store_url: str) -> None:
    backend = FakeVectors()
    texts = ["a\ud800", "a\udfff", "a\0", "a"]
    embed(store_url, backend, texts)
    embed(store_url, backend, texts)
    assert backend.asked == [texts]


def test_backends_are_closed_and_made_only_when_needed(store_url: str) -> None:
    idle, busy = FakeVectors(), FakeVectors()
    embed(store_url, idle)
    embed(store_url, busy, ["x"])
    assert (idle.closed, busy.closed) == (0, 1)
