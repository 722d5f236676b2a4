"""Budgets as values, and the worst case of an attempt."""

from dataclasses import replace

import pytest
from tests.llm.fakes import request, route

from venire.errors import ConfigError
from venire.llm.budget import Budget, Spending, check_budget, input_tokens_bound, worst_case
from venire.llm.route import Client
from venire.records import Message, Price


@pytest.mark.parametrize("field", ["usd", "calls", "tokens"])
def test_a_negative_bound_is_refused_by_its_full_key(field: str) -> None:
    with pytest.raises(ConfigError, match=rf"budget\.{field}: .* got -1"):
        Budget(**{field: -1})


def test_nan_is_no_bound() -> None:
    with pytest.raises(ConfigError, match=r"budget\.usd"):
        Budget(usd=float("nan"))


def test_no_bound_holds_anything() -> None:
    assert not Budget().is_bounded
    assert Budget().holds(Spending(1e9, 10**9, 10**12))


def test_each_bound_is_inclusive() -> None:
    budget = Budget(usd=1.0, calls=2, tokens=3)
    assert budget.holds(Spending(1.0, 2, 3))
    assert not budget.holds(Spending(1.01, 2, 3))
    assert not budget.holds(Spending(1.0, 3, 3))
    assert not budget.holds(Spending(1.0, 2, 4))


def test_ten_times_a_tenth_of_a_dollar_is_a_dollar() -> None:
    spent = sum((Spending(usd=0.1) for _ in range(10)), start=Spending())  # 0.9999999999999999
    assert Budget(usd=1.0).holds(spent)
    thrice = sum((Spending(usd=0.1) for _ in range(3)), start=Spending())  # 0.30000000000000004
    assert Budget(usd=0.3).holds(thrice)


def test_an_unpriced_live_route_is_refused_under_a_budget_in_dollars() -> None:
    with pytest.raises(ConfigError, match=r"budget\.usd: .* fake-1"):
        check_budget(Budget(usd=1), [route(price=None)])
    check_budget(Budget(calls=1), [route(price=None)])
    check_budget(Budget(usd=1), [route(client, price=None) for client in (Client.LOCAL, Client.RECORDED)])


def test_worst_case_counts_bytes_templates_schema_and_max_tokens() -> None:
    # input: "é" is 2 bytes; 16 a message; 64 a request: 2 + 16 + 64 = 82
    plain = request("é")
    assert input_tokens_bound(plain) == 82
    # a schema of 10 bytes: 2 * 10 + 512 more
    assert input_tokens_bound(replace(plain, schema='{"a": "b"}')) == 82 + 532
    # 82 tokens at 1 USD and 50 at 2 USD a million: (82 + 100) / 1e6
    assert worst_case(plain, route(), Budget()) == Spending(pytest.approx(182e-6), 1, 132)


def test_worst_case_takes_the_dearer_of_fresh_and_cached_input() -> None:
    dear_cache = Price(1.0, 2.0, cached_per_mtok=3.0)
    # (82 * 3 + 50 * 2) / 1e6
    worst = worst_case(request("é"), route(price=dear_cache), Budget())
    assert worst.usd == pytest.approx(346e-6)


@pytest.mark.parametrize("client", [Client.LOCAL, Client.RECORDED, Client.SIMULATED])
def test_worst_case_of_what_nobody_bills_is_no_money(client: Client) -> None:
    assert worst_case(request("é"), route(client), Budget()).usd == 0.0


def test_a_request_without_max_tokens_is_refused_where_tokens_are_bounded() -> None:
    unbounded = replace(request(), max_tokens=None)
    for budget in (Budget(usd=1.0), Budget(tokens=100)):
        with pytest.raises(ConfigError, match=r"max_tokens: expected a number"):
            worst_case(unbounded, route(), budget)
    assert worst_case(unbounded, route(), Budget(calls=1)).calls == 1


def test_input_bound_holds_for_a_lone_surrogate() -> None:
    assert input_tokens_bound(replace(request(), messages=(Message("user", "\ud800"),))) == 3 + 16 + 64
