"""The whole path under a failing provider: method, judge, store, retries, limits, client, socket.

The stub's judge always prefers the response that contains `GOOD`, in whatever order it is shown: any
other winner would be a label that nobody gave.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.stub.faults import Fault, FaultPlan
from tests.stub.replies import Body
from tests.stub.server import Stats, Stub, serving

from venire.judging.judge import PromptedJudge
from venire.llm.direct import DirectBackend
from venire.llm.ledger import reconcile
from venire.llm.litellm_client import LiteLLMBackend
from venire.llm.open import open_llm
from venire.llm.protocol import Backend
from venire.llm.route import Client, Limits, Route
from venire.llm.settings import LLMSettings
from venire.llm.store import open_engine
from venire.methods.pairwise import Pairwise
from venire.records import (
    FinishReason,
    Instance,
    Order,
    Outcome,
    Preference,
    Price,
    Reason,
    Response,
    Unscored,
    Winner,
)

CONCURRENCY, RETRIES, REASKS = 6, 3, 2
PRICE = Price(1.0, 2.0)


def prefers_good(body: Body) -> dict[str, object]:
    """`A` where the response shown first holds the good word."""
    messages = body["messages"]
    assert isinstance(messages, list)
    text = next(message["content"] for message in messages if message["role"] == "user")
    winner = "A" if text.index("GOOD") < text.index("POOR") else "B"
    return {"reasoning": "One of them is good.", "winner": winner, "confidence": 0.75}


def pairs(count: int) -> list[Instance]:
    """The good response is the first of even instances, the second of odd ones."""
    made = []
    for number in range(count):
        texts = ["GOOD answer", "POOR answer"] if number % 2 == 0 else ["POOR answer", "GOOD answer"]
        responses = tuple(Response(f"{text} {number}") for text in texts)
        made.append(Instance(f"pair/{number}", f"Question {number}?", responses))
    return made


def right(instance: Instance) -> Winner:
    return Winner.FIRST if "GOOD" in instance.responses[0].text else Winner.SECOND


def judge_at(url: str, client: Client, timeout_s: float) -> PromptedJudge:
    limits = Limits(
        concurrency=CONCURRENCY, timeout_s=timeout_s, retries=RETRIES, backoff_s=0.01, backoff_max_s=0.04
    )
    model = "openai/stub" if client is Client.LITELLM else "stub"
    return PromptedJudge(
        "stub", model, "stub", client, api_base=url, max_reasks=REASKS, price=PRICE, limits=limits
    )


def backend(client: Client, routes: Sequence[Route]) -> Backend:
    return LiteLLMBackend(routes, {}) if client is Client.LITELLM else DirectBackend(routes, {})


async def judged(
    stub: Stub, instances: Sequence[Instance], store: Path, client: Client, timeout_s: float
) -> list[Outcome]:
    """One run over `store`, every instance at once."""
    judge = judge_at(stub.url, client, timeout_s)
    method = Pairwise(judged_by=judge)
    async with open_llm(
        [judge.route],
        lambda route: backend(client, [route]),
        LLMSettings(),
        store_url=f"sqlite:///{store}",
        run_id="run",
        rng=np.random.default_rng(0),
    ) as llm:
        return list(await asyncio.gather(*(method.judge(one, None, llm) for one in instances)))


def run(
    plan: FaultPlan,
    store: Path,
    *,
    count: int = 40,
    client: Client = Client.DIRECT,
    timeout_s: float = 5.0,
) -> tuple[list[Instance], list[Outcome], Stats]:
    instances = pairs(count)
    stub = Stub(plan, rule=prefers_good, retry_after_s=0.02, jitter_s=0.004)

    async def scenario() -> list[Outcome]:
        async with serving(stub):
            return await judged(stub, instances, store, client, timeout_s)

    return instances, asyncio.run(scenario()), stub.stats


def ledger_attempts(store: Path) -> int:
    engine = open_engine(f"sqlite:///{store}")
    try:
        return sum(line.attempts for line in reconcile(engine))
    finally:
        engine.dispose()


def assert_sound(
    instances: Sequence[Instance], outcomes: Sequence[Outcome], stats: Stats, store: Path
) -> None:
    """No wrong label, no lost instance, bounded attempts and in-flight, a whole ledger."""
    assert [outcome.instance_id for outcome in outcomes] == [instance.id for instance in instances]
    for instance, outcome in zip(instances, outcomes, strict=True):
        for vote in outcome.votes:
            match vote.prediction:
                case Preference(winner=winner):
                    assert winner is right(instance)
                case Unscored(reason=reason):
                    assert reason in (
                        Reason.UNPARSED,
                        Reason.TRUNCATED,
                        Reason.REFUSED,
                        Reason.PROVIDER_ERROR,
                    )
        assert {vote.order for vote in outcome.votes} == {Order.AS_GIVEN, Order.SWAPPED}
    calls = [call for outcome in outcomes for call in outcome.calls]
    assert max(call.attempts for call in calls) <= 1 + RETRIES
    assert len(calls) <= len(instances) * 2 * (1 + REASKS)
    assert stats.max_in_flight <= CONCURRENCY
    # A re-ask that equals the one before (same unusable reply, same complaint) is replayed, not paid.
    paid = [call for call in calls if not call.replayed]
    assert sum(call.attempts for call in paid) == stats.requests == ledger_attempts(store)


EVERY_PASSING = (
    Fault.RATE_LIMIT,
    Fault.RATE_LIMIT_WAIT,
    Fault.SERVER_ERROR,
    Fault.UNAVAILABLE,
    Fault.RESET,
    Fault.MALFORMED_BODY,
    Fault.EMPTY_BODY,
    Fault.NO_CHOICES,
    Fault.ERROR_IN_200,
)
OF_THE_REPLY = (
    Fault.REFUSAL,
    Fault.FILTERED_PROMPT,
    Fault.TRUNCATED,
    Fault.FENCED,
    Fault.PREFIXED,
    Fault.NESTED_BRACES,
    Fault.TRAILING_COMMA,
    Fault.BROKEN_JSON,
    Fault.WRONG_LABEL,
    Fault.EMPTY_TEXT,
    Fault.NULL_TEXT,
    Fault.MISSING_USAGE,
    Fault.CONTEXT_LENGTH,
)


@pytest.mark.parametrize("client", [Client.DIRECT, pytest.param(Client.LITELLM, marks=pytest.mark.slow)])
def test_under_every_fault_at_once_nothing_is_mislabelled_lost_or_unbilled(
    client: Client, tmp_path: Path
) -> None:
    chances = dict.fromkeys((*EVERY_PASSING, *OF_THE_REPLY), 0.03)
    store = tmp_path / "calls.db"
    instances, outcomes, stats = run(FaultPlan(probability=chances, seed=7), store, client=client)
    assert_sound(instances, outcomes, stats, store)
    assert set(stats.by_fault) >= {Fault.OK.value, Fault.RESET.value, Fault.WRONG_LABEL.value}
    scored = [vote for o in outcomes for vote in o.votes if isinstance(vote.prediction, Preference)]
    assert len(scored) > 60  # of 80; refusals and too long prompts are final: 3 of 22 faults of .03 each


def test_hanging_requests_are_given_up_tried_again_and_never_exceed_the_limit(tmp_path: Path) -> None:
    store = tmp_path / "calls.db"
    plan = FaultPlan(probability={Fault.HANG: 0.2}, seed=3)
    instances, outcomes, stats = run(plan, store, count=12, timeout_s=0.3)
    assert_sound(instances, outcomes, stats, store)
    assert stats.by_fault["hang"] > 0


@pytest.mark.parametrize("fault", EVERY_PASSING)
def test_one_passing_fault_costs_an_attempt_and_nothing_else(fault: Fault, tmp_path: Path) -> None:
    store = tmp_path / "calls.db"
    instances, outcomes, stats = run(FaultPlan((fault,)), store, count=3)
    assert_sound(instances, outcomes, stats, store)
    assert [o.prediction for o in outcomes] == [Preference(right(i), 0.75) for i in instances]
    assert stats.requests == 3 * 2 * 2


@pytest.mark.parametrize("fault", [Fault.BROKEN_JSON, Fault.WRONG_LABEL, Fault.EMPTY_TEXT, Fault.NULL_TEXT])
def test_a_reply_without_a_verdict_is_asked_again_and_the_calls_are_counted(
    fault: Fault, tmp_path: Path
) -> None:
    store = tmp_path / "calls.db"
    instances, outcomes, stats = run(FaultPlan((fault,) * 9), store, count=2)
    assert_sound(instances, outcomes, stats, store)
    for outcome in outcomes:
        assert [v.prediction.reason for v in outcome.votes if isinstance(v.prediction, Unscored)] == [
            Reason.UNPARSED
        ] * 2
        assert len(outcome.calls) == 2 * (1 + REASKS)


@pytest.mark.parametrize(
    ("fault", "reason", "calls"),
    [
        (Fault.REFUSAL, Reason.REFUSED, 1),
        (Fault.FILTERED_REPLY, Reason.REFUSED, 1),
        (Fault.FILTERED_PROMPT, Reason.REFUSED, 1),
        (Fault.TRUNCATED, Reason.TRUNCATED, 1 + REASKS),
        (Fault.CONTEXT_LENGTH, Reason.PROVIDER_ERROR, 1),
        (Fault.SERVER_ERROR, Reason.PROVIDER_ERROR, 1),
    ],
)
def test_what_never_ends_well_is_unscored_for_its_own_reason(
    fault: Fault, reason: Reason, calls: int, tmp_path: Path
) -> None:
    store = tmp_path / "calls.db"
    instances, outcomes, stats = run(FaultPlan((fault,) * 99), store, count=1)
    assert_sound(instances, outcomes, stats, store)
    (outcome,) = outcomes
    assert [v.prediction.reason for v in outcome.votes if isinstance(v.prediction, Unscored)] == [reason] * 2
    assert len(outcome.calls) == 2 * calls


def test_a_verdict_is_found_in_every_form_at_the_first_try(tmp_path: Path) -> None:
    for fault in (Fault.FENCED, Fault.PREFIXED, Fault.NESTED_BRACES, Fault.TRAILING_COMMA):
        store = tmp_path / f"{fault.value}.db"
        instances, outcomes, stats = run(FaultPlan((fault,)), store, count=2)
        assert_sound(instances, outcomes, stats, store)
        assert [o.prediction for o in outcomes] == [Preference(right(i), 0.75) for i in instances]
        assert stats.requests == 4


def test_missing_usage_makes_tokens_and_cost_lower_bounds_that_say_so(tmp_path: Path) -> None:
    store = tmp_path / "calls.db"
    _, (outcome,), _ = run(FaultPlan((Fault.MISSING_USAGE,)), store, count=1)
    assert [(c.usage_complete, c.cost_complete, c.cost_usd) for c in outcome.calls] == [
        (False, False, None)
    ] * 2


def test_a_rate_limited_attempt_is_in_the_ledger_at_no_cost(tmp_path: Path) -> None:
    store = tmp_path / "calls.db"
    _, (outcome,), _ = run(FaultPlan((Fault.RATE_LIMIT,)), store, count=1)
    for call in outcome.calls:
        usage = call.usage
        assert usage.input_tokens is not None
        assert usage.output_tokens is not None
        assert (call.attempts, call.usage_complete) == (2, True)
        # Cached tokens at full price: the price names no other.
        assert call.cost_usd == pytest.approx((usage.input_tokens + 2 * usage.output_tokens) / 1e6)


def test_a_second_run_pays_only_for_what_got_no_reply(tmp_path: Path) -> None:
    store, instances = tmp_path / "calls.db", pairs(8)
    hopeless = FaultPlan((Fault.SERVER_ERROR,) * (1 + RETRIES), matching="Question 3?")
    stub = Stub(hopeless, rule=prefers_good)

    async def scenario() -> tuple[list[Outcome], list[Outcome], int]:
        async with serving(stub):
            first = await judged(stub, instances, store, Client.DIRECT, 5.0)
            paid = stub.stats.requests
            return first, await judged(stub, instances, store, Client.DIRECT, 5.0), stub.stats.requests - paid

    first, second, extra = asyncio.run(scenario())
    failed = [o.instance_id for o in first if isinstance(o.prediction, Unscored)]
    assert failed == ["pair/3"]
    assert {call.finish for call in first[3].calls} == {FinishReason.ERROR}
    assert extra == 2  # both orders of the one that failed
    assert [o.prediction for o in second] == [Preference(right(i), 0.75) for i in instances]
    assert [call.replayed for o in second for call in o.calls] == [
        o.instance_id != "pair/3" for o in second for _ in o.calls
    ]
