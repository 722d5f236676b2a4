"""Small instances, outcomes and labels."""

from collections.abc import Callable

import pytest

from venire.records import (
    Dimension,
    Instance,
    Order,
    Outcome,
    Preference,
    PreferenceGold,
    RatingsGold,
    Response,
    Winner,
)
from venire.review.labels import Label, content_of

FLUENCY = Dimension("fluency", "how fluent", 1, 5)
POLITE = Dimension("polite", "whether polite", 0, 1, 1)
AVERAGE = Dimension("average", "mean", 0, 1, None, asked=False)


def make_pair(id: str, gold: Winner | None = Winner.FIRST, **changes: object) -> Instance:
    fields: dict[str, object] = {
        "prompt": f"prompt of {id}",
        "responses": (Response("one", "m", "gpt-9"), Response("two", "n", "llama-9")),
        "gold": None if gold is None else PreferenceGold(gold),
    }
    return Instance(id, **(fields | changes))  # type: ignore[arg-type]


def make_rated(id: str, **gold: float) -> Instance:
    return Instance(
        id,
        f"prompt of {id}",
        (Response("text", "r", "gpt-9"),),
        RatingsGold(gold) if gold else None,
        dimensions=(FLUENCY, POLITE, AVERAGE),
    )


def make_outcome(id: str, winner: Winner, confidence: float | None = None, **orders: Winner) -> Outcome:
    by_order = {Order(name): Preference(each) for name, each in orders.items()}
    return Outcome(id, Preference(winner, confidence), by_order)


def make_label(instance: Instance, verdict: object, annotator: str = "ann", **changes: object) -> Label:
    fields: dict[str, object] = {"created_at": "2026-11-30T09:00:00Z"}
    return Label(instance.id, content_of(instance), verdict, annotator, **(fields | changes))  # type: ignore[arg-type]


@pytest.fixture
def pair() -> Callable[..., Instance]:
    """See `make_pair`."""
    return make_pair


@pytest.fixture
def rated() -> Callable[..., Instance]:
    """See `make_rated`."""
    return make_rated


@pytest.fixture
def outcome() -> Callable[..., Outcome]:
    """See `make_outcome`."""
    return make_outcome


@pytest.fixture
def label() -> Callable[..., Label]:
    """See `make_label`."""
    return make_label
