"""The memory: deduplication, relevance, precedents; a value that is never changed."""

from collections.abc import Sequence

import numpy as np
import pytest
from tests.methods.juryflow.court import unit

from venire.errors import ConfigError
from venire.judging.review import Finding
from venire.methods.juryflow.memory import (
    Additions,
    Correction,
    Learnt,
    Memory,
    Precedents,
    RubricSettings,
    RubricShelf,
    remember,
)
from venire.records import RubricEntry, Verdict


def vector(*components: float) -> np.ndarray:
    return np.array(unit(*components), dtype=np.float32).astype(np.float64)


def learnt(name: str, *components: float) -> Learnt:
    entry = RubricEntry(name, f"criterion {name}", "d", "b", (f"p {name}",), (f"n {name}",), (name,))
    return Learnt(entry, vector(*components))


def correction(name: str, tags: Sequence[str], *components: float) -> Correction:
    finding = Finding(f"claim {name}", Verdict.ACCEPT, Verdict.REJECT, "r")
    return Correction(name, finding, tuple(tags), vector(*components))


def rubric(*parts: Learnt, threshold: float = 0.85) -> Memory:
    return remember(Memory(), Additions(parts), threshold)


def test_entries_of_different_meaning_are_appended() -> None:
    memory = rubric(learnt("a", 1, 0), learnt("b", 0, 1))
    assert [entry.id for entry in memory.rubric] == ["a", "b"]
    assert memory.criteria.shape == (2, 2)


@pytest.mark.parametrize(("cosine", "entries"), [(0.849, 2), (0.85, 1), (0.851, 1)])
def test_a_near_duplicate_adds_its_examples_from_the_threshold_on(cosine: float, entries: int) -> None:
    memory = rubric(learnt("a", 1, 0), learnt("b", cosine, (1 - cosine**2) ** 0.5))
    assert len(memory.rubric) == entries
    if entries == 1:
        (entry,) = memory.rubric
        assert (entry.id, entry.criterion) == ("a", "criterion a")
        assert entry.positive_examples == ("p a", "p b")
        assert entry.negative_examples == ("n a", "n b")
        assert entry.source_ids == ("a", "b")


def test_a_duplicate_joins_the_nearest_entry_and_the_earlier_of_equally_near_ones() -> None:
    memory = rubric(learnt("a", 1, 0), learnt("b", 0.6, 0.8), learnt("c", 0.65, 0.76), threshold=0.7)
    assert [entry.source_ids for entry in memory.rubric] == [("a",), ("b", "c")]
    twins = remember(rubric(learnt("a", 1, 0), learnt("b", 0, 1)), Additions((learnt("c", 1, 1),)), 0.7)
    assert [entry.source_ids for entry in twins.rubric] == [("a", "c"), ("b",)]


def test_remembering_leaves_the_memory_before_as_it_was() -> None:
    before = remember(Memory(), Additions((learnt("a", 1, 0),), (correction("x", "t", 1, 0),)), 0.85)
    after = remember(before, Additions((learnt("b", 1, 0),), (correction("y", "t", 1, 0),)), 0.85)
    assert [entry.source_ids for entry in before.rubric] == [("a",)]
    assert [each.id for each in before.corrections] == ["x"]
    assert [each.id for each in after.corrections] == ["x", "y"]
    found = Precedents(before, 1.0, 0.5, 3).of(vector(1, 0), ())
    assert [each.id for each in found] == ["x"]


def test_nothing_to_add_changes_nothing() -> None:
    memory = rubric(learnt("a", 1, 0))
    assert remember(memory, Additions(), 0.85) is memory


def test_the_shelf_shows_the_k_entries_nearest_to_any_claim_in_the_order_of_learning() -> None:
    memory = rubric(learnt("a", 1, 0, 0), learnt("b", 0, 1, 0), learnt("c", 0, 0, 1))
    claims = np.stack([vector(0.1, 0, 1), vector(0.3, 0.05, 0.9)])

    def shown(k: int) -> list[str]:
        return [entry.id for entry in RubricShelf(memory, k).entries_for(claims)]

    assert shown(1) == ["c"]
    assert shown(2) == ["a", "c"]
    assert shown(12) == ["a", "b", "c"]
    assert shown(0) == []


def test_of_equally_relevant_entries_the_earlier_ones_are_shown() -> None:
    memory = rubric(learnt("a", 1, 0, 0), learnt("b", 0, 1, 0), learnt("c", 0, 0, 1))
    claim = vector(1, 1, 1)[None, :]
    assert [entry.id for entry in RubricShelf(memory, 2).entries_for(claim)] == ["a", "b"]


def test_an_empty_rubric_and_no_claim_show_nothing() -> None:
    assert RubricShelf(Memory(), 12).entries_for(np.ones((1, 2))) == ()
    assert RubricShelf(rubric(learnt("a", 1, 0)), 12).entries_for(np.zeros((0, 0))) == ()


def precedents(*made: Correction, threshold: float = 0.5, most: int = 3, alpha: float = 0.5) -> Precedents:
    return Precedents(remember(Memory(), Additions((), made), 0.85), alpha, threshold, most)


def ids(found: Sequence[Correction]) -> list[str]:
    return [each.id for each in found]


def test_precedents_are_ranked_by_weight_not_by_cosine() -> None:
    # w = .5 cos + .5 Jaccard with the claim's tags {a}: near .5 * 1 + 0, tagged .5 * .6 + .5 = .8.
    made = precedents(correction("near", "b", 1, 0), correction("tagged", "a", 0.6, 0.8), threshold=0.4)
    assert ids(made.of(vector(1, 0), ("a",))) == ["tagged", "near"]


def test_a_precedent_s_weight_must_be_above_the_threshold() -> None:
    # Weights exactly .5 (cosine 1, no shared tag) and .8.
    made = precedents(correction("near", "b", 1, 0), correction("tagged", "a", 0.6, 0.8))
    assert ids(made.of(vector(1, 0), ("a",))) == ["tagged"]


def test_at_most_k_precedents_are_shown_and_the_earlier_of_equal_ones() -> None:
    made = precedents(*(correction(name, "a", 1, 0) for name in "uvwxy"))
    assert ids(made.of(vector(1, 0), ("a",))) == ["u", "v", "w"]
    assert ids(precedents(correction("u", "a", 1, 0), most=0).of(vector(1, 0), ("a",))) == []


def test_without_corrections_there_are_no_precedents() -> None:
    assert precedents().of(vector(1, 0), ("a",)) == ()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"duplicate_threshold": 0.0}, "duplicate_threshold: expected above 0 to 1, got 0.0"),
        ({"duplicate_threshold": 1.01}, "duplicate_threshold: expected above 0 to 1, got 1.01"),
        ({"shown": -1}, "shown: expected at least 0, got -1"),
        ({"examples": -1}, "examples: expected at least 0, got -1"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, float], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        RubricSettings(**settings)  # type: ignore[arg-type]
    assert str(caught.value) == message
