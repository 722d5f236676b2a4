import random
from fractions import Fraction

import pytest
from tests.seeds import on_each_seed

from venire.claimcheck.expression import bounds, read_relation
from venire.claimcheck.figures import Figure, read_figure
from venire.claimcheck.findings import Level
from venire.claimcheck.relation import OrderCheck, RelationCheck
from venire.errors import ConfigError


def stated(**figures: str) -> dict[str, Figure]:
    return {name: read_figure(text, name, name=name) for name, text in figures.items()}


def relation(holds: str, **whole: tuple[int, int]) -> RelationCheck:
    return RelationCheck(read_relation(holds, "holds"), whole)


def test_a_difference_that_rounding_explains_is_consistent() -> None:
    # .7845 - .7175 = .067 at most, .7835 - .7185 = .065 at least; 6.6 points are .0655 to .0665.
    found = relation("full - majority == gain").result(
        stated(full=".784", majority=".718", gain="6.6 points")
    )
    assert found.level is Level.CONSISTENT
    assert found.arithmetic == (
        "0.784 − 0.718 = 0.066 (0.065 to 0.067), against 0.066 (0.0655 to 0.0665): can hold within rounding.",
    )


def test_a_difference_beyond_rounding_is_impossible() -> None:
    found = relation("full - majority == gain").result(
        stated(full=".784", majority=".718", gain="6.8 points")
    )
    assert found.level is Level.IMPOSSIBLE  # .067 < .0675


def test_touching_ends_can_hold() -> None:
    # .0665 of the two, .0665 of the gain: half up on one side, half even on the other.
    assert relation("a == b").result(stated(a=".1", b=".20")).level is Level.IMPOSSIBLE
    assert relation("a == b").result(stated(a=".1", b=".15")).level is Level.CONSISTENT


def test_counts_hold_or_do_not() -> None:
    sizes = stated(a="134", b="92", c="47", d="46", total="319")
    assert relation("a + b + c + d == total").result(sizes).arithmetic == (
        "134 + 92 + 47 + 46 = 319, against 319: holds.",
    )
    assert relation("a + b + c == total").result(sizes).level is Level.IMPOSSIBLE


@pytest.mark.parametrize(
    ("holds", "level"),
    [
        ("a <= b", Level.CONSISTENT),
        ("a < b", Level.CONSISTENT),
        ("b <= a", Level.IMPOSSIBLE),
        ("b > a", Level.CONSISTENT),
        ("a >= b", Level.IMPOSSIBLE),
        ("a >= c", Level.CONSISTENT),  # 1.85 >= 1.85: the ends touch
        ("a > c", Level.IMPOSSIBLE),
    ],
)
def test_inequalities_are_impossible_only_beyond_rounding(holds: str, level: Level) -> None:
    assert relation(holds).result(stated(a="1.8", b="1.96", c="1.9")).level is level


def test_a_whole_number_is_found_that_makes_the_tokens() -> None:
    # 2 * 34,103 + 4 * 18,281 = 141,330, and both addends may be off by half: by 3 in all.
    figures = stated(documents="2") | {
        name: read_figure(text, name, name=name, exact=False)
        for name, text in {"document": "34,103", "pair": "18,281", "task": "141,329"}.items()
    }
    found = relation("documents * document + groups * pair == task", groups=(1, 20)).result(figures)
    assert found.level is Level.CONDITIONAL
    assert found.conditions == ("groups is 4 (tried: 1 to 20)",)
    assert "2 × 34,103 + 4 × 18,281 = 141,330 (141,327 to 141,333)" in found.arithmetic[0]


def test_where_no_whole_number_fits_the_nearest_are_shown() -> None:
    found = relation("groups * a == b", groups=(1, 9)).result(stated(a="10", b="34"))
    assert found.level is Level.IMPOSSIBLE
    assert [line.split(":")[0] for line in found.arithmetic[1:]] == ["groups = 3", "groups = 4"]


def test_a_whole_number_that_all_fit_is_no_condition() -> None:
    assert relation("g * a <= b", g=(1, 3)).result(stated(a="1", b="9")).level is Level.CONSISTENT


def test_brackets_and_numbers_are_kept() -> None:
    found = relation("(a + b) / 2 == c - 1").result(stated(a="3", b="5", c="5"))
    assert found.arithmetic == ("(3 + 5) / 2 = 4, against 5 − 1 = 4: holds.",)


@on_each_seed(200)
def test_bounds_enclose_random_points_and_are_reached(seed: int) -> None:
    rng = random.Random(seed)
    texts = {name: f"{rng.uniform(-9, 9):.{rng.randrange(1, 4)}f}" for name in "abcd"}
    figures = stated(**texts)
    holds = rng.choice(
        ["a*b - c*d == 0", "a*(b - c) + d == 1", "a + b - 2*c == d/4", "(a - b)*(c - d) == 3", "a*b*c <= d"]
    )
    difference = read_relation(holds, "x").difference
    low, high = bounds(difference, figures)
    left, _, right = holds.replace("<=", "==").partition("==")
    seen = []
    for _ in range(60):
        values = {
            name: rng.choice([f.low, f.high, f.low + (f.high - f.low) * Fraction(rng.randrange(11), 10)])
            for name, f in figures.items()
        }
        seen.append(eval(f"({left}) - ({right})", {}, dict(values)))
    assert low <= min(seen)
    assert max(seen) <= high
    corners = [
        eval(f"({left}) - ({right})", {}, {n: (f.high if mask >> i & 1 else f.low)
                                            for i, (n, f) in enumerate(figures.items())})
        for mask in range(16)
    ]  # fmt: skip
    assert (low, high) == (min(corners), max(corners))


@pytest.mark.parametrize(
    ("holds", "said"),
    [
        ("a", "one of =="),
        ("a == b == c", "one of =="),
        ("a != b", "one of =="),
        ("a * a == b", "multiplied by itself"),
        ("(a + b) * a == c", "multiplied by itself"),
        ("a / b == c", "divide by a number"),
        ("a / 0 == c", "divide by a number"),
        ("a ** 2 == b", "expected names, numbers"),
        ("__import__('os') == a", "expected names, numbers"),
        ("a.b == c", "expected names, numbers"),
        ("True == a", "expected names, numbers"),
        ("a +", "expected one comparison"),
    ],
)
def test_what_is_no_relation_is_refused(holds: str, said: str) -> None:
    with pytest.raises(ConfigError, match=f"^checks.holds: .*{said}"):
        read_relation(holds, "checks.holds")


def test_too_many_rounded_figures_are_refused() -> None:
    names = [f"x{i}" for i in range(17)]
    check = relation(" + ".join(names) + " == 1")
    with pytest.raises(ConfigError, match="at most 16"):
        check.result(stated(**dict.fromkeys(names, ".1")))


def test_an_order_allows_what_rounding_hides() -> None:
    calls = stated(a="8.7", b="3.6", c="1.4", d="1.4")
    assert OrderCheck(("a", "b", "c", "d"), "decreasing").result(calls).level is Level.CONSISTENT
    assert OrderCheck(("a", "b", "c"), "increasing").result(calls).level is Level.IMPOSSIBLE
    assert OrderCheck(("c", "b", "a"), "increasing").result(calls).level is Level.CONSISTENT
    assert OrderCheck(("c", "b", "d"), "peak", "b").result(calls).level is Level.CONSISTENT
    assert OrderCheck(("c", "b", "d"), "valley", "b").result(calls).level is Level.IMPOSSIBLE
    assert OrderCheck(("a", "c", "b"), "valley", "c").result(calls).level is Level.CONSISTENT
