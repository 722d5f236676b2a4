"""The simulated backend: what it answers, what it refuses, and that equal requests get equal replies."""

import asyncio
import json
import os
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from venire.errors import BackendError, DataError
from venire.llm.simulated import ReplyStyle, SimulatedBackend, Simulation
from venire.records import (
    BackendKind,
    FinishReason,
    Instance,
    Message,
    Order,
    PreferenceGold,
    RatingsGold,
    Request,
    Response,
    Subject,
    Usage,
    Winner,
)

SCHEMA = '{"properties":{"reasoning":{},"winner":{},"confidence":{}},"type":"object"}'
PLAIN = ReplyStyle(fenced=0, prefixed=0)
FAMILIES = {"acme/large": "acme", "acme/small": "acme"}


def pair(identifier: str, first: str, second: str, winner: Winner | None = Winner.FIRST) -> Instance:
    gold = None if winner is None else PreferenceGold(winner)
    return Instance(identifier, "Which is right?", (Response(first), Response(second)), gold)


def ask(instance: Instance, order: Order = Order.AS_GIVEN, model: str = "acme/large") -> Request:
    first, second = instance.responses
    shown = (first, second) if order is Order.AS_GIVEN else (second, first)
    text = f"{instance.prompt}\nA: {shown[0].text}\nB: {shown[1].text}"
    messages = (Message("system", "You judge."), Message("user", text))
    return Request(model, messages, schema=SCHEMA, max_tokens=500, subject=Subject(instance.id, order))


def backend(*instances: Instance, simulation: Simulation | None = None) -> SimulatedBackend:
    return SimulatedBackend(simulation or Simulation(style=PLAIN), instances, FAMILIES)


def test_a_verdict_is_json_in_the_order_of_the_judging_schema_and_looks_simulated() -> None:
    instance = pair("i", "yes", "no")
    reply = asyncio.run(backend(instance).send(ask(instance)))
    said = json.loads(reply.text)
    assert list(said) == ["reasoning", "winner", "confidence"]
    assert said["reasoning"].startswith("[simulated] ")
    assert said["winner"] in ("A", "B", "tie")
    assert 0 <= said["confidence"] <= 1
    assert reply.finish is FinishReason.STOP
    assert reply.model == "simulated/acme/large"
    assert reply.fingerprint == Simulation(style=PLAIN).parameter_hash
    assert backend(instance).kind is BackendKind.SIMULATED


def test_tokens_are_a_quarter_of_the_characters_rounded_up_and_four_a_message() -> None:
    instance = pair("i", "yes", "no")
    request = replace(ask(instance), messages=(Message("system", "12345"), Message("user", "")))
    reply = backend(instance).reply(request)
    # ceil(5 / 4) + 4 = 6 for the first message, 0 + 4 for the empty one
    assert reply.usage == Usage(input_tokens=10, output_tokens=-(-len(reply.text) // 4))


def test_equal_requests_get_equal_replies_and_replicates_differ() -> None:
    instance = pair("i", "yes", "no")
    judges = backend(instance)
    request = ask(instance)
    replies = [judges.reply(replace(request, replicate=k)).text for k in range(5)]
    assert judges.reply(replace(request, stage="focal", role="somebody")).text == replies[0]
    assert backend(instance).reply(request).text == replies[0]
    assert len(set(replies)) == 5


def test_the_same_pair_with_its_outputs_swapped_is_the_same_subject() -> None:
    """MT-Bench-200 repeats pairs with their outputs swapped: one request, whichever instance asks."""
    one = pair("one", "yes", "no", Winner.FIRST)
    swapped = pair("two", "no", "yes", Winner.SECOND)
    together, apart = backend(one, swapped), backend(swapped)
    request = ask(one, Order.AS_GIVEN)
    same = replace(request, subject=Subject("two", Order.SWAPPED))
    assert ask(swapped, Order.SWAPPED) == same
    assert together.reply(request) == together.reply(same) == apart.reply(same)


def test_pairs_that_differ_in_white_space_alone_are_one_subject() -> None:
    """A prompt template may trim, so their requests may be one."""
    one, other = pair("one", "yes \n", "no"), pair("two", "yes", "\tno")
    judges = backend(one, other)
    request = ask(one)
    assert judges.reply(request) == judges.reply(replace(request, subject=Subject("two", Order.AS_GIVEN)))


def test_equal_texts_with_different_gold_are_counted_up_whatever_their_order() -> None:
    """Single votes of one pair: two for the first response, one for the second."""
    sure = Simulation(style=PLAIN, skill={"default": 40.0}, blind_spots=None)
    votes = [
        pair("v1", "yes", "no", Winner.FIRST),
        pair("v2", "yes", "no", Winner.SECOND),
        pair("v3", "yes", "no", Winner.FIRST),
    ]
    for order in (votes, votes[::-1]):
        judges = backend(*order, simulation=sure)
        assert {json.loads(judges.reply(ask(vote)).text)["winner"] for vote in votes} == {"A"}


def test_two_equal_responses_get_one_reply_in_both_orders() -> None:
    same = pair("i", "yes", "yes")
    judges = backend(same)
    assert judges.reply(ask(same, Order.AS_GIVEN)) == judges.reply(ask(same, Order.SWAPPED))


def test_the_order_of_the_instances_changes_no_reply() -> None:
    instances = [pair(f"i{k}", f"yes {k % 3}", "no", (Winner.FIRST, Winner.SECOND)[k % 2]) for k in range(6)]
    one, other = backend(*instances), backend(*instances[::-1])
    requests = [ask(instance, order) for instance in instances for order in Order]
    assert [one.reply(r) for r in requests] == [other.reply(r) for r in requests[::-1]][::-1]


def test_a_reply_does_not_depend_on_the_process() -> None:
    """Run with two hash seeds; the dictionaries and sets of the two processes are laid out differently."""
    program = (
        "from venire.llm.simulated import SimulatedBackend, Simulation\n"
        "from venire.records import *\n"
        "i = Instance('i', 'p', (Response('yes'), Response('no')), PreferenceGold(Winner.FIRST))\n"
        "r = Request('m', (Message('user', 'p yes no'),), subject=Subject('i', Order.SWAPPED))\n"
        "print(SimulatedBackend(Simulation(), [i], {'m': 'f'}).reply(r))\n"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
    assert "[simulated]" in printed.pop()


def test_the_words_of_a_fixed_request_stay_what_they_are() -> None:
    """A golden reply, made by this code: where it changes, the model's version in the hash must too."""
    instance = pair("i", "yes", "no")
    simulation = Simulation(style=ReplyStyle(reasoning_words=0, fenced=0, prefixed=0))
    said = json.loads(backend(instance, simulation=simulation).reply(ask(instance)).text)
    assert said == {
        "reasoning": "[simulated] The latent evidence for the response shown first is -1.37 logits.",
        "winner": "B",
        "confidence": 0.89,
    }


@pytest.mark.parametrize("schema", [None, '{"type":"object"}'])
def test_a_question_in_words_only_is_a_verdict_where_an_order_is_shown(schema: str | None) -> None:
    instance = pair("i", "yes", "no")
    said = json.loads(backend(instance).reply(replace(ask(instance), schema=schema)).text)
    assert list(said) == ["reasoning", "winner", "confidence"]


def test_a_schema_without_ties_gets_none() -> None:
    instance = pair("i", "yes", "no")
    judges = backend(instance, simulation=Simulation(style=PLAIN, tie_width=50.0))
    forced = '{"properties":{"reasoning":{},"winner":{"enum":["A","B"]},"confidence":{}}}'
    free = forced.replace('"B"', '"B","tie"')
    said = [json.loads(judges.reply(replace(ask(instance), schema=s)).text)["winner"] for s in (forced, free)]
    assert said[0] in ("A", "B")
    assert said[1] == "tie"


UNKNOWN = '{"properties":{"verses":{"type":"array"}},"type":"object"}'


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"subject": None}, "stage 'judge' to 'acme/large' has no subject"),
        ({"subject": Subject("nobody", Order.AS_GIVEN)}, "instance 'nobody' is none of the 3"),
        ({"subject": Subject("i")}, "'i' without Subject.order"),
        ({"subject": Subject("ungolden", Order.AS_GIVEN)}, "'ungolden' has no human preference"),
        ({"subject": Subject("rated", Order.AS_GIVEN)}, "'rated' has no human preference"),
        (
            {"model": "other/model"},
            r"no family is known for model 'other/model' \(known: acme/large, acme/small\)",
        ),
        (
            {"schema": UNKNOWN, "stage": "compose"},
            r"stage 'compose', whose reply has the fields verses; it answ",
        ),
        ({"schema": "{"}, "Request.schema is no JSON"),
        ({"schema": None, "subject": Subject("i")}, "cannot tell what stage 'judge' asks"),
        ({"schema": "[]", "subject": None}, "cannot tell what stage 'judge' asks"),
    ],
)
def test_what_it_has_no_model_of_is_refused_and_never_made_up(
    change: dict[str, object], message: str
) -> None:
    instance = pair("i", "yes", "no")
    rated = Instance("rated", "p", (Response("yes"),), RatingsGold({"fluency": 2.0}))
    judges = backend(instance, pair("ungolden", "yes", "maybe", None), rated)
    with pytest.raises(BackendError, match=message):
        asyncio.run(judges.send(replace(ask(instance), **change)))


def test_two_different_instances_of_one_id_are_refused() -> None:
    with pytest.raises(DataError, match="'i'"):
        backend(pair("i", "yes", "no"), pair("i", "yes", "maybe"))


@pytest.mark.parametrize(
    ("style", "start", "finish"),
    [
        (ReplyStyle(fenced=1, prefixed=0), '```json\n{"reasoning"', FinishReason.STOP),
        (ReplyStyle(fenced=0, prefixed=1), "Here is my verdict:\n\n{", FinishReason.STOP),
        (ReplyStyle(fenced=0, prefixed=0, refused=1), "[simulated] I cannot", FinishReason.REFUSED),
    ],
)
def test_each_form_of_a_reply_can_be_asked_for(style: ReplyStyle, start: str, finish: FinishReason) -> None:
    instance = pair("i", "yes", "no")
    reply = backend(instance, simulation=Simulation(style=style)).reply(ask(instance))
    assert reply.text.startswith(start)
    assert reply.finish is finish


def test_a_malformed_reply_breaks_off_before_the_verdict() -> None:
    instance = pair("i", "yes", "no")
    style = ReplyStyle(fenced=0, prefixed=0, malformed=1)
    reply = backend(instance, simulation=Simulation(style=style)).reply(ask(instance))
    assert reply.finish is FinishReason.STOP
    assert "winner" not in reply.text
    with pytest.raises(json.JSONDecodeError):
        json.loads(reply.text)


def test_a_reply_longer_than_the_limit_is_cut_and_whole_with_a_larger_one() -> None:
    instance = pair("i", "yes", "no")
    judges = backend(instance)
    whole = judges.reply(replace(ask(instance), max_tokens=None))
    cut = judges.reply(replace(ask(instance), max_tokens=20))
    assert whole.finish is FinishReason.STOP
    assert cut.finish is FinishReason.LENGTH
    assert cut.text == whole.text[:80]
    assert cut.usage.output_tokens == 20


def test_the_waiting_time_is_real_and_changes_no_reply() -> None:
    instance = pair("i", "yes", "no")
    fast = backend(instance)
    slow = backend(instance, simulation=Simulation(style=PLAIN, latency_s=0.05))
    started = time.perf_counter()
    reply = asyncio.run(slow.send(ask(instance)))
    assert time.perf_counter() - started >= 0.05
    assert reply == fast.reply(ask(instance))
    asyncio.run(slow.aclose())
