"""In which orders a pair is shown."""

import hashlib
from enum import StrEnum

from venire.records import Order


class Orders(StrEnum):
    """Which presentation orders are judged."""

    BOTH = "both"
    AS_GIVEN = "as_given"
    SEEDED = "seeded"  # one of the two, by (seed, instance id)

    def of(self, seed: int, instance_id: str) -> tuple[Order, ...]:
        """The orders to judge an instance in: a pure function of its arguments."""
        match self:
            case Orders.BOTH:
                return (Order.AS_GIVEN, Order.SWAPPED)
            case Orders.AS_GIVEN:
                return (Order.AS_GIVEN,)
            case Orders.SEEDED:
                return (seeded_order(seed, instance_id),)


def seeded_order(seed: int, instance_id: str) -> Order:
    """The order that (seed, instance id) names: the lowest bit of a SHA-256 over both."""
    digest = hashlib.sha256(f"order\0{seed}\0{instance_id}".encode()).digest()
    return Order.SWAPPED if digest[-1] & 1 else Order.AS_GIVEN
