"""Differences of arms: tests, families, and what missing verdicts may not do."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from tests.reporting.test_compare import rows
from tests.reporting.test_rated_runs import make_run as rated_run  # noqa: F401
from tests.reporting.test_rated_runs import rows as rated_rows

from venire.reporting.differences import (
    Difference,
    accuracy_difference,
    family_of,
    mean_swap_test,
    rho_difference,
)
from venire.reporting.pairing import Run
from venire.reporting.sweep_table import sweep_table
from venire.reporting.table import Estimate, PValue
from venire.stats import estimate
from venire.stats.estimate import NAN
from venire.stats.multiple import Correction
from venire.stats.paired import mcnemar_exact


@pytest.fixture
def make_run(make_record) -> Callable[..., Run]:
    numbers = itertools.count(1)

    def make(made, arm: str = "base", **changes) -> Run:
        return Run(make_record(arm, arm=arm, **{"run_id": f"run-{next(numbers)}", **changes}), made)

    return make


def family(*ps: float, correction: Correction = Correction.HOLM):
    differences = [Difference(estimate.Estimate(0.1, 0.05, 0.15, 40), p) for p in ps]
    return family_of("Δ", [None, *differences], correction, base="the first row", test="a test")


def test_the_corrected_p_stands_beside_p_and_only_it_makes_bold() -> None:
    made = family(0.03, 0.01, NAN)
    assert made.columns == ("Δ", "p", "p, Holm")
    assert made.size == 2
    base, second, first, untested = made.rows
    assert base == ("", "", "")
    # .01 * 2 = .02; .03 stays, as the larger of .02 and .03
    assert first[1:] == (PValue(0.01), PValue(0.02))
    assert second[1:] == (PValue(0.03), PValue(0.03))
    assert [row[0].significant for row in (second, first, untested)] == [True, True, False]
    assert "corrected for the 2 differences of this table" in made.sentence
    crowded = family(0.03, *[0.5] * 9)
    assert not crowded.rows[1][0].significant  # .03 * 10
    assert "10 differences" in crowded.sentence


def test_intervals_over_few_items_are_said_to_be_too_narrow(make_run) -> None:
    few, many = (
        sweep_table("t", [make_run(rows("RW" * n, "RW" * n)), make_run(rows("RR" * n, "RW" * n), "b")])
        for n in (10, 40)
    )
    warning = "Fewer than 50 items (clusters): intervals are perhaps too narrow."
    assert [any(warning in line for line in table.footer) for table in (few, many)] == [True, False]


def test_the_correction_can_be_chosen_and_named() -> None:
    chosen = family(0.03, 0.04, correction=Correction.BENJAMINI_HOCHBERG)
    assert chosen.columns[2] == "p, Benjamini-Hochberg"
    assert chosen.rows[1][2] == PValue(0.04)
    plain = family(0.001, correction=Correction.NONE)
    assert plain.columns == ("Δ", "p")
    assert not plain.rows[1][0].significant
    assert "not corrected for the 1 difference of this table, so nothing is bold" in plain.sentence


def test_a_sweep_corrects_over_all_its_rows(make_run) -> None:
    base = make_run(rows("W" * 40, "W" * 40))
    better = make_run(rows("R" * 6 + "W" * 34, "R" * 6 + "W" * 34), "better")
    same = [make_run(rows("W" * 40, "W" * 40), f"same {i}") for i in range(3)]
    table = sweep_table("t", [base, better, *same])
    place = table.columns.index("p, Holm")
    # Six clusters one way: 2 / 2 ** 6 = .03125; Holm of four: .125. The others do not differ: 1.
    assert [row[place - 1] for row in table.rows] == ["", PValue(0.03125), *[PValue(1.0)] * 3]
    assert table.rows[1][place] == PValue(0.125)
    alone = sweep_table("t", [base, better])
    assert alone.rows[1][place - 2].significant
    assert not table.rows[1][place - 2].significant


@pytest.mark.parametrize("seed", range(20))
def test_of_one_order_the_p_is_that_of_mcnemar(make_run, seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = ("".join(rng.choice(list("RW"), size=60)) for _ in range(2))
    found = accuracy_difference([make_run(rows(first, first))], [make_run(rows(second, second), "other")])
    b = sum(x == "R" and y == "W" for x, y in zip(first, second, strict=True))
    c = sum(x == "W" and y == "R" for x, y in zip(first, second, strict=True))
    assert found.p == pytest.approx(mcnemar_exact(b, c))


def test_a_method_that_drops_its_wrong_answers_does_not_come_out_ahead(make_run) -> None:
    # Right on the same 30 of 50; the other says nothing where it would be wrong. Over what it scored it is
    # always right, and yet neither the difference nor its test says that it is better.
    said = "R" * 30 + "W" * 20
    honest = make_run(rows(said, said))
    silent = make_run(rows(said.replace("W", "U"), said.replace("W", "U")), "silent")
    found = accuracy_difference([honest], [silent])
    assert (found.found.value, found.p) == (0.0, 1.0)
    assert (found.worst, found.best) == (0.0, pytest.approx(0.4))
    row = sweep_table("t", [honest, silent]).rows[1]
    assert not any(isinstance(cell, Estimate) and cell.significant for cell in row)


def test_dropping_right_answers_is_a_loss(make_run) -> None:
    said, lost = "R" * 50, "U" * 20 + "R" * 30
    found = accuracy_difference([make_run(rows(said, said))], [make_run(rows(lost, lost), "lossy")])
    assert found.found.value == pytest.approx(-0.4)
    assert found.p < 1e-5
    assert (found.worst, found.best) == (pytest.approx(-0.4), 0.0)


def test_bounds_have_columns_only_where_something_is_missing(make_run) -> None:
    whole = [make_run(rows("RRWW", "RRWW")), make_run(rows("RRRW", "RRRW"), "b")]
    assert "Δ accuracy, worst" not in sweep_table("t", whole).columns
    table = sweep_table("t", [*whole, make_run(rows("RUWW", "RUWW"), "c")])
    place = table.columns.index("Δ accuracy, worst")
    assert table.rows[2][place : place + 2] == (Estimate(-0.25), Estimate(0.0))
    assert table.rows[1][place : place + 2] == (Estimate(NAN), Estimate(NAN))
    assert any("worst, best: if all that is missing" in sentence for sentence in table.footer)


def pair_of_raters(seed: int, n: int, noise: tuple[float, float]):
    rng = np.random.default_rng(seed)
    human = rng.integers(0, 7, n).astype(float)
    return human, [np.clip(human + rng.normal(scale=s, size=n).round(), 0, 6) for s in noise]


def test_raters_are_tested_by_exchanging_their_ranks(rated_run) -> None:  # noqa: F811
    human, (rough, fine) = pair_of_raters(1, 60, (4.0, 1.0))
    gold = {"pio": tuple(human)}
    arms = [
        [rated_run(rated_rows({"pio": list(side)}, gold), arm)] for side, arm in ((rough, "a"), (fine, "b"))
    ]
    assert mean_swap_test(*arms).p < 0.01
    # Another scale of the same ratings changes no rank.
    scaled = [rated_run(rated_rows({"pio": list(fine * 10 + 3)}, gold), "b")]
    assert mean_swap_test(arms[0], scaled).p == mean_swap_test(*arms).p
    assert mean_swap_test(arms[0], arms[0]).p == 1.0
    assert math.isnan(mean_swap_test(arms[0], [*arms[1], *arms[1]]).p)


def test_a_rater_that_leads_only_by_what_it_left_out_is_never_bold(rated_run) -> None:  # noqa: F811
    human, (rough, fine) = pair_of_raters(2, 60, (4.0, 1.0))
    gold = {"pio": tuple(human)}
    known = {"n/pio": 60.0}
    whole = rated_run(rated_rows({"pio": list(rough)}, gold), "a", metrics={**known, "spearman/pio": 0.5})
    few = {"spearman/pio": 0.9, "spearman/pio/worst": 0.4, "spearman/pio/best": 0.95}
    many = {"spearman/pio": 0.9, "spearman/pio/worst": 0.8, "spearman/pio/best": 0.95}
    for metrics, by_missing in ((few, True), (many, False)):
        partial = rated_run(rated_rows({"pio": list(fine)}, gold), "b", metrics={**known, **metrics})
        found = rho_difference([whole], [partial])
        assert found.by_missing is by_missing
        assert found.worst == pytest.approx(metrics["spearman/pio/worst"] - 0.5)
        made = family_of("Δ", [None, found], Correction.HOLM, base="x", test="y")
        assert made.rows[1][0].significant is not by_missing


def test_seeds_and_items_have_columns_of_different_names(make_run) -> None:
    runs = [
        make_run(rows("RWRW" * 10, "RWRW" * 10)),
        make_run(rows("RRRW" * 10, "RRRW" * 10), seed=1),
        make_run(rows("RRRR" * 10, "WRRW" * 10), "single"),
    ]
    table = sweep_table("t", runs)
    seeds, items = table.columns.index("accuracy"), table.columns.index("accuracy, 95% over items")
    many, one = table.rows
    assert many[seeds].text() == "0.750 ± 0.000"  # of the records; no interval
    assert many[items].has_interval
    # Item means over seeds and orders: 1, .5, 1, 0
    assert many[items].value == pytest.approx(0.625)
    assert not one[seeds].has_interval
    assert one[items].text() == "0.750 [0.600, 0.900]"
    assert any(line.startswith("95% over items: ") and "nothing about seeds" in line for line in table.footer)
