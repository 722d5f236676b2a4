"""Additive decompositions, splits and costs."""

import random
from fractions import Fraction

import pytest
from tests.seeds import on_each_seed

from venire.claimcheck.additive import AdditiveCheck
from venire.claimcheck.cost import CostCheck
from venire.claimcheck.figures import Figure, read_figure
from venire.claimcheck.findings import Level, Result, assuming
from venire.claimcheck.split import SplitCheck


def stated(**figures: str) -> dict[str, Figure]:
    return {name: read_figure(text, name, name=name) for name, text in figures.items()}


EFFECTS = {"propagation": "p", "rubric": "r"}


def test_leave_one_out_effects_leave_an_interaction() -> None:
    # .748 + .028 + .012 = .788; .784 - .788 = -.004, off by 4 * .0005 at most; 1.7 of 419 items.
    found = AdditiveCheck("base", "full", EFFECTS, n=419).result(
        stated(base=".748", full=".784", p="2.8 points", r="1.2 points")
    )
    assert found.level is Level.CONDITIONAL
    assert found.arithmetic[1] == "Left over: −0.004 (−0.006 to −0.002), −1.7 of 419 items (−2.5 to −0.8)."
    assert "neither 0.748, only propagation 0.772, only rubric 0.756, both 0.784" in found.arithmetic[2]
    assert found.arithmetic[2].endswith("interaction 0.784 − 0.772 − 0.756 + 0.748 = 0.004.")
    assert found.arithmetic[3] == (
        "propagation adds 0.024 alone and 0.028 beside rubric; "
        "rubric adds 0.008 alone and 0.012 beside propagation."
    )
    assert found.conditions == ("the effects interact: by −0.006 to −0.002 beyond their sum",)


def test_effects_that_add_up_within_rounding_are_consistent() -> None:
    found = AdditiveCheck("base", "full", EFFECTS).result(
        stated(base=".748", full=".784", p="2.5 points", r="1.2 points")  # .785: off by .001, rounding .002
    )
    assert found.level is Level.CONSISTENT


def test_exactly_additive_is_impossible_with_an_interaction() -> None:
    check = AdditiveCheck("base", "full", EFFECTS, exactly=True)
    assert (
        check.result(stated(base=".748", full=".784", p="2.8 points", r="1.2 points")).level
        is Level.IMPOSSIBLE
    )


def test_effects_alone_give_other_cells() -> None:
    # Alone: .5 + .1 and .5 + .2; both .9: interaction .9 - .6 - .7 + .5 = .1.
    found = AdditiveCheck("base", "full", EFFECTS, leave_one_out=False).result(
        stated(base=".50", full=".90", p=".10", r=".20")
    )
    assert "only propagation 0.60, only rubric 0.70" in found.arithmetic[2]
    assert found.arithmetic[2].endswith("= 0.10.")
    assert "propagation adds 0.10 alone and 0.20 beside rubric" in found.arithmetic[3]


@on_each_seed(200)
def test_numbers_that_add_up_are_never_impossible_once_rounded(seed: int) -> None:
    rng = random.Random(seed)
    base, parts = rng.random(), [rng.uniform(-0.1, 0.1) for _ in range(rng.randrange(2, 5))]
    names = {f"part{i}": f"e{i}" for i in range(len(parts))}
    figures = stated(base=f"{base:.3f}", full=f"{base + sum(parts):.3f}") | stated(
        **{f"e{i}": f"{part:.2f}" for i, part in enumerate(parts)}
    )
    assert AdditiveCheck("base", "full", names, exactly=True).result(figures).level is Level.CONSISTENT


def test_parts_larger_than_the_set_overlap() -> None:
    sizes = stated(all="419", evaluated="419", dev="60")
    found = SplitCheck("all", {"evaluated": "evaluated", "development": "dev"}, {}).result(sizes)
    assert found.level is Level.IMPOSSIBLE
    assert found.arithmetic == (
        "evaluated 419 + development 60: 479 of a set of 419: 60 would be in two of them.",
    )


def test_an_unknown_part_of_at_least_one_item_overlaps_too() -> None:
    check = SplitCheck("all", {"evaluated": "evaluated"}, {"development": 1})
    assert check.result(stated(all="419", evaluated="419")).level is Level.IMPOSSIBLE
    assert check.result(stated(all="420", evaluated="419")).level is Level.CONSISTENT


def test_parts_that_are_to_be_the_whole_set_leave_none_out() -> None:
    parts = {"a": "a", "b": "b"}
    sizes = stated(all="10", a="4", b="5")
    assert SplitCheck("all", parts, {}).result(sizes).level is Level.CONSISTENT
    assert SplitCheck("all", parts, {}, whole=True).result(sizes).level is Level.IMPOSSIBLE
    assert SplitCheck("all", parts, {}, whole=True).result(sizes | stated(b="6")).level is Level.CONSISTENT


def cost(**figures: str) -> Result:
    output = "output" if "output" in figures else ""
    return CostCheck("cost", "tokens", "into", "out", output).result(stated(into="3", out="15", **figures))


def test_a_cost_at_the_input_price_needs_almost_no_output() -> None:
    # 141,329 * 3 / 1e6 = .4240; (.425 / .141329 - 3) / 12 = .0006.
    found = cost(cost="$0.42", tokens="141,329")
    assert found.level is Level.CONDITIONAL
    assert found.conditions == ("between 0.00% and 0.06% of the tokens are output",)
    # a tenth: .141329 * (3 + 1.2) = .5936
    assert [line.split("$")[-1] for line in found.arithmetic[:3]] == ["0.4240.", "2.1199.", "0.5936."]


@pytest.mark.parametrize("stated_cost", ["$0.40", "$2.20"])
def test_a_cost_outside_of_all_shares_is_impossible(stated_cost: str) -> None:
    assert cost(cost=stated_cost, tokens="141,329").level is Level.IMPOSSIBLE


def test_stated_output_leaves_one_cost() -> None:
    # .9 * .141329 * 3 + .1 * .141329 * 15 = .5936
    assert cost(cost="$0.59", tokens="141,329", output="14,133").level is Level.CONSISTENT
    assert cost(cost="$0.42", tokens="141,329", output="14,133").level is Level.IMPOSSIBLE


def test_more_output_than_tokens_is_impossible() -> None:
    assert cost(cost="$0.02", tokens="1,000", output="1,500").level is Level.IMPOSSIBLE


@on_each_seed(200)
def test_a_real_cost_is_possible_at_its_share(seed: int) -> None:
    rng = random.Random(seed)
    tokens = rng.randrange(10_000, 10**7)
    share = rng.random()
    dollars = Fraction(tokens) * (3 + 12 * Fraction(share)) / 10**6
    found = cost(cost=f"${float(dollars):.2f}", tokens=f"{tokens}")
    assert found.level is Level.CONDITIONAL
    low, high = (float(word.rstrip("%")) / 100 for word in found.conditions[0].split() if word.endswith("%"))
    assert low - 1e-4 <= share <= high + 1e-4


def test_what_fails_under_premises_is_possible_without_them() -> None:
    impossible = Result(Level.IMPOSSIBLE, ("1 = 2.",))
    found = assuming(impossible, ["a", "b"])
    assert found.level is Level.CONDITIONAL
    assert found.conditions == ("one of these does not hold: a; b",)
    assert assuming(impossible, []) == impossible
    assert assuming(Result(Level.CONSISTENT, ()), ["a"]).level is Level.CONSISTENT


def test_a_part_with_fewer_than_no_items_is_impossible() -> None:
    # -3 + 13 = 10: the sum alone would fit
    found = SplitCheck("size", {"a": "a", "b": "b"}, {}, whole=True).result(stated(size="10", a="-3", b="13"))
    assert found == Result(Level.IMPOSSIBLE, ("a −3: no part has fewer than 0 items.",))
