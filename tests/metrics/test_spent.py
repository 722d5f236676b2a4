"""What a run took by stage, by instance and by group; what it took once."""

import math

import pytest

from venire.metrics.calls import call_metrics
from venire.metrics.measurement import Collector
from venire.records import BackendKind, FinishReason, Price, Usage

# 100 tokens in and 10 out cost 100 x .005 + 10 x .05 = 1 dollar.
PRICES = {"m": Price(5_000, 50_000)}


def account(calls, judged=2, prices=PRICES, unfinished=()):
    out = Collector()
    call_metrics(calls, judged, out, unfinished=unfinished, prices=prices)
    return out.result()


def test_tokens_and_dollars_are_summed_by_stage_and_input_and_output_apart(call):
    calls = [
        call("a", stage="rate"),
        call("b", stage="debate", usage=Usage(300, 40)),
        call("c", stage="debate"),
    ]
    metrics = account(calls).metrics
    assert [metrics[f"tokens/debate{part}"] for part in ("", "/input", "/output")] == [450, 400, 50]
    assert [metrics[f"tokens/rate{part}"] for part in ("", "/input", "/output")] == [110, 100, 10]
    assert (metrics["cost_usd/rate"], metrics["cost_usd/debate"]) == (1.0, 2.0)


def test_input_and_output_are_priced_apart(call):
    # 400 tokens in at 5,000 dollars a million, 50 of them cached at 1,000: 350 x .005 + 50 x .001 = 1.8;
    # 20 out at .05: 1.
    prices = {"m": Price(5_000, 50_000, cached_per_mtok=1_000)}
    calls = [
        call("a", usage=Usage(300, 10, 50), cost_usd=1.8),
        call("b", usage=Usage(100, 10, 0), cost_usd=1.0),
    ]
    measured = account(calls, prices=prices)
    assert measured.metrics["cost_usd/input"] == pytest.approx(1.8)
    assert measured.metrics["cost_usd/output"] == pytest.approx(1.0)
    assert measured.metrics["cost_usd/total"] == pytest.approx(2.8)
    assert "cost_usd/input" not in measured.notes


def test_a_price_that_has_changed_since_a_call_was_paid_is_said(call):
    measured = account([call("a", cost_usd=7.0)])
    assert (measured.metrics["cost_usd/input"], measured.metrics["cost_usd/output"]) == (0.5, 0.5)
    assert "not those of when it was paid" in measured.notes["cost_usd/input"]


def test_a_price_that_nobody_knows_is_no_number_but_what_cost_nothing_cost_nothing(call):
    unknown = account([call(cost_usd=None, cost_complete=False)], prices={})
    assert math.isnan(unknown.metrics["cost_usd/input"])
    assert "unknown for all 1" in unknown.notes["cost_usd/output"]
    free = account([call(kind=BackendKind.RECORDED, cost_usd=0.0)], prices={})
    assert (free.metrics["cost_usd/input"], free.metrics["cost_usd/output"]) == (0.0, 0.0)


def test_a_call_about_no_instance_counts_once_and_in_no_number_per_instance(call):
    steps = [call("s", stage="steps", instance_id="", replayed=replayed) for replayed in (True, False, True)]
    scores = [call(f"c{i}", stage="score", instance_id=f"i{i}") for i in range(3)]
    metrics = account([*steps, *scores], judged=3).metrics
    assert (metrics["calls/total"], metrics["calls/steps"], metrics["calls/fixed"]) == (4, 1, 1)
    assert (metrics["calls/paid"], metrics["calls/replayed"]) == (4, 0)  # the paid one is kept
    assert (metrics["tokens/input"], metrics["tokens/steps"], metrics["tokens/fixed"]) == (400, 110, 110)
    assert (metrics["tokens/fixed/input"], metrics["tokens/fixed/output"]) == (100, 10)
    assert (metrics["cost_usd/total"], metrics["cost_usd/fixed"], metrics["cost_usd/billed"]) == (
        4.0,
        1.0,
        4.0,
    )
    assert (metrics["calls/per_instance"], metrics["cost_usd/per_instance"]) == (1.0, 1.0)
    assert [metrics[f"tokens/per_instance{part}"] for part in ("", "/input", "/output")] == [110, 100, 10]


def test_a_fixed_call_that_is_only_replayed_is_replayed_once(call):
    steps = [call("s", instance_id="", replayed=True)] * 3
    metrics = account(steps).metrics
    assert (metrics["calls/total"], metrics["calls/replayed"], metrics["cost_usd/billed"]) == (1, 1, 0.0)


def test_fixed_calls_that_nobody_answered_each_count(call):
    lost = call("s", instance_id="", finish=FinishReason.ERROR)
    assert account([lost, lost]).metrics["calls/failed"] == 2


def test_equal_calls_about_instances_count_as_often_as_they_were_asked(call):
    metrics = account([call("a", instance_id="i0"), call("a", instance_id="i1", replayed=True)]).metrics
    assert (metrics["calls/total"], metrics["calls/fixed"]) == (2, 0)


def test_tokens_per_group_and_instance_leave_the_aggregator_out(call):
    # Two instances; group a on both, b on the first: three pairs. 5 calls of 110 tokens: 550 / 3.
    calls = [
        *(call("1", role="a/x", instance_id="i0"), call("2", role="a/coordinator", instance_id="i0")),
        *(call("3", role="b/x", instance_id="i0"), call("4", role="a/x", instance_id="i1")),
        call("5", role="a/y", instance_id="i1"),
        *(call("6", role="aggregator", instance_id="i0"), call("7", role="aggregator", instance_id="i1")),
    ]
    metrics = account(calls).metrics
    assert metrics["tokens/per_group_instance"] == pytest.approx(550 / 3)
    assert metrics["tokens/per_group_instance/input"] == pytest.approx(500 / 3)
    assert metrics["tokens/per_group_instance/output"] == pytest.approx(50 / 3)
    assert metrics["cost_usd/per_group_instance"] == pytest.approx(5 / 3)
    assert metrics["tokens/per_instance"] == 385


def test_without_groups_there_is_nothing_per_group(call):
    metrics = account([call()]).metrics
    assert not any("per_group_instance" in name or "groups_at_once" in name for name in metrics)


def test_latency_per_instance_is_serial_or_with_the_groups_at_once(call):
    # i0: a 2 + 1, b 4, aggregator 1: 8 in a row, 4 + 1 at once. i1: a 2: 2 both ways. Means 5 and 3.5.
    calls = [
        *(call("1", role="a/x", instance_id="i0", latency_s=2.0), call("2", role="a/y", instance_id="i0")),
        *(
            call("3", role="b/x", instance_id="i0", latency_s=4.0),
            call("4", role="aggregator", instance_id="i0"),
        ),
        call("5", role="a/x", instance_id="i1", latency_s=2.0),
    ]
    metrics = account(calls).metrics
    assert metrics["latency_s/per_instance"] == 5.0
    assert metrics["latency_s/per_instance/groups_at_once"] == 3.5


def test_a_latency_that_is_no_models_is_undefined(call):
    measured = account([call(kind=BackendKind.SIMULATED, role="a/x")])
    for name in ("latency_s/per_instance", "latency_s/per_instance/groups_at_once"):
        assert math.isnan(measured.metrics[name])
        assert "no model answered" in measured.notes[name]


def test_calls_of_unfinished_instances_are_in_the_stages_but_in_nothing_per_instance(call):
    metrics = account(
        [call("a", role="a/x")], judged=1, unfinished=[call("b", role="a/x", instance_id="j")]
    ).metrics
    assert metrics["tokens/judge"] == 220
    assert (metrics["tokens/per_instance"], metrics["tokens/per_group_instance"]) == (110, 110)


def test_where_nothing_is_judged_there_is_no_number_per_instance(call):
    metrics = account([], judged=0, unfinished=[call("a")]).metrics
    assert math.isnan(metrics["tokens/per_instance"])
    assert math.isnan(metrics["latency_s/per_instance"])


def test_unknown_usage_makes_a_stage_a_lower_bound(call):
    unknown = call("b", usage=Usage(), usage_complete=False)
    measured = account([call("a"), unknown])
    assert measured.metrics["tokens/judge"] == 110
    assert "lower bound: 1 of 2" in measured.notes["tokens/judge"]
