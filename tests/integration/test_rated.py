"""Human ratings, as the command reports them on the real public data."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.integration.command import Ran, Venire

COEFFICIENTS = {"spearman": "spearman", "kendall": "kendall_tau_b", "pearson": "pearson"}
FACETS = ("fluency", "pio", "direction", "strength", "average")


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory, data_root: Path) -> Venire:
    """The command on the real public data, in a home that these tests share."""
    return Venire(tmp_path_factory.mktemp("rated") / "home", data_root)


@pytest.fixture(scope="module")
def rouge_l(rated: Venire) -> Ran:
    """ROUGE-L over all 598 summaries."""
    return rated.finished("dataset=mslr", "method=rouge_l")


@pytest.fixture(scope="module")
def reference(data_root: Path) -> Mapping[str, Any]:
    read: Mapping[str, Any] = json.loads((data_root / "mslr" / "reference.json").read_text(encoding="utf-8"))
    return read


def test_rouge_l_on_mslr_is_the_reference(rouge_l: Ran, reference: Mapping[str, Any]) -> None:
    expected = reference["correlations"]["all_primary"]
    assert rouge_l.number("n") == 598
    for facet in FACETS:
        for coefficient, column in COEFFICIENTS.items():
            found = rouge_l.number(f"{coefficient}/{facet}")
            assert found == pytest.approx(expected[f"facet_{facet}"][column], abs=1e-6)
            assert rouge_l.number(f"{coefficient}/{facet}/ci_low") < found
    assert rouge_l.number("ceiling/kappa/fluency") == pytest.approx(
        reference["inter_annotator"]["facets"]["fluency"]["cohen_kappa"], abs=1e-6
    )
    assert "Spearman's rho, pio (n 598)" in rouge_l.out
    assert "human against human 0.358" in rouge_l.out


def test_two_runs_are_compared_on_the_same_summaries(rated: Venire, rouge_l: Ran) -> None:
    length = rated.finished("dataset=mslr", "method=length")
    compared = rated("compare", str(rouge_l.folder), str(length.folder))
    assert compared.status == 0, compared.err
    # docs/papers/maj_eval.md
    assert "spearman mean: 0.104 and -0.029, difference -0.133 [-0.202, -0.073]" in compared.out
    assert "spearman fluency: -0.066 and -0.418" in compared.out
    as_json = rated("compare", str(rouge_l.folder), str(length.folder), "--format", "json")
    (pair,) = json.loads(as_json.out)["rated"]
    assert (pair["n"], pair["left_out"], pair["lacking"]) == (598, 0, {})


def test_another_grouping_is_another_run_with_its_name_in_it(rated: Venire) -> None:
    ran = rated.finished("dataset=mslr", "method=length", "metrics.correlation.grouping=per_system")
    assert "correlation.grouping=per_system" in str(ran.record["name"])
    notes = ran.record["notes"]
    assert isinstance(notes, dict)
    assert "of the means of 6 systems" in notes["spearman/pio"]


def test_stories_without_ratings_are_refused_with_what_is_needed(rated: Venire) -> None:
    ran = rated.run("dataset=storysparkqa", "method=length")
    assert ran.status != 0
    assert "dataset.ratings: expected human ratings" in ran.err
    assert "Traceback" not in ran.err


def test_stories_are_measured_against_a_file_of_ratings(rated: Venire, tmp_path: Path) -> None:
    ratings = tmp_path / "ratings.csv"
    lines = ["qa_id,grammar,relevancy,consistency,appropriateness"]
    lines += [f"train-{i:04d},{1 + i % 5},{1 + i % 3},{5 - i % 5},3" for i in range(30)]
    ratings.write_text("\n".join(lines) + "\n", encoding="utf-8")
    ran = rated.finished("dataset=storysparkqa", f"dataset.ratings={ratings}", "method=length")
    assert (ran.number("n"), ran.number("coverage")) == (30, 1.0)
    assert -1 <= ran.number("spearman/grammar") <= 1
    assert ran.summary["spearman/appropriateness"] is None  # all 3
    assert ran.summary["abs_spearman/mean"] is None
    assert "human ratings are all 3" in ran.out
