"""`venire compare`: runs side by side."""

import json
import math
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from venire.commands import exits
from venire.errors import TrackingError
from venire.hashing import digest
from venire.reporting.compare import Comparison
from venire.reporting.compare import compare as compare_runs
from venire.reporting.compare_files import write_comparison
from venire.reporting.compare_json import as_json
from venire.reporting.compare_tables import comparison_tables
from venire.reporting.pairing import read_run
from venire.reporting.preference_pairing import Paired
from venire.reporting.rated_pairing import RatedPair, gap_line
from venire.reporting.table import Format, render_tables
from venire.runs import find_run, secret_values
from venire.stats.equivalence import Equivalence
from venire.stats.multiple import ALPHA, Correction
from venire.tracking.artifacts import log_beside
from venire.tracking.sync import settings_of


def compare(
    home: Path,
    references: Sequence[str],
    form: str,
    *,
    correction: str = Correction.HOLM,
    margin: float | None = None,
    out: Path | None = None,
) -> int:
    """Print the comparison of the named runs; the first is the baseline.

    Its files are written into `out`, where it is given, and logged to MLflow, where the runs are.

    Raises:
        RunError: as `reporting.compare.compare`, or there is no such run.
    """
    folders = [find_run(home, reference) for reference in references]
    runs = [read_run(folder) for folder in folders]
    comparison = compare_runs(runs, correction=Correction(correction), margin=margin)
    for warning in comparison.warnings:
        print(f"WARNING: {warning}", file=sys.stderr)
    _print(comparison, form)
    tracked = [run.record.mlflow_run_id for run in runs if run.record.mlflow_run_id]
    if out is None and not tracked:
        return exits.OK
    with tempfile.TemporaryDirectory(prefix="venire-compare-") as scratch:
        paths = write_comparison(comparison, [run.record for run in runs], out or Path(scratch))
        if tracked:
            name = digest([*(run.record.run_id for run in runs), correction, margin])[:8]
            logged = _log(home, folders[0], tracked, paths, f"comparisons/{name}")
            if logged and form == Format.TEXT:
                print(logged)
    if out is not None:
        print(out / f"comparison.{Format.MARKDOWN}")
    return exits.OK


def _print(comparison: Comparison, form: str) -> None:
    if form == "json":
        print(json.dumps(as_json(comparison), indent=1))
        return
    if form != Format.TEXT:
        print(render_tables(comparison_tables(comparison), Format(form)), end="")
        return
    print(comparison.side_by_side.render(Format.TEXT))
    print(comparison.settings.render(Format.TEXT) if comparison.settings.rows else "no setting differs\n")
    for paired in comparison.paired:
        print(_sentence(paired))
    for rated in comparison.rated:
        print(_rated_sentence(rated))
    print(f"{comparison.families}.")


def _log(home: Path, folder: Path, tracked: Sequence[str], paths: Sequence[Path], place: str) -> str:
    """To MLflow; returns where, or says that it could not be."""
    try:
        owners = log_beside(
            settings_of(folder), tracked, paths, place, home=home, secrets=secret_values(os.environ)
        )
    except TrackingError as error:
        print(f"WARNING: not logged to MLflow: {error}", file=sys.stderr)
        return ""
    return f"logged to MLflow: {place} of run {', '.join(owners)}"


def _sentence(paired: Paired) -> str:
    lines = [
        f"{paired.second} minus {paired.first}, {paired.common} common items:",
        f"  accuracy {paired.accuracy.text()} ({paired.note})",
        f"  {_p(paired.p, paired.p_adjusted)} ({paired.p_note})",
    ]
    for order, (first, second) in paired.discordant.items():
        p = _p(paired.p_exact[order], paired.p_exact_adjusted[order])
        lines.append(
            f"  {order}: right in only the first {first}, only the second {second}; McNemar exact {p}"
        )
    if paired.kappa is not None:
        gap = paired.kappa
        lines.append(f"  kappa {gap.found.text()}, {_p(gap.p, gap.p_adjusted)} ({gap.note})")
    lines.append(f"  coverage: {paired.coverage[0]:.3f} and {paired.coverage[1]:.3f} of the verdicts")
    if paired.missing is not None:
        lacking = paired.missing
        lines.append(
            f"  {lacking.items} items lack a verdict in a run: without them {lacking.scored.text()}; "
            f"with them the difference lies in [{lacking.worst:.3f}, {lacking.best:.3f}]"
        )
    if paired.left_out:
        lines.append(f"  {paired.left_out} items are in only one of the runs and are left out")
    if paired.equivalence is not None:
        lines.append(f"  {_equivalence(paired.equivalence)}")
    return "\n".join(lines)


def _p(p: float, adjusted: float) -> str:
    return f"p {p:.3g}, corrected {adjusted:.3g}"


def _equivalence(found: Equivalence) -> str:
    """`margin 0.02: as good (TOST p .003) ...`: what the two one-sided tests say."""
    if math.isnan(found.p):
        return f"margin {found.margin:g}: {found.note}"
    as_good = "shown to be as good" if found.p <= ALPHA else "not shown to be as good"
    no_worse = "shown to be no worse" if found.p_no_worse <= ALPHA else "not shown to be no worse"
    return (
        f"margin {found.margin:g}: {as_good} (TOST p {found.p:.3g}), {no_worse} (p {found.p_no_worse:.3g}); "
        f"90% interval [{found.low:.3f}, {found.high:.3f}] ({found.note}); "
        "missing verdicts speak against either"
    )


def _rated_sentence(pair: RatedPair) -> str:
    lines = [
        f"{pair.second} minus {pair.first}, {pair.common} common items, pooled; [low, high]: "
        "95% bootstrap over documents; Steiger's test and Zou's interval take items for independent, and "
        "are approximations for Spearman:"
    ]
    lines += [f"  {gap_line(gap)}" for gap in pair.gaps]
    for dimension, count in pair.lacking.items():
        lines.append(f"  {dimension}: {count} items lack a rating in a run and are left out")
    if pair.left_out:
        lines.append(f"  {pair.left_out} items are in only one of the runs and are left out")
    return "\n".join(lines)
