"""MAJ-EVAL as a user runs it, on simulated raters and the real public data."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tests.integration.command import Ran, Venire

from venire.records import Ratings
from venire.runs import read_outcomes

DOCUMENTS = Path(__file__).parents[1] / "personas" / "documents"
SAMPLE = ("dataset=mslr", "dataset.sample=102", "backend=simulated")
DEBATE = (*SAMPLE, "method=maj_eval")


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory, data_root: Path) -> Venire:
    """The command on the real public data, in a home with a set of personas built from two documents."""
    made = Venire(tmp_path_factory.mktemp("rated") / "home", data_root)
    task = "Judging a summary of several medical studies."
    built = made("personas", "build", "--documents", str(DOCUMENTS), "--task", task, "backend=simulated")
    assert built.status == 0, built.out + built.err
    return made


@pytest.fixture(scope="module")
def whole(rated: Venire) -> Ran:
    """Debates about all 102 summaries, by the personas of the documents."""
    return rated.finished(*DEBATE, "persona=documents")


def test_the_whole_of_it_runs_on_the_102_summaries_in_under_five_minutes(whole: Ran) -> None:
    assert whole.number("n") == 102
    assert whole.number("coverage") == 1
    assert whole.number("duration_s") < 300
    assert whole.number("debate/turns") == whole.number("calls/debate")  # nothing was asked again
    assert whole.number("debate/failed_turns") == whole.number("debate/failed_finals") == 0
    for facet in ("fluency", "pio", "direction", "strength"):
        assert -1 <= whole.number(f"spearman/{facet}") <= 1


def test_transcripts_lie_beside_the_run_for_all_and_a_page_for_reading(whole: Ran) -> None:
    lines = (whole.folder / "transcripts.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 102
    first = json.loads(lines[0])
    assert first["kind"] == "simulated"
    assert set(first["groups"]) == {each["group"] for each in first["transcripts"]}
    page = (whole.folder / "transcripts.html").read_text(encoding="utf-8")
    assert "The 40 of 102 instances" in page
    assert "SIMULATED judges" in page


def details(ran: Ran) -> list[Any]:
    """What the method says of each instance, in the data set's order."""
    column = pq.read_table(ran.folder / "outcomes.parquet", columns=["detail"])["detail"]
    return [json.loads(text) for text in column.to_pylist()]


def test_the_prediction_is_the_mean_of_the_groups_of_the_record(whole: Ran) -> None:
    rows = zip(read_outcomes(whole.folder), details(whole), strict=True)
    for row, detail in rows:
        assert isinstance(row.prediction, Ratings)
        rated = [group["pio"] for group in detail["groups"].values()]
        assert row.prediction.by_dimension["pio"] == pytest.approx(sum(rated) / len(rated))


def test_without_a_debate_the_first_ratings_are_replayed_and_are_the_score(whole: Ran, rated: Venire) -> None:
    control = rated.finished(*DEBATE, "persona=documents", "ablation=independent_mean")
    assert control.number("calls/paid") == 0
    assert control.number("calls/total") == control.number("calls/rate") == whole.number("calls/rate")
    for before, after in zip(details(whole), details(control), strict=True):
        assert after["groups"] == before["groups_before"]


def test_the_same_tokens_control_spends_about_what_the_debate_took(rated: Venire) -> None:
    few = ("dataset=mslr", "dataset.limit=5", "backend=simulated", "method=maj_eval", "persona=documents")
    control = rated.finished(*few, "ablation=same_tokens_self_consistency")
    for detail in details(control):
        budget = detail["budget"]
        assert 0.9 * budget["tokens"] < budget["spent"] < 1.1 * budget["tokens"]
        assert budget["samples"] == budget["usable"] > 20
