"""One small pairwise run with every kind of prediction in it."""

import math

import pytest

from venire.records import (
    BackendKind,
    Call,
    FinishReason,
    Instance,
    Order,
    Outcome,
    Preference,
    PreferenceGold,
    Ratings,
    RatingsGold,
    Reason,
    Response,
    RunRecord,
    RunStatus,
    Unscored,
    Usage,
    Vote,
    Winner,
)


def a_call(key: str, *, cost: float | None = 0.25, replayed: bool = False) -> Call:
    return Call(
        key=key,
        stage="judge",
        role="gpt_4o",
        model_asked="openai/gpt-4o",
        model_returned="gpt-4o-2024-08-06",
        fingerprint=None,
        kind=BackendKind.SIMULATED,
        usage=Usage(10, 2),
        usage_complete=True,
        cost_usd=cost,
        cost_complete=cost is not None,
        latency_s=0.5,
        attempts=1,
        replayed=replayed,
        finish=FinishReason.STOP,
        instance_id="said by the outcome",
    )


@pytest.fixture
def instances() -> tuple[Instance, ...]:
    two = (Response("yes"), Response("no"))
    return (
        Instance(
            "a/1",
            "Is it?",
            two,
            PreferenceGold(Winner.FIRST, {Winner.FIRST: 3, Winner.TIE: 1}),
            "Natural",
            cluster="p",
        ),
        Instance("a/2", "Is it?", two, None, "Natural"),
        Instance(
            "b/1", "Rate it", (Response("x"),), RatingsGold({"fluency": 3.5}, {"ann": {"fluency": 3.0}})
        ),
        Instance("b/2", "Never judged", (Response("x"),)),
    )


@pytest.fixture
def outcomes() -> tuple[Outcome, ...]:
    as_given, swapped = Preference(Winner.FIRST, 0.9), Preference(Winner.TIE)
    return (
        Outcome(
            "a/1",
            Preference(Winner.FIRST, 0.75),
            {Order.AS_GIVEN: as_given, Order.SWAPPED: swapped},
            votes=(Vote("gpt_4o", Order.AS_GIVEN, as_given, "because", '{"winner": "A"}'),),
            calls=(a_call("k1"), a_call("k2", cost=None)),
            detail={"tie_break": None, "score": math.nan},
        ),
        Outcome("a/2", Unscored(Reason.UNPARSED, "no JSON"), {Order.AS_GIVEN: Unscored(Reason.REFUSED)}),
        Outcome("b/1", Ratings({"fluency": 4.0}), calls=(a_call("k3", cost=None),)),
    )


@pytest.fixture
def record() -> RunRecord:
    return RunRecord(
        run_id="20261130-084257-123-gpt_4o-00000000",
        name="gpt_4o",
        status=RunStatus.FINISHED,
        kind=BackendKind.SIMULATED,
        started_at=1000.0,
        ended_at=1060.5,
        metrics={"n": 4.0, "accuracy": 0.5, "kappa": math.nan, "cost_usd/total": 0.25},
        notes={"kappa": "one label only"},
        params={"method": "pairwise", "judge.model": "openai/gpt-4o"},
        tags={"job_hash": "j1", "data_fingerprint": "f" * 64},
        sweep_id="sample-abc",
        overrides=("seed=1",),
    )
