"""`venire review rubric` inside this process: the file that it writes is one that a run reads back."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from venire.cli import main
from venire.commands.rubric_sets import find_rubrics
from venire.config import config_dir

ACCURACY = config_dir() / "rubric" / "accuracy.yaml"
FORMULA = r"it is ${oc.env:HOME}, not \${x} or {y}"


@dataclass(frozen=True)
class Corrected:
    """A run on the sample that somebody corrected, with a comment."""

    home: Path
    run: str
    capsys: pytest.CaptureFixture[str]

    def rubric(self, *arguments: str) -> tuple[int, str, str]:
        """Exit status, output and errors of `venire review rubric RUN`."""
        status = main(["review", "rubric", self.run, "--criterion", "factual_accuracy", *arguments])
        said = self.capsys.readouterr()
        return status, said.out, said.err


@pytest.fixture
def corrected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Corrected:
    home, sheet = tmp_path / "home", tmp_path / "sheet.jsonl"
    monkeypatch.setenv("VENIRE_HOME", str(home))
    monkeypatch.setattr(sys, "argv", ["venire"])
    of_sample = ["dataset=sample", "backend=simulated", "tracking.enabled=false"]
    assert main(["run", *of_sample, "method=single"]) == 0
    run = capsys.readouterr().out.splitlines()[-1]
    said = [  # one of both differs from what the judge said
        {"instance_id": "astronomy/1", "verdict": verdict, "annotator": verdict, "comment": FORMULA}
        for verdict in ("response_1", "response_2")
    ]
    sheet.write_text("".join(f"{json.dumps(each)}\n" for each in said), encoding="utf-8")
    assert main(["review", "import", str(sheet), "--labels-for", "sample"]) == 0
    capsys.readouterr()
    return Corrected(home, run, capsys)


def test_a_comment_that_looks_like_a_reference_is_read_back_as_it_was_written(corrected: Corrected) -> None:
    status, out, err = corrected.rubric("--rubric", "accuracy")
    assert status == 0, err
    path = Path(out.splitlines()[-1])
    assert path == corrected.home / "config" / "rubric" / "accuracy_corrected.yaml"
    added = find_rubrics(corrected.home, "accuracy_corrected", None).rubrics[0].edge_cases[-1]
    assert added.guidance.endswith(f". {FORMULA}")


def test_what_the_rubric_holds_already_is_escaped_no_second_time(
    corrected: Corrected, tmp_path: Path
) -> None:
    first, second = tmp_path / "first.yaml", tmp_path / "second.yaml"
    assert corrected.rubric("--rubric", "accuracy", "--out", str(first))[0] == 0
    assert corrected.rubric("--rubric", str(first), "--out", str(second))[0] == 0
    before, after = (
        yaml.safe_load(each.read_text(encoding="utf-8"))["rubrics"]["factual_accuracy"]["edge_cases"]
        for each in (first, second)
    )
    assert after == [*before, before[-1]]


def test_a_file_that_is_no_yaml_or_no_rubric_is_refused(corrected: Corrected, tmp_path: Path) -> None:
    broken, other = tmp_path / "broken.yaml", tmp_path / "other.yaml"
    broken.write_text("rubrics: [", encoding="utf-8")
    status, _, err = corrected.rubric("--rubric", str(broken))
    assert (status, f"{broken}: no YAML that can be read" in err) == (2, True)
    text = ACCURACY.read_text(encoding="utf-8")
    other.write_text(
        text.replace("venire.rubrics.rubric_set", "venire.judging.rubric.GeneratedRubric"), "utf-8"
    )
    status, _, err = corrected.rubric("--rubric", str(other))
    assert (status, "expected a set of rubrics (_target_: venire.rubrics.rubric_set)" in err) == (2, True)
    assert not list(corrected.home.rglob("*_corrected.yaml"))
