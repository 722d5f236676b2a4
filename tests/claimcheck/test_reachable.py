import random
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from tests.seeds import on_each_seed

from venire.claimcheck.figures import Figure, Rounding, read_figure
from venire.claimcheck.findings import Level
from venire.claimcheck.reachable import ReachableCheck, reached


def shares(*texts: str) -> dict[str, Figure]:
    return {text: read_figure(text, text, name=text) for text in texts}


def check(*texts: str, n: int, runs: int | None = 1, halves: bool | None = False):
    return ReachableCheck(texts, n, runs, halves).result(shares(*texts))


@on_each_seed(200)
def test_reached_equals_rounding_every_share(seed: int) -> None:
    rng = random.Random(seed)
    n, places = rng.randrange(1, 400), rng.randrange(1, 4)
    text = f"{rng.random():.{places}f}"
    step = Decimal(1).scaleb(-places)

    def rounds_to(k: int, mode: str) -> bool:
        # 40 digits: more than any tie of k / n needs.
        return (Decimal(k) / Decimal(n)).quantize(step, mode) == Decimal(text)

    figure = read_figure(text, "x")
    nearest = [k for k in range(n + 1) if rounds_to(k, ROUND_HALF_UP) or rounds_to(k, ROUND_HALF_EVEN)]
    ours = list(reached(figure.low, figure.high, n))
    assert set(nearest) <= set(ours)
    # What we let in besides lies on an end of the interval, and is rounded away from it by both conventions.
    assert all(Fraction(k, n) in (figure.low, figure.high) for k in set(ours) - set(nearest))
    cut = read_figure(text, "x", rounding=Rounding.TRUNCATED)
    below = [k for k in range(n + 1) if rounds_to(k, ROUND_DOWN)]
    assert set(below) <= set(reached(cut.low, cut.high, n))


def test_no_number_of_419_is_stated_as_784() -> None:
    found = check(".784", n=419)
    assert found.level is Level.IMPOSSIBLE
    # 328/419 = .782816, 329/419 = .785203.
    assert "328/419 = 0.78282, 329/419 = 0.78520" in found.arithmetic[0]


def test_a_reached_share_names_its_number() -> None:
    found = check(".718", n=419)
    assert found.level is Level.CONSISTENT
    assert found.arithmetic == ("0.718 (0.7175 to 0.7185): 301/419 = 0.71838.",)


def test_a_mean_over_three_runs_reaches_it() -> None:
    assert check(".784", n=419, runs=3).level is Level.CONSISTENT  # 985/1257 = .78361


def test_unstated_runs_are_the_condition_for_all_figures_together() -> None:
    # The six of 419 that are no single run; two runs still miss .756 (633/838 = .75537, 634/838 = .75656).
    figures = (".784", ".679", ".748", ".756", ".772", ".779")
    found = check(*figures, n=419, runs=None, halves=None)
    assert found.level is Level.CONDITIONAL
    assert found.conditions == ("they are means over 3 to 10 runs (tried: 2 to 10)",)
    assert found.arithmetic[-1] == "Items that count one half do not reach .756 either."


def test_halves_are_a_condition_where_they_reach_all() -> None:
    found = check(".784", n=419, runs=1, halves=None)  # 657/838 = .78401
    assert found.conditions == ("an item may count one half, as a tie",)


def test_runs_that_are_no_span_are_listed() -> None:
    # Reached: 2/21 = .095, 4/42, 5/49 = .102, 6/63, 7/70. Not: 3/28 = .107, 3/35 = .086, 4/35 = .114,
    # 5/56 = .089, 6/56 = .107.
    found = check(".10", n=7, runs=None)
    assert found.conditions == ("they are means over 3, 6, 7, 9, 10 runs (tried: 2 to 10)",)


def test_what_neither_runs_nor_halves_reach_alone_may_need_both() -> None:
    # n = 1: k/2 .. k/10 miss .06 (1/10 = .1), so do halves; k/20 = .05, k/18 = .056 rounds to .06.
    found = check(".06", n=1, runs=None, halves=None)
    assert found.level is Level.CONDITIONAL
    assert found.conditions == (
        "they are means over 8, 9 runs (tried: 2 to 10), in which an item may count one half",
    )


def test_nothing_reaches_a_share_above_one() -> None:
    assert check("1.2", n=5, runs=None, halves=None).level is Level.IMPOSSIBLE


@pytest.mark.parametrize("text", ["0.0", "1.0"])
def test_none_and_all_are_reached_by_one_item(text: str) -> None:
    assert check(text, n=1).level is Level.CONSISTENT
