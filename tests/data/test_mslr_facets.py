"""The facets of MSLR-Cochrane by hand, and against the columns of the data."""

import csv
from collections.abc import Mapping
from pathlib import Path

import pytest

from venire.data.mslr import FILE
from venire.data.mslr_facets import FACETS, Answers, as_published, components, corrected, exact_average
from venire.data.rows import Row
from venire.errors import DataError

COLUMNS = tuple(Answers.__dataclass_fields__)


def answers(**given: int | None) -> Answers:
    return Answers(**{**dict.fromkeys(COLUMNS, None), **given})


def test_corrected_facets_of_the_first_row_by_hand() -> None:
    # CD000024/VNCH8M by A1: fluency 2; 2, 1, 1; target negative (0), generated none (-1); strength 2 and 0
    made = Answers(2, 2, 1, 1, 0, -1, 2, 0)
    assert corrected(made) == {"fluency": 2.0, "pio": 4.0, "direction": 0.0, "strength": 1.0}
    # (2/2 + 4/6 + 0/1 + 1/3) / 4 = 2 / 4
    assert exact_average(corrected(made)) == 0.5


def test_as_published_a_negative_effect_is_none_specified() -> None:
    made = Answers(2, 2, 1, 1, 0, -1, 2, 0)
    assert as_published(made) == {"fluency": 2.0, "pio": 4.0, "direction": 1.0, "strength": 1.0}
    # (1 + 4/6 + 1 + 1/3) / 4 = 3 / 4
    assert exact_average(as_published(made)) == 0.75


@pytest.mark.parametrize(
    ("target", "generated", "published", "right"),
    [
        (2, 2, 1.0, 1.0),
        (2, 0, 0.0, 0.0),
        (0, 0, 1.0, 1.0),
        (0, -1, 1.0, 0.0),  # negative turned into "none specified"
        (0, None, 1.0, 0.0),
        (None, -1, 1.0, 0.0),
        (None, None, 1.0, None),
        (1, None, 0.0, 0.0),
    ],
)
def test_directions_agree_where_the_answers_are_the_same(
    target: int | None, generated: int | None, published: float, right: float | None
) -> None:
    made = answers(ed_target=target, ed_generated=generated)
    assert as_published(made)["direction"] == published
    assert corrected(made).get("direction") == right
    assert components(made).get("ed_agree") == right


@pytest.mark.parametrize(
    ("target", "generated", "published", "right"),
    [
        (2, 2, 3.0, 3.0),
        (3, 0, 0.0, 0.0),
        (0, 3, 6.0, 0.0),  # the strongest overstatement: the best published value, the worst corrected one
        (1, 2, 4.0, 2.0),
        (None, 2, 5.0, None),
        (None, None, 3.0, None),
    ],
)
def test_strength_is_a_distance_and_was_published_signed(
    target: int | None, generated: int | None, published: float, right: float | None
) -> None:
    made = answers(strength_target=target, strength_generated=generated)
    assert as_published(made)["strength"] == published
    assert corrected(made).get("strength") == right


def test_what_is_no_number_counts_zero_in_pio_and_is_absent_among_components() -> None:
    made = answers(population=2, intervention=1)
    assert corrected(made)["pio"] == as_published(made)["pio"] == 3.0
    assert components(made) == {"population": 2.0, "intervention": 1.0}


def test_without_all_four_facets_there_is_no_average() -> None:
    assert exact_average({"fluency": 2.0, "pio": 6.0, "direction": 1.0}) is None


def test_an_answer_off_its_scale_or_between_points_is_refused() -> None:
    row = dict.fromkeys(COLUMNS, "")
    for value, message in (
        ("3", "expected a rating from 0 to 2, got '3'"),
        ("1.5", "a whole number, got 1.5"),
    ):
        with pytest.raises(DataError, match=f"row 7, field 'fluency': .*{message}"):
            Answers.of(Row("f.csv", 7, {**row, "fluency": value}))


@pytest.fixture(scope="module")
def table(data_root: Path) -> list[Mapping[str, str]]:
    with (data_root / FILE).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


TOPS = {"fluency": 2, "pio": 6, "direction": 1, "strength": 3}


@pytest.mark.parametrize("facet", FACETS)
def test_facets_equal_the_columns_of_the_data_in_every_row(
    facet: str, table: list[Mapping[str, str]]
) -> None:
    for number, record in enumerate(table, start=1):
        made = Answers.of(Row("f", number, record))
        if record["has_answers"] == "1":
            stored = record[f"facet_{facet}"]
            assert corrected(made).get(facet) == (
                None if not stored else pytest.approx(TOPS[facet] * float(stored))
            )
        if record["used_by_source"] == "1":
            assert as_published(made)[facet] == pytest.approx(TOPS[facet] * float(record[f"paper_{facet}"]))


def test_exact_averages_are_fewer_numbers_than_the_stored_ones(table: list[Mapping[str, str]]) -> None:
    primary = [record for record in table if record["primary"] == "1" and record["facet_average"]]
    exact = [exact_average(corrected(Answers.of(Row("f", 1, record)))) for record in primary]
    stored = [float(record["facet_average"]) for record in primary]
    assert exact == pytest.approx(stored, abs=1e-12)
    # Rounding makes 33 numbers of 21 means: docs/papers/maj_eval.md
    assert (len(set(exact)), len(set(stored))) == (21, 33)
