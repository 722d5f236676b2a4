"""What people judge, as a user meets it: agreement, the test, advice, and review there and back."""

import csv
import hashlib
import json
from pathlib import Path

import pytest
from tests.integration.command import Ran, Venire, read_json


def plain(ran: Ran) -> dict[str, object]:
    """The JSON object that a command printed."""
    assert ran.status == 0, ran.err
    value = json.loads(ran.out)
    assert isinstance(value, dict)
    return value


def digests(folder: Path) -> dict[str, str]:
    files = (path for path in folder.iterdir() if path.is_file())
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_the_published_agreement_of_mt_bench_as_plain_values(recorded: Venire) -> None:
    # 63% and 81% in Zheng et al. 2023; counts: README of the shared mtbench/ folder.
    found = plain(recorded("agreement", "dataset=mt_bench_votes", "metrics.draws=50", "--json"))
    rows = {(row["votes"], row["annotators"], row["with"]): row for row in found["agreement"]}  # type: ignore[attr-defined]
    experts = rows["turn 1", "experts", "each other"]
    assert (experts["with_ties"]["agree"], experts["with_ties"]["total"]) == (454, 721)
    assert (experts["without_ties"]["agree"], experts["without_ties"]["total"]) == (388, 479)
    gpt = rows["turn 1, subset", "experts", "gpt4_pair"]
    assert (gpt["with_ties"]["agree"], gpt["with_ties"]["total"]) == (465, 698)
    assert (gpt["without_ties"]["agree"], gpt["without_ties"]["total"]) == (373, 444)


def test_what_cannot_be_asked_is_refused_with_what_to_do(venire: Venire) -> None:
    for arguments, message in (
        (("agreement", "dataset=sample"), "expected items that several annotators judged, found none"),
        (("agreement",), "dataset: agreement needs to know which"),
        (("agreement", "dataset=sample", "method=single"), "method: this command does not look at it"),
        (("alt-test",), "expected either a run"),
        (("alt-test", "dataset=sample"), "expected items that several annotators judged"),
        (("advise",), "dataset: advise needs to know which"),
        (("review", "import", "x.jsonl"), "expected either RUN or --labels-for DATASET"),
        (
            ("review", "export", "none", "--out", "x.txt"),
            "expected a name that ends in .jsonl or .csv",
        ),
        (("review", "measure", "none"), "RUN: expected a run folder"),
    ):
        ran = venire(*arguments)
        assert ran.status in (1, 2)
        assert message in ran.err
        assert "Traceback" not in ran.err


def test_a_published_model_beside_the_annotators(recorded: Venire) -> None:
    found = plain(recorded("alt-test", "dataset=mt_bench_votes", "--json"))
    (test,) = found["tests"]  # type: ignore[misc]
    assert test["judge"] == "gpt4_pair"
    assert test["winning_rate"] == pytest.approx(4 / 7)
    assert test["passes"] is True
    assert len(test["against"]) == 7
    refused = recorded("alt-test", "dataset=mt_bench_votes", "--judge", "gpt5")
    assert refused.status == 2
    assert (
        "expected verdicts of gpt5 that were published with the data, got those of gpt4_pair" in refused.err
    )


def test_advice_names_methods_that_there_are(venire: Venire) -> None:
    found = plain(venire("advise", "dataset=sample", "--objective", "no", "--json"))
    methods = [each["overrides"] for each in found["methods"]]  # type: ignore[attr-defined]
    assert methods[0] == "method=pairwise"
    assert [each["metric"] for each in found["metrics"]] == ["accuracy", "kappa", "position_consistency"]  # type: ignore[attr-defined]
    asked = venire("run", "dataset=sample", "backend=simulated", "metrics.chosen=[spearman]")
    assert asked.status == 2
    assert "spearman does not fit this data: a preference is a label without an order" in asked.err


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_what_a_run_leaves_uncertain_goes_out_and_comes_back(
    simulated: Venire, panel_run: Ran, tmp_path: Path, ending: str
) -> None:
    run, sheet = panel_run.folder.name, tmp_path / f"sheet.{ending}"
    before = digests(panel_run.folder)
    exported = simulated("review", "export", run, "--out", str(sheet), "--below", "0.99")
    assert exported.status == 0, exported.err
    assert exported.last_line == str(sheet)
    text = sheet.read_text(encoding="utf-8")
    rows = (
        [json.loads(line) for line in text.split("\n") if line]
        if ending == "jsonl"
        else list(csv.DictReader(text.splitlines(keepends=True)))
    )
    assert 2 < len(rows) < 32
    assert "astronomy" not in "".join(str(row["instance_id"]) for row in rows)
    for row in rows[:2]:
        row |= {"verdict": "response_1", "annotator": f"ann by {ending}", "comment": "it is true"}
    if ending == "jsonl":
        sheet.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    else:
        with sheet.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    taken = simulated("review", "import", str(sheet), run)
    assert taken.status == 0, taken.err
    assert f"2 labels taken, {len(rows) - 2} rows not labelled" in taken.out
    beside = Path(taken.last_line)
    assert beside.parent == panel_run.folder / "labelled"
    measured = read_json(beside / "measured.json")
    assert measured["run_id"] == run
    assert measured["kind"] == "simulated"
    assert measured["labels_as_gold"]["metrics"]["n"] == 2  # type: ignore[index]
    assert digests(panel_run.folder) == before
    again = simulated("review", "import", str(sheet), run)
    assert "0 labels taken, 2 were there already" in again.out
    assert again.last_line == str(simulated.home / "labels" / "sample.jsonl")
    refused = simulated("review", "export", run, "--out", str(sheet))
    assert refused.status == 2
    assert "is there already, perhaps with labels" in refused.err
    assert f"ann by {ending} 2" in simulated("review", "labels").out


def test_labels_for_unknown_items_are_refused_and_nothing_is_taken(venire: Venire, tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    good = {"instance_id": "astronomy/1", "verdict": "response_1", "annotator": "ann"}
    rows = [good, {**good, "instance_id": "nowhere/1"}]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    ran = venire("review", "import", str(path), "--labels-for", "sample")
    assert ran.status == 2
    assert (
        "row 2, field 'instance_id': expected an id or a handle of the data set, got 'nowhere/1'" in ran.err
    )
    assert not (venire.home / "labels").exists()
    path.write_text(json.dumps(good), encoding="utf-8")
    assert venire("review", "import", str(path), "--labels-for", "sample").status == 0


def test_what_a_cascade_leaves_to_people_goes_out_and_what_they_say_can_be_fitted_on(
    simulated: Venire, tmp_path: Path
) -> None:
    # Half of the sample is the development split: only the other half was evaluated, and is asked about.
    ran = simulated.finished(
        *("dataset=sample", "method=cascade", "backend=simulated", "development=half", "max_unscored=1"),
        *("thresholds@method.thresholds=given", "method.thresholds.by_stage.cheap=0.99"),
        *("method.thresholds.by_stage.strong=0.99", "method.thresholds.by_stage.panel=null"),
    )
    run, sheet = ran.folder.name, tmp_path / "sheet.jsonl"
    exported = simulated("review", "export", run, "--out", str(sheet), "--include", "escalated")
    assert exported.status == 0, exported.err
    rows = [json.loads(line) for line in sheet.read_text(encoding="utf-8").split("\n") if line]
    assert len(rows) == ran.number("cascade/escalated") > 0
    assert "of 16 items are uncertain: escalated" in exported.out
    filled = [{**row, "verdict": "response_2", "annotator": "cascade"} for row in rows[:3]]
    sheet.write_text("".join(f"{json.dumps(row)}\n" for row in filled), encoding="utf-8")
    assert simulated("review", "import", str(sheet), run).status == 0
    made = simulated("review", "dataset", run, "--name", "reviewed")
    assert made.status == 0, made.err
    assert Path(made.last_line) == simulated.home / "config" / "dataset" / "reviewed.yaml"
    again = simulated.finished("dataset=reviewed", "method=length")
    assert again.number("n") >= 3
