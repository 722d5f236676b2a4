import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.data.rows import Row, shown
from venire.errors import DataError


def row(**fields: object) -> Row:
    return Row("f.jsonl", 3, fields)


def message(read: Callable[[], object]) -> str:
    with pytest.raises(DataError) as caught:
        read()
    return str(caught.value)


def test_a_missing_column_names_the_columns_that_are_there() -> None:
    assert message(lambda: row(a=1, b=2).text("prompt")) == (
        "f.jsonl, row 3, field 'prompt': expected this column, got a record of a, b; "
        "name the column that holds it, or add it to the file"
    )


def test_a_text_keeps_white_space_at_its_ends() -> None:
    assert row(a=" x\n").text("a") == " x\n"


def test_an_empty_text_is_a_text() -> None:
    assert row(a="").text("a") == ""


def test_null_is_no_text() -> None:
    assert message(lambda: row(a=None).text("a")) == (
        "f.jsonl, row 3, field 'a': expected a text, got null; "
        "put it in as text (an empty text, where it is empty)"
    )


@pytest.mark.parametrize("empty", ["", " \n\t"])
def test_a_prompt_without_anything_in_it_is_refused(empty: str) -> None:
    assert message(lambda: row(a=empty).prompt("a")) == (
        "f.jsonl, row 3, field 'a': expected a prompt, got an empty text; "
        "fill it in, or take the record out: an empty prompt cannot be judged"
    )


def test_half_a_surrogate_pair_is_refused() -> None:
    assert "expected Unicode text, got half a surrogate pair at character 2" in message(
        lambda: row(a="x\ud83d").text("a")
    )


def test_a_name_is_a_text_or_an_integer() -> None:
    assert row(a=7).name("a") == "7"
    assert row(a="m-7b").name("a") == "m-7b"


@pytest.mark.parametrize("value", ["", " ", None, True, 1.5, ["a"]])
def test_anything_else_is_no_name(value: object) -> None:
    assert "expected a non-empty text or an integer, got" in message(lambda: row(a=value).name("a"))


@pytest.mark.parametrize("value", [True, "1", 1.0, None])
def test_only_an_integer_is_an_integer(value: object) -> None:
    assert row(a=1).integer("a") == 1
    assert "field 'a': expected an integer, got" in message(lambda: row(a=value).integer("a"))


def test_a_rating_may_be_written_as_text() -> None:
    assert row(a="4.5").real("a", 1, 5) == 4.5


@pytest.mark.parametrize("value", [None, "", math.nan])
def test_no_rating_is_none(value: object) -> None:
    assert row(a=value).real("a", 1, 5) is None


@pytest.mark.parametrize("value", [0.99, 5.01, "six", math.inf, "nan", True, [3]])
def test_a_rating_outside_its_scale_is_refused(value: object) -> None:
    assert f"field 'a': expected a rating from 1 to 5, got {value!r}" in message(
        lambda: row(a=value).real("a", 1, 5)
    )


@given(st.floats(allow_nan=False))
def test_a_rating_is_read_exactly_where_it_is_on_the_scale(value: float) -> None:
    if -2 <= value <= 2:
        assert row(a=value).real("a", -2, 2) == value
        assert row(a=repr(value)).real("a", -2, 2) == value
    else:
        with pytest.raises(DataError):
            row(a=value).real("a", -2, 2)


@pytest.mark.parametrize("value", [1, "1", 1.0])
def test_a_label_counts_by_its_text(value: object) -> None:
    assert row(a=value).choice("a", {"1": "first"}) == "first"


@pytest.mark.parametrize("value", ["3", None, "", 1.5, [1], {"1": 1}])
def test_a_label_outside_the_declared_set_is_refused(value: object) -> None:
    assert message(lambda: row(a=value).choice("a", {"1": 1, "2": 2})) == (
        f"f.jsonl, row 3, field 'a': expected one of 1, 2, got {shown(value)}; "
        "correct the record, or declare what this value means"
    )


def test_turns_are_so_many_texts() -> None:
    assert row().turns("a", ["x", ""], 2) == ("x", "")


@pytest.mark.parametrize("value", [["x"], ["x", 1], None, "xy"])
def test_anything_else_is_no_turns(value: object) -> None:
    assert "field 'a': expected a list of 2 texts, got" in message(lambda: row().turns("a", value, 2))


def test_a_long_value_is_shown_shortened() -> None:
    assert len(shown("x" * 500)) == 60
    assert shown("x" * 500).endswith("...")
