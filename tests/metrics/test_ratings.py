"""Alignment with human ratings: correlations, their ceiling, coverage and bounds."""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from tests.metrics.rating_worlds import AVERAGE, DIMENSIONS, FLUENCY, PIO, rated, rates, run

from venire.errors import DataError
from venire.metrics.measure import MetricSettings, measure
from venire.records import (
    OVERALL,
    Dimension,
    Instance,
    Outcome,
    Preference,
    PreferenceGold,
    Ratings,
    RatingsGold,
    Reason,
    Response,
    Unscored,
    Winner,
)
from venire.stats.correlation import Grouping

# Against fluency 5 4 3 2 1: -.7071, -.6325, -.7071 (tests/stats/test_correlation.py); pio is turned round.
GOLD = {"fluency": (2, 2, 1, 1, 0), "pio": (1, 2, 3, 4, 5)}
SAID = {"fluency": (1, 1, 1, 1, 2), "pio": (5, 4, 3, 2, 1)}


def test_each_coefficient_by_dimension_is_signed_and_its_absolute_value_stands_apart():
    gold = {**GOLD, "fluency": (5, 4, 3, 2, 1)}
    dimensions = (replace(FLUENCY, high=5), PIO)
    metrics = run(rated(gold, dimensions=dimensions), rates(SAID)).metrics
    assert metrics["spearman/fluency"] == pytest.approx(-0.7071, abs=5e-5)
    assert metrics["kendall/fluency"] == pytest.approx(-0.6325, abs=5e-5)
    assert metrics["pearson/fluency"] == pytest.approx(-0.7071, abs=5e-5)
    assert metrics["spearman/pio"] == pytest.approx(-1.0)
    assert metrics["abs_spearman/fluency"] == pytest.approx(0.7071, abs=5e-5)
    assert metrics["spearman/mean"] == pytest.approx(-(0.70711 + 1) / 2, abs=5e-5)
    assert metrics["abs_spearman/mean"] == pytest.approx((0.70711 + 1) / 2, abs=5e-5)
    assert (metrics["n"], metrics["n/fluency"], metrics["coverage"]) == (5, 5, 1.0)


def test_opposite_signs_cancel_in_the_signed_mean_only():
    metrics = run(rated(GOLD), rates({"fluency": GOLD["fluency"], "pio": (5, 4, 3, 2, 1)})).metrics
    assert metrics["kendall/mean"] == pytest.approx(0.0)
    assert metrics["abs_kendall/mean"] == pytest.approx(1.0)


def test_the_absolute_mean_says_what_chance_gives():
    # sqrt(2 / (pi * 4)) = .399
    notes = run(rated(GOLD), rates(SAID)).notes
    assert notes["abs_spearman/mean"].endswith("biased upward near 0: about 0.399 even if nothing is related")


def test_a_mean_is_over_what_judges_rate():
    gold = {**GOLD, "average": (0.1, 0.2, 0.3, 0.4, 0.5)}
    instances = rated(gold, dimensions=(*DIMENSIONS, AVERAGE))
    said = {"fluency": GOLD["fluency"], "pio": GOLD["pio"], OVERALL: (5, 4, 3, 2, 1)}
    metrics = run(instances, rates(said)).metrics
    assert metrics["spearman/average"] == pytest.approx(-1.0)
    assert metrics["spearman/mean"] == metrics["abs_spearman/mean"] == pytest.approx(1.0)
    only = run(rated({"average": gold["average"]}, dimensions=(AVERAGE,)), rates({OVERALL: (1, 2, 3, 4, 6)}))
    assert only.metrics["spearman/mean"] == pytest.approx(1.0)


def test_one_score_of_the_whole_is_held_against_what_the_method_did_not_rate():
    score = {OVERALL: (0.1, 0.2, 0.3, 0.4, 0.5)}
    whole = run(rated(GOLD), rates(score))
    assert whole.metrics["spearman/pio"] == pytest.approx(1.0)
    assert whole.metrics["coverage/fluency"] == 1.0
    assert whole.notes["spearman/pio"].endswith("by the method's one score of the whole response")
    # A dimension that it did rate is never filled in from the whole: item 0 is N/A there.
    mixed = run(rated(GOLD), rates({**score, "pio": (None, 2, 3, 4, 5)}))
    assert (mixed.metrics["n/pio"], mixed.metrics["coverage/pio"]) == (4, 0.8)
    assert mixed.metrics["not_applicable/pio"] == 1
    assert "not_applicable/fluency" not in mixed.metrics


def test_a_constant_rating_is_nan_with_its_reason_and_so_is_the_mean():
    made = run(rated(GOLD), rates({**SAID, "fluency": (2, 2, 2, 2, 2)}))
    for coefficient in ("spearman", "kendall", "pearson"):
        assert math.isnan(made.metrics[f"{coefficient}/fluency"])
        assert math.isnan(made.metrics[f"abs_{coefficient}/mean"])
        assert made.notes[f"{coefficient}/fluency"] == (
            "undefined: ratings are all 2, so nothing can go along with them"
        )
        assert made.notes[f"abs_{coefficient}/mean"].startswith("undefined: fluency: ratings are all 2")
    assert made.metrics["spearman/pio"] == pytest.approx(-1.0)


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_rated_items_are_undefined(n):
    instances = rated(GOLD)
    made = run(instances, rates(SAID)[:n])
    assert math.isnan(made.metrics["spearman/fluency"])
    assert made.notes["spearman/fluency"].startswith(f"undefined: {n} items with both values")
    assert made.metrics["coverage"] == n / 5
    assert made.metrics["unscored/not_run"] == 5 - n


def test_what_is_not_rated_is_counted_by_reason_and_never_a_number():
    instead = {0: Unscored(Reason.UNPARSED), 1: Unscored(Reason.REFUSED)}
    made = run(rated(GOLD), rates(SAID, instead))
    assert made.metrics["coverage"] == pytest.approx(0.6)
    assert made.metrics["coverage/pio"] == pytest.approx(0.6)
    assert made.metrics["n/pio"] == 3
    unscored = {name: value for name, value in made.metrics.items() if name.startswith("unscored/")}
    assert unscored == {"unscored/total": 2, "unscored/unparsed": 1, "unscored/refused": 1}


def test_a_missing_gold_rating_takes_an_item_out_of_that_dimension_only():
    gold = {"fluency": (2, 2, 1, 1, None), "pio": (1, 2, 3, 4, 5)}
    metrics = run(rated(gold), rates(SAID)).metrics
    assert (metrics["n/fluency"], metrics["n/pio"]) == (4, 5)
    assert metrics["coverage/fluency"] == 1.0


def test_bounds_say_what_missing_ratings_could_do():
    # pio 1 ? 3 against 1 2 3 on the scale 0 to 6: rho is 1 at 2, and lowest where the order is broken most:
    # at 0 (ranks 2 1 3) and at 4 to 6 (1 3 2): .5.
    made = run(rated({"pio": (1, 2, 3)}, dimensions=(PIO,)), rates({"pio": (1, None, 3)}))
    assert made.metrics["spearman/pio/best"] == pytest.approx(1.0)
    assert made.metrics["spearman/pio/worst"] == pytest.approx(0.5)
    assert made.notes["spearman/pio/worst"] == "attained if the missing ratings were points from 0 to 6"


def test_without_missing_ratings_there_are_no_bounds_to_tell():
    assert not [name for name in run(rated(GOLD), rates(SAID)).metrics if name.endswith(("/worst", "/best"))]


HUMANS = {
    "ann": {"fluency": (2, 2, 1, 1, None), "pio": (1, 2, 3, 4, 5)},
    "bob": {"fluency": (2, 1, 1, 0, 0), "pio": (None, None, None, 4, 5)},
}


def test_the_ceiling_is_one_human_against_another_on_what_both_rated():
    made = run(rated(GOLD, annotators=HUMANS), rates(SAID))
    assert (made.metrics["ceiling/n/fluency"], made.metrics["ceiling/n/pio"]) == (4, 2)
    expected = stats.spearmanr((2, 2, 1, 1), (2, 1, 1, 0)).statistic
    assert made.metrics["ceiling/spearman/fluency"] == pytest.approx(expected)
    assert made.metrics["ceiling/pearson/pio"] == pytest.approx(1.0)
    assert made.metrics["ceiling/abs_spearman/mean"] == pytest.approx((expected + 1) / 2)
    assert made.notes["ceiling/spearman/fluency"].endswith("two annotators' 4 items")


def test_of_three_annotators_the_first_two_by_name_are_held_against_each_other():
    humans = {
        "cy": {"pio": (5, 4, 3, 2, 1)},
        "bob": {"pio": (1, 2, 3, 4, 5)},
        "ann": {"pio": (1, 2, 3, 4, 6)},
    }
    assert run(rated(GOLD, annotators=humans), rates(SAID)).metrics["ceiling/spearman/pio"] == pytest.approx(
        1.0
    )


def test_without_two_annotators_there_is_no_ceiling():
    names = run(rated(GOLD, annotators={"ann": HUMANS["ann"]}), rates(SAID)).metrics
    assert not [name for name in names if name.startswith("ceiling/")]


def test_per_document_is_the_mean_over_documents():
    gold = {"pio": (1, 2, 3, 1, 2, 3)}
    said = {"pio": (1, 2, 3, 3, 2, 1)}
    made = run(
        rated(gold, dimensions=(PIO,), documents="aaabbb"), rates(said), grouping=Grouping.PER_DOCUMENT
    )
    assert made.metrics["spearman/pio"] == pytest.approx(0.0)
    assert "mean over 2 documents" in made.notes["spearman/pio"]
    assert "spearman/pio/worst" not in made.metrics


def test_per_system_is_of_the_systems_means():
    gold = {"pio": (0, 2, 2, 2, 3, 3)}  # means 1 2 3
    said = {"pio": (1, 1, 4, 2, 2, 2)}  # means 1 3 2
    made = run(rated(gold, dimensions=(PIO,), systems="xxyyzz"), rates(said), grouping=Grouping.PER_SYSTEM)
    assert made.metrics["spearman/pio"] == pytest.approx(0.5)
    assert "of the means of 3 systems" in made.notes["spearman/pio"]
    unknown = run(rated(gold, dimensions=(PIO,)), rates(said), grouping=Grouping.PER_SYSTEM)
    assert math.isnan(unknown.metrics["spearman/pio"])


def test_intervals_resample_documents():
    rng = np.random.default_rng(2)
    ratings = rng.integers(0, 7, 30).astype(float)
    noisy = np.clip(ratings + rng.integers(-2, 3, 30), 0, 6)
    repeated = [np.repeat(side, 4) for side in (ratings, noisy)]
    documents = "".join(chr(65 + index) * 4 for index in range(30))
    apart = run(rated({"pio": repeated[0]}, dimensions=(PIO,)), rates({"pio": repeated[1]}), draws=500)
    whole = run(
        rated({"pio": repeated[0]}, dimensions=(PIO,), documents=documents),
        rates({"pio": repeated[1]}),
        draws=500,
    )
    assert apart.metrics["spearman/pio"] == whole.metrics["spearman/pio"]

    def width(made):
        return made.metrics["spearman/pio/ci_high"] - made.metrics["spearman/pio/ci_low"]

    # Four equal items say no more than one: the interval of 30 is about twice as wide as that of 120.
    assert 1.5 < width(whole) / width(apart) < 2.7
    assert "over 30 clusters, 500 draws" in whole.notes["spearman/pio"]


def test_the_order_of_instances_and_outcomes_changes_nothing_and_the_seed_only_intervals():
    instances, outcomes = rated(GOLD, documents="aabbc"), rates(SAID)
    first = run(instances, outcomes)
    random.Random(1).shuffle(instances)
    assert run(instances, outcomes[::-1]).metrics == pytest.approx(first.metrics, nan_ok=True)
    rng = np.random.default_rng(0)
    gold, said = ({"pio": rng.integers(0, 7, 25).astype(float)} for _ in range(2))
    one, other = (run(rated(gold, dimensions=(PIO,)), rates(said), seed=seed).metrics for seed in (0, 1))
    assert one["pearson/pio"] == other["pearson/pio"]
    assert one["pearson/pio/ci_low"] != other["pearson/pio/ci_low"]


def test_means_of_points_that_are_equal_but_for_rounding_are_ties():
    a, b = (0.1 + 0.2 + 0.3) / 3, (0.3 + 0.2 + 0.1) / 3
    assert a != b
    made = run(rated({"pio": (1, 2, 3)}, dimensions=(PIO,)), rates({"pio": (a, b, 1.0)}))
    # ranks 1.5 1.5 3 against 1 2 3: 1.5 / sqrt(1.5 * 2)
    assert made.metrics["spearman/pio"] == pytest.approx(0.8660254)


def test_unrated_instances_of_a_rated_set_are_judged_and_measured_against_nothing():
    instances = [replace(each, gold=None) for each in rated(GOLD)]
    made = run(instances, rates(SAID))
    assert made.metrics["coverage"] == 1.0
    assert math.isnan(made.metrics["coverage/pio"])
    assert made.notes["coverage/pio"] == "undefined: no human rated it"
    assert made.notes["spearman/pio"].startswith("undefined: 0 items with both values")


def test_a_preference_among_ratings_is_an_error():
    with pytest.raises(DataError, match="expected ratings, as the gold is, got preferences"):
        run(rated(GOLD), [Outcome("i000", Preference(Winner.FIRST))])
    mixed = rated(GOLD)
    mixed[4] = replace(mixed[4], gold=PreferenceGold(Winner.FIRST))
    with pytest.raises(DataError, match=r"gold of 'i004': expected ratings like the others, got a p"):
        run(mixed, [])


def test_a_rating_on_an_undeclared_dimension_or_without_a_number_is_an_error():
    stranger = Instance("x", "p", (Response("r"),), RatingsGold({"style": 1.0}), dimensions=DIMENSIONS)
    with pytest.raises(DataError, match=r"declared dimensions \(fluency, pio; .*, got 'style'"):
        run([stranger], [])
    called = replace(stranger, gold=None, dimensions=(Dimension(OVERALL, "all", 0, 1),))
    with pytest.raises(DataError, match=r"none may be called 'overall'"):
        run([called], [])
    with pytest.raises(DataError, match=r"outcome of 'i001': expected a finite rating on 'pio', got nan"):
        run(rated(GOLD), [Outcome("i001", Ratings({"pio": math.nan}))])


def test_two_responses_cannot_be_rated():
    pair = Instance("x", "p", (Response("r"), Response("s")), RatingsGold({"pio": 1.0}), dimensions=(PIO,))
    with pytest.raises(DataError, match=r"gold of 'x': expected ratings of one response, got 2 responses"):
        run([pair], [])


def test_no_bootstrap_means_no_intervals():
    metrics = run(rated(GOLD), rates(SAID), draws=0).metrics
    assert math.isnan(metrics["spearman/fluency/ci_low"])
    assert not math.isnan(metrics["spearman/fluency"])


def test_the_ceiling_may_be_told_by_more_than_what_was_judged():
    judged = rated({"pio": (1, 2, 3)}, dimensions=(PIO,))
    column = {"pio": (1, 2, 3, 4)}
    others = {"ann": column, "bob": {"pio": (1, 2, 4, 3)}}
    whole = rated(column, dimensions=(PIO,), annotators=others)
    said = rates({"pio": (1, 2, 3)})
    made = measure(judged, said, labels=(), seed=0, settings=MetricSettings(10), doubly_rated=whole).metrics
    assert (made["n/pio"], made["ceiling/n/pio"]) == (3, 4)
    assert made["ceiling/spearman/pio"] == pytest.approx(0.8)
    assert not [name for name in run(judged, said).metrics if name.startswith("ceiling/")]


def test_humans_who_rate_on_points_agree_by_kappa_and_alpha():
    # 0 0, 1 1, 1 0, 2 2: three of four agree; with margins 1 2 1 and 2 1 1 chance agrees in (2 + 2 + 1) / 16:
    # kappa (.75 - .3125) / (1 - .3125) = .6364
    humans = {"ann": {"fluency": (0, 1, 1, 2)}, "bob": {"fluency": (0, 1, 0, 2)}}
    made = run(rated({"fluency": (0, 1, 1, 2)}, dimensions=(FLUENCY,), annotators=humans), []).metrics
    assert made["ceiling/agreement/fluency"] == 0.75
    assert made["ceiling/kappa/fluency"] == pytest.approx(0.6364, abs=5e-5)
    # Linear: 1 - (1 * 1 / 4) / ((1*1*1 + 1*1*2 + 2*2*1 + 2*1*1 + 1*2*2 + 1*1*1) / 16) = 1 - .25 / .875
    assert made["ceiling/kappa_linear/fluency"] == pytest.approx(1 - 0.25 / 0.875)


def test_ratings_between_the_points_have_no_kappa():
    humans = {"ann": {"fluency": (0, 1.5, 2)}, "bob": {"fluency": (0, 1, 2)}}
    made = run(rated({"fluency": (0, 1, 2)}, dimensions=(FLUENCY,), annotators=humans), []).metrics
    assert "ceiling/kappa/fluency" not in made
    assert made["ceiling/spearman/fluency"] == pytest.approx(1.0)


def test_the_whole_is_rounded_where_it_is_a_mean_of_ratings_and_kept_where_it_stands_alone():
    a, b = (0.1 + 0.2 + 0.3) / 3, (0.3 + 0.2 + 0.1) / 3
    average = Dimension("average", "of all", 0, 3, None, asked=False)
    gold = rated({"average": (1, 2, 3)}, dimensions=(average,))
    alone = run(gold, rates({"overall": (b, a, 1.0)})).metrics["spearman/average"]
    mean = run(gold, rates({"overall": (b, a, 1.0), "fluency": (1, 1, 2)}))
    assert (a > b, alone) == (True, pytest.approx(1.0))
    assert mean.metrics["spearman/average"] == pytest.approx(0.8660254)  # a tie, as above
