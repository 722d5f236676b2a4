"""That the simulated judges err as docs/simulation.md says, on 600 made-up pairs with fixed seeds.

Tolerances are sampling errors: the standard error of a share over 600 pairs is at most
sqrt(.25 / 600) = .020, that of a correlation near 0 is 1 / sqrt(600) = .041.
"""

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from venire.llm.simulated import BlindSpots, Confidence, ReplyStyle, SimulatedBackend, Simulation
from venire.records import (
    Instance,
    Message,
    Order,
    PreferenceGold,
    Request,
    Response,
    Subject,
    Winner,
)

SCHEMA = '{"properties":{"reasoning":{},"winner":{},"confidence":{}},"type":"object"}'
FAMILIES = {"acme/large": "acme", "acme/small": "acme", "bolt/large": "bolt", "bolt/small": "bolt"}
BASE = Simulation(style=ReplyStyle(reasoning_words=0, fenced=0, prefixed=0), tie_width=0.0)


def pairs(n: int = 600, winner: Winner | None = None, subset: str = "") -> list[Instance]:
    """`n` pairs; where no winner is given, gold alternates."""
    golds = (Winner.FIRST, Winner.SECOND)
    return [
        Instance(
            id=f"pair/{k}",
            prompt=f"Question {k}?",
            responses=(Response(f"Answer {k}, one way"), Response(f"Answer {k}, the other way")),
            gold=PreferenceGold(winner or golds[k % 2]),
            subset=subset or f"topic {k % 6}",
        )
        for k in range(n)
    ]


def ask(instance: Instance, model: str, order: Order, system: str = "You judge.") -> Request:
    first, second = instance.responses if order is Order.AS_GIVEN else instance.responses[::-1]
    text = f"{instance.prompt}\nA: {first.text}\nB: {second.text}"
    messages = (Message("system", system), Message("user", text))
    return Request(model, messages, schema=SCHEMA, subject=Subject(instance.id, order))


def verdicts(
    simulation: Simulation,
    instances: list[Instance],
    model: str = "acme/large",
    order: Order = Order.AS_GIVEN,
    **changes: object,
) -> list[dict[str, object]]:
    judges = SimulatedBackend(simulation, instances, FAMILIES)
    requests = [replace(ask(i, model, order), **changes) for i in instances]
    return [json.loads(judges.reply(request).text) for request in requests]


def correct(
    simulation: Simulation, instances: list[Instance], model: str, order: Order = Order.AS_GIVEN
) -> npt.NDArray[np.bool_]:
    said = verdicts(simulation, instances, model, order)
    gold = [order.slot(i.gold.winner).value for i in instances if isinstance(i.gold, PreferenceGold)]
    return np.array([verdict["winner"] == g for verdict, g in zip(said, gold, strict=True)])


def first_place_rate(simulation: Simulation) -> float:
    both = [v for order in Order for v in verdicts(simulation, pairs(), order=order)]
    return sum(verdict["winner"] == "A" for verdict in both) / len(both)


def error_correlation(simulation: Simulation, one: str, other: str) -> float:
    """Phi coefficient of two models' errors, each in its own order, so that position plays no part."""
    instances = pairs()
    return float(
        np.corrcoef(correct(simulation, instances, one), correct(simulation, instances, other))[0, 1]
    )


def test_accuracy_is_the_logistic_of_the_skill_where_nothing_else_is_at_work() -> None:
    """Difficulty, blind spots and leans off, noise 1: P(correct) = 1 / (1 + exp(-skill))."""
    bare = replace(BASE, difficulty_sd=0, blind_spots=None, judge_sd=0, persona_sd=0, noise=1)
    # logistic(0) = .5, logistic(1) = .731, logistic(2) = .881; three standard errors are .06
    for skill, expected in ((0.0, 0.5), (1.0, 0.731), (2.0, 0.881)):
        accuracy = correct(replace(bare, skill={"default": skill}), pairs(), "acme/large").mean()
        assert accuracy == pytest.approx(expected, abs=0.06)


def test_accuracy_rises_with_skill() -> None:
    accuracies = [
        correct(replace(BASE, skill={"default": skill}), pairs(), "acme/large").mean()
        for skill in (-1.0, 0.0, 1.0, 2.0, 4.0)
    ]
    assert accuracies == sorted(accuracies)
    assert accuracies[0] < 0.4  # below chance: the model is no answer key
    assert accuracies[-1] > 0.85


def test_a_named_family_has_its_own_skill() -> None:
    simulation = replace(BASE, skill={"default": 0.0, "acme": 3.0})
    assert correct(simulation, pairs(), "acme/large").mean() > 0.8
    assert correct(simulation, pairs(), "bolt/large").mean() < 0.6


def test_a_subset_can_be_harder() -> None:
    simulation = replace(BASE, difficulty_by_subset={"Adversarial": 2.0})
    easy = correct(simulation, pairs(subset="Natural"), "acme/large").mean()
    hard = correct(simulation, pairs(subset="Adversarial/Neighbor"), "acme/large").mean()
    assert easy - hard > 0.2


def test_judges_of_one_family_share_errors_that_judges_of_two_families_do_not() -> None:
    spotted = replace(BASE, blind_spots=BlindSpots(rate=0.25, size=4.0, common=0.0, topic=0.0))
    within = error_correlation(spotted, "acme/large", "acme/small")
    between = error_correlation(spotted, "acme/large", "bolt/large")
    # the standard error of a difference of two correlations over 600 pairs is about .06
    assert within - between > 0.18


def test_without_blind_spots_the_family_makes_no_difference() -> None:
    """Two of one family and two of different families share the instance's difficulty alone."""
    even = replace(BASE, blind_spots=None)
    within = error_correlation(even, "acme/large", "acme/small")
    between = error_correlation(even, "acme/large", "bolt/large")
    assert within > 0.05  # some instances are hard for all
    assert abs(within - between) < 0.12  # two standard errors of a difference


def test_a_common_component_gives_families_the_same_blind_spots() -> None:
    apart = replace(BASE, blind_spots=BlindSpots(rate=0.25, size=4.0, common=0.0, topic=0.0))
    alike = replace(BASE, blind_spots=BlindSpots(rate=0.25, size=4.0, common=1.0, topic=0.0))
    gained = error_correlation(alike, "acme/large", "bolt/large") - error_correlation(
        apart, "acme/large", "bolt/large"
    )
    assert gained > 0.18


def test_a_topic_component_makes_a_family_weak_on_whole_topics() -> None:
    """With all of the variance on topics, a topic is a blind spot as a whole or not at all."""
    spots = BlindSpots(rate=0.4, size=40.0, common=0.0, topic=1.0)
    simulation = replace(BASE, blind_spots=spots, noise=0.1)
    instances = pairs()
    right = correct(simulation, instances, "acme/large")
    by_topic = [right[np.array([i.subset == f"topic {t}" for i in instances])].mean() for t in range(6)]
    weak = [accuracy for accuracy in by_topic if accuracy == 0]
    assert 0 < len(weak) < 6
    assert all(accuracy > 0.6 for accuracy in by_topic if accuracy > 0)


def test_position_bias_shifts_the_first_place_rate_either_way() -> None:
    rates = [first_place_rate(replace(BASE, position_bias={"default": b})) for b in (-2.0, 0.0, 2.0)]
    assert rates[0] < 0.3
    # both orders of 600 pairs: standard error at most .0144, three of them
    assert rates[1] == pytest.approx(0.5, abs=0.044)
    assert rates[2] > 0.7


def test_the_two_orders_agree_where_there_is_neither_bias_nor_noise() -> None:
    quiet = replace(BASE, position_bias={"default": 0.0}, noise=0)
    one, other = (correct(quiet, pairs(), "acme/large", order) for order in Order)
    assert (one == other).all()


def test_a_wide_tie_band_makes_every_verdict_a_tie_and_none_makes_no_tie() -> None:
    always = verdicts(replace(BASE, tie_width=50.0), pairs(50))
    never = verdicts(replace(BASE, tie_width=0.0), pairs(50))
    assert {verdict["winner"] for verdict in always} == {"tie"}
    assert "tie" not in {verdict["winner"] for verdict in never}


def test_where_humans_see_a_tie_judges_lean_either_way_about_equally() -> None:
    said = [v["winner"] for v in verdicts(BASE, pairs(winner=Winner.TIE))]
    # blind spots lean either way too; three standard errors of a share over 600
    assert said.count("A") / len(said) == pytest.approx(0.5, abs=0.061)


def test_confident_verdicts_are_more_often_right() -> None:
    instances = pairs()
    right = correct(BASE, instances, "acme/large")
    sure = np.array([float(str(v["confidence"])) for v in verdicts(BASE, instances)])
    upper = sure >= np.median(sure)
    assert right[upper].mean() > right[~upper].mean() + 0.1


def test_another_seed_is_another_world_and_the_same_seed_the_same() -> None:
    assert verdicts(replace(BASE, seed=3), pairs(50)) == verdicts(replace(BASE, seed=3), pairs(50))
    assert verdicts(replace(BASE, seed=3), pairs(50)) != verdicts(replace(BASE, seed=4), pairs(50))


def test_noise_is_that_of_the_call_and_the_rest_stands() -> None:
    """Without noise replicates agree in the winner; with much of it a good part does not."""
    for noise, low, high in ((0.0, 1.0, 1.0), (3.0, 0.4, 0.9)):
        one, other = (
            [v["winner"] for v in verdicts(replace(BASE, noise=noise), pairs(), replicate=k)] for k in (0, 1)
        )
        agreement = np.mean([a == b for a, b in zip(one, other, strict=True)])
        assert low <= agreement <= high


def test_a_persona_is_a_system_message_and_moves_a_model() -> None:
    quiet = replace(BASE, noise=0, persona_sd=2.0)
    instances = pairs(200)
    judges = SimulatedBackend(quiet, instances, FAMILIES)

    def winners(system: str, model: str = "acme/large") -> list[str]:
        requests = [ask(i, model, Order.AS_GIVEN, system) for i in instances]
        return [json.loads(judges.reply(r).text)["winner"] for r in requests]

    assert winners("You are a teacher.") != winners("You are a lawyer.")
    same = replace(quiet, persona_sd=0.0)
    judges = SimulatedBackend(same, instances, FAMILIES)
    assert winners("You are a teacher.") == winners("You are a lawyer.")


CHANGES: dict[str, Callable[[Simulation], Simulation]] = {
    "seed": lambda s: replace(s, seed=9),
    "skill.default": lambda s: replace(s, skill={"default": 1.5}),
    "skill.<family>": lambda s: replace(s, skill={"default": 1.0, "acme": 1.5}),
    "difficulty_sd": lambda s: replace(s, difficulty_sd=1.5),
    "difficulty_by_subset": lambda s: replace(s, difficulty_by_subset={"topic 1": 0.5}),
    "blind_spots": lambda s: replace(s, blind_spots=None),
    "blind_spots.rate": lambda s: replace(s, blind_spots=BlindSpots(rate=0.3)),
    "blind_spots.size": lambda s: replace(s, blind_spots=BlindSpots(size=1.0)),
    "blind_spots.common": lambda s: replace(s, blind_spots=BlindSpots(common=0.6)),
    "blind_spots.topic": lambda s: replace(s, blind_spots=BlindSpots(topic=0.6)),
    "judge_sd": lambda s: replace(s, judge_sd=1.0),
    "persona_sd": lambda s: replace(s, persona_sd=1.0),
    "noise": lambda s: replace(s, noise=1.0),
    "position_bias.default": lambda s: replace(s, position_bias={"default": 0.5}),
    "position_bias.<family>": lambda s: replace(s, position_bias={"default": 0.0, "acme": 0.5}),
    "tie_width": lambda s: replace(s, tie_width=1.0),
    "confidence.slope": lambda s: replace(s, confidence=Confidence(slope=2.0)),
    "confidence.shift": lambda s: replace(s, confidence=Confidence(shift=0.0)),
    "confidence.noise_sd": lambda s: replace(s, confidence=Confidence(noise_sd=0.0)),
    "style.reasoning_words": lambda s: replace(s, style=ReplyStyle(reasoning_words=200)),
    "style.fenced": lambda s: replace(s, style=ReplyStyle(fenced=0.5)),
    "style.prefixed": lambda s: replace(s, style=ReplyStyle(prefixed=0.5)),
    "style.malformed": lambda s: replace(s, style=ReplyStyle(malformed=0.5)),
    "style.refused": lambda s: replace(s, style=ReplyStyle(refused=0.5)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_no_parameter_is_inert(name: str) -> None:
    """latency_s, the only other one, is tested by the clock in test_simulated_backend.py."""
    instances = pairs(100)
    requests = [ask(i, "acme/large", Order.AS_GIVEN) for i in instances]
    before = SimulatedBackend(Simulation(), instances, FAMILIES)
    after = SimulatedBackend(CHANGES[name](Simulation()), instances, FAMILIES)
    assert [before.reply(r).text for r in requests] != [after.reply(r).text for r in requests]


def test_a_setting_is_compared_on_the_same_noise() -> None:
    """More skill turns wrong verdicts right and no right one wrong: common random numbers."""
    low = correct(replace(BASE, skill={"default": 1.0}), pairs(), "acme/large")
    high = correct(replace(BASE, skill={"default": 1.5}), pairs(), "acme/large")
    assert not (low & ~high).any()
    assert (high & ~low).any()
