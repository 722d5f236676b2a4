"""`venire audit`: a judge is probed for biases, or finished runs are looked at; one table over judges."""

import json
import math
import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from omegaconf import OmegaConf

from venire.audit.report import write_report
from venire.audit.runs import audited_run, audited_verdicts
from venire.audit.table import Audited, audit_table
from venire.build import build
from venire.commands import exits
from venire.commands.data_sets import data_of_folder
from venire.commands.run import run, tracking_of
from venire.errors import ConfigError, RunError
from venire.launch import Door
from venire.metrics.audit.finding import Finding
from venire.reporting.run_matrices import shortened
from venire.reporting.table import Format
from venire.runs import find_run, read_outcomes, read_record
from venire.runs.folder import CONFIG_FILE
from venire.stats.estimate import Estimate
from venire.sweep import Job, read_jobs, sweep_id, upload_table

_METHOD = "method=audit"
_HINT = """\
venire audit needs to know whom. Try one of these:
  venire audit backend=simulated simulation=biased dataset=sample      judges with biases put in; no key
  venire audit dataset=llmbar judge=recorded judge.model=GPT-4,Falcon  recorded judges side by side
  venire audit dataset=mt_bench dataset.sample=60 judge=gpt_4o         a real model: `venire plan` first
  venire audit RUN RUN                                                 finished runs; nothing is called"""


@dataclass(frozen=True, slots=True)
class AuditRequest:
    """What the command line asks for: overrides of a sweep, or finished runs."""

    overrides: tuple[str, ...]
    runs: tuple[str, ...]
    form: str
    out: Path | None
    config_dir: Path | None


def audit(home: Path, request: AuditRequest) -> int:
    """Audit and report; returns the exit status.

    Raises:
        ConfigError: overrides and runs together, or another method.
        RunError: a run shows no order of two responses.
    """
    if request.overrides and request.runs:
        raise ConfigError(
            f"audit: expected KEY=VALUE or finished runs, got both ({', '.join(request.runs)} are runs)"
        )
    if request.runs:
        audited = [_of_run(find_run(home, reference)) for reference in request.runs]
        _show(audited, request)
        if request.out is not None:
            _print_paths(write_report(audited, request.out))
        return exits.OK
    if not request.overrides:
        print(_HINT, file=sys.stderr)
        return exits.USAGE
    return _sweep(home, request)


def _sweep(home: Path, request: AuditRequest) -> int:
    """Run the audits, then report on those that finished, in the sweep's folder and to its MLflow run."""
    methods = [each for each in request.overrides if each.startswith("method=") and each != _METHOD]
    if methods:
        raise ConfigError(
            f"method: venire audit runs {_METHOD}, got {methods[0]}; `venire audit RUN` looks at what "
            "finished runs of other methods say"
        )
    launched = [_METHOD, *(each for each in request.overrides if each != _METHOD)]
    flags = ["--config-dir", str(request.config_dir)] if request.config_dir else []
    status = run(["-m", *flags, *launched])
    folder = home / "sweeps" / sweep_id(launched)
    jobs = [job for job in read_jobs(folder) if job.folder]
    audited = _labelled([found for job in jobs if (found := audited_run(read_record(Path(str(job.folder)))))])
    if not audited:
        return status
    command = f"Command: venire audit {shlex.join(request.overrides)}."
    paths = write_report(audited, folder, [command])
    _upload(home, folder, read_jobs(folder), paths)
    _show(audited, request)
    if request.out is not None:
        paths = write_report(audited, request.out, [command])
    _print_paths(paths)
    return status


def _upload(home: Path, folder: Path, jobs: Sequence[Job], paths: Sequence[Path]) -> None:
    tracking = tracking_of(jobs)
    if tracking is None:
        return
    note = (folder / f"audit.{Format.MARKDOWN}").read_text(encoding="utf-8")
    more = [path.name for path in paths]
    trouble = upload_table(tracking, Door(home, os.environ), folder, jobs, note=note, more=more)
    if trouble:
        print(f"warning: {trouble}", file=sys.stderr)


def _of_run(folder: Path) -> Audited:
    """What an audit found, or what the verdicts of a run of another method say."""
    record = read_record(folder)
    found = audited_run(record)
    if found is not None:
        return found
    data = data_of_folder(folder)
    if any(not instance.is_pairwise for instance in data.loaded.instances):
        raise RunError(f"{record.name}: expected verdicts on pairs, this run rated single responses")
    return audited_verdicts(
        record, read_outcomes(folder), data.loaded, judge_family=_judge_family(folder), settings=data.metrics
    )


def _judge_family(folder: Path) -> str:
    """The family of the run's judge; empty where it asked several, or none."""
    node = OmegaConf.select(OmegaConf.load(folder / CONFIG_FILE), "method")
    method = build(OmegaConf.to_container(node, resolve=True), "method")
    families = {judge.family for judge in method.judges}
    return families.pop() if len(families) == 1 else ""


def _labelled(audited: Sequence[Audited]) -> list[Audited]:
    """With the words that all names share at their end left out: the data set goes without saying.

    Of a single run what is left is who was audited.
    """
    if len(audited) == 1:
        return [replace(audited[0], judge=audited[0].judge.split()[0])]
    names = shortened([each.judge for each in audited])
    return [replace(each, judge=name) for each, name in zip(audited, names, strict=True)]


def _show(audited: Sequence[Audited], request: AuditRequest) -> None:
    if request.form == "json":
        print(json.dumps([_as_json(each) for each in audited], indent=1))
        return
    form = Format(request.form)
    print(audit_table("Bias audit", audited, brief=form is Format.TEXT).render(form), end="")


def _as_json(audited: Audited) -> dict[str, object]:
    return {
        "judge": audited.judge,
        "run": audited.record.run_id,
        "kind": str(audited.record.kind),
        "findings": [_finding_as_json(finding) for finding in audited.findings],
    }


def _finding_as_json(finding: Finding) -> dict[str, object]:
    return {
        "measure": finding.name,
        "bias": finding.bias,
        "asked": finding.arm,
        "meaning": finding.meaning,
        "n": finding.effect.n,
        "effect": _estimate_as_json(finding.effect),
        "change": _estimate_as_json(finding.change) if finding.change else None,
        "p": _number(finding.p),
        "facts": {name: _number(value) for name, value in finding.facts.items()},
    }


def _estimate_as_json(estimate: Estimate) -> dict[str, object]:
    bounds = {"low": _number(estimate.low), "high": _number(estimate.high)}
    return {"value": _number(estimate.value), **bounds, "note": estimate.note}


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _print_paths(paths: Sequence[Path]) -> None:
    """On standard error, so that what is printed stays one table; the last line of all is the page."""
    for path in paths:
        print(path, file=sys.stderr)
