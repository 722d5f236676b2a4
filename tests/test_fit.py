import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any, Literal, Protocol

import pytest

from venire.errors import ConfigError
from venire.fit import fit


class Colour(StrEnum):
    RED = "red"
    OFF = "off"


class Level(Enum):
    LOW = 1
    HIGH = 2


@dataclass(frozen=True)
class Cat:
    name: str


@dataclass(frozen=True)
class Dog:
    name: str


class Speaks(Protocol):
    def speak(self) -> str: ...


TOM = Cat("tom")


@pytest.mark.parametrize(
    ("value", "hint", "fitted"),
    [
        (3, int, 3),
        (1e3, int, 1000),
        (3, float, 3.0),
        (0.5, float, 0.5),
        (-0.0, float, 0.0),
        ("3", str, "3"),
        ("", str, ""),
        (True, bool, True),
        (None, None, None),
        (None, int | None, None),
        (3, int | None, 3),
        (5.0, int | float, 5.0),
        (5, float | int, 5),
        ("red", Colour, Colour.RED),
        (Colour.OFF, Colour, Colour.OFF),
        (2, Level, Level.HIGH),
        ("fast", Literal["fast", "slow"], "fast"),
        (["a", "b"], tuple[str, ...], ("a", "b")),
        ([], tuple[str, ...], ()),
        ([1, "a"], tuple[int, str], (1, "a")),
        (("a",), list[str], ["a"]),
        ([1, 2], Sequence[float], (1.0, 2.0)),
        ([1, "a"], list, [1, "a"]),
        ({"a": 1}, Mapping[str, float], {"a": 1.0}),
        ({1: "x"}, dict[str, str], {"1": "x"}),
        ({"a": [1]}, Mapping, {"a": [1]}),
        (TOM, Cat, TOM),
        (TOM, Cat | Dog, TOM),
        (TOM, Mapping[str, int] | Cat, TOM),
        ({"a": TOM}, Mapping[str, Cat], {"a": TOM}),
        (TOM, Speaks, TOM),
        (len, Callable[[str], int], len),
        ("anything", Any, "anything"),
        ({"a": 1}, object, {"a": 1}),
    ],
)
def test_a_value_of_the_declared_type_is_taken(value: object, hint: object, fitted: object) -> None:
    result = fit(value, hint, "key")
    assert result == fitted
    assert type(result) is type(fitted)


@pytest.mark.parametrize(
    ("value", "hint", "expected"),
    [
        # bool is int's subclass, and YAML 1.1 and 1.2 disagree on what a bool is.
        (True, int, "a whole number, got True"),
        (False, float, "a finite number, got False"),
        (1, bool, "true or false, got 1"),
        (0.0, bool, "true or false, got 0.0"),
        ("yes", bool, "true or false, got 'yes'"),
        ("true", bool, "true or false, got 'true'"),
        ("5", int, "a whole number, got '5'"),
        ("0.5", float, "a finite number, got '0.5'"),
        (0.5, int, "a whole number, got 0.5"),
        (math.nan, float, "a finite number, got nan"),
        (math.inf, float | None, "a finite number or null, got inf"),
        (math.nan, int, "a whole number, got nan"),
        (None, str, "a text, got None"),
        (None, int, "a whole number, got None"),
        (5, str, "a text, got 5; a text that looks like something else needs quotes"),
        (0, str | None, "a text or null, got 0; a text that looks like something else needs quotes"),
        ("blue", Colour, "red or off, got 'blue'"),
        ("RED", Colour, "red or off, got 'RED'"),
        (False, Colour, "red or off, got False; a text that looks like something else needs quotes"),
        (True, Level, "1 or 2, got True"),
        ("1", Level, "1 or 2, got '1'"),
        ("slow", Literal["fast"], "fast, got 'slow'"),
        (True, Literal[1], "1, got True"),
        ("abc", tuple[str, ...], "a list, got 'abc'"),
        ({"a": 1}, list[int], "a list, got a plain mapping (without _target_)"),
        ([1], tuple[int, int], "a list of 2 entries, got [1]"),
        ("abc", Mapping[str, int], "a mapping, got 'abc'"),
        (TOM, Mapping[str, int], "a mapping, got a Cat"),
        ({"name": "tom"}, Cat, "an object with _target_ (Cat), got a plain mapping (without _target_)"),
        (TOM, Dog, "an object with _target_ (Dog), got a Cat"),
        ("tom", Cat | None, "an object with _target_ (Cat) or null, got 'tom'"),
        ({}, Speaks, "an object with _target_ (Speaks), got a plain mapping (without _target_)"),
        ("x", int | float | None, "a whole number, a finite number or null, got 'x'"),
    ],
)
def test_a_value_of_another_type_is_refused(value: object, hint: object, expected: str) -> None:
    with pytest.raises(ConfigError) as refused:
        fit(value, hint, "part.key")
    assert str(refused.value) == f"part.key: expected {expected}"


@pytest.mark.parametrize(
    ("value", "hint", "key"),
    [
        (["a", 1], tuple[str, ...], "part.key[1]"),
        ({"x": {"y": True}}, Mapping[str, Mapping[str, float]], "part.key.x.y"),
        ({"x": [0, "b"]}, Mapping[str, Sequence[float]], "part.key.x[1]"),
        ({"x": "1"}, Mapping[str, float] | None, "part.key.x"),
        ({"x": {"name": "tom"}}, Mapping[str, Cat | Dog], "part.key.x"),
        ([TOM, {"name": "rex"}], tuple[Cat, ...], "part.key[1]"),
    ],
)
def test_a_fault_inside_a_container_is_named_by_its_own_key(value: object, hint: object, key: str) -> None:
    with pytest.raises(ConfigError) as refused:
        fit(value, hint, "part.key")
    assert str(refused.value).startswith(f"{key}: expected ")
