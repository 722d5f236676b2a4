"""Order and memory: blocks, concurrency, and what an instance may know of others."""

import asyncio
import re
from collections.abc import Sequence

import numpy as np
import pytest
from tests.methods.juryflow.court import Court, juryflow, material, pair

from venire.methods.juryflow.memory import Memory
from venire.methods.juryflow.method import JuryFlow
from venire.methods.juryflow.propagate import CrossInstance, Propagation
from venire.records import Outcome, Request
from venire.runner import Judged, Pace, Stop, judge_all
from venire.schedule import Schedule, seeded_order

N = 12
INSTANCES = [pair(f"disputed {i}. related {i}", f"plain {i}", f"set/{i}") for i in range(N)]
# Every first response has a disputed claim, by plurality rejected (2:2:1, the strongest judge, j2, said
# so), which the reviewer accepts in every other instance and confirms in the rest; and a claim that
# follows it: the one tag that all claims share makes w at least .5, and beta is below that.
VOTES = {f"disputed {i}": "aarru" for i in range(N)}
REVISED = {f"disputed {i}": "r" if i % 2 else "a" for i in range(N)}
TEACHING = {f"set/{i}" for i in range(0, N, 2)}
SPREADING = Propagation(beta=0.4, precedent_threshold=0.0)


def court(seed: int | None = None) -> Court:
    """With a seed, replies take a random time."""
    rng = np.random.default_rng(seed)
    latency = None if seed is None else lambda request: float(rng.uniform(0, 0.004))
    return Court(votes=VOTES, revised=REVISED, latency_s=latency)


def run(
    llm: Court, *, method: JuryFlow | None = None, block: int = 1, concurrency: int = 8, seed: int = 0
) -> tuple[Outcome, ...]:
    pace = Pace(seed, concurrency, Schedule(block))
    made: Judged = asyncio.run(
        judge_all(method or juryflow(propagation=SPREADING), INSTANCES, llm, pace, stop=Stop())
    )
    assert made.stopped is None
    return made.outcomes


def order(seed: int = 0) -> list[str]:
    return [instance.id for instance in seeded_order(INSTANCES, seed)]


def shown(requests: Sequence[Request], label: str) -> dict[str, set[str]]:
    """By instance: the texts of the materials `<label> <number>` that its prompts show."""
    found: dict[str, set[str]] = {}
    for request in requests:
        assert request.subject is not None
        texts = {text for name, text in material(request).items() if name.startswith(f"{label} ")}
        found.setdefault(request.subject.instance_id, set()).update(texts)
    return found


def sources(texts: set[str]) -> set[str]:
    """The instances whose disputed claim these texts speak of."""
    return {f"set/{found}" for text in texts for found in re.findall(r"disputed (\d+)", text)}


@pytest.mark.parametrize("block", [1, 3])
def test_timing_and_concurrency_change_nothing(block: int) -> None:
    calm = run(court(), block=block, concurrency=1)
    for seed, concurrency in ((1, 1), (2, 4), (3, 32)):
        assert run(court(seed), block=block, concurrency=concurrency) == calm


def test_the_seed_s_order_moves_the_memory() -> None:
    one, other = run(court(), seed=0), run(court(), seed=1)
    assert [outcome.instance_id for outcome in one] == [outcome.instance_id for outcome in other]
    assert [outcome.detail for outcome in one] != [outcome.detail for outcome in other]
    assert run(court(), seed=0) == one


@pytest.mark.parametrize("block", [1, 3, 100])
def test_an_instance_knows_the_rubric_and_precedents_of_earlier_blocks_only(block: int) -> None:
    llm = court()
    run(llm, block=block)
    ordered = order()
    rubric = shown(llm.of_stage("judge") + llm.of_stage("focal"), "rubric")
    precedents = shown(llm.of_stage("propagation"), "precedent claim")
    for place, instance_id in enumerate(ordered):
        earlier = set(ordered[: place - place % block])
        assert sources(rubric[instance_id]) <= earlier
        assert sources(precedents[instance_id]) <= earlier
        # All entries are shown: no criterion is like another, and K is 12. Only changes taught one.
        assert sources(rubric[instance_id]) == earlier & TEACHING
        assert len(sources(precedents[instance_id])) == min(3, len(earlier))


def test_no_prompt_shows_what_was_learnt_on_its_own_instance() -> None:
    llm = court()
    run(llm)
    for stage, label in (("judge", "rubric"), ("focal", "rubric"), ("propagation", "precedent claim")):
        for instance_id, texts in shown(llm.of_stage(stage), label).items():
            assert instance_id not in sources(texts)


def test_blocks_differ_in_what_is_known_and_in_nothing_else() -> None:
    one, three = run(court(), block=1), run(court(), block=3)
    first_of_block = {name for place, name in enumerate(order()) if place % 3 == 0}
    for alone, together in zip(one, three, strict=True):
        if alone.instance_id in first_of_block:  # the same memory in both
            assert alone == together
        else:
            assert alone.prediction == together.prediction
            assert [call.key for call in alone.calls] != [call.key for call in together.calls]


def test_a_memory_is_folded_in_order_the_first_response_s_part_first() -> None:
    both = pair("disputed 1", "disputed 3", "set/x")
    method = juryflow(propagation=SPREADING)
    llm = court()
    outcome = asyncio.run(method.judge(both, method.initial_memory(), llm))
    memory = method.fold(method.initial_memory(), outcome)
    assert [each.id for each in memory.corrections] == ["set/x/0/0", "set/x/1/0"]
    # Confirmations are precedents, too; but they teach no entry.
    assert len(memory.rubric) == 0


def test_the_two_responses_of_a_pair_are_judged_on_the_same_memory() -> None:
    llm = court()
    both = pair("disputed 0", "disputed 2", "set/x")
    method = juryflow(propagation=SPREADING)
    outcome = asyncio.run(method.judge(both, method.initial_memory(), llm))
    memory = method.fold(method.initial_memory(), outcome)
    assert [entry.id for entry in memory.rubric] == ["set/x/0/0", "set/x/1/0"]
    assert shown(llm.of_stage("judge"), "rubric") == {"set/x": set()}


def test_near_duplicates_are_merged_at_the_fold() -> None:
    llm = court()
    llm.criterion = lambda claim: "always the same criterion"
    method, memory = juryflow(propagation=SPREADING), Memory()
    for instance in (INSTANCES[0], INSTANCES[2]):
        memory = method.fold(memory, asyncio.run(method.judge(instance, memory, llm)))
    (entry,) = memory.rubric
    assert entry.source_ids == ("set/0/0/0", "set/2/0/0")
    assert entry.positive_examples == ("right on disputed 0", "right on disputed 2")


def test_without_rubric_and_precedents_nothing_is_known_of_other_instances() -> None:
    method = juryflow(rubric=None, propagation=Propagation(beta=0.4, cross_instance=CrossInstance.OFF))
    llm = court()
    outcomes = run(llm, method=method)
    assert not any("rubric 1" in material(request) for request in llm.requests)
    assert not any("precedent claim 1" in material(request) for request in llm.requests)
    assert outcomes == run(court(), method=method, seed=1)


def test_precedents_are_shown_in_propagation_calls_only() -> None:
    llm = court()
    run(llm)
    labelled = {
        request.stage
        for request in llm.requests
        if any(label.startswith("precedent") for label in material(request))
    }
    assert labelled == {"propagation"}
