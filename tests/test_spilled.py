"""What is sorted and told apart on disk is what sorting and comparing in memory gives."""

import numpy as np
import pytest

from venire import spilled
from venire.spilled import Digests, SortedTexts

MANY = 2 * spilled._RUN + 1000  # two runs on disk, one held


def drawn(n, of, seed=0):
    return [f"ü/{number}" for number in np.random.default_rng(seed).integers(0, of, n)]


def digests(texts):
    made = Digests()
    for text in texts:
        made.add(text)
    return made


@pytest.mark.parametrize("n", [0, 1, 500, MANY])
def test_texts_come_out_sorted_with_their_places(n):
    texts = drawn(n, max(1, n // 2))
    made = SortedTexts()
    for text in texts:
        made.add(text)
    assert len(made) == n
    expected = sorted(zip(texts, range(n), strict=True))
    assert list(made) == expected
    assert list(made) == expected  # as often as one likes


def test_texts_are_sorted_by_code_point():
    made = SortedTexts()
    for text in ("é", "z", "Z", "\U0001f600", "￿"):
        made.add(text)
    assert [text for text, _ in made] == ["Z", "z", "é", "￿", "\U0001f600"]


@pytest.mark.parametrize("n", [0, 1, 500, MANY])
def test_equal_texts_are_known_by_the_first_of_them(n):
    texts = drawn(n, max(1, n // 2))
    first = {}
    expected = [first.setdefault(text, place) for place, text in enumerate(texts)]
    made = digests(texts)
    assert made.firsts().tolist() == expected
    assert made.distinct() == len(first)
    repeated = next((place for place, known in enumerate(expected) if known != place), None)
    assert made.doubled() == (None if repeated is None else (expected[repeated], repeated))


def test_texts_that_all_differ_have_no_double():
    made = digests(map(str, range(MANY)))
    assert made.doubled() is None
    assert made.distinct() == len(made) == MANY


def test_a_double_is_found_across_what_was_written_apart():
    texts = [*map(str, range(MANY)), "70", "3"]
    assert digests(texts).doubled() == (70, MANY)
