"""Metrics of methods that rule on claims."""

from dataclasses import replace

from venire.metrics.claims import claim_metrics
from venire.metrics.measurement import Collector

NO_CLAIMS = {"claims/judged": 0, "claims/abstained": 0, "claims/unruled": 0}


def measured(outcomes):
    out = Collector()
    claim_metrics(outcomes, out)
    return dict(out.result().metrics)


def test_reevaluations_are_counted_by_kind_and_tie_breaks_apart(outcomes, call):
    asked = ["judge", "focal", "focal", "propagation", "rubric", "tie_break", "embedding"]
    first, second = outcomes("11", "11")
    first = replace(first, detail={"tie_break": None}, calls=tuple(call(stage=each) for each in asked))
    second = replace(second, detail={"tie_break": "inconsistent"}, calls=(call(stage="judge"),))
    assert measured([first, second, None]) == {
        "calls/reevaluation": 4,
        "calls/reevaluation/per_instance": 2.0,  # 4 calls over the 2 that were judged
        **NO_CLAIMS,
        "tie_break/total": 1,
        "tie_break/inconsistent": 1,
    }


def test_a_method_on_claims_without_reevaluations_has_none(outcomes, call):
    only = [
        replace(each, detail={"tie_break": None}, calls=(call(stage="judge"),)) for each in outcomes("1", "1")
    ]
    assert measured(only) == {
        "calls/reevaluation": 0,
        "calls/reevaluation/per_instance": 0.0,
        **NO_CLAIMS,
        "tie_break/total": 0,
    }


def test_other_methods_have_no_such_metrics(outcomes):
    assert measured([*outcomes("1", "1"), None]) == {}
    assert measured([]) == {}


def test_claims_without_a_verdict_are_counted_by_whether_a_judge_failed(outcomes):
    accept, failed = {"verdict": "accept"}, {"verdict": None, "reason": "unparsed"}
    no_member = {"verdict": None, "reason": None}  # per_judge: it did not make this claim
    response = {"judgments": {"a": [accept, failed, failed], "b": [accept, no_member, failed]}}
    empty = {"judgments": {}}
    (only,) = outcomes("1", "1")
    metrics = measured([replace(only, detail={"tie_break": None, "responses": [response, empty]})])
    assert (metrics["claims/judged"], metrics["claims/abstained"], metrics["claims/unruled"]) == (2, 3, 2)
