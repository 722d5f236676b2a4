"""`venire plan`: what a run or a sweep would ask for, before money is spent; nothing is sent or written."""

import json
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig

from venire.commands import exits
from venire.commands.composing import experiment_in_job, look_at_each_job, overrides_of_job
from venire.errors import VenireError
from venire.experiment import Experiment
from venire.launch import explain
from venire.planning.plan import Plan, plan_of
from venire.provenance import hashes_of
from venire.records import PreferenceGold
from venire.reporting.plan_table import (
    PlannedJob,
    job_sheet,
    jobs_table,
    last_line,
    plan_json,
    scaling_table,
)
from venire.reporting.power_table import Wanted, power_json, power_table
from venire.reporting.table import Format
from venire.sweep import earlier_run

_HINT = """\
venire plan needs to know what would be run. Try one of these:
  venire plan dataset=sample judge=gpt_4o              calls, tokens and dollars of a run
  venire plan -m method=single,majority                of a sweep: what its jobs share counts once
  venire plan --simulate method=juryflow               later stages estimated with simulated replies
It takes what `venire run` takes; see docs/plan.md."""


def plan(arguments: Sequence[str], *, simulate: bool, as_json: bool, wanted: Wanted) -> int:
    """Plan what `arguments` (hydra overrides and flags) compose; returns the exit status."""
    if not arguments:
        print(_HINT, file=sys.stderr)
        return exits.USAGE
    home = Path(os.environ["VENIRE_HOME"])
    jobs: list[PlannedJob] = []
    sweeps: list[bool] = []

    def job(cfg: DictConfig) -> None:
        hydra_cfg = HydraConfig.get()
        sweeps.append(hydra_cfg.mode is RunMode.MULTIRUN)
        overrides = overrides_of_job()
        try:
            experiment = experiment_in_job(cfg)
            job_hash = hashes_of(experiment)["job_hash"]
            if (
                sweeps[-1]
                and earlier_run(home, experiment, job_hash, rerun=bool(cfg.sweep.rerun)) is not None
            ):
                skipped = PlannedJob(overrides, finished=True, pairs=_pairs(experiment), arm=_arm(experiment))
                jobs.append(skipped)
                return
            jobs.append(_planned(experiment, overrides, home, simulate=simulate))
        except VenireError as error:
            if not sweeps[-1]:
                raise
            jobs.append(PlannedJob(overrides, error=explain(error)))

    look_at_each_job(job, arguments, command="venire plan")
    if not jobs:  # only the configuration was to be shown
        return exits.OK
    _print(jobs, wanted, is_sweep=any(sweeps), as_json=as_json)
    return exits.FAILED if any(each.error for each in jobs) else exits.OK


def _planned(experiment: Experiment, overrides: tuple[str, ...], home: Path, *, simulate: bool) -> PlannedJob:
    url = experiment.llm.url(home)
    known = plan_of(experiment, os.environ, store_url=url)
    # What a rating costs depends on later stages: without their replies an instance's part says little.
    rated = any(instance.dimensions for instance in experiment.loaded.instances)
    estimate: Plan | None = None
    if known.is_lower_bound and (simulate or rated):
        estimate = plan_of(experiment, os.environ, store_url=url, simulate=True)
    return PlannedJob(
        overrides,
        known,
        estimate if simulate else None,
        estimate,
        pairs=_pairs(experiment),
        arm=_arm(experiment),
    )


def _pairs(experiment: Experiment) -> int | None:
    golds = [instance.gold for instance in experiment.loaded.instances]
    return sum(isinstance(gold, PreferenceGold) for gold in golds) or None


def _arm(experiment: Experiment) -> str:
    return hashes_of(experiment)["arm_hash"]


def _print(jobs: Sequence[PlannedJob], wanted: Wanted, *, is_sweep: bool, as_json: bool) -> None:
    sizes = list(dict.fromkeys(job.pairs for job in jobs if job.pairs))
    tests = max(len({job.arm for job in jobs if job.pairs}) - 1, 1)  # rows against the first one
    if as_json:
        power = [each for n in sizes for each in power_json(n, wanted, tests)]
        print(json.dumps({**plan_json(jobs), "power": power}, indent=1))
        return
    for job in jobs:
        if job.error:
            print(f"failed: [{shlex.join(job.overrides)}]: {job.error}", file=sys.stderr)
    planned = [job for job in jobs if not job.error]
    if not planned:
        return
    tables = [jobs_table(planned)] if is_sweep else []
    tables += job_sheet(planned)
    scaled = scaling_table(planned)
    tables += [scaled] if scaled else []
    tables += [power_table(n, wanted, tests) for n in sizes]
    print("\n".join(table.render(Format.TEXT) for table in tables))
    print(last_line(planned))
