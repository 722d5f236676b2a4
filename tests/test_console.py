import io
import re
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from tests.test_launch import Scripted, experiment, right

from venire.console import Watch, print_run, print_sweep
from venire.launch import Door, Written, execute, prepare
from venire.records import (
    BackendKind,
    Call,
    FinishReason,
    Instance,
    Outcome,
    Preference,
    Reason,
    RunStatus,
    Unscored,
    Usage,
    Winner,
)
from venire.sweep import Job, JobStatus


def call(kind: BackendKind, cost: float | None, *, replayed: bool = False) -> Call:
    return Call(
        key="k",
        stage="judge",
        role="gpt_4o",
        model_asked="m",
        model_returned="m",
        fingerprint=None,
        kind=kind,
        usage=Usage(1, 1),
        usage_complete=True,
        cost_usd=cost,
        cost_complete=cost is not None,
        latency_s=0.1,
        attempts=1,
        replayed=replayed,
        finish=FinishReason.STOP,
    )


def watched(
    *calls: Call, terminal: bool = True, name: str = "majority", width: int = 120, of: int = 1
) -> str:
    """What a watcher of one instance with these calls sees."""
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, color_system=None, width=width)
    with Watch(console) as watch:
        watch.start(name, of)
        watch.done(Outcome("set/1", Preference(Winner.FIRST), calls=calls))
    return out.getvalue()


def test_where_a_user_types_there_is_a_line_an_instance_and_no_bar_over_what_they_type() -> None:
    out = io.StringIO()
    with Watch(Console(file=out, force_terminal=True, color_system=None, width=120), typing=True) as watch:
        watch.start("juryflow", 2)
        watch.done(Outcome("set/1", Preference(Winner.FIRST), calls=(call(BackendKind.SIMULATED, 0.0),)))
    assert out.getvalue() == "juryflow: judging 2 instances\n1 of 2 instances judged, 1 calls\n"


def test_a_terminal_has_a_bar_and_another_output_a_line() -> None:
    assert "1/1" in watched()
    assert watched(terminal=False) == "majority: judging 1 instances\n"


LONG_NAME = "juryflow llmbar judge=gpt_4o panel=multi_model thresholds.beta=0.5"


def test_in_80_columns_the_name_is_cut_and_nothing_else() -> None:
    billed = call(BackendKind.LIVE, 123.25), call(BackendKind.LIVE, None)
    line = watched(*billed, name=LONG_NAME, width=80, of=32_000).splitlines()[-2]
    assert re.search(r"juryflow [^…]*… +1/32000 2 calls, at least \$123\.2500 -:--:--", line), line


def test_a_wider_terminal_shows_the_whole_name() -> None:
    assert LONG_NAME in watched(name=LONG_NAME, width=160)


def test_a_narrow_terminal_has_no_bar_but_the_count() -> None:
    line = watched(call(BackendKind.LOCAL, None), name=LONG_NAME, width=40).splitlines()[-2]
    assert re.search(r"juryflow [^…]*… +1/1 1 calls", line), line
    assert "━" not in line


def test_brackets_of_a_name_are_shown() -> None:
    assert "subsets=[Natural]" in watched(name="pairwise subsets=[Natural]")
    assert "x=[/b]" in watched(name="x=[/b]")
    assert watched(name="subsets=[Natural]", terminal=False).startswith("subsets=[Natural]:")


def test_the_bar_adds_up_what_live_providers_billed() -> None:
    live = call(BackendKind.LIVE, 0.25)
    assert "2 calls, $0.5000" in watched(live, live)
    assert "2 calls, $0.2500" in watched(live, call(BackendKind.LIVE, 9.0, replayed=True))
    assert "2 calls, at least $0.2500" in watched(live, call(BackendKind.LIVE, None))


@pytest.mark.parametrize("kind", [BackendKind.SIMULATED, BackendKind.LOCAL, BackendKind.RECORDED])
def test_nothing_is_billed_for_judges_that_are_not_live(kind: BackendKind) -> None:
    shown = watched(call(kind, 0.25))
    assert "1 calls" in shown
    assert "$" not in shown


def test_a_line_for_the_user_is_not_wrapped() -> None:
    out = io.StringIO()
    with Watch(Console(file=out, force_terminal=False, width=20)) as watch:
        watch.say("a long path: /tmp/[x]/" + "y" * 50)
    assert out.getvalue() == "a long path: /tmp/[x]/" + "y" * 50 + "\n"


def a_run(home: Path, say: Any = right, **changes: Any) -> Written:
    return execute(prepare(experiment(Scripted(say), **changes), {}), Door(home, {}))


def test_a_run_ends_with_its_folder_on_the_last_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = a_run(tmp_path)
    print_run(written)
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == "pairwise gpt_4o here [none]"
    assert out.splitlines()[-1] == str(written.folder)
    assert err == ""


def test_a_failed_run_says_why_on_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def say(instance: Instance) -> Outcome:
        return Outcome(instance.id, Unscored(Reason.UNPARSED))

    written = a_run(tmp_path, say)
    assert written.record.status is RunStatus.FAILED
    print_run(written)
    out, err = capsys.readouterr()
    assert out.splitlines()[-1] == str(written.folder)
    assert err.startswith("failed: 100.0% of the verdicts are missing (unparsed 6)")
    assert "Run the same command again" not in err
    assert err.splitlines()[-1] == written.advice


def test_a_run_that_lost_calls_can_be_continued(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def say(instance: Instance) -> Outcome:
        return Outcome(instance.id, Unscored(Reason.PROVIDER_ERROR, "timeout: no reply within 2 s"))

    print_run(a_run(tmp_path, say))
    err = capsys.readouterr().err
    assert err.startswith("incomplete: no reply on 6 of 6 instances: timeout: no reply within 2 s (6)")
    assert err.endswith("\nRun the same command again: only what lacks a reply is asked for.\n")


def test_a_sweep_gives_each_advice_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    jobs = [
        Job(0, ("seed=0",), JobStatus.INCOMPLETE, error="no reply", advice="Run it again."),
        Job(1, ("seed=1",), JobStatus.INCOMPLETE, error="no reply", advice="Run it again."),
        Job(2, ("seed=2",), JobStatus.INCOMPLETE, error="budget.calls=1: spent; raise it"),
    ]
    print_sweep(tmp_path, tmp_path / "sweeps" / "s", jobs)
    assert capsys.readouterr().err.splitlines() == [
        "incomplete: job 0: no reply",
        "  alone: venire run hydra.mode=RUN seed=0",
        "incomplete: job 1: no reply",
        "  alone: venire run hydra.mode=RUN seed=1",
        "incomplete: job 2: budget.calls=1: spent; raise it",
        "  alone: venire run hydra.mode=RUN seed=2",
        "Run it again.",
    ]


def test_a_sweep_has_a_table_and_lists_what_went_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    jobs = [
        Job(0, ("seed=0",), JobStatus.FINISHED, str(a_run(tmp_path).folder)),
        Job(1, ("method.rule=most", "dataset.x=[a, b]"), JobStatus.FAILED, error="ConfigError: method.rule"),
    ]
    flags = ["--config-dir", "my files"]
    table = print_sweep(tmp_path, tmp_path / "sweeps" / "sample-1", jobs, flags=flags)
    out, err = capsys.readouterr()
    assert table is not None
    assert table.title == "sweep sample-1"
    assert [row[0] for row in table.rows] == ["pairwise gpt_4o here"]
    assert "1 failed, 1 finished of 2 jobs\n" in out
    assert out.endswith(f"runs: {tmp_path / 'runs'}\n")
    assert err.splitlines() == [
        "failed: job 1: ConfigError: method.rule",
        "  alone: venire run --config-dir 'my files' hydra.mode=RUN method.rule=most 'dataset.x=[a, b]'",
    ]


def test_a_sweep_without_a_run_has_no_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    jobs = [Job(0, (), JobStatus.FAILED, error="ConfigError: no")]
    assert print_sweep(tmp_path, tmp_path / "sweeps" / "s", jobs) is None
    assert capsys.readouterr().out.startswith("1 failed of 1 jobs\n")


def test_a_sweep_that_was_stopped_does_not_count_what_began_as_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    jobs = [Job(0, ("seed=0",), JobStatus.INCOMPLETE, error="interrupted (SIGINT)", interrupted=True)]
    print_sweep(tmp_path, tmp_path / "sweeps" / "s", jobs)
    said = "1 incomplete of 1 jobs that began; the same command starts those that did not\n"
    assert capsys.readouterr().out.startswith(said)
