"""`venire review serve` as a user meets it: a run's uncertain items, a study, and what is refused."""

import json
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.integration.command import EXECUTABLE, Ran, Venire, read_json
from tests.page.served import Visitor


@contextmanager
def serving(venire: Venire, *arguments: str) -> Iterator[tuple[str, list[str]]]:
    """The page's address, and what was printed; stopped by Ctrl-C, and ended well."""
    process = subprocess.Popen(
        [EXECUTABLE, "review", "serve", *arguments, "--port", "0"],
        env=venire.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        printed = []
        while not printed or not printed[-1].startswith("http"):
            line = process.stdout.readline()
            assert line, process.communicate()
            printed.append(line.strip())
        yield printed[-1], printed
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=30)
        assert (process.returncode, rest.splitlines()[-1], errors) == (0, "stopped", "")
    finally:
        process.kill()
        process.communicate()


def lines_of(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def handles(visitor: Visitor) -> list[str]:
    """The study's four items as the visitor sees them."""
    pages = [visitor.get(f"/study/item/{number}").text for number in range(1, 5)]
    return [re.findall(r"item-\w{12}", page)[0] for page in pages]


@pytest.fixture
def panel(venire: Venire) -> Ran:
    return venire.finished("dataset=sample", "dataset.limit=8", "method=majority", "backend=simulated")


def test_a_runs_uncertain_items_are_labelled_on_the_page_and_measured(venire: Venire, panel: Ran) -> None:
    run = panel.folder.name
    with serving(venire, run, "--below", "1", "--rubric", "accuracy") as (url, printed):
        uncertain = int(printed[0].partition(" of ")[0])
        assert printed[0] == (
            f"{uncertain} of 8 items are uncertain; labels go to {venire.home / 'labels' / 'sample.jsonl'}"
        )
        ann = Visitor(url)
        ann.enter("ann")
        page = ann.get("/review/item/1").text
        # blind: nothing of the run, its models, the data set's ids; the rubric stands beside it
        assert not re.search(r"gpt|claude|gemini|astronomy/|majority|simulated|The run said", page)
        assert "Factual Accuracy" in page
        assert ann.label(1, {"verdict": "A", "comment": "it is true", "seconds": "2"}, "review").status == 303
    (label,) = lines_of(venire.home / "labels" / "sample.jsonl")
    assert (label["annotator"], label["seconds"], label["source"], label["run_id"]) == (
        "ann",
        2.0,
        "page",
        run,
    )
    assert label["verdict"] == ("response_1" if label["shown"] == "as_given" else "response_2")
    measured = venire("review", "measure", run)
    assert measured.status == 0, measured.err
    beside = read_json(Path(measured.last_line) / "measured.json")
    assert beside["labels_as_gold"]["metrics"]["n"] == 1  # type: ignore[index]


def test_the_pairs_of_a_run_with_criteria_are_compared_on_them_and_measured(venire: Venire) -> None:
    ran = venire.finished(
        "dataset=sample", "dataset.limit=8", "method=pairwise", "criteria=explanation", "backend=simulated"
    )
    run = ran.folder.name
    with serving(venire, run, "--below", "1") as (url, _):
        ann = Visitor(url)
        ann.enter("ann")
        page = ann.get("/review/item/1").text
        assert "Whether the explanation can be followed from one step to the next." in page
        assert ann.label(1, {"verdict": "A", "criterion-0": "A"}, "review").status == 422
        answer = {"verdict": "A", "criterion-0": "B", "criterion-1": "N/A"}
        assert ann.label(1, answer, "review").status == 303
    (label,) = lines_of(venire.home / "labels" / "sample.jsonl")
    other = {"response_1": "response_2", "response_2": "response_1"}[str(label["verdict"])]
    assert label["by_criterion"] == {"clarity": other, "accessibility": "N/A"}
    measured = venire("review", "measure", run)
    assert (measured.status, "Clarity: accuracy" in measured.out) == (0, True), measured.err
    beside = read_json(Path(measured.last_line) / "measured.json")
    on: dict[str, dict[str, dict[str, float]]] = beside["labels_by_criterion"]  # type: ignore[assignment]
    assert list(on) == ["clarity"]
    assert on["clarity"]["metrics"]["n"] == 1


def test_a_study_goes_on_by_its_name_and_comes_out_as_a_file(venire: Venire, tmp_path: Path) -> None:
    data = ("dataset=sample", "dataset.limit=4", "seed=7")
    with serving(venire, *data, "--study", "pilot", "--annotators", "ann,bob") as (url, printed):
        folder = venire.home / "studies" / "pilot"
        assert printed[0] == f"4 items of sample; labels go to {folder / 'labels.jsonl'}"
        ann = Visitor(url)
        assert ann.enter("eve").status == 422
        ann.enter("ann")
        assert [ann.label(n, {"verdict": "A"}).status for n in (1, 2)] == [303, 303]
        order = handles(ann)
    with serving(venire, "--study", "pilot") as (url, _):
        again = Visitor(url)
        assert again.enter("eve").status == 422
        again.enter("ann")
        assert again.get("/study/").headers["location"] == "/study/item/3"
        assert [
            re.search(r"item-\w{12}", again.get(f"/study/item/{n}").text)[0] for n in range(1, 5)
        ] == order  # type: ignore[index]
        again.enter("bob")
        assert again.get("/study/").headers["location"] == "/study/item/1"
        own = again.get("/study/labels.jsonl")
        assert (own.status, own.text) == (200, "")
        again.label(1, {"verdict": "B"})
        assert json.loads(again.get("/study/labels.jsonl").text)["annotator"] == "bob"
    listed = venire("review", "labels")
    assert re.search(r"study pilot +[34] +3 +0 +ann 2, bob 1", listed.out), listed.out
    out = tmp_path / "pilot.csv"
    assert venire("review", "labels", "--study", "pilot", "--out", str(out)).status == 0
    taken = venire("review", "import", str(out), "--labels-for", *data[:2])
    assert taken.out.startswith("3 labels taken"), taken.err
    other = venire("review", "serve", "dataset=sample", "dataset.limit=5", "--study", "pilot")
    assert (other.status, "--study: pilot began with fingerprint" in other.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "expected either RUN, or --study NAME with dataset=NAME the first time"),
        (("RUN", "--study", "x"), "expected either RUN, or --study NAME"),
        (("dataset=sample", "--study", "../x"), "--study: expected letters, digits, '-' and '_' only"),
        (("dataset=sample", "--study", "x", "--limit", "3"), "--limit: it is of a run's items"),
        (("dataset=sample", "--study", "x", "method=single"), "method: this command does not look at it"),
        (("dataset=sample", "--study", "x", "--port", "70000"), "--port: cannot listen on"),
        (("nowhere", "--annotators", "ann,b b"), "--annotators: expected letters, digits"),
        (("nowhere", "--name", "a/b"), "--name: expected a host name, got 'a/b'"),
    ],
)
def test_what_cannot_be_served_is_refused(venire: Venire, arguments: tuple[str, ...], message: str) -> None:
    ran = venire("review", "serve", *arguments)
    assert ran.status in (1, 2)
    assert message in ran.err
    assert "Traceback" not in ran.err
    assert not (venire.home / "studies").exists()  # what was never served did not begin


def test_labels_are_not_written_over_or_made_up(venire: Venire, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    for arguments, message in (
        ((), "--dataset: expected the name of a data set with labels; there are none"),
        (("--dataset", "sample", "--study", "s"), "expected --dataset or --study, got both"),
        (("--dataset", "sample"), "review labels: expected labels in"),
    ):
        ran = venire("review", "labels", "--out", str(out), *arguments)
        assert (ran.status, message in ran.err) == (2, True), ran.err
    out.write_text("kept")
    ran = venire("review", "labels", "--out", str(out), "--dataset", "sample")
    assert (ran.status, "is there already" in ran.err, out.read_text()) == (2, True, "kept")
