"""Times of visits: summed, kept at once, and not known where one of them is not."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from venire.errors import DataError
from venire.page.times import Times, Visit, seconds_of, times_path


def now() -> datetime:
    return datetime(2026, 12, 1, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return times_path(tmp_path / "labels" / "data.jsonl")


def of_ann(visit: str, what: str = "item") -> Visit:
    return Visit("ann", what, visit)


def test_the_visits_of_one_person_to_one_thing_are_summed_and_each_grows(path):
    times = Times(path, now)
    assert times.add(of_ann("one"), 5.0) == 5.0
    assert times.add(of_ann("one"), 10.0) == 10.0  # so far
    assert times.add(of_ann("two"), 2.5) == 12.5
    assert times.add(of_ann("one"), 7.0) == 12.5  # told late
    assert times.add(Visit("bob", "item", "three"), 100.0) == 100.0
    assert times.add(of_ann("four", "another"), 1.0) == 1.0
    assert len(path.read_text().splitlines()) == 5  # what says nothing new is not written


def test_another_process_goes_on_from_what_is_on_the_disk(path):
    times, elsewhere = Times(path, now), Times(path, now)
    times.add(of_ann("one"), 5.0)
    assert elsewhere.add(of_ann("two"), 2.0) == 7.0
    assert times.add(of_ann("one"), 6.0) == 8.0
    path.unlink()
    assert times.add(of_ann("three"), 1.0) == 1.0


def test_a_time_that_is_not_known_makes_the_sum_unknown_for_good(path):
    times = Times(path, now)
    assert times.add(of_ann("one"), None) is None
    assert times.add(of_ann("two"), 3.0) is None
    assert times.add(of_ann("one"), 3.0) is None
    assert Times(path, now).add(of_ann("two"), 4.0) is None


def test_a_label_whose_visits_are_here_is_known_by_its_name(path):
    times = Times(path, now)
    times.add(of_ann("one"), 3.0)
    assert not times.is_told("ann", "item", "at noon")
    assert times.add(of_ann("one"), 3.0, told="at noon") == 3.0
    assert times.is_told("ann", "item", "at noon")
    assert not times.is_told("bob", "item", "at noon")
    assert Times(path, now).is_told("ann", "item", "at noon")


def test_a_line_that_was_cut_counts_for_nothing_and_a_damaged_one_is_refused(path):
    Times(path, now).add(of_ann("one"), 3.0)
    with path.open("a") as file:
        file.write('{"annotator": "an')
    assert Times(path, now).add(of_ann("two"), 1.0) == 4.0
    with path.open("a") as file:
        file.write('{"annotator": 1}\n')
    with pytest.raises(DataError, match=r"data\.jsonl\.times:3: expected the time of a visit, got"):
        Times(path, now).add(of_ann("two"), 2.0)


@pytest.mark.parametrize("given", ["", "-1", "0", "nan", "inf", "86401", "soon"])
def test_what_no_clock_says_is_no_time(given):
    assert seconds_of(given) is None
    assert (seconds_of("86400"), seconds_of("3.1416")) == (86400.0, 3.14)
