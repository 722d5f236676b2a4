"""`venire plan` before and after a run, of sweeps, and that it leaves nothing behind."""

import json
from collections.abc import Mapping

import pytest
from tests.integration.command import UNTRACKED, Venire

SAMPLE = ("dataset=sample", "dataset.limit=6", "backend=simulated")


def plan(venire: Venire, *arguments: str) -> Mapping[str, object]:
    """The plan as plain values."""
    ran = venire("plan", "--json", *arguments)
    assert ran.status == 0, ran.err
    made = json.loads(ran.out)
    assert isinstance(made, dict)
    return made


def new(venire: Venire, *arguments: str) -> int:
    whole = plan(venire, *arguments)["all"]
    assert isinstance(whole, dict)
    return int(whole["new"])


@pytest.mark.parametrize("method", ["majority", "juryflow"])
def test_a_plan_is_what_the_run_pays_and_then_nothing_is_left_to_pay(venire: Venire, method: str) -> None:
    arguments = (*SAMPLE, f"method={method}")
    before = new(venire, *arguments)
    assert not venire.home.exists()
    ran = venire.finished(*arguments)
    assert before == ran.number("calls/paid") > 0
    assert new(venire, *arguments) == 0
    assert venire("plan", *arguments).last_line == "new calls: 0"


def test_a_beta_sweep_on_a_finished_run_pays_only_for_new_edges(venire: Venire) -> None:
    arguments = (*SAMPLE, "method=juryflow")
    venire.finished(*arguments)
    sweep = plan(venire, "-m", *arguments, "method.propagation.beta=0,0.5,0.9")
    stages = sweep["stages"]
    assert isinstance(stages, list)
    asked = {stage["stage"]: 0 for stage in stages}
    for stage in stages:
        asked[stage["stage"]] += stage["new"]
    assert asked.pop("propagation") > 0
    asked.pop("tie_break", None)  # revised verdicts may tie where the old ones did not
    assert set(asked.values()) == {0}


def test_jobs_of_a_sweep_pay_once_for_what_they_share(venire: Venire) -> None:
    sweep = plan(venire, "-m", *SAMPLE, "method=single,majority")
    jobs, whole = sweep["jobs"], sweep["all"]
    assert isinstance(jobs, list)
    assert isinstance(whole, dict)
    assert [job["overrides"][-1] for job in jobs] == ["method=single", "method=majority"]
    # single's judge is one of majority's five
    assert whole["new"] == jobs[1]["new"] == 5 * jobs[0]["new"]
    ran = venire("run", "-m", *SAMPLE, "method=single,majority", UNTRACKED)
    assert ran.status == 0
    again = plan(venire, "-m", *SAMPLE, "method=single,majority")["jobs"]
    assert isinstance(again, list)
    # as the sweep would, it skips what has finished
    assert [job["finished"] for job in again] == [True, True]


def test_an_experiment_that_sweeps_by_itself_is_planned_as_one(venire: Venire) -> None:
    ran = venire("plan", "experiment=sample")
    assert ran.status == 0, ran.err
    assert ran.out.startswith("sweep\n")
    assert "all jobs, shared calls once" in ran.out
    assert not venire.home.exists()


def test_live_judges_are_planned_without_a_key_and_with_an_estimate(venire: Venire) -> None:
    live = ("dataset=sample", "dataset.limit=4", "method=juryflow")
    ran = venire("plan", *live)
    assert (ran.status, ran.err) == (0, "")
    assert ran.last_line.startswith("new calls: at least ")
    estimated = venire("plan", "--simulate", *live)
    assert "ESTIMATE" in estimated.out
    assert "with simulated replies" in estimated.last_line
    # the same questions, so as many calls, as of the simulated judges themselves
    assert f"about {new(venire, *live, 'backend=simulated')} " in estimated.last_line
    assert not venire.home.exists()


def test_a_job_that_cannot_be_planned_is_named_and_the_others_are_planned(venire: Venire) -> None:
    ran = venire("plan", "-m", *SAMPLE, "method=pairwise", "judge.temperature=0,9")
    assert ran.status == 1
    assert "judge.temperature" in ran.err
    assert ran.last_line.startswith("new calls: ")


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        ((), 2, "venire plan dataset=sample"),
        (("dataset=sample", "method=pairwize"), 2, "pairwize"),
        (("dataset=sample", "judge.temperature=9"), 2, "judge.temperature"),
    ],
)
def test_what_cannot_be_planned_is_explained(
    venire: Venire, arguments: tuple[str, ...], status: int, words: str
) -> None:
    ran = venire("plan", *arguments)
    assert ran.status == status
    assert words in ran.err
