"""Orders: in which a pair is shown."""

import pytest

from venire.judging.orders import Orders, seeded_order
from venire.records import Order, Slot, Winner

IDS = [f"set/{i}" for i in range(1000)]


def test_both_is_as_given_first_and_as_given_is_one() -> None:
    assert Orders.BOTH.of(0, "x") == (Order.AS_GIVEN, Order.SWAPPED)
    assert Orders.AS_GIVEN.of(0, "x") == (Order.AS_GIVEN,)


def test_the_seeded_order_is_the_same_whenever_and_wherever_it_is_asked() -> None:
    # The last bit of sha256(b"order\0" b"0" b"\0" + id), computed with hashlib apart from the code.
    assert [seeded_order(0, f"set/{i}").value for i in range(5)] == [
        "swapped",
        "swapped",
        "swapped",
        "as_given",
        "swapped",
    ]
    assert Orders.SEEDED.of(0, "set/0") == (seeded_order(0, "set/0"),)


def test_the_seeded_orders_are_balanced_and_differ_by_seed() -> None:
    first = [seeded_order(1, each) for each in IDS]
    other = [seeded_order(2, each) for each in IDS]
    # Binomial(1000, 1/2): 500 with a standard deviation of 15.8; 4 of them are 63.
    assert abs(first.count(Order.SWAPPED) - 500) < 64
    assert abs(sum(a is not b for a, b in zip(first, other, strict=True)) - 500) < 64


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("winner", Winner)
def test_mapping_to_a_slot_and_back_gives_the_winner(order: Order, winner: Winner) -> None:
    assert order.winner(order.slot(winner)) is winner


@pytest.mark.parametrize("slot", Slot)
def test_the_two_orders_name_opposite_responses_but_the_same_tie(slot: Slot) -> None:
    same = Order.AS_GIVEN.winner(slot) is Order.SWAPPED.winner(slot)
    assert same is (slot is Slot.TIE)
