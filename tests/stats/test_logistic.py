"""Logistic regression that says so where it has no answer, and win rates at equal length."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm

from venire.stats.logistic import (
    Logistic,
    logistic,
    resampled_coefficients,
    separates,
    win_rate_at_equal_length,
)


def rows(*groups: tuple[float, int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(covariate, successes, failures) to outcomes, covariate and one cluster a row."""
    outcome = np.concatenate([[1.0] * wins + [0.0] * losses for _, wins, losses in groups])
    covariate = np.concatenate([[x] * (wins + losses) for x, wins, losses in groups])
    return outcome, covariate, np.arange(len(outcome))


def reasons(made: Logistic) -> set[str]:
    """Why there is nothing; every coefficient must be NaN, without an interval and without a p."""
    for each in made.coefficients.values():
        numbers = (each.estimate.value, each.estimate.low, each.estimate.high, each.p, each.odds_ratio)
        assert all(map(math.isnan, numbers))
    return {each.estimate.note for each in made.coefficients.values()}


def test_one_binary_covariate_has_the_log_odds_ratio_of_its_table() -> None:
    # Successes 3 of 10 at 0 and 6 of 10 at 1: odds 3/7 and 6/4, odds ratio 3.5. Variance of the log odds
    # ratio 1/3 + 1/7 + 1/6 + 1/4 = .892857, times 20/19 * 19/18 for 20 clusters and 2 coefficients.
    outcome, x, cluster = rows((0.0, 3, 7), (1.0, 6, 4))
    made = logistic(outcome, {"x": x}, cluster)
    assert made["intercept"].estimate.value == pytest.approx(math.log(3 / 7), abs=1e-8)
    assert made["x"].estimate.value == pytest.approx(math.log(3.5), abs=1e-8)
    assert made["x"].odds_ratio == pytest.approx(3.5, abs=1e-7)
    half = 1.959963984540054 * math.sqrt(0.892857142857 * 20 / 18)
    assert made["x"].estimate.low == pytest.approx(math.log(3.5) - half, abs=1e-6)
    assert made["x"].estimate.high == pytest.approx(math.log(3.5) + half, abs=1e-6)
    note = "95% normal interval, errors robust over 20 clusters; fewer than 50 clusters: perhaps too narrow"
    assert made["x"].estimate.note == note


def test_the_unit_of_a_covariate_scales_its_coefficient_and_nothing_else() -> None:
    outcome, x, cluster = rows((0.0, 3, 7), (1.0, 6, 4))
    one, other = (logistic(outcome, {"x": x * unit}, cluster)["x"] for unit in (1.0, 1e6))
    assert other.estimate.value * 1e6 == pytest.approx(one.estimate.value)
    assert other.estimate.low * 1e6 == pytest.approx(one.estimate.low)
    assert other.p == pytest.approx(one.p)


def test_rows_of_one_cluster_do_not_count_as_independent() -> None:
    # Every row twice: the estimate stays, the interval is that of the 20 clusters and not of 40 rows.
    outcome, x, cluster = rows((0.0, 3, 7), (1.0, 6, 4))
    once = logistic(outcome, {"x": x}, cluster)["x"].estimate
    twice = logistic(np.tile(outcome, 2), {"x": np.tile(x, 2)}, np.tile(cluster, 2))["x"].estimate
    assert twice.value == pytest.approx(once.value)
    assert twice.high - twice.low == pytest.approx(once.high - once.low, rel=0.03)


def test_half_a_success_counts_half() -> None:
    # Two halves at 0 are one success and one failure: 4 of 12 against 6 of 10.
    outcome, x, _ = rows((0.0, 3, 7), (1.0, 6, 4))
    outcome, x = np.append(outcome, [0.5, 0.5]), np.append(x, [0.0, 0.0])
    made = logistic(outcome, {"x": x}, np.arange(22))
    assert made["intercept"].estimate.value == pytest.approx(math.log(4 / 8), abs=1e-8)


@pytest.mark.parametrize(
    ("groups", "kind"),
    [
        (((0.0, 0, 5), (1.0, 5, 0)), "complete"),
        (((0.0, 0, 5), (1.0, 3, 2)), "quasi-complete: no success at 0"),
        (((0.0, 3, 2), (1.0, 5, 0)), "quasi-complete: no failure at 1"),
    ],
)
def test_separation_gives_nan_with_the_reason_and_no_huge_number(
    groups: tuple[tuple[float, int, int], ...], kind: str
) -> None:
    outcome, x, cluster = rows(*groups)
    made = logistic(outcome, {"x": x}, cluster)
    assert reasons(made) == {
        "undefined: the covariates separate the outcomes: the coefficients are infinite"
    }, kind


def test_separation_by_two_covariates_together_is_found() -> None:
    # Neither alone separates: success is where x + z > 0.
    x = np.array([2.0, -1.0, 1.0, -2.0, 3.0, -3.0])
    z = np.array([-1.0, 2.0, -2.0, 1.0, -2.0, 2.0])
    outcome = (x + z > 0).astype(float)
    cluster = np.arange(6)
    assert "separate" in reasons(logistic(outcome, {"x": x, "z": z}, cluster)).pop()
    assert logistic(outcome, {"x": x}, cluster)["x"].estimate.is_defined
    assert logistic(outcome, {"z": z}, cluster)["z"].estimate.is_defined


def test_a_single_row_across_the_line_ends_the_separation() -> None:
    outcome, x, _ = rows((0.0, 0, 5), (1.0, 5, 0))
    design = np.column_stack([np.ones(10), x])
    assert separates(design, outcome)
    design, outcome = np.vstack([design, [[1.0, 0.0], [1.0, 1.0]]]), np.append(outcome, [1.0, 0.0])
    assert not separates(design, outcome)


def test_a_tie_that_stands_in_the_way_ends_the_separation_too() -> None:
    outcome, x, _ = rows((0.0, 0, 5), (1.0, 5, 0))
    design = np.column_stack([np.ones(12), np.append(x, [0.0, 1.0])])
    assert not separates(design, np.append(outcome, [0.5, 0.5]))


@pytest.mark.parametrize("constant", [0.0, 1.0])
def test_a_constant_outcome_gives_nan(constant: float) -> None:
    made = logistic(np.full(6, constant), {"x": np.arange(6.0)}, np.arange(6))
    assert reasons(made) == {"undefined: every outcome is the same"}


def test_a_constant_covariate_has_no_coefficient_and_the_others_are_estimated_without_it() -> None:
    outcome, x, cluster = rows((0.0, 3, 7), (1.0, 6, 4))
    made = logistic(outcome, {"gold": np.ones(20), "x": x}, cluster)
    assert math.isnan(made["gold"].estimate.value)
    assert made["gold"].estimate.note == "undefined: gold is the same in every row"
    assert made["x"].estimate.value == pytest.approx(math.log(3.5), abs=1e-8)


def test_covariates_that_determine_each_other_give_nan() -> None:
    outcome, x, cluster = rows((0.0, 3, 7), (1.0, 6, 4))
    made = logistic(outcome, {"length": 100 * x + 7, "gold": x}, cluster)
    assert reasons(made) == {"undefined: length and gold determine each other (collinear)"}


def test_no_row_and_a_single_cluster_give_nan() -> None:
    nothing = np.zeros(0)
    assert reasons(logistic(nothing, {"x": nothing}, np.zeros(0, dtype=np.int64))) == {
        "undefined: there is no row"
    }
    outcome, x, _ = rows((0.0, 3, 7), (1.0, 6, 4))
    one_cluster = np.zeros(20, dtype=np.int64)
    assert reasons(logistic(outcome, {"x": x}, one_cluster)) == {
        "undefined: there is only one cluster of rows"
    }


def test_a_win_rate_at_equal_length_takes_the_length_out() -> None:
    # 8 of 10 wins where the own response is 50 longer, 12 of 30 where it is 50 shorter: raw .5. The two
    # values lie symmetrically around 0, so the intercept is the mean of the two log odds:
    # (ln 4 + ln(2/3)) / 2 = .4904, and the rate 1 / (1 + exp(-.4904)) = .6202.
    wins, difference, cluster = rows((50.0, 8, 2), (-50.0, 12, 18))
    made = win_rate_at_equal_length(wins, difference, cluster)
    assert wins.mean() == 0.5
    assert made.value == pytest.approx(0.6202, abs=5e-5)
    assert made.low < made.value < made.high
    assert win_rate_at_equal_length(wins, difference * 1e-4, cluster).value == pytest.approx(made.value)


def test_a_win_rate_of_equally_long_responses_is_the_raw_one() -> None:
    wins, difference, cluster = rows((0.0, 3, 7))
    assert win_rate_at_equal_length(wins, difference, cluster).value == pytest.approx(0.3)


def test_a_length_difference_that_never_varies_cannot_be_taken_out() -> None:
    wins, difference, cluster = rows((20.0, 3, 7))
    made = win_rate_at_equal_length(wins, difference, cluster)
    assert math.isnan(made.value)
    assert made.note == "undefined: the length difference is the same in every row"


def test_a_win_rate_that_length_alone_decides_is_undefined() -> None:
    wins, difference, cluster = rows((20.0, 5, 0), (-20.0, 0, 5))
    made = win_rate_at_equal_length(wins, difference, cluster)
    assert math.isnan(made.value)
    assert "separate" in made.note
    assert math.isnan(win_rate_at_equal_length(wins[:0], difference[:0], cluster[:0]).value)


def test_a_draw_that_takes_every_cluster_once_has_the_estimate_itself() -> None:
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=200), rng.choice([-1.0, 1.0], 200)
    outcome = (rng.random(200) < 1 / (1 + np.exp(-(0.2 + 0.6 * x + 1.1 * z)))).astype(float)
    cluster = np.arange(200) // 2
    counts = np.ones((1, 100))
    made = logistic(outcome, {"x": x, "z": z}, cluster)
    (draw,) = resampled_coefficients(outcome, [x, z], cluster, counts)
    assert draw == pytest.approx([made[name].estimate.value for name in ("intercept", "x", "z")], abs=1e-6)


def test_draws_spread_as_the_robust_interval_says() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=600)
    outcome = (rng.random(600) < 1 / (1 + np.exp(-0.5 * x))).astype(float)
    cluster = np.arange(600)
    counts = rng.multinomial(600, np.full(600, 1 / 600), size=400).astype(float)
    spread = resampled_coefficients(outcome, [x], cluster, counts)[:, 1].std()
    one = logistic(outcome, {"x": x}, cluster)["x"].estimate
    assert spread == pytest.approx((one.high - one.low) / (2 * 1.96), rel=0.1)


def test_a_draw_without_an_estimate_is_nan_and_touches_no_other() -> None:
    # The second draw leaves out the only success at 0 and the only failure at 1.
    outcome, x, _ = rows((0.0, 1, 3), (1.0, 3, 1))
    counts = np.ones((2, 8))
    counts[1, [0, 7]] = 0
    made = resampled_coefficients(outcome, [x], np.arange(8), counts)
    assert made[0] == pytest.approx([math.log(1 / 3), math.log(9)], abs=1e-6)
    assert np.isnan(made[1]).all()


def likelihood_and_sandwich(
    outcome: np.ndarray, design: np.ndarray, cluster: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The maximum of the log likelihood by BFGS, and its errors by a sandwich of summed scores.

    The meat has the usual factor C / (C - 1) * (n - 1) / (n - k) for C clusters.
    """
    n, k = design.shape

    def loss(beta: np.ndarray) -> tuple[float, np.ndarray]:
        odds = design @ beta
        return float(np.sum(np.logaddexp(0, odds) - outcome * odds)), design.T @ (
            1 / (1 + np.exp(-odds)) - outcome
        )

    beta = minimize(loss, np.zeros(k), jac=True, method="BFGS", options={"gtol": 1e-9}).x
    fitted = 1 / (1 + np.exp(-design @ beta))
    bread = np.linalg.inv((design * (fitted * (1 - fitted))[:, None]).T @ design)
    scores = design * (outcome - fitted)[:, None]
    names = np.unique(cluster)
    sums = np.array([scores[cluster == name].sum(axis=0) for name in names])
    factor = len(names) / (len(names) - 1) * (n - 1) / (n - k)
    return beta, np.sqrt(np.diag(bread @ (sums.T @ sums) @ bread) * factor)


def test_200_regressions_equal_a_maximum_and_a_sandwich_made_here() -> None:
    compared = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        n, k = int(rng.integers(60, 160)), int(rng.integers(1, 4))
        x = rng.normal(size=(n, k)) * rng.choice([1.0, 0.1, 10.0], k)
        cluster = rng.integers(0, n // 2, n)
        wins = rng.random(n) < 1 / (1 + np.exp(-(0.3 + x @ (rng.normal(size=k) / np.abs(x).max(axis=0)))))
        outcome = np.where(rng.random(n) < 0.1, 0.5, wins.astype(float))
        made = logistic(outcome, {f"x{at}": x[:, at] for at in range(k)}, cluster, level=0.9)
        beta, errors = likelihood_and_sandwich(outcome, np.column_stack([np.ones(n), x]), cluster)
        for each, value, error in zip(made.coefficients.values(), beta, errors, strict=True):
            estimate, half = each.estimate, norm.ppf(0.95) * error
            assert estimate.value == pytest.approx(value, abs=1e-6 + 1e-5 * error)
            assert (estimate.low, estimate.high) == pytest.approx(
                (value - half, value + half), rel=1e-4, abs=1e-5
            )
            assert each.p == pytest.approx(2 * norm.sf(abs(value / error)), rel=1e-3, abs=1e-9)
            compared += 1
    assert compared > 500


def test_separation_is_found_where_no_maximum_can_be_climbed_to() -> None:
    # 200 small tables of two covariates on a grid. Without a maximum the likelihood still rises far out: the
    # largest log odds at the end of a long climb (Newton, 60 steps, no step above 2) are over 15.
    found = [0, 0]
    for seed in range(200):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(6, 16))
        design = np.column_stack([np.ones(n), rng.integers(-1, 2, n), rng.integers(-1, 2, n)]).astype(float)
        outcome = rng.integers(0, 2, n).astype(float)
        beta = np.zeros(3)
        for _ in range(60):
            fitted = 1 / (1 + np.exp(-design @ beta))
            curvature = (design * (fitted * (1 - fitted))[:, None]).T @ design
            step = np.linalg.pinv(curvature, hermitian=True) @ (design.T @ (outcome - fitted))
            beta = beta + np.clip(step, -2, 2)
        separated = bool(np.abs(design @ beta).max() > 15)
        assert separates(design, outcome) == separated, seed
        found[separated] += 1
    assert min(found) > 40
