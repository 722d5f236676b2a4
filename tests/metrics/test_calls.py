import math
from dataclasses import replace

import pytest

from venire.metrics.calls import ACCOUNTING, call_metrics, is_accounting, lost_replies
from venire.metrics.measurement import Collector
from venire.records import BackendKind, FinishReason, Price, Usage

# 100 tokens in and 10 out cost 100 x .005 + 10 x .05 = 1 dollar.
PRICES = {"m": Price(5_000, 50_000)}


def account(calls, judged=2, unfinished=(), prices=PRICES):
    out = Collector()
    call_metrics(calls, judged, out, unfinished=unfinished, prices=prices)
    return out.result()


def test_calls_are_counted_by_stage_and_by_who_answered(call):
    calls = [call("a"), call("b", replayed=True), call("c", stage="focal", attempts=3, uncertain=True)]
    metrics = account(calls).metrics
    assert metrics["calls/total"] == 3
    assert (metrics["calls/paid"], metrics["calls/replayed"]) == (2, 1)
    assert (metrics["calls/judge"], metrics["calls/focal"]) == (2, 1)
    assert metrics["calls/attempts"] == 5
    assert metrics["calls/uncertain"] == 1
    assert metrics["calls/per_instance"] == 1.5


def test_questions_without_a_usable_reply_are_counted_and_told_by_stage_and_judge(call):
    asked_again = call("a", stage="focal", role="gpt_4o", unusable="unparsed")
    lost = call("b", stage="focal", role="gpt_4o", unusable="unparsed", lost=True)
    other = call(
        "c", stage="judge", role="local", unusable="truncated", lost=True, finish=FinishReason.LENGTH
    )
    calls = [asked_again, lost, other, replace(other, key="d"), call("e", stage="rubric")]
    metrics = account(calls).metrics
    assert (metrics["calls/unusable"], metrics["calls/lost"]) == (4, 3)
    by_stage = {stage: metrics[f"calls/{stage}/lost"] for stage in ("focal", "judge", "rubric")}
    assert by_stage == {"focal": 1, "judge": 2, "rubric": 0}
    assert lost_replies(calls) == (
        "stage focal: 1 question has no usable reply, re-asks included: gpt_4o 1 (unparsed); "
        "see calls/focal/lost",
        "stage judge: 2 questions have no usable reply, re-asks included: local 2 (truncated); "
        "see calls/judge/lost",
    )
    assert lost_replies([asked_again]) == ()


def test_replayed_calls_count_tokens_and_cost_but_bill_nothing(call):
    metrics = account([call("a"), call("b", replayed=True)]).metrics
    assert metrics["tokens/input"] == 200
    assert metrics["tokens/output"] == 20
    assert metrics["cost_usd/total"] == 2.0
    assert metrics["cost_usd/billed"] == 1.0
    assert metrics["cost_usd/per_instance"] == 1.0
    assert metrics["cost_usd/per_1000"] == 1000.0


@pytest.mark.parametrize("kind", [BackendKind.RECORDED, BackendKind.SIMULATED, BackendKind.LOCAL])
def test_only_live_calls_are_billed(call, kind):
    metrics = account([call(kind=kind)]).metrics
    assert metrics["calls/paid"] == 1
    assert metrics["cost_usd/total"] == 1.0
    assert metrics["cost_usd/billed"] == 0.0


def test_only_accounting_differs_between_a_run_and_its_replay(call):
    first = [call("a", cost_usd=0.1), call("b", cost_usd=0.2, latency_s=3.0), call("b", replayed=True)]
    again = [call("a", cost_usd=0.1, replayed=True), call("b", cost_usd=0.2, latency_s=3.0, replayed=True)]
    again.append(call("b", replayed=True))
    paid, replayed = account(first), account(again)
    differing = {name for name in paid.metrics if paid.metrics[name] != replayed.metrics[name]}
    assert differing == {
        *("calls/paid", "calls/replayed", "cost_usd/billed"),
        *("calls/judge/paid", "calls/judge/replayed"),
    }
    assert all(is_accounting(name) for name in differing)
    assert not any(is_accounting(name) for name in paid.metrics.keys() - differing - set(ACCOUNTING))


def test_calls_that_share_a_key_are_distinct_once(call):
    metrics = account([call("a"), call("a", replayed=True)]).metrics
    assert (metrics["calls/total"], metrics["calls/distinct"]) == (2, 1)


def test_unknown_usage_makes_tokens_a_lower_bound(call):
    unknown = call("b", usage=Usage(), usage_complete=False)
    measured = account([call("a"), unknown])
    assert measured.metrics["tokens/input"] == 100
    assert "lower bound: 1 of 2" in measured.notes["tokens/input"]
    assert measured.metrics["tokens/unknown_calls"] == 1


def test_usage_known_in_part_is_a_lower_bound_too(call):
    measured = account([call("a", usage_complete=False, attempts=2)])
    assert measured.metrics["tokens/output"] == 10
    assert "lower bound" in measured.notes["tokens/output"]


def test_usage_unknown_everywhere_is_no_number(call):
    measured = account([call(usage=Usage(100, 10, None, None))])
    assert measured.metrics["tokens/input"] == 100
    assert math.isnan(measured.metrics["tokens/cached"])
    assert "unknown for all 1" in measured.notes["tokens/cached"]


def test_an_unpriced_call_makes_cost_a_lower_bound(call):
    measured = account([call("a"), call("b", cost_usd=None, cost_complete=False)])
    assert measured.metrics["cost_usd/total"] == 1.0
    assert measured.metrics["cost_usd/unpriced_calls"] == 1
    for name in ("total", "billed", "per_instance", "per_1000"):
        assert "lower bound: 1 of 2" in measured.notes[f"cost_usd/{name}"]


def test_cost_that_nobody_knows_is_no_number(call):
    measured = account([call(cost_usd=None, cost_complete=False)])
    assert math.isnan(measured.metrics["cost_usd/total"])
    assert math.isnan(measured.metrics["cost_usd/billed"])
    assert "unknown" in measured.notes["cost_usd/total"]


def test_a_reply_that_did_not_end_by_itself_is_unusable(call):
    calls = [call(finish=finish) for finish in FinishReason]
    assert account(calls).metrics["calls/unusable"] == 3  # length, refused, error


def test_latency_percentiles_are_of_the_calls_as_they_were_paid(call):
    # 1, 2, 3, 4, 5 s: the median is 3; p95 lies .8 of the way from the fourth to the fifth, 4.8.
    metrics = account([call(str(s), latency_s=float(s), replayed=s > 2) for s in range(1, 6)]).metrics
    assert metrics["latency_s/p50"] == 3.0
    assert metrics["latency_s/p95"] == pytest.approx(4.8)


@pytest.mark.parametrize("kind", [BackendKind.RECORDED, BackendKind.SIMULATED])
def test_a_latency_that_is_no_models_is_undefined(call, kind):
    measured = account([call(kind=kind, latency_s=1e-5)])
    assert math.isnan(measured.metrics["latency_s/p50"])
    assert "no model answered" in measured.notes["latency_s/p50"]


def test_calls_are_counted_by_stage_paid_and_replayed(call):
    calls = [call("a", stage="focal"), call("b", stage="focal", replayed=True), call("c", stage="judge")]
    metrics = account(calls).metrics
    assert [metrics[f"calls/focal{part}"] for part in ("", "/paid", "/replayed")] == [2, 1, 1]
    assert [metrics[f"calls/judge{part}"] for part in ("", "/paid", "/replayed")] == [1, 1, 0]


def test_a_run_without_calls_cost_nothing():
    metrics = account([]).metrics
    assert metrics["calls/total"] == metrics["cost_usd/total"] == metrics["tokens/input"] == 0
    assert math.isnan(metrics["latency_s/p50"])


def test_a_call_that_nobody_answered_is_neither_paid_nor_replayed(call):
    lost = call("c", finish=FinishReason.ERROR, usage=Usage(0, 0), cost_usd=0.0)
    shared = call("c", finish=FinishReason.ERROR, usage=Usage(0, 0), cost_usd=0.0, replayed=True)
    metrics = account([call("a"), call("b", replayed=True), lost, shared]).metrics
    assert [metrics[f"calls/{name}"] for name in ("total", "paid", "replayed", "failed")] == [4, 1, 1, 2]
    assert [metrics[f"calls/judge{part}"] for part in ("", "/paid", "/replayed")] == [4, 1, 1]
    assert metrics["cost_usd/unpriced_calls"] == 0
    assert is_accounting("calls/failed")


def test_an_unanswered_call_that_may_have_been_billed_makes_costs_lower_bounds(call):
    late = call("b", finish=FinishReason.ERROR, usage=Usage(), usage_complete=False)
    late = replace(late, cost_usd=None, cost_complete=False)
    measured = account([call("a"), late])
    assert (measured.metrics["calls/failed"], measured.metrics["cost_usd/billed"]) == (1, 1.0)
    assert "lower bound: 1 of 2" in measured.notes["cost_usd/billed"]


def test_calls_of_unfinished_instances_count_in_every_sum_but_not_per_instance(call):
    unfinished = [call("c", stage="focal"), call("d", replayed=True), call("e", finish=FinishReason.ERROR)]
    metrics = account([call("a"), call("b")], judged=2, unfinished=unfinished).metrics
    assert [metrics[f"calls/{name}"] for name in ("total", "paid", "replayed", "failed")] == [5, 3, 1, 1]
    assert metrics["calls/unfinished"] == 3
    assert metrics["calls/focal"] == 1
    assert metrics["tokens/input"] == 500
    assert metrics["cost_usd/total"] == 5.0
    assert metrics["cost_usd/billed"] == 4.0
    # Two calls and two dollars of the two that are judged.
    assert (metrics["calls/per_instance"], metrics["cost_usd/per_instance"]) == (1.0, 1.0)
    assert is_accounting("calls/unfinished")


def test_where_nothing_is_finished_there_is_no_number_per_instance(call):
    metrics = account([], judged=0, unfinished=[call("a")]).metrics
    assert (metrics["calls/total"], metrics["cost_usd/billed"]) == (1, 1.0)
    assert math.isnan(metrics["calls/per_instance"])
    assert math.isnan(metrics["cost_usd/per_1000"])
