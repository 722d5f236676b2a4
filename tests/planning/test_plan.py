"""Plans against stores in any state: what is counted, what is not, and that nothing is done."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from tests.llm.fakes import FakeBackend, opened, reply
from tests.llm.vectors import FakeVectors
from tests.llm.vectors import opened as opened_vectors

from venire.data.fingerprint import fingerprint
from venire.data.protocol import Loaded
from venire.errors import ConfigError, VenireError
from venire.experiment import Experiment, Replicate
from venire.identity import Identity
from venire.judging.judge import Judge, PromptedJudge
from venire.judging.panel import Panel
from venire.launch import Door, execute, prepare
from venire.llm.budget import Budget
from venire.llm.embedding import OFFLINE, EmbeddingModel
from venire.llm.ledger import open_intents, reconcile, store_statistics
from venire.llm.local import LocalSettings
from venire.llm.protocol import LLM
from venire.llm.route import Client
from venire.llm.settings import LLMSettings, Mode
from venire.llm.simulated import SimulatedBackend, Simulation, simulation_endpoint
from venire.llm.store import open_engine
from venire.methods.comparing import Independent
from venire.methods.majority import Majority
from venire.methods.pairwise import Pairwise
from venire.methods.protocol import Method, Sitting
from venire.planning import Plan, amounts, by_stage, plan_of, union
from venire.records import (
    BackendKind,
    Instance,
    Message,
    Order,
    Outcome,
    Preference,
    PreferenceGold,
    Price,
    Request,
    Response,
    Subject,
    Usage,
    Winner,
)
from venire.schedule import Schedule
from venire.tracking.settings import TrackingSettings

PAIRS = tuple(
    Instance(f"set/{i}", f"Which is {i}?", (Response(f"It is {i}."), Response("No idea.")),
             PreferenceGold(Winner.FIRST))
    for i in range(4)
)  # fmt: skip
PRICE = Price(1.0, 2.0)
LIVE = PromptedJudge("j", "openai/gpt-4o", "openai", client=Client.LITELLM, price=PRICE, max_tokens=100)
OTHER = replace(LIVE, name="k", model="anthropic/claude", family="anthropic")
SIMULATION = Simulation()


def simulated(judge: PromptedJudge, max_tokens: int = 1024) -> PromptedJudge:
    endpoint = simulation_endpoint(SIMULATION, family=judge.family, data_fingerprint=fingerprint(PAIRS))
    return replace(judge, client=Client.SIMULATED, endpoint_tag=endpoint, max_tokens=max_tokens)


def experiment(method: Method, **changes: object) -> Experiment:
    made = Experiment(
        identity=Identity("a plan", {"seed": "0"}, (), "seed: 0\n", "c" * 64, "a" * 64),
        loaded=Loaded(PAIRS, fingerprint(PAIRS), "here", labels=(Winner.FIRST, Winner.SECOND)),
        method=method,
        seed=0,
        llm=LLMSettings(),
        budget=Budget(),
        simulation=SIMULATION,
        local=LocalSettings(),
        tracking=TrackingSettings(enabled=False),
        concurrency=2,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def url(home: Path) -> str:
    return LLMSettings().url(home)


def planned(home: Path, method: Method, *, simulate: bool = False, **changes: object) -> Plan:
    return plan_of(experiment(method, **changes), {}, store_url=url(home), simulate=simulate)


def fill(home: Path, requests: Sequence[Request], answer: str = "yes", **fields: object) -> None:
    """Put replies to `requests` into the store."""
    route = replace(LIVE.route, **fields)  # type: ignore[arg-type]

    async def scenario() -> None:
        backend = FakeBackend([reply(answer, usage=Usage(100, 40))] * len(requests))
        async with opened(url(home), backend, routes=[route]) as llm:
            for request in requests:
                await llm.complete(request)

    asyncio.run(scenario())


def question(instance: Instance, stage: str, memory: str = "") -> Request:
    subject = Subject(instance.id, Order.AS_GIVEN)
    words = (Message("user", f"{stage} {instance.prompt} {memory}"),)
    return Request(LIVE.model, words, max_tokens=100, stage=stage, role="j", subject=subject)


@dataclass(frozen=True)
class Staged(Independent):
    """Asks two questions at once, and a third one once both are answered. `ordered`: with a memory."""

    ordered: bool = False
    name: str = "staged"
    judges: tuple[Judge, ...] = (LIVE,)
    prompts: tuple[str, ...] = ()

    @property
    def order_dependent(self) -> bool:
        return self.ordered

    def check(self, instances: Sequence[Instance]) -> None: ...

    def initial_memory(self) -> object:
        return ""

    def fold(self, memory: object, outcome: Outcome) -> object:
        return f"{memory}{outcome.instance_id}" if self.ordered else ""

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        asked = [llm.complete(question(instance, stage, str(memory))) for stage in ("one", "two")]
        await asyncio.gather(*asked)
        await llm.complete(question(instance, "three", str(memory)))
        return Outcome(instance.id, Preference(Winner.FIRST))


def new_by_stage(plan: Plan) -> Mapping[str, int]:
    return {stage: each.new for (stage, _), each in by_stage(plan.calls.values()).items()}


# 4 pairs, 2 orders, 2 judges: 16 calls. With room for 100 tokens some replies are cut, and asked again.
@pytest.mark.parametrize(("max_tokens", "reasks"), [(1024, False), (100, True)])
def test_a_plan_of_computed_replies_is_what_the_run_then_pays(
    tmp_path: Path, max_tokens: int, reasks: bool
) -> None:
    panel = Panel((simulated(LIVE, max_tokens), simulated(OTHER, max_tokens)), "j")
    made = experiment(Majority(panel=panel))
    before = plan_of(made, {}, store_url=url(tmp_path))
    assert (before.new > 16) is reasks
    assert (before.is_lower_bound, before.kind) == (False, BackendKind.SIMULATED)
    metrics = execute(prepare(made, {}), Door(tmp_path, {})).record.metrics
    assert metrics["calls/paid"] == before.new
    whole = amounts(before.calls.values())
    assert (whole.input_tokens, whole.output_tokens) == (metrics["tokens/input"], metrics["tokens/output"])
    assert whole.usd == pytest.approx(metrics["cost_usd/total"])
    after = plan_of(made, {}, store_url=url(tmp_path))
    assert (after.new, amounts(after.calls.values()).stored) == (0, before.new)


def test_a_plan_makes_no_store_and_needs_no_key(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert planned(home, Pairwise(judged_by=LIVE)).new == 8
    assert not home.exists()


def test_a_plan_of_a_store_whose_address_is_none_is_refused() -> None:
    with pytest.raises(ConfigError, match="expected a number as the port"):
        plan_of(experiment(Pairwise(judged_by=LIVE)), {}, store_url="postgresql+psycopg://host:port/db")


def test_a_plan_changes_nothing_in_the_store(tmp_path: Path) -> None:
    fill(tmp_path, [question(PAIRS[0], "one")])
    engine = open_engine(url(tmp_path))
    before = store_statistics(engine), reconcile(engine)
    planned(tmp_path, Staged())
    planned(tmp_path, Staged(), simulate=True)
    assert (store_statistics(engine), reconcile(engine)) == before
    assert open_intents(engine) == []


def test_calls_that_hang_on_unknown_replies_are_not_counted(tmp_path: Path) -> None:
    plan = planned(tmp_path, Staged())
    assert new_by_stage(plan) == {"one": 4, "two": 4}
    assert (plan.stuck, plan.skipped, plan.is_lower_bound) == (4, 0, True)


def test_one_unknown_reply_holds_up_what_needs_it_and_nothing_else(tmp_path: Path) -> None:
    fill(tmp_path, [question(pair, "one") for pair in PAIRS])
    fill(tmp_path, [question(PAIRS[2], "two")])
    plan = planned(tmp_path, Staged())
    assert new_by_stage(plan) == {"one": 0, "two": 3, "three": 1}
    assert plan.stuck == 4  # the one with two answers waits for its third


def test_everything_stored_is_no_lower_bound(tmp_path: Path) -> None:
    fill(tmp_path, [question(pair, stage) for pair in PAIRS for stage in ("one", "two", "three")])
    plan = planned(tmp_path, Staged())
    assert (plan.new, plan.is_lower_bound, len(plan.calls)) == (0, False, 12)


def test_what_comes_after_an_unknown_memory_is_not_looked_at(tmp_path: Path) -> None:
    plan = planned(tmp_path, Staged(ordered=True))
    assert new_by_stage(plan) == {"one": 1, "two": 1}
    assert (plan.stuck, plan.skipped) == (1, 3)
    block = planned(tmp_path, Staged(ordered=True), schedule=Schedule(block=3))
    assert (new_by_stage(block), block.stuck, block.skipped) == ({"one": 3, "two": 3}, 3, 1)


def test_simulated_replies_take_the_place_of_unknown_ones(tmp_path: Path) -> None:
    # Asked in the prompt's words only, about an order: the simulation takes it for a comparison.
    plan = planned(tmp_path, Staged(ordered=True), simulate=True)
    assert new_by_stage(plan) == {"one": 4, "two": 4, "three": 4}
    assert (plan.is_lower_bound, plan.simulated) == (False, True)


def test_a_question_that_nobody_can_simulate_stays_unknown(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Odd(Staged):
        async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
            await llm.complete(replace(question(instance, "odd"), subject=None))
            raise AssertionError("no reply is known")

    plan = planned(tmp_path, Odd(), simulate=True)
    assert (plan.new, plan.stuck) == (4, 4)
    assert amounts(plan.calls.values()).output_tokens is None


def test_equal_requests_count_once(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Same(Staged):
        async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
            await asyncio.gather(*(llm.complete(question(PAIRS[0], "one")) for _ in range(3)))
            raise AssertionError("no reply is known")

    assert planned(tmp_path, Same()).new == 1


def test_jobs_pay_once_for_what_they_share(tmp_path: Path) -> None:
    single = planned(tmp_path, Pairwise(judged_by=LIVE))
    panel = planned(tmp_path, Majority(panel=Panel((LIVE, OTHER), "j")))
    assert (single.new, panel.new) == (8, 16)
    assert amounts(union([single.calls, panel.calls]).values()).new == 16


def test_a_further_seed_is_new_only_where_each_seed_asks_anew(tmp_path: Path) -> None:
    made = experiment(Pairwise(judged_by=simulated(LIVE)))
    execute(prepare(made, {}), Door(tmp_path, {}))
    other = replace(made, seed=1)
    assert plan_of(other, {}, store_url=url(tmp_path)).new == 0
    anew = replace(other, replicate=Replicate.PER_SEED)
    assert plan_of(anew, {}, store_url=url(tmp_path)).new == 8


def test_a_refresh_pays_again_what_is_stored(tmp_path: Path) -> None:
    fill(tmp_path, [question(pair, "one") for pair in PAIRS])
    plan = planned(tmp_path, Staged(), llm=LLMSettings(Mode.REFRESH))
    assert new_by_stage(plan) == {"one": 4, "two": 4}


def test_expected_tokens_follow_the_stored_replies_of_the_same_stage(tmp_path: Path) -> None:
    fill(tmp_path, [question(pair, stage) for pair in PAIRS[:2] for stage in ("one", "two")])
    stages = by_stage(planned(tmp_path, Staged()).calls.values())
    one = stages["one", LIVE.model]
    # stored replies of 40 tokens; "one Which is 2? " are 16 characters: 4 tokens, and 4 for the message
    assert (one.stored, one.new, one.input_tokens, one.output_tokens) == (2, 2, 16, 80)
    assert one.usd == pytest.approx((16 * 1.0 + 80 * 2.0) / 1e6)
    # at most: 16 bytes + 16 + 64 in, max_tokens out (llm.budget)
    assert one.usd_at_most == pytest.approx(2 * (96 * 1.0 + 100 * 2.0) / 1e6)


def test_an_unknown_price_is_said_and_never_nothing(tmp_path: Path) -> None:
    priced, unpriced = LIVE, replace(OTHER, price=None)
    plan = planned(tmp_path, Majority(panel=Panel((priced, unpriced), "j")))
    whole = amounts(plan.calls.values())
    assert whole.unpriced == 8
    only = by_stage(plan.calls.values())["judge", unpriced.model]
    assert (only.usd, only.usd_at_most) == (None, None)
    assert whole.usd == by_stage(plan.calls.values())["judge", priced.model].usd


def test_a_method_without_a_model_asks_for_nothing(tmp_path: Path) -> None:
    from venire.methods.length import Length

    plan = planned(tmp_path, Length())
    assert (len(plan.calls), plan.new, plan.kind) == (0, 0, BackendKind.NONE)
    whole = amounts(plan.calls.values())
    assert (whole.usd, whole.usd_at_most, whole.input_tokens) == (0, 0, 0)


@dataclass(frozen=True)
class Asking(Staged):
    """Waits for a person, unless told that nobody is there."""

    alone: bool = False

    @property
    def asks_people(self) -> bool:
        return not self.alone

    def stop_asking(self, reason: VenireError) -> None: ...

    def attended(self, sitting: Sitting) -> AbstractAsyncContextManager[None]:
        raise AssertionError("a plan opens no page")

    def unattended(self) -> Method:
        return replace(self, alone=True)

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        assert self.alone, "a plan waits for nobody"
        return await super().judge(instance, memory, llm)


def test_a_plan_asks_no_person(tmp_path: Path) -> None:
    asking, staged = (planned(tmp_path, method, simulate=True) for method in (Asking(), Staged()))
    assert set(asking.calls) == set(staged.calls)


def test_what_a_method_does_wrong_is_raised_as_itself(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Faulty(Staged):
        async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
            await asyncio.sleep(0)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        planned(tmp_path, Faulty())


def test_a_judge_that_is_none_of_the_run_is_refused(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Elsewhere(Staged):
        async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
            await llm.complete(replace(question(instance, "one"), model="another/model"))
            raise AssertionError

    with pytest.raises(ConfigError, match="no judge of this run is another/model"):
        planned(tmp_path, Elsewhere())


@dataclass(frozen=True)
class Comparing(Staged):
    """Asks for vectors first, then a question if the texts are near each other."""

    embedding: EmbeddingModel = OFFLINE

    @property
    def embeddings(self) -> tuple[EmbeddingModel, ...]:
        return (self.embedding,)

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        made = await llm.embed(self.embedding.model, [instance.prompt, instance.prompt, "", "Cats purr."])
        assert made.vectors.shape == (4, self.embedding.dimensions)
        assert made.vectors[0] @ made.vectors[1] == pytest.approx(1.0)
        assert not made.vectors[2].any()
        await llm.complete(question(instance, "one"))
        raise AssertionError("no reply is known")


LARGE = EmbeddingModel("large", "openai/large", 3072, price=Price(0.13, 0.0))


def test_vectors_of_this_machine_are_computed_for_the_plan(tmp_path: Path) -> None:
    plan = planned(tmp_path, Comparing())
    assert plan.new == 4
    assert len(plan.texts) == 5  # four prompts and a text that they share
    assert not any(text.billed or text.stored for text in plan.texts.values())


def test_vectors_that_have_to_be_bought_hold_up_what_needs_them(tmp_path: Path) -> None:
    plan = planned(tmp_path, Comparing(embedding=LARGE))
    assert (plan.new, plan.stuck) == (0, 4)
    assert all(text.billed for text in plan.texts.values())


@pytest.mark.parametrize("dimensions", [3072, 64])
def test_simulated_plans_put_vectors_of_this_machine_in_their_place(tmp_path: Path, dimensions: int) -> None:
    small = replace(LARGE, dimensions=dimensions)
    plan = planned(tmp_path, Comparing(embedding=small))
    assert plan.new == 0
    estimate = plan_of(experiment(Reached(embedding=small)), {}, store_url=url(tmp_path), simulate=True)
    assert (estimate.new, estimate.stuck) == (4, 0)


@dataclass(frozen=True)
class Reached(Comparing):
    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        with pytest.raises(AssertionError, match="no reply is known"):
            await super().judge(instance, memory, llm)
        return Outcome(instance.id, Preference(Winner.FIRST))


def test_stored_vectors_are_used(tmp_path: Path) -> None:
    texts = ["Cats purr.", *(pair.prompt for pair in PAIRS)]

    async def scenario() -> None:
        backend = FakeVectors(dimensions=3072)
        async with opened_vectors(url(tmp_path), backend, LARGE) as llm:
            await llm.embed(LARGE.model, texts)

    asyncio.run(scenario())
    plan = planned(tmp_path, Comparing(embedding=LARGE))
    assert plan.new == 4
    assert all(text.stored for text in plan.texts.values())


def test_the_simulation_of_a_plan_replies_at_once(tmp_path: Path) -> None:
    slow = replace(SIMULATION, latency_s=60.0)
    made = experiment(Pairwise(judged_by=simulated(LIVE)), simulation=slow)
    assert plan_of(made, {}, store_url=url(tmp_path)).new == 8


def test_a_simulated_reply_of_the_plan_is_the_backends_own(tmp_path: Path) -> None:
    judge = simulated(LIVE)
    plan = planned(tmp_path, Pairwise(judged_by=judge))
    backend = SimulatedBackend(SIMULATION, PAIRS, {judge.model: judge.family})
    assert backend.kind is BackendKind.SIMULATED
    assert all(call.exact for call in plan.calls.values())
    assert np.mean([call.expected.output_tokens for call in plan.calls.values()]) > 10
