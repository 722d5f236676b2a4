import random
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from tests.seeds import on_each_seed

from venire.claimcheck.figures import Rounding, decimal, interval, read_figure
from venire.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "value", "low", "high"),
    [
        (".784", "784/1000", "7835/10000", "7845/10000"),
        ("0.60", "6/10", "595/1000", "605/1000"),  # two decimals are stated, the last a zero
        ("78.4%", "784/1000", "7835/10000", "7845/10000"),
        ("10.5 points", "105/1000", "1045/10000", "1055/10000"),
        ("1 point", "1/100", "5/1000", "15/1000"),
        ("-0.4 points", "-4/1000", "-45/10000", "-35/10000"),
        ("$0.42", "42/100", "415/1000", "425/1000"),
        ("34,103", "34103", "34103", "34103"),  # a count
        ("15-25%", "20/100", "15/100", "25/100"),  # a range is taken at its word
        (".2 to .3", "1/4", "1/5", "3/10"),
    ],
)
def test_a_figure_lies_between_what_rounds_to_it(text: str, value: str, low: str, high: str) -> None:
    figure = read_figure(text, "figures.x")
    assert (figure.value, figure.low, figure.high) == (Fraction(value), Fraction(low), Fraction(high))


def test_a_whole_number_may_be_a_rounded_mean() -> None:
    figure = read_figure("34,103", "figures.x", exact=False)
    assert (figure.low, figure.high) == (Fraction("34102.5"), Fraction("34103.5"))


@on_each_seed(200)
def test_every_number_that_is_rounded_to_a_figure_lies_in_its_interval(seed: int) -> None:
    rng = random.Random(seed)
    places = rng.randrange(5)
    number = Decimal(rng.randrange(-(10**7), 10**7)).scaleb(-6)
    step = Decimal(1).scaleb(-places)
    for mode, rounding in (
        (ROUND_HALF_UP, Rounding.NEAREST),
        (ROUND_HALF_EVEN, Rounding.NEAREST),
        (ROUND_DOWN, Rounding.TRUNCATED),
    ):
        stated = number.quantize(step, mode)
        if stated == 0:  # from which side it was cut is not to be seen
            continue
        figure = read_figure(f"{stated:f}", "x", rounding=rounding, exact=False)
        assert figure.low <= Fraction(number) <= figure.high
        assert figure.high - figure.low == Fraction(step)


@pytest.mark.parametrize("text", ["", ".", "about 3", "1.2.3", "1,23", "25-15%", "n/a", "1e5", "nan"])
def test_what_is_no_number_is_refused_with_its_key(text: str) -> None:
    with pytest.raises(ConfigError, match=r"^figures\.x: expected"):
        read_figure(text, "figures.x")


@on_each_seed(100)
def test_numbers_are_shown_as_decimal_rounds_them(seed: int) -> None:
    rng = random.Random(seed)
    places = rng.randrange(6)
    number = Decimal(rng.randrange(-(10**9), 10**9)).scaleb(-5)
    rounded = number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    expected = f"{abs(rounded):,.{places}f}"
    assert decimal(Fraction(number), places) == (f"−{expected}" if rounded < 0 else expected)


def test_no_minus_stands_before_zeros() -> None:
    assert decimal(Fraction(-1, 10_000), 3) == "0.000"


def test_an_interval_has_no_zeros_at_its_ends() -> None:
    assert interval(Fraction("1.80"), Fraction(2), 3) == "1.8 to 2"
    assert interval(Fraction(300), Fraction(300), 0) == "300"


def test_a_count_is_whole() -> None:
    assert read_figure("419", "x").whole == 419
    with pytest.raises(ConfigError, match="whole number"):
        _ = read_figure("4.5", "x").whole
