"""A budget over the store: never overspent, over concurrency, crashes and resumes."""

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.llm.fakes import FakeBackend, FakeTime, opened, request, route

from venire.errors import BudgetExhausted, ConfigError
from venire.llm.budget import Budget
from venire.llm.ledger import spent_by_run, spent_by_sweep
from venire.llm.protocol import AttemptFailed, Reply
from venire.llm.route import Client
from venire.llm.store import open_engine
from venire.records import AttemptStatus, Completion, FinishReason, Usage

# The worst case of `request("xx")`: 2 bytes + 16 + 64 in, 50 out: 132 tokens,
# (82 * 1 + 50 * 2) / 1e6 = 0.000182 USD at PRICE.
WORST_TOKENS, WORST_USD = 132, 0.000182


def spend(
    url: str, backend: FakeBackend, count: int, budget: Budget, **options: object
) -> list[Completion | BaseException]:
    """`count` requests at once: each the completion, or why there is none."""

    async def scenario() -> list[Completion | BaseException]:
        async with opened(url, backend, budget=budget, **options) as llm:  # type: ignore[arg-type]
            asked = [llm.complete(request(f"{number:02}")) for number in range(count)]
            return await asyncio.gather(*asked, return_exceptions=True)

    return asyncio.run(scenario())


def completed(results: Sequence[Completion | BaseException]) -> int:
    assert all(isinstance(result, Completion | BudgetExhausted) for result in results)
    return sum(isinstance(result, Completion) for result in results)


def test_calls_stop_at_their_bound_and_replayed_ones_are_free(store_url: str) -> None:
    backend = FakeBackend()
    assert completed(spend(store_url, backend, 5, Budget(calls=3))) == 3
    assert len(backend.sent) == 3
    # the next run replays three and pays for the other two
    assert completed(spend(store_url, FakeBackend(), 5, Budget(calls=2), run_id="run-2")) == 5


def test_what_does_not_fit_beside_others_waits_for_them_to_settle(store_url: str) -> None:
    # Room for one worst case at a time; each call really takes 110 tokens. 132 + 3 * 110 = 462:
    # four calls fit one after the other, a fifth does not (440 + 132 > 462).
    backend = FakeBackend()
    results = spend(store_url, backend, 8, Budget(tokens=462))
    assert completed(results) == 4
    assert spent_by_run(open_engine(store_url), "run-1").tokens == 440


def refused(url: str, budget: Budget, count: int, **options: object) -> str:
    results = spend(url, FakeBackend(), count, budget, **options)
    (message,) = {str(result) for result in results if isinstance(result, BudgetExhausted)}
    return message


def test_the_message_says_what_was_spent_and_how_to_go_on(store_url: str) -> None:
    message = refused(store_url, Budget(calls=1), 2)
    assert "budget.calls=1: spent 0.000120 USD, 1 calls, 110 tokens" in message
    assert "model fake-1, stage judge, instance i/1" in message
    assert message.endswith(
        "; run the same command again for as much once more, or raise the budget: "
        "what is stored is not paid again"
    )


def test_a_sweeps_budget_has_to_be_raised(store_url: str) -> None:
    assert refused(store_url, Budget(calls=1), 2, sweep_id="sweep-1").endswith(
        "; raise the budget, which is the whole sweep's, and run the same command again: "
        "what is stored is not paid again"
    )


@pytest.mark.parametrize("sweep_id", [None, "sweep-1"])
def test_a_budget_below_one_calls_worst_case_has_to_be_raised(store_url: str, sweep_id: str | None) -> None:
    message = refused(store_url, Budget(tokens=131), 1, sweep_id=sweep_id)
    assert message.endswith("; not even this one fits into the budget: raise it")


def test_unknown_usage_counts_as_its_worst_case(store_url: str) -> None:
    backend = FakeBackend(usage=Usage())
    assert completed(spend(store_url, backend, 5, Budget(usd=2.5 * WORST_USD))) == 2
    spent = spent_by_run(open_engine(store_url), "run-1")
    assert (spent.usd, spent.calls, spent.tokens) == (pytest.approx(2 * WORST_USD), 2, 2 * WORST_TOKENS)


def test_failed_attempts_are_spent_too_and_their_call_counts_once(store_url: str) -> None:
    lost = AttemptFailed(AttemptStatus.TIMEOUT, "late", retryable=True)
    backend = FakeBackend([lost])
    assert completed(spend(store_url, backend, 1, Budget(calls=1), routes=[route(retries=1)])) == 1
    spent = spent_by_run(open_engine(store_url), "run-1")
    assert (spent.calls, spent.tokens) == (1, WORST_TOKENS + 110)


@pytest.mark.parametrize("client", [Client.SIMULATED, Client.RECORDED, Client.LOCAL])
def test_what_nobody_bills_spends_calls_but_no_money(store_url: str, client: Client) -> None:
    backend = FakeBackend(kind=client.kind)
    assert completed(spend(store_url, backend, 4, Budget(usd=0.0, calls=3), routes=[route(client)])) == 3
    assert spent_by_run(open_engine(store_url), "run-1").usd == 0.0


def test_a_budget_is_the_sweeps_over_all_its_runs_and_another_sweeps_is_its_own(store_url: str) -> None:
    async def run(run_id: str, sweep_id: str, first: int) -> int:
        async with opened(
            store_url, FakeBackend(), budget=Budget(calls=5), run_id=run_id, sweep_id=sweep_id
        ) as llm:
            asked = [llm.complete(request(f"{number:02}")) for number in range(first, first + 3)]
            return completed(await asyncio.gather(*asked, return_exceptions=True))

    assert asyncio.run(run("a", "sweep-1", 0)) == 3
    assert asyncio.run(run("b", "sweep-1", 3)) == 2
    assert asyncio.run(run("c", "sweep-2", 10)) == 3
    assert spent_by_sweep(open_engine(store_url), "sweep-1").calls == 5


def test_two_openings_of_one_sweep_at_the_same_time_share_its_budget(store_url: str) -> None:
    """As two processes of a parallel sweep do."""

    async def scenario() -> int:
        options = {"budget": Budget(calls=7), "sweep_id": "sweep-1"}
        async with (
            opened(store_url, FakeBackend(), run_id="a", **options) as one,  # type: ignore[arg-type]
            opened(store_url, FakeBackend(), run_id="b", **options) as other,  # type: ignore[arg-type]
        ):
            asked = [one.complete(request(f"{number:02}")) for number in range(6)]
            asked += [other.complete(request(f"{number:02}")) for number in range(10, 16)]
            return completed(await asyncio.gather(*asked, return_exceptions=True))

    assert asyncio.run(scenario()) == 7


def test_an_unpriced_judge_is_refused_before_any_call(store_url: str) -> None:
    backend = FakeBackend()

    async def scenario() -> None:
        async with opened(store_url, backend, budget=Budget(usd=1), routes=[route(price=None)]):
            raise AssertionError("it must not open")

    with pytest.raises(ConfigError, match=r"budget\.usd"):
        asyncio.run(scenario())
    assert backend.sent == []


@settings(max_examples=25, deadline=None)
@given(
    bound=st.integers(0, 1200),
    concurrency=st.integers(1, 6),
    steps=st.lists(
        st.one_of(
            st.builds(Usage, st.integers(0, 82), st.integers(0, 50)),
            st.just(Usage()),
            st.just(None),  # a time-out, tried again
        ),
        min_size=1,
        max_size=14,
    ),
)
def test_no_bound_is_ever_overspent(bound: int, concurrency: int, steps: list[Usage | None]) -> None:
    """Whatever is answered, lost or unknown, in whatever interleaving."""
    script = [
        AttemptFailed(AttemptStatus.TIMEOUT, "late", retryable=True)
        if usage is None
        else Reply("x", FinishReason.STOP, "m", usage)
        for usage in steps
    ]
    usd = bound * 1.5e-6
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'calls.db'}"
        results = spend(
            url,
            FakeBackend(script, usage=Usage()),
            12,
            Budget(usd=usd, tokens=bound),
            routes=[route(concurrency=concurrency, retries=2)],
            time=FakeTime(),
        )
        spent = spent_by_run(open_engine(url), "run-1")
    completed(results)  # nothing but completions and refusals
    assert spent.tokens <= bound
    assert spent.usd <= usd * (1 + 1e-9)
