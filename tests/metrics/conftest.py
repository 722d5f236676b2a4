"""Small instances, outcomes and calls for the tests of metrics."""

from collections.abc import Callable

import pytest

from venire.records import (
    BackendKind,
    Call,
    FinishReason,
    Instance,
    Order,
    Outcome,
    Prediction,
    Preference,
    PreferenceGold,
    Reason,
    Response,
    Unscored,
    Usage,
    Vote,
    Winner,
)

PREDICTIONS: dict[str, Prediction] = {
    "1": Preference(Winner.FIRST, 0.9),
    "2": Preference(Winner.SECOND, 0.9),
    "t": Preference(Winner.TIE, 0.5),
    "-": Unscored(Reason.UNPARSED),
    "r": Unscored(Reason.REFUSED),
}
PAIR = (Response("one"), Response("two"))


def make_instances(gold: str, subsets: str = "", clusters: str = "") -> list[Instance]:
    """An instance for each character of `gold` (1, 2, t); subset and cluster by character too."""
    return [
        Instance(
            id=f"i{index:03d}",
            prompt="which?",
            responses=PAIR,
            gold=PreferenceGold(PREDICTIONS[label].winner),
            subset=subsets[index] if subsets else "",
            cluster=clusters[index] if clusters else "",
        )
        for index, label in enumerate(gold)
    ]


def make_outcomes(as_given: str, swapped: str, final: str = "") -> list[Outcome]:
    """An outcome for each character of the two orders, mapped back; `.` leaves an order out."""
    outcomes = []
    for index, (first, second) in enumerate(zip(as_given, swapped, strict=True)):
        shown = {Order.AS_GIVEN: first, Order.SWAPPED: second}
        by_order = {order: PREDICTIONS[code] for order, code in shown.items() if code != "."}
        last = PREDICTIONS[final[index]] if final else next(iter(by_order.values()))
        outcomes.append(Outcome(f"i{index:03d}", last, by_order))
    return outcomes


def make_votes(index: int, ballots: dict[str, str]) -> Outcome:
    """An outcome whose votes are `ballots[judge]`, one character for each order."""
    votes = tuple(
        Vote(judge, order, PREDICTIONS[code])
        for judge, codes in ballots.items()
        for order, code in zip(Order, codes, strict=False)
    )
    by_order = {
        vote.order: vote.prediction for vote in votes[: len(next(iter(ballots.values())))] if vote.order
    }
    return Outcome(f"i{index:03d}", votes[0].prediction, by_order, votes)


@pytest.fixture
def call() -> Callable[..., Call]:
    """Makes a call: paid, live, 100 tokens in, 10 out, for a dollar, in a second, unless said otherwise."""

    def make(key: str = "k", **changes: object) -> Call:
        fields: dict[str, object] = {
            "key": key,
            "stage": "judge",
            "role": "gpt",
            "model_asked": "m",
            "model_returned": "m-1",
            "fingerprint": None,
            "kind": BackendKind.LIVE,
            "usage": Usage(100, 10, 0, 0),
            "usage_complete": True,
            "cost_usd": 1.0,
            "cost_complete": True,
            "latency_s": 1.0,
            "attempts": 1,
            "replayed": False,
            "finish": FinishReason.STOP,
            "instance_id": "i",
        }
        return Call(**(fields | changes))

    return make


@pytest.fixture
def instances() -> Callable[..., list[Instance]]:
    """See `make_instances`."""
    return make_instances


@pytest.fixture
def outcomes() -> Callable[..., list[Outcome]]:
    """See `make_outcomes`."""
    return make_outcomes


@pytest.fixture
def ballots() -> Callable[..., Outcome]:
    """See `make_votes`."""
    return make_votes
