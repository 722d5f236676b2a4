"""`method=rouge_l`."""

import csv
from pathlib import Path

import pytest
from tests.methods.panels import always, run

from venire.data.mslr import FILE
from venire.errors import DataError
from venire.methods.rouge_l import RougeL
from venire.records import OVERALL, Instance, Ratings, Response


def instance(response: str, reference: str | None) -> Instance:
    return Instance("set/1", "p", (Response(response),), reference=reference)


def score(response: str, reference: str, *, stemmer: bool = True) -> float:
    outcome, llm = run(RougeL(stemmer), always("A"), instance(response, reference))
    assert (outcome.calls, outcome.votes, llm.requests) == ((), (), [])
    assert isinstance(outcome.prediction, Ratings)
    return outcome.prediction.by_dimension[OVERALL]


@pytest.mark.parametrize(
    ("response", "reference", "f1"),
    [
        # the longest common subsequence is "the cat sat": 3 of 4 words, 3 of 6: 2 * 3 / (4 + 6)
        ("the cat quietly sat", "the black cat sat on mats", 0.6),
        ("sat cat the", "the cat sat", 1 / 3),  # order counts: one word in common order
        ("Same Words.", "same, words!", 1.0),  # neither case nor punctuation does
        ("nothing", "common", 0.0),
        ("", "reference", 0.0),
        ("§ ±", "reference", 0.0),  # no a-z and no 0-9: no word
    ],
)
def test_f1_of_the_longest_common_subsequence(response: str, reference: str, f1: float) -> None:
    assert score(response, reference) == pytest.approx(f1)


def test_the_stemmer_joins_forms_of_a_word() -> None:
    assert score("the treated patient", "the treating patients") == pytest.approx(1.0)
    assert score("the treated patient", "the treating patients", stemmer=False) == pytest.approx(1 / 3)


def test_precision_and_recall_are_told() -> None:
    outcome, _ = run(RougeL(), always("A"), instance("the cat quietly sat", "the black cat sat on mats"))
    assert outcome.detail == {"precision": 0.75, "recall": 0.5}


def test_what_has_no_reference_or_two_responses_is_refused() -> None:
    for reference in (None, "", "  "):
        with pytest.raises(DataError, match=r"^set/1: expected a reference, which method=rouge_l holds"):
            RougeL().check([instance("r", reference)])
    pair = Instance("set/1", "p", (Response("a"), Response("b")), reference="c")
    with pytest.raises(DataError, match=r"^set/1: expected one response to score, got 2"):
        RougeL().check([pair])
    RougeL().check([instance("", "a reference")])


def test_it_has_neither_judges_nor_prompts() -> None:
    assert (RougeL().judges, RougeL().prompts) == ((), ())


@pytest.mark.parametrize(("stemmer", "column"), [(True, "rougeL_f1"), (False, "rougeL_f1_nostem")])
def test_it_equals_the_published_scores_of_mslr(data_root: Path, stemmer: bool, column: str) -> None:
    with (data_root / FILE).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))[::13]
    for row in rows:
        assert score(row["generated"], row["target"], stemmer=stemmer) == pytest.approx(
            float(row[column]), abs=1e-12
        )
