from enum import StrEnum

import pytest

from venire.data.settings import as_choice, check_at_least_one
from venire.errors import ConfigError


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@pytest.mark.parametrize("value", [None, 1, 2])
def test_one_and_more_and_null_are_limits(value: int | None) -> None:
    check_at_least_one("limit", value)


@pytest.mark.parametrize("value", [0, -1, True, 1.5])
def test_anything_else_is_no_limit(value: int) -> None:
    with pytest.raises(ConfigError, match=r"^limit: expected an integer of at least 1, or null for all, got"):
        check_at_least_one("limit", value)


def test_a_choice_is_read_by_its_value() -> None:
    assert as_choice("colour", "blue", Colour) is Colour.BLUE


def test_another_choice_is_refused_with_the_choices() -> None:
    with pytest.raises(ConfigError, match=r"^colour: expected red or blue, got 'green'$"):
        as_choice("colour", "green", Colour)
