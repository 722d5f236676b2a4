"""Shares of a provider's limits: how they are parted, and how the store hands them out."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from venire.llm.owner import Owner
from venire.llm.store.allotting import (
    COUNTED_S,
    Allotment,
    Allotter,
    Grant,
    Need,
    Rival,
    Wish,
    fair_shares,
    granted,
)
from venire.llm.store.engine import open_engine
from venire.llm.store.schema import limit_grants, limit_members


@pytest.mark.parametrize(
    ("limit", "wants", "shares"),
    [
        (16, {"a": 16}, {"a": 16}),
        (16, {"a": 1}, {"a": 16}),  # what nobody wants is parted, too
        (16, {"a": 16, "b": 16}, {"a": 8, "b": 8}),
        (16, {"a": 2, "b": 30}, {"a": 2, "b": 14}),
        (16, {"a": 2, "b": 4}, {"a": 7, "b": 9}),  # 10 to spare, 5 each
        (5, {"a": 9, "b": 9}, {"a": 3, "b": 2}),  # by name, so that all agree
        (2, {"a": 1, "b": 1, "c": 1}, {"a": 1, "b": 1, "c": 0}),
    ],
)
def test_slots_go_to_who_wants_them_and_to_all_alike(
    limit: int, wants: dict[str, int], shares: dict[str, int]
) -> None:
    assert fair_shares(limit, wants) == shares


@given(st.integers(1, 60), st.dictionaries(st.text(max_size=3), st.integers(0, 40), min_size=1, max_size=9))
def test_shares_add_up_to_the_limit_and_nobody_is_short_while_another_has_more_than_they_want(
    limit: int, wants: dict[str, int]
) -> None:
    shares = fair_shares(limit, wants)
    assert sum(shares.values()) == limit
    short = [owner for owner in wants if shares[owner] < wants[owner]]
    if short:
        assert all(shares[owner] <= wants[owner] for owner in wants)
        assert max(shares.values()) <= min(shares[owner] for owner in short) + len(wants)  # of remainders


@pytest.mark.parametrize(
    ("need", "mine", "rivals", "amount"),
    [
        (Need(10, 3, 1), 0, [], 3),
        (Need(10, 30, 1), 4, [], 6),  # what is free
        (Need(10, 3, 2), 9, [], 0),  # not even its first
        (Need(10, 3, 0), 8, [], 2),  # nothing waits: any amount is welcome
        (Need(10, 10, 1), 0, [Rival(0, 1)], 5),  # an equal part
        (Need(10, 10, 1), 5, [Rival(0, 1)], 0),  # has had its part, and another waits
        (Need(10, 10, 1), 5, [Rival(5, 0)], 0),
        (Need(10, 10, 7), 0, [Rival(3, 1)], 7),  # has had least: its next one, however large
        (Need(10, 2, 2), 3, [Rival(0, 7)], 0),  # room is left for that one
        (Need(10, 2, 2), 0, [Rival(9, 1)], 0),
    ],
)
def test_what_is_granted_of_a_minute(need: Need, mine: int, rivals: list[Rival], amount: int) -> None:
    assert granted(need, mine, rivals) == amount


def owner(opening: str) -> Owner:
    here = Owner.here()
    return Owner(here.host, here.pid, here.started, opening)


@pytest.fixture
def two(store_url: str) -> Iterator[tuple[Allotter, Allotter]]:
    """Two processes' on one store."""
    engine = open_engine(store_url)
    both = Allotter(engine, owner("a")), Allotter(engine, owner("b"))
    yield both
    for each in both:
        each.close()


def ask(allotter: Allotter, held: int, wanted: int, **minute: Need) -> Allotment:
    return allotter([Wish("p", 4, held, wanted, minute)])[0]


def test_who_comes_second_gets_what_the_first_gives_back(two: tuple[Allotter, Allotter]) -> None:
    first, second = two
    assert ask(first, 0, 4) == Allotment("p", more=4, fair=4)
    assert ask(second, 0, 4) == Allotment("p", more=0, fair=2)
    assert ask(first, 4, 4) == Allotment("p", more=0, fair=2)
    assert ask(first, 2, 4).more == 0  # it gave two back
    assert ask(second, 0, 4) == Allotment("p", more=2, fair=2)
    assert ask(second, 0, 0) == Allotment("p", 0, 0)  # it leaves
    assert ask(first, 2, 4) == Allotment("p", more=2, fair=4)


def test_a_minute_is_handed_out_once_over_all(two: tuple[Allotter, Allotter]) -> None:
    first, second = two
    assert ask(first, 0, 1, requests=Need(10, 7, 1)).minute == {"requests": Grant(1, 7)}
    assert ask(second, 0, 1, requests=Need(10, 7, 1)).minute == {"requests": Grant(2, 3)}
    assert ask(second, 0, 1, requests=Need(10, 7, 1)).minute == {}
    corrected = Wish("p", 4, 0, 1, {"requests": Need(10, 7, 1)}, corrections={1: -4})
    # four are free again; the second waits and has had less: one is left to it
    assert first([corrected])[0].minute == {"requests": Grant(3, 2)}
    assert ask(second, 0, 1, requests=Need(10, 7, 1)).minute == {"requests": Grant(4, 2)}


def test_requests_and_tokens_and_providers_do_not_mix(two: tuple[Allotter, Allotter]) -> None:
    first, second = two
    both = {"requests": Need(2, 2, 1), "tokens": Need(100, 60, 60)}
    assert set(first([Wish("p", 4, 0, 1, both)])[0].minute) == {"requests", "tokens"}
    assert second([Wish("q", 4, 0, 1, both)])[0].more == 4
    assert set(second([Wish("p", 4, 0, 1, {"tokens": Need(100, 40, 40)})])[0].minute) == {"tokens"}


def test_what_a_dead_process_held_is_free_and_what_it_took_of_the_minute_is_not(store_url: str) -> None:
    engine = open_engine(store_url)
    here = Owner.here()
    dead, alive = Allotter(engine, Owner(here.host, 2**22 + 1, "1", "d")), Allotter(engine, here)
    ask(dead, 0, 4, requests=Need(10, 7, 1))
    dead.close()
    later = ask(alive, 0, 4, requests=Need(10, 7, 1))
    assert (later.more, later.minute) == (4, {"requests": Grant(2, 3)})
    alive.close()


def test_an_expired_lease_and_a_grant_of_more_than_a_minute_ago_count_no_more(
    two: tuple[Allotter, Allotter], store_url: str
) -> None:
    first, second = two
    ask(first, 0, 4, requests=Need(10, 10, 1))
    with open_engine(store_url).begin() as connection:
        connection.execute(limit_members.update().values(expires_at=0.0))
        granted_at = limit_grants.c.granted_at - COUNTED_S
        connection.execute(limit_grants.update().values(granted_at=granted_at))
    later = ask(second, 0, 4, requests=Need(10, 10, 1))
    assert (later.more, later.minute["requests"].amount) == (4, 10)
    with open_engine(store_url).connect() as connection:
        assert len(connection.execute(select(limit_grants)).all()) == 1
