import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from tests.test_launch import INSTANCES, Scripted, Sleeping, experiment, loaded, right

from venire.errors import BudgetExhausted, ConfigError
from venire.launch import Door, Ready, prepare
from venire.llm.settings import LLMSettings, Mode
from venire.records import Instance, Outcome, Reason, Unscored
from venire.reporting.table import Estimate, Table
from venire.sweep import (
    Job,
    JobStatus,
    failed_job,
    hide_secrets,
    new_launch,
    read_jobs,
    run_job,
    sweep_id,
    twins,
    write_job,
    write_summary,
    write_table,
)


def ready(say: Any = right, **changes: Any) -> Ready:
    return prepare(experiment(Scripted(say), **changes), {})


def a_job(home: Path, made: Ready, *, number: int = 0, rerun: bool = False) -> Job:
    door = Door(home, {}, sweep_id="sweep-1")
    return run_job(made, door, number=number, overrides=("seed=0",), rerun=rerun)


def test_the_same_overrides_name_the_same_sweep_in_any_order() -> None:
    assert sweep_id(["seed=0,1", "experiment=sample"]) == sweep_id(["experiment=sample", "seed=0,1"])
    assert sweep_id(["seed=0,1"]) != sweep_id(["seed=0,2"])


@pytest.mark.parametrize(
    "override",
    ["sweep.rerun=true", "tracking.uri=http://127.0.0.1:1", "concurrency=4", "budget.usd=20", "llm=replay",
     "hydra/launcher=joblib", "hydra.launcher.n_jobs=2", "+hydra.launcher.ray.init.num_cpus=2"],
)  # fmt: skip
def test_what_moves_no_result_continues_the_same_sweep(override: str) -> None:
    # With budget: a sweep that ran out of money goes on with more, and what was spent still counts.
    assert sweep_id(["experiment=sample", override]) == sweep_id(["experiment=sample"])


def test_a_sweeps_name_tells_experiment_and_data() -> None:
    assert sweep_id(["experiment=recorded/llmbar", "seed=0,1"]).startswith("recorded_llmbar-")
    assert sweep_id(["dataset=llmbar", "method=single,majority"]).startswith("llmbar-")
    assert sweep_id(["seed=0,1"]).startswith("sweep-")
    assert sweep_id([]).startswith("sweep-")


def test_a_finished_job_is_skipped_and_its_run_is_named(tmp_path: Path) -> None:
    first = a_job(tmp_path, ready())
    second = a_job(tmp_path, ready(), number=1)
    assert (first.status, first.ok, first.error) == (JobStatus.FINISHED, True, "")
    assert second == Job(1, ("seed=0",), JobStatus.SKIPPED, first.folder)
    assert second.ok
    assert len(list((tmp_path / "runs").iterdir())) == 1


def test_a_finished_job_runs_again_when_asked(tmp_path: Path) -> None:
    first = a_job(tmp_path, ready())
    again = a_job(tmp_path, ready(), rerun=True)
    assert again.status is JobStatus.FINISHED
    assert again.folder != first.folder


def test_a_job_that_is_to_pay_again_is_not_skipped(tmp_path: Path) -> None:
    a_job(tmp_path, ready())
    refreshing = ready(llm=LLMSettings(Mode.REFRESH))
    assert a_job(tmp_path, refreshing).status is JobStatus.FINISHED


def test_a_job_that_finished_under_a_laxer_bound_runs_again(tmp_path: Path) -> None:
    def lost(instance: Instance) -> Outcome:
        if instance is INSTANCES[0]:
            return right(instance)
        return Outcome(instance.id, Unscored(Reason.UNPARSED, "no JSON"))

    lax = a_job(tmp_path, ready(lost, max_unscored=1.0))
    assert lax.status is JobStatus.FINISHED
    assert a_job(tmp_path, ready(lost, max_unscored=0.9)).status is JobStatus.SKIPPED  # 5 of 6 are missing
    strict = a_job(tmp_path, ready(lost, max_unscored=0.5))
    assert (strict.status, strict.folder != lax.folder) == (JobStatus.FAILED, True)


def test_what_a_finished_job_left_to_people_is_not_missing(tmp_path: Path) -> None:
    def left(instance: Instance) -> Outcome:
        if instance is INSTANCES[0]:
            return right(instance)
        return Outcome(instance.id, Unscored(Reason.ESCALATED, "no stage is sure"))

    assert a_job(tmp_path, ready(left)).status is JobStatus.FINISHED  # 5 of 6, above the bound of 0.2
    assert a_job(tmp_path, ready(left)).status is JobStatus.SKIPPED


def test_a_job_that_stopped_early_is_not_taken_for_finished(tmp_path: Path) -> None:
    def stops(instance: Instance) -> Outcome:
        raise BudgetExhausted("no money left")

    stopped = a_job(tmp_path, ready(stops))
    assert (stopped.status, stopped.ok) == (JobStatus.INCOMPLETE, False)
    assert stopped.error == "no money left (6 of 6 instances are not judged)"
    assert a_job(tmp_path, ready()).status is JobStatus.FINISHED


def test_a_job_that_the_user_interrupted_says_so(tmp_path: Path) -> None:
    def interrupts(instance: Instance) -> Outcome:
        os.kill(os.getpid(), signal.SIGINT)
        return right(instance)

    made = prepare(experiment(Sleeping(interrupts)), {})
    job = a_job(tmp_path, made)
    assert (job.status, job.interrupted) == (JobStatus.INCOMPLETE, True)
    assert job.advice.startswith("Run the same command again")
    write_job(tmp_path / "sweeps" / "sweep-1", job, launch="1")
    assert read_jobs(tmp_path / "sweeps" / "sweep-1") == [job]


def test_a_job_that_finished_although_the_user_interrupted_it_ends_the_sweep(tmp_path: Path) -> None:
    def interrupts(instance: Instance) -> Outcome:
        if instance.id == INSTANCES[-1].id:
            os.kill(os.getpid(), signal.SIGINT)
        return right(instance)

    job = a_job(tmp_path, prepare(experiment(Sleeping(interrupts)), {}))
    assert (job.status, job.interrupted, job.advice) == (JobStatus.FINISHED, True, "")


def test_a_job_that_another_one_equals_but_for_the_data_runs(tmp_path: Path) -> None:
    a_job(tmp_path, ready())
    assert a_job(tmp_path, ready(loaded=loaded(INSTANCES[:4]))).status is JobStatus.FINISHED


def test_a_job_that_raised_has_a_message_or_for_a_bug_the_traceback() -> None:
    meant = failed_job(3, ["method.rule=most"], ConfigError("method.rule: expected plurality, got 'most'"))
    assert meant.error == "ConfigError: method.rule: expected plurality, got 'most'"
    assert (meant.number, meant.overrides, meant.status, meant.folder) == (
        3,
        ("method.rule=most",),
        JobStatus.FAILED,
        "",
    )
    try:
        raise ZeroDivisionError("division by zero")
    except ZeroDivisionError as error:
        bug = failed_job(0, [], error)
    assert bug.error.startswith("Traceback")
    assert "test_sweep.py" in bug.error
    assert bug.error.endswith("ZeroDivisionError: division by zero\n")


def test_a_job_tells_no_secret(tmp_path: Path) -> None:
    error = ValueError("refused the key sk-0123456789")
    assert "sk-0123456789" not in failed_job(0, [], error, secrets=("sk-0123456789",)).error
    uri = "tracking.uri=postgresql://me:hunter2@host/db"
    shown = ("tracking.uri=postgresql://***@host/db",)
    assert failed_job(0, [uri], error).overrides == shown
    for _ in range(2):  # run, then skipped
        job = run_job(ready(), Door(tmp_path, {}), number=0, overrides=(uri,), rerun=False)
        assert job.overrides == shown


def test_jobs_are_read_back_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    jobs = [Job(n, (f"seed={n}", "a=[1,2]"), JobStatus.FAILED, f"/runs/{n}", "é\nfailed") for n in (11, 2, 0)]
    for job in jobs:
        write_job(tmp_path, job, launch="1")
    assert read_jobs(tmp_path) == jobs[::-1]
    write_job(tmp_path, Job(2, (), JobStatus.FINISHED), launch="1")
    assert [job.status for job in read_jobs(tmp_path)] == [
        JobStatus.FAILED,
        JobStatus.FINISHED,
        JobStatus.FAILED,
    ]
    assert read_jobs(tmp_path / "nowhere") == []


def test_the_newest_launch_counts_and_no_earlier_one_is_lost(tmp_path: Path) -> None:
    first, second = new_launch(1.0e9), new_launch(1.0e9 + 0.002)
    assert first < second
    old, new = Job(0, ("seed=0",), JobStatus.FAILED), Job(1, ("seed=1",), JobStatus.FINISHED)
    write_job(tmp_path, old, launch=first)
    assert read_jobs(tmp_path, launch=second) == []
    assert read_jobs(tmp_path) == [old]
    write_job(tmp_path, new, launch=second)
    assert read_jobs(tmp_path) == [new]
    assert read_jobs(tmp_path, launch=first) == [old]


def test_a_file_keeps_no_password(tmp_path: Path) -> None:
    path = tmp_path / "multirun.yaml"
    hide_secrets(path, ())
    assert not path.exists()
    path.write_text("- tracking.uri=postgresql://me:hunter2@host/db\n- k=sk-0123456789\n", encoding="utf-8")
    hide_secrets(path, ("sk-0123456789",))
    assert path.read_text(encoding="utf-8") == "- tracking.uri=postgresql://***@host/db\n- k=***\n"


def test_the_summary_has_every_job_with_overrides_status_and_metrics(tmp_path: Path) -> None:
    done = a_job(tmp_path, ready())
    lost = failed_job(1, ["method.rule=most"], ConfigError("no"))
    path = write_summary(tmp_path / "sweeps" / "sample-1", [done, lost])
    assert path == tmp_path / "sweeps" / "sample-1" / "summary.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content["sweep"] == "sample-1"
    first, second = content["jobs"]
    assert (first["number"], first["status"], first["kind"], first["overrides"]) == (
        0,
        "finished",
        "none",
        ["seed=0"],
    )
    assert first["metrics"] == json.loads((Path(done.folder) / "summary.json").read_text(encoding="utf-8"))
    assert first["metrics"]["accuracy"] == 1.0
    assert first["metrics"]["kappa"] is None  # gold has one label only
    assert (second["status"], second["error"]) == ("failed", "ConfigError: no")
    assert "metrics" not in second


def test_the_table_is_kept_in_every_form(tmp_path: Path) -> None:
    table = Table("sweep", ("run", "accuracy"), (("single", Estimate(0.5)),))
    write_table(tmp_path, table)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("table.csv", "table.html", "table.md", "table.tex")
    ]
    assert (tmp_path / "table.csv").read_text(encoding="utf-8") == "run,accuracy\nsingle,0.5\n"


def test_jobs_that_differ_in_nothing_that_counts_are_said_to_be_one() -> None:
    def job(number: int, folder: str, *overrides: str) -> Job:
        return Job(number, ("method=direct", *overrides), JobStatus.FINISHED, folder)

    jobs = [job(0, "a", "ablation=none"), job(1, "a", "ablation=no_rubric"), job(2, "b", "seed=1")]
    assert twins(jobs) == (
        "jobs 0, 1 are one experiment, and share a run: nothing that it depends on differs between "
        "ablation=none | ablation=no_rubric",
    )
    assert twins([job(0, "", "seed=0"), job(1, "", "seed=1")]) == ()
