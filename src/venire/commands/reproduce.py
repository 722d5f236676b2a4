"""`venire reproduce`: the missing runs of specs, then their tables and plots."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from venire.commands import exits
from venire.commands.run import run, tracking_of
from venire.commands.table import named_table, runs_of
from venire.errors import ConfigError
from venire.launch import Door
from venire.reporting.specs import Spec, list_specs, read_spec
from venire.reporting.table import TABLE_FORMS, Format
from venire.runs import write_atomically
from venire.stats.multiple import Correction
from venire.sweep import read_jobs, sweep_id, upload_table


def reproduce(
    home: Path,
    names: Sequence[str],
    overrides: Sequence[str],
    out: Path | None,
    jobs: int | None = None,
    correction: str | None = None,
) -> int:
    """Sweep what each spec says, skipping finished jobs; write its table and plots, print where.

    `<out>/<kind>/<name>.{md,csv,tex,html}` (a name that begins with the kind is not put below it twice), and
    `<name>_<plot>.{svg,pdf,png}` beside it; `out` is `tables/` of `home` by default. Simulated unless told
    `backend=live`: a bare command never spends money. A spec whose sweep fails does not keep the others
    from running; the first exit status that is not 0 is returned.
    """
    if not names:
        print("\n".join(list_specs()))
        return exits.OK
    flags = [] if correction is None else ["--correction", correction]
    specs = [_corrected(read_spec(name), correction) for name in names]
    asked = _backends(overrides)
    for spec in specs:
        if spec.backend == "recorded" and asked:
            raise ConfigError(f"reproduce {spec.name}: these judges are recorded; drop backend={asked[0]}")
    at_once = jobs or (1 if "live" in asked or "local" in asked else os.cpu_count() or 1)
    if at_once > 1 and len(specs) > 1:
        statuses = _in_processes([spec.name for spec in specs], [*overrides, *flags], out, at_once)
    else:
        statuses = [_reproduce(home, spec, overrides, flags, out) for spec in specs]
    return next((status for status in statuses if status != exits.OK), exits.OK)


def _corrected(spec: Spec, correction: str | None) -> Spec:
    return spec if correction is None else replace(spec, correction=Correction(correction))


def _backends(overrides: Sequence[str]) -> list[str]:
    return [override.partition("=")[2] for override in overrides if override.startswith("backend=")]


def _in_processes(
    names: Sequence[str], arguments: Sequence[str], out: Path | None, at_once: int
) -> list[int]:
    """The exit statuses of `venire reproduce NAME`, `at_once` at a time; what they print, one by one."""
    where = [] if out is None else ["--out", str(out)]

    def reproduce_one(name: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "venire.cli", "reproduce", name, *arguments, *where]
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)

    statuses = []
    with ThreadPoolExecutor(at_once) as pool:
        try:
            for done in pool.map(reproduce_one, names):
                print(done.stdout, end="", flush=True)
                statuses.append(done.returncode)
        except KeyboardInterrupt:  # those under way were interrupted by the terminal, too
            pool.shutdown(cancel_futures=True)
            raise
    return statuses


def _reproduce(
    home: Path, spec: Spec, overrides: Sequence[str], flags: Sequence[str], out: Path | None
) -> int:
    asked = _backends(overrides)
    backend = [] if spec.backend == "recorded" or asked else ["backend=simulated"]
    launched = [*spec.overrides, *overrides, *backend]
    status = run([*launched, "sweep.plots=false"])  # the spec says what is drawn
    if status != exits.OK:
        return status
    kind = asked[0] if asked else spec.backend
    stem = (out or home / "tables") / kind / spec.name.removeprefix(f"{kind}/")
    command = shlex.join(["venire", "reproduce", spec.name, *overrides, *flags])
    written = _write(home, spec, launched, command)
    stem.parent.mkdir(parents=True, exist_ok=True)
    for path in written:
        target = stem.with_name(path.name)
        shutil.copyfile(path, target)
        print(target)
    print(stem.with_name(f"{stem.name}.md"))
    return exits.OK


def _write(home: Path, spec: Spec, launched: Sequence[str], command: str) -> list[Path]:
    """Table and plots, into the sweep's folder and to its MLflow run; returns their paths."""
    folder = home / "sweeps" / sweep_id(launched)
    stem = folder / spec.name.rpartition("/")[2]
    table = named_table(home, spec.name, partial=False, launched=launched, correction=spec.correction)
    table = replace(table, footer=(*table.footer, f"Command: {command}."))
    paths = []
    for form in TABLE_FORMS:
        paths.append(stem.with_name(f"{stem.name}.{form}"))
        write_atomically(paths[-1], table.render(form))
    if spec.plots:
        from venire.reporting.spec_plots import draw

        paths += draw(spec, runs_of(folder, partial=False), stem, home=home)
    jobs = read_jobs(folder)
    tracking = tracking_of(jobs)
    if tracking is not None:
        more = [path.name for path in paths]
        note = table.render(Format.MARKDOWN)
        trouble = upload_table(tracking, Door(home, os.environ), folder, jobs, note=note, more=more)
        if trouble:
            print(f"warning: {trouble}", file=sys.stderr)
    return paths
