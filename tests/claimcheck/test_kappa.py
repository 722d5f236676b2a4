import itertools
import random
from fractions import Fraction

import numpy as np
import pytest
from tests.seeds import on_each_seed

from venire.claimcheck.figures import Figure, read_figure
from venire.claimcheck.findings import Level, Result
from venire.claimcheck.kappa import KappaCheck
from venire.claimcheck.kappa_bounds import (
    accuracy_between,
    corners,
    expected_beside,
    free_expected,
    hull_at,
    kappa_between,
    kappa_within,
)
from venire.stats.agreement import kappa_of_table


def tables(n: int, labels: int) -> list[np.ndarray]:
    """Every table of n items."""
    cells = labels * labels
    bars = itertools.combinations(range(n + cells - 1), cells - 1)
    found = []
    for bar in bars:
        ends = (-1, *bar, n + cells - 1)
        found.append(np.array([b - a - 1 for a, b in itertools.pairwise(ends)]).reshape(labels, labels))
    return found


def kappas(n: int, labels: int, right: int, gold=None, verdicts=None) -> list[Fraction]:
    """Kappa of every table of n items with so many right (and these margins), by its definition."""
    found = []
    for table in tables(n, labels):
        rows, columns = table.sum(axis=1), table.sum(axis=0)
        if np.trace(table) != right or (gold and tuple(rows) != gold):
            continue
        if verdicts and tuple(columns) != verdicts:
            continue
        expected = Fraction(int(rows @ columns), n * n)
        if expected < 1:
            found.append((Fraction(right, n) - expected) / (1 - expected))
    return found


@pytest.mark.parametrize(("labels", "n"), [(2, 6), (2, 9), (3, 5), (3, 6)])
def test_no_table_lies_outside_of_the_bounds_with_free_margins(labels: int, n: int) -> None:
    at = kappa_between(labels, None, None)
    for right in range(n + 1):
        span = at(Fraction(right, n))
        assert span is not None
        found = kappas(n, labels, right)
        assert span[0] <= min(found)
        assert max(found) <= span[1]


def test_the_free_bounds_of_two_labels_are_reached() -> None:
    # n 8, 4 right: e is highest with 4 right of one label and the wrong split 2:2, lowest with all wrong of
    # one kind.
    low, high = kappa_between(2, None, None)(Fraction(1, 2))
    found = kappas(8, 2, 4)
    assert (low, high) == (min(found), max(found))
    # a^2 / (2 - 2a + a^2) = .25 / 1.25; -(1 - a) / (1 + a) = -.5 / 1.5.
    assert (low, high) == (Fraction(-1, 3), Fraction(1, 5))


def test_the_free_bounds_of_three_labels_are_reached() -> None:
    # a 1/2: s = (3/2 - 1) / 6 = 1/12, so e = 2/144 + (1/3)^2 + 1/12 = 5/24; twelfths of 12 items are whole.
    assert free_expected(Fraction(1, 2), 3) == (Fraction(5, 24), Fraction(5, 8))
    table = np.array([[1, 6, 0], [0, 1, 0], [0, 0, 4]])  # 6 wrong between the first two
    assert kappa_of_table(table).value == pytest.approx((1 / 2 - 5 / 24) / (1 - 5 / 24))


@on_each_seed(200)
def test_random_tables_lie_within_all_bounds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = int(rng.integers(2, 5))
    table = rng.integers(0, rng.integers(2, 9), (labels, labels))
    n = int(table.sum())
    if n == 0:
        table[0, 1], n = 1, 1
    value = kappa_of_table(table).value
    if np.isnan(value):
        return
    gold = [Fraction(int(x), n) for x in table.sum(axis=1)]
    verdicts = [Fraction(int(x), n) for x in table.sum(axis=0)]
    accuracy = Fraction(int(np.trace(table)), n)
    for margins in ((None, None), (gold, None), (None, verdicts), (gold, verdicts)):
        span = kappa_between(labels, *margins)(accuracy)
        assert span is not None
        assert float(span[0]) - 1e-12 <= value <= float(span[1]) + 1e-12
    assert span is not None
    assert float(span[0]) == pytest.approx(value, abs=1e-12)  # both margins leave nothing open
    least, most = accuracy_between(gold, verdicts)
    assert least <= accuracy <= most


@pytest.mark.parametrize("seed", range(30))
def test_bounds_with_the_gold_given_are_those_of_all_tables(seed: int) -> None:
    # Whole shares of 6 items: the extremes of a linear programme with whole margins lie at whole tables.
    rng = random.Random(seed)
    n, labels = 6, 3
    cut = sorted(rng.randrange(n + 1) for _ in range(2))
    gold = (cut[0], cut[1] - cut[0], n - cut[1])
    margin = [Fraction(each, n) for each in gold]
    for right in range(n + 1):
        low, high = expected_beside(Fraction(right, n), margin)
        expected = [
            Fraction(int(t.sum(axis=1) @ t.sum(axis=0)), n * n)
            for t in tables(n, labels)
            if np.trace(t) == right and tuple(t.sum(axis=1)) == gold
        ]
        assert (low, high) == (min(expected), max(expected))


@pytest.mark.parametrize("seed", range(60))
def test_between_its_corners_the_range_of_kappa_is_monotone(seed: int) -> None:
    rng = random.Random(seed)
    labels = rng.choice((2, 3))
    parts = [rng.randrange(1, 20) for _ in range(labels)]
    margin = rng.choice((None, [Fraction(part, sum(parts)) for part in parts]))
    low, high = sorted((Fraction(rng.randrange(101), 100), Fraction(rng.randrange(101), 100)))
    at = kappa_between(labels, margin, None)
    span = kappa_within(at, corners(low, high, margin, None))
    assert span is not None
    for step in range(51):
        inside = at(low + (high - low) * Fraction(step, 50))
        assert inside is not None
        assert span[0] <= inside[0]
        assert inside[1] <= span[1]


@pytest.mark.parametrize("seed", range(60))
def test_a_mean_over_runs_lies_in_the_hull(seed: int) -> None:
    rng = random.Random(seed)
    n = rng.randrange(2, 8)
    at = kappa_between(2, None, None)
    runs = [(right, rng.choice(kappas(n, 2, right))) for right in (rng.randrange(n + 1) for _ in range(3))]
    accuracy = Fraction(sum(right for right, _ in runs), 3 * n)
    value = sum((k for _, k in runs), Fraction(0)) / 3
    span = hull_at(at, accuracy, accuracy, n)
    assert span is not None
    assert span[0] <= value <= span[1]


def check(accuracy: str, kappa: str, n: int, **settings: object) -> Result:
    figures: dict[str, Figure] = {
        name: read_figure(text, name, name=name) for name, text in (("a", accuracy), ("k", kappa))
    }
    return KappaCheck("a", "k", n, **settings).result(figures)  # type: ignore[arg-type]


def test_even_margins_give_the_kappa_that_twice_the_accuracy_says() -> None:
    found = check(".784", ".57", 419)  # 2 * .784 - 1 = .568
    assert found.level is Level.CONSISTENT
    assert "(0.784 − 0.500) / (1 − 0.500) = 0.568" in found.arithmetic[0]


def test_kappa_59_at_804_needs_uneven_margins() -> None:
    found = check(".804", ".59", 300)
    assert found.level is Level.CONDITIONAL
    # (.8035 - .595) / .405 = .515 and (.8045 - .585) / .415 = .529; .5 + sqrt(.022 / 2) = .605.
    assert found.conditions == (
        "the margins make e 0.515 to 0.529: for instance both sides have the same label in a share of 0.605",
    )
    # a^2 / (2 - 2a + a^2) at .8045 = .6472 / 1.0382; -(1 - a) / (1 + a) at .8035 = -.1965 / 1.8035.
    assert "kappa −0.109 to 0.623" in found.arithmetic[1]


def test_gold_that_is_nearly_even_makes_it_impossible() -> None:
    # At most .507 + .1965 of the verdicts are the first label: e <= .5 + 2 * .00667 * .2035 = .5027, so
    # kappa >= .605.
    found = check(".804", ".59", 300, gold=(152, 148))
    assert found.level is Level.IMPOSSIBLE
    assert "kappa 0.605 to 0.611" in found.arithmetic[1]


def test_uneven_gold_says_what_share_the_verdicts_need() -> None:
    # Verdicts alike: e = .49 + .09 = .58, kappa .524. For .55: e from (.795 - .555) / .445 = .539 to
    # (.805 - .545) / .455 = .571, and e = .5 + 2 * .2 * (q - .5), so q from .598 to .679.
    found = check(".80", ".55", 100, gold=(70, 30), runs=1)
    assert found.level is Level.CONDITIONAL
    assert found.conditions == (
        "the margins make e 0.539 to 0.571: the first label has a share of 0.598 to 0.679 of the verdicts",
    )


def test_a_kappa_above_what_any_margins_give_is_impossible() -> None:
    # a^2 / (2 - 2a + a^2) at .8005 is .6163.
    assert check(".80", ".65", 1000, runs=1).level is Level.IMPOSSIBLE


def test_above_the_accuracy_no_mean_over_runs_has_it_either() -> None:
    # The hull's upper edge joins (0, 0) and (1, 1): a mean kappa is at most the mean accuracy.
    assert check(".80", ".82", 1000).level is Level.IMPOSSIBLE
    unlike = check(".80", ".70", 1000)
    assert unlike.level is Level.CONDITIONAL
    assert unlike.conditions == ("they are means over runs whose accuracies lie far apart",)


def test_both_margins_leave_one_kappa() -> None:
    # Gold 60:40, verdicts 50:50: e = .5, kappa = 2 * .7 - 1 = .4.
    margins = {"gold": (60, 40), "verdicts": (50, 50), "runs": 1}
    assert check(".70", ".40", 100, **margins).level is Level.CONSISTENT
    assert check(".70", ".45", 100, **margins).level is Level.IMPOSSIBLE
    # At most 50 + 40 right, at least 10.
    beyond = check(".95", ".90", 100, **margins)
    assert beyond.level is Level.IMPOSSIBLE
    assert "is the accuracy of no table" in beyond.arithmetic[1]


def test_whole_tables_are_tried_for_a_single_run() -> None:
    # 3 of 4 right: kappa is 1/2 (2:2 against 2:2 or 3:1 ...), 0 or 3/7-like values, never .45 to .46.
    values = set(kappas(4, 2, 3))
    assert not [value for value in values if Fraction("0.445") <= value <= Fraction("0.455")]
    found = check(".75", ".45", 4, runs=1)
    assert found.level is Level.IMPOSSIBLE
    assert found.arithmetic[-1] == "No table of 4 whole items gives both."


@on_each_seed(100)
def test_figures_of_a_real_table_are_never_impossible(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = int(rng.integers(2, 4))
    table = rng.integers(0, 12, (labels, labels))
    table[0, 1] += 1
    n, value = int(table.sum()), kappa_of_table(table).value
    accuracy = np.trace(table) / n
    gold = tuple(int(x) for x in table.sum(axis=1))
    verdicts = tuple(int(x) for x in table.sum(axis=0))
    for margins in ({}, {"gold": gold}, {"verdicts": verdicts}, {"gold": gold, "verdicts": verdicts}):
        found = check(f"{accuracy:.3f}", f"{value:.2f}", n, labels=labels, runs=1, **margins)
        assert found.level is not Level.IMPOSSIBLE, (table, margins, found)


def test_all_right_has_kappa_one() -> None:
    assert check("1.00", "1.00", 10, runs=1).level is Level.CONSISTENT
    assert check("1.00", ".90", 10, runs=1).level is Level.IMPOSSIBLE


def test_one_label_on_both_sides_has_no_kappa() -> None:
    found = check("1.00", "1.00", 10, gold=(10, 0), verdicts=(10, 0))
    assert found.level is Level.IMPOSSIBLE


@pytest.mark.parametrize("accuracy", ["1.2", "-.2"])
def test_an_accuracy_that_is_no_share_is_impossible_whatever_the_kappa(accuracy: str) -> None:
    found = check(accuracy, ".5", 20)
    assert found.level is Level.IMPOSSIBLE
    assert "no share is below 0 or above 1" in found.arithmetic[0]
