"""Vectors are counted apart from calls; only their dollars enter the sums of all."""

import math

import pytest

from venire.metrics.calls import call_metrics, is_accounting
from venire.metrics.measurement import Collector
from venire.records import EMBEDDING_STAGE, BackendKind, Price, Usage


def account(calls, judged=2):
    out = Collector()
    call_metrics(calls, judged, out, prices={"m": Price(5_000, 50_000)})
    return out.result()


@pytest.fixture
def vectors(call):
    """Makes a request for vectors: paid, live, 4 texts of 10 tokens, for a quarter of a dollar."""

    def make(key="v", **changes):
        fields = {"stage": EMBEDDING_STAGE, "usage": Usage(40, 0), "cost_usd": 0.25, "texts": 4}
        return call(key, **(fields | changes))

    return make


def test_vectors_are_no_calls(call, vectors):
    with_vectors, without = account([call(), vectors(latency_s=9.0)]), account([call()])
    apart = {*(name for name in with_vectors.metrics if name.startswith("embeddings/")), "cost_usd/embedding"}
    assert apart == {
        *("embeddings/calls", "embeddings/texts", "embeddings/paid", "embeddings/replayed"),
        *("embeddings/tokens", "cost_usd/embedding"),
    }
    changed = {name for name in without.metrics if without.metrics[name] != with_vectors.metrics[name]}
    assert changed == {f"cost_usd/{name}" for name in ("total", "billed", "per_instance", "per_1000")}


def test_texts_tokens_and_dollars_are_summed(vectors):
    calls = [vectors(), vectors(replayed=True, texts=6, usage=Usage(60, 0), cost_usd=0.5)]
    metrics = account(calls).metrics
    assert metrics["embeddings/texts"] == 10
    assert (metrics["embeddings/paid"], metrics["embeddings/replayed"]) == (4, 6)
    assert metrics["embeddings/calls"] == 1
    assert metrics["embeddings/tokens"] == 100
    assert metrics["cost_usd/embedding"] == metrics["cost_usd/total"] == 0.75
    assert metrics["cost_usd/billed"] == 0.25
    assert metrics["calls/total"] == 0


def test_vectors_of_this_machine_bill_nothing(vectors):
    metrics = account([vectors(kind=BackendKind.LOCAL, cost_usd=0.0, usage=Usage(0, 0))]).metrics
    assert metrics["cost_usd/billed"] == metrics["cost_usd/embedding"] == 0.0
    assert metrics["embeddings/tokens"] == 0
    assert math.isnan(metrics["latency_s/p50"])


def test_only_accounting_differs_between_a_run_and_its_replay(call, vectors):
    # Paid, the 10 texts came in two requests and one from the store; replayed, in one look-up.
    paid = [call(cost_usd=0.1), vectors(texts=4), vectors(texts=6, cost_usd=0.5, usage=Usage(60, 0))]
    again = [call(cost_usd=0.1, replayed=True)]
    again.append(vectors(texts=10, cost_usd=0.75, usage=Usage(100, 0), replayed=True))
    first, second = account(paid), account(again)
    differing = {name for name in first.metrics if first.metrics[name] != second.metrics[name]}
    assert {"embeddings/calls", "embeddings/paid", "embeddings/replayed"} <= differing
    assert all(is_accounting(name) for name in differing)


def test_unknown_cost_and_tokens_make_lower_bounds(call, vectors):
    unknown = vectors(cost_usd=None, cost_complete=False, usage=Usage(), usage_complete=False)
    part = account([call(), vectors(), unknown])
    assert part.metrics["cost_usd/total"] == 1.25
    assert part.metrics["embeddings/tokens"] == 40
    for name in ("cost_usd/total", "cost_usd/billed", "cost_usd/embedding", "embeddings/tokens"):
        assert "lower bound" in part.notes[name]
    none = account([call(), unknown])
    assert math.isnan(none.metrics["cost_usd/embedding"])
    assert math.isnan(none.metrics["embeddings/tokens"])
    assert none.metrics["cost_usd/total"] == 1.0
    assert "lower bound" in none.notes["cost_usd/total"]


def test_what_may_have_been_billed_twice_is_noted(vectors):
    measured = account([vectors(uncertain=True), vectors("w")])
    assert "1 were in flight" in measured.notes["embeddings/calls"]


def test_their_numbers_are_shown_as_counts_and_are_better_when_small():
    from venire.metrics.headline import format_metric, higher_is_better

    assert format_metric("embeddings/texts", 12345.0) == "12,345"
    assert higher_is_better("embeddings/texts") is False
    assert higher_is_better("embeddings/replayed") is None
