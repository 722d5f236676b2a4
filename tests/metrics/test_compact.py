"""What is measured of interned pairs is what is measured of the pairs themselves, bit for bit."""

from dataclasses import replace

import numpy as np
import pytest

from venire.errors import DataError
from venire.metrics.compact import Tally
from venire.metrics.join import clusters_of
from venire.metrics.measure import MetricSettings, measure, measure_compact
from venire.records import (
    BackendKind,
    Instance,
    Order,
    Outcome,
    Preference,
    PreferenceGold,
    Price,
    Ratings,
    Reason,
    Response,
    Unscored,
    Vote,
    Winner,
)
from venire.stats.intervals import codes_of

LABELS = tuple(Winner)
JUDGES = ("gpt", "claude", "llama")
SETTINGS = MetricSettings(draws=60)
PRICES = {"m": Price(1.0, 3.0)}


def world(call, n, seed=0, *, gold=True):
    """Instances in an order that is not that of their ids, judged by a panel in both orders."""
    rng = np.random.default_rng(seed)
    instances = tuple(
        Instance(
            f"i/{rng.integers(10**9)}-{number}",
            f"which {number}?",
            (Response(f"one {number}"), Response("two")),
            PreferenceGold(LABELS[rng.integers(3)]) if gold else None,
            subset="ab"[rng.integers(2)],
            cluster=f"c{rng.integers(n)}" if number % 3 else "",
        )
        for number in range(n)
    )
    return instances, tuple(judged(call, rng, each) for each in instances if rng.random() < 0.95)


def judged(call, rng, instance):
    votes = tuple(Vote(judge, order, prediction(rng), raw="…") for order in Order for judge in JUDGES)
    calls = tuple(
        call(
            key=f"{instance.id}/{rng.integers(4)}",
            role=vote.judge,
            model_asked="m",
            kind=BackendKind.LIVE,
            instance_id=instance.id,
            cost_usd=float(rng.random()),
            latency_s=float(rng.random()),
            replayed=bool(rng.random() < 0.3),
        )
        for vote in votes
    )
    by_order = {order: prediction(rng) for order in Order}
    return Outcome(instance.id, prediction(rng), by_order, votes, calls, {"orders": ["as_given"]})


def prediction(rng):
    if rng.random() < 0.1:
        return Unscored(tuple(Reason)[rng.integers(3)], f"said {rng.random()}")
    return Preference(LABELS[rng.integers(3)], float(rng.integers(40) / 40))


def tallied(instances, outcomes):
    tally = Tally()
    by_id = {each.instance_id: each for each in outcomes}
    for instance in instances:
        tally.add(instance, by_id.get(instance.id))
    return tally


@pytest.mark.parametrize("seed", range(2))
def test_every_number_and_note_is_that_of_the_pairs(call, seed):
    instances, outcomes = world(call, 150, seed)
    left = [call(key="lost", instance_id="i/x", latency_s=9.0, cost_usd=0.7)]
    tally = tallied(instances, outcomes)
    tally.add_unfinished(left)
    options = {"labels": LABELS, "seed": seed, "settings": SETTINGS, "prices": PRICES}
    expected = measure(instances, outcomes, unfinished=left, **options)
    measured = measure_compact(tally.compact(), **options)
    assert set(measured.metrics) == set(expected.metrics)
    for name, value in expected.metrics.items():
        assert np.array_equal(measured.metrics[name], value, equal_nan=True), name
    assert measured.notes == expected.notes
    assert "confidence/final/aurc" in measured.metrics
    assert "judge/claude/accuracy" in measured.metrics
    assert measured.metrics["latency_s/p95"] < 9.0


def test_pairs_that_nobody_judged_are_measured_without_gold(call):
    instances, outcomes = world(call, 40, gold=False)
    options = {"labels": (), "seed": 1, "settings": SETTINGS, "prices": PRICES}
    expected = measure(instances, outcomes, **options)
    measured = measure_compact(tallied(instances, outcomes).compact(), **options)
    assert measured.notes == expected.notes
    assert str(measured.metrics) == str(expected.metrics)


def test_pairs_that_no_metric_tells_apart_are_of_one_kind(call):
    one = Instance("a", "p", (Response("x"), Response("y")), PreferenceGold(Winner.FIRST))
    said = Outcome("a", Preference(Winner.FIRST, 0.3), {Order.AS_GIVEN: Preference(Winner.FIRST, 0.3)})
    tally = Tally()
    for number in range(1000):
        own = replace(said, instance_id=str(number), calls=(call(key=str(number), instance_id=str(number)),))
        tally.add(replace(one, id=str(number)), own)
    compact = tally.compact()
    assert (len(compact.pairs), len(compact.calls.distinct)) == (1, 1)
    assert (len(compact.kind), len(compact.calls), compact.pooled.distinct) == (1000, 1000, 1000)


def test_what_cannot_be_interned_is_refused(call):
    instances, outcomes = world(call, 2)
    with pytest.raises(DataError, match="expected at least one"):
        Tally().compact()
    with pytest.raises(DataError, match="expected unique ids"):
        tallied((instances[0], instances[0]), outcomes).compact()
    fixed = replace(outcomes[0], calls=(call(stage="steps", instance_id=""),))
    with pytest.raises(DataError, match="about one instance each, got one of stage steps"):
        Tally().add(instances[0], fixed)
    with pytest.raises(DataError, match="got ratings"):
        Tally().add(instances[0], Outcome(instances[0].id, Ratings({"overall": 1.0})))


def test_codes_are_in_order_of_id_and_appearance_however_many_pairs_there_are(call):
    rng = np.random.default_rng(3)
    n = 70_000  # more than are looked at at once
    made = [
        Instance(
            f"{number * 31_337 % n:06}",
            "p",
            (Response("x"), Response("y")),
            PreferenceGold(LABELS[rng.integers(3)]),
            cluster=f"c{rng.integers(n // 2)}" if number % 3 else "",
        )
        for number in range(n)
    ]
    roles = [call(role=f"r{number}") for number in range(5)]
    calls = {each.id: [roles[at] for at in rng.integers(0, 5, rng.integers(3))] for each in made}
    outcomes = [Outcome(each.id, Preference(Winner.FIRST), calls=tuple(calls[each.id])) for each in made]
    compact = tallied(made, outcomes).compact()
    ordered = sorted(made, key=lambda each: each.id)
    assert np.array_equal(compact.cluster, codes_of(clusters_of(ordered)))
    assert np.array_equal(compact.kind, codes_of([each.gold.winner for each in ordered]))
    assert [pair.gold.winner for pair, _ in compact.pairs] == list(
        dict.fromkeys(each.gold.winner for each in ordered)
    )
    assert [each.role for each in compact.calls] == [c.role for each in ordered for c in calls[each.id]]
