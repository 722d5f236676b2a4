"""A simulated judge that is asked for one letter about two responses."""

import asyncio
import math
from collections import Counter
from dataclasses import replace

import pytest
from tests.judging.scripted import ScriptedLLM

from venire.judging.judge import PromptedJudge
from venire.judging.verdict_token import compare_by_token
from venire.llm.simulated import ReplyStyle, SimulatedBackend, Simulation
from venire.records import (
    FinishReason,
    Instance,
    Order,
    PreferenceGold,
    Request,
    Response,
    Winner,
)

JUDGE = PromptedJudge("j", "acme/large", "acme", top_logprobs=5)
PAIRS = [
    Instance(
        f"i{k}",
        f"Which is right, {k}?",
        (Response(f"yes {k}"), Response(f"no {k}")),
        PreferenceGold(Winner.FIRST),
    )
    for k in range(200)
]


def request_for(instance: Instance, order: Order = Order.AS_GIVEN, *, allow_tie: bool = True) -> Request:
    """What `compare_by_token` sends."""
    llm = ScriptedLLM(lambda request: "")
    asyncio.run(compare_by_token(JUDGE, instance, order, llm, allow_tie=allow_tie))
    return llm.requests[0]


def backend(simulation: Simulation | None = None) -> SimulatedBackend:
    return SimulatedBackend(simulation or Simulation(), PAIRS, {"acme/large": "acme"})


def shares(request: Request, simulation: Simulation | None = None) -> dict[str, float]:
    reply = backend(simulation).reply(request)
    assert reply.logprobs is not None
    (position,) = reply.logprobs
    return {token: math.exp(logprob) for token, logprob in position.items()}


def test_the_letters_have_all_of_the_probability() -> None:
    told = shares(request_for(PAIRS[0]))
    assert set(told) <= {"A", "B", "C"}
    assert sum(told.values()) == pytest.approx(1)


def test_no_tie_has_no_third_letter() -> None:
    assert set(shares(request_for(PAIRS[0], allow_tie=False))) <= {"A", "B"}


def test_the_likeliest_letter_is_the_reply_at_temperature_zero() -> None:
    for instance in PAIRS[:20]:
        request = request_for(instance)
        told = shares(request)
        assert backend().reply(request).text == max(told, key=lambda letter: told[letter])


def test_the_probabilities_are_those_of_sampled_letters() -> None:
    # 3,000 replicates at a temperature: each frequency within 4 standard errors, 4 * .5 / sqrt(3000) = .037
    request = replace(request_for(PAIRS[1]), temperature=1.0)
    judge = backend()
    drawn = Counter(judge.reply(replace(request, replicate=k)).text for k in range(3000))
    for letter, share in shares(request).items():
        assert drawn[letter] / 3000 == pytest.approx(share, abs=0.037)


def test_the_better_response_has_more_probability_on_average() -> None:
    # gold: the first response, which is A as given and B swapped
    plain = Simulation(style=ReplyStyle())
    given = sum(shares(request_for(each), plain).get("A", 0.0) for each in PAIRS) / len(PAIRS)
    swapped = sum(shares(request_for(each, Order.SWAPPED), plain).get("B", 0.0) for each in PAIRS) / len(
        PAIRS
    )
    assert given > 0.55
    assert swapped > 0.55


def test_without_noise_a_judge_is_certain() -> None:
    told = shares(request_for(PAIRS[0]), Simulation(noise=0.0))
    assert list(told.values()) == [pytest.approx(1)]


def test_a_refusal_has_no_probabilities() -> None:
    reply = backend(Simulation(style=ReplyStyle(refused=1.0, malformed=0, fenced=0, prefixed=0))).reply(
        request_for(PAIRS[0])
    )
    assert (reply.finish, reply.logprobs) == (FinishReason.REFUSED, None)
