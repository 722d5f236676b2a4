"""`venire rubric` inside this process: what it writes, refuses and says."""

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from venire.build import build
from venire.cli import main
from venire.judging.rubric import RubricOrigin, RubricSet, Strictness

ONE = ("--criterion", "Code Readability", "--description", "How easily a reader follows the code.")


@dataclass(frozen=True)
class Command:
    """The command with a home of its own."""

    home: Path
    capsys: pytest.CaptureFixture[str]

    def run(self, *arguments: str) -> tuple[int, str, str]:
        """Exit status, output and errors."""
        status = main(["rubric", *arguments])
        said = self.capsys.readouterr()
        return status, said.out, said.err

    def generate(self, *arguments: str) -> tuple[int, str, str]:
        """The same of a simulated generation."""
        return self.run("generate", *arguments, "backend=simulated")

    def file(self, name: str) -> Path:
        return self.home / "config" / "rubric" / f"{name}.yaml"


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.setenv("VENIRE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr(sys, "argv", ["venire"])
    return Command(tmp_path / "home", capsys)


def rubrics(path: Path) -> RubricSet:
    made = build(yaml.safe_load(path.read_text(encoding="utf-8")), "rubric")
    assert isinstance(made, RubricSet)
    return made


def test_a_generated_rubric_is_a_file_with_a_name_that_says_what_it_rests_on(command: Command) -> None:
    status, out, err = command.generate(*ONE, "--domain", "software engineering", "--strictness", "strict")
    assert status == 0, err
    path = command.file("code_readability_strict")
    assert out.splitlines()[-1] == str(path)
    made = rubrics(path)
    (only,) = made.rubrics
    assert (made.origin, only.strictness, only.domain) == (
        RubricOrigin.SIMULATED,
        Strictness.STRICT,
        "software engineering",
    )
    assert (only.key, str(only.scale), len(only.levels)) == ("code_readability", "1-5", 5)
    text = path.read_text(encoding="utf-8")
    assert "SIMULATED" in text.splitlines()[0]
    assert made.provenance["cost"]["calls"] == 1  # type: ignore[index]
    assert str(command.home) not in text


def test_the_same_again_is_replayed_and_gives_the_same_file_by_force_alone(command: Command) -> None:
    assert command.generate(*ONE)[0] == 0
    first = command.file("code_readability_balanced").read_bytes()
    status, _, err = command.generate(*ONE)
    assert (status, "is there already" in err) == (2, True)
    status, out, _ = command.generate(*ONE, "--force")
    assert (status, "0 calls paid, 1 replayed" in out) == (0, True)
    assert command.file("code_readability_balanced").read_bytes() == first


def test_a_set_of_criteria_gets_a_rubric_each_in_one_file(command: Command) -> None:
    status, out, err = command.generate("criteria=explanation", "--scale", "pass/fail")
    assert status == 0, err
    made = rubrics(command.file("explanation_balanced"))
    assert [(each.key, str(each.scale)) for each in made.rubrics] == [
        ("clarity", "pass/fail"),
        ("accessibility", "pass/fail"),
    ]
    assert "2 calls paid" in out


def test_a_criterion_that_measures_several_things_is_warned_about(command: Command) -> None:
    told = ("--criterion", "Tone and Style", "--description", "How the text sounds.")
    _, _, err = command.generate(*told)
    assert "warning: rubrics.tone_and_style: measures several things" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--criterion: expected one"),
        ((*ONE, "criteria=general"), "got both"),
        (("--criterion", "X"), "--description: missing"),
        (("--criterion", " ", "--description", "d"), "one of them is empty"),
        (("criteria=of_data",), "criteria: expected a set of criteria"),
        ((*ONE, "method=direct"), "method: generating a rubric does not look at it"),
        ((*ONE, "--out", "accuracy.yaml"), "is a file of venire's own"),
        ((*ONE, "--out", "a.txt"), "expected a .yaml file"),
        ((*ONE, "--out", f"{__file__}/x.yaml"), "--out: expected a file that can be written"),
        ((*ONE, "judge=recorded"), "judge: expected one that reads prompts"),
    ],
)
def test_what_cannot_be_right_is_refused_before_any_call(
    command: Command, arguments: tuple[str, ...], message: str
) -> None:
    status, _, err = command.generate(*arguments)
    assert (status, message in err) == (2, True), err
    assert not list(command.home.rglob("*.db"))


def test_a_budget_that_is_too_small_stops_and_leaves_no_file(command: Command) -> None:
    status, _, err = command.generate("criteria=explanation", "budget.calls=1")
    assert (status, "budget.calls=1" in err) == (3, True)
    assert not command.file("explanation_balanced").exists()
    status, out, _ = command.generate("criteria=explanation")
    assert (status, "1 calls paid, 1 replayed" in out) == (0, True)


def test_a_dry_run_prints_the_prompt_and_calls_nothing(command: Command) -> None:
    status, out, _ = command.generate(*ONE, "--dry-run")
    assert (status, "Code Readability" in out, "nothing was called" in out) == (0, True, True)
    assert not command.file("code_readability_balanced").exists()
    assert not list(command.home.rglob("*.db"))


def test_rubrics_are_listed_shown_and_compared_by_name(command: Command) -> None:
    for strictness in ("lenient", "strict"):
        assert command.generate(*ONE, "--strictness", strictness)[0] == 0
    _, listed, _ = command.run("show")
    assert listed.splitlines()[0].startswith("accuracy: hand_written, balanced; factual_accuracy (")
    assert "code_readability_strict: simulated, strict; code_readability (" in listed
    _, shown, _ = command.run("show", "code_readability_strict")
    assert "SIMULATED: no model has read anything" in shown
    _, differing, _ = command.run("diff", "code_readability_lenient", "code_readability_strict")
    assert "~ code_readability.strictness" in differing
    assert command.run("diff", "accuracy", "accuracy")[1] == "no difference\n"
    assert command.run("show", "nope")[0] == 2


def test_a_file_with_a_level_missing_is_wrong_and_says_where(command: Command, tmp_path: Path) -> None:
    assert command.run("validate", "accuracy")[:2] == (0, "accuracy: 0 errors, 0 warnings\n")
    assert command.generate(*ONE)[0] == 0
    node = yaml.safe_load(command.file("code_readability_balanced").read_text(encoding="utf-8"))
    del node["rubrics"]["code_readability"]["levels"][2]
    broken = tmp_path / "broken.yaml"
    broken.write_text(yaml.safe_dump(node), encoding="utf-8")
    status, out, _ = command.run("validate", str(broken))
    assert status == 1
    assert out.startswith("error: rubric.rubrics.code_readability.levels: expected one for each point")
    assert "3 has none" in out
    other = tmp_path / "other.yaml"
    other.write_text("_target_: os.system\ncommand: echo no\n", encoding="utf-8")
    assert command.run("validate", str(other))[0] == 1
