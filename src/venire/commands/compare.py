"""`venire compare`: runs side by side."""

import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path

from venire.reporting.compare import Comparison
from venire.reporting.compare import compare as compare_runs
from venire.reporting.compare_tables import comparison_tables
from venire.reporting.pairing import read_run
from venire.reporting.preference_pairing import KappaGap, Missing, Paired
from venire.reporting.rated_pairing import Gap, RatedPair, gap_line
from venire.reporting.table import Format, render_tables
from venire.runs import find_run
from venire.stats.equivalence import Equivalence
from venire.stats.multiple import ALPHA, Correction


def compare(
    home: Path,
    references: Sequence[str],
    form: str,
    *,
    correction: str = Correction.HOLM,
    margin: float | None = None,
) -> int:
    """Print the comparison of the named runs; the first is the baseline."""
    runs = [read_run(find_run(home, reference)) for reference in references]
    comparison = compare_runs(runs, correction=Correction(correction), margin=margin)
    for warning in comparison.warnings:
        print(f"WARNING: {warning}", file=sys.stderr)
    if form == "json":
        print(json.dumps(_as_json(comparison), indent=1))
        return 0
    if form != Format.TEXT:
        print(render_tables(comparison_tables(comparison), Format(form)), end="")
        return 0
    print(comparison.side_by_side.render(Format.TEXT))
    print(comparison.settings.render(Format.TEXT) if comparison.settings.rows else "no setting differs\n")
    for paired in comparison.paired:
        print(_sentence(paired))
    for rated in comparison.rated:
        print(_rated_sentence(rated))
    print(f"{comparison.families}.")
    return 0


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


def _as_json(comparison: Comparison) -> dict[str, object]:
    return {
        "warnings": list(comparison.warnings),
        "families": comparison.families,
        "paired": [
            {
                "first": paired.first,
                "second": paired.second,
                "n": paired.common,
                "left_out": paired.left_out,
                "accuracy_difference": paired.accuracy.value,
                "ci_low": _number(paired.accuracy.low),
                "ci_high": _number(paired.accuracy.high),
                "p": _number(paired.p),
                "p_adjusted": _number(paired.p_adjusted),
                "coverage": list(paired.coverage),
                "missing": _missing_as_json(paired.missing),
                "kappa": _kappa_as_json(paired.kappa),
                "equivalence": _equivalence_as_json(paired.equivalence),
                "discordant": {str(order): list(counts) for order, counts in paired.discordant.items()},
                "mcnemar_exact_p": {str(order): p for order, p in paired.p_exact.items()},
                "mcnemar_exact_p_adjusted": dict(paired.p_exact_adjusted),
            }
            for paired in comparison.paired
        ],
        "rated": [
            {
                "first": pair.first,
                "second": pair.second,
                "n": pair.common,
                "left_out": pair.left_out,
                "lacking": dict(pair.lacking),
                "gaps": [_gap_as_json(gap) for gap in pair.gaps],
            }
            for pair in comparison.rated
        ],
    }


def _gap_as_json(gap: Gap) -> dict[str, object]:
    fields: dict[str, object] = {
        "coefficient": str(gap.coefficient),
        "dimension": gap.dimension,
        "first": _number(gap.first),
        "second": _number(gap.second),
        "difference": _number(gap.difference.value),
        "ci_low": _number(gap.difference.low),
        "ci_high": _number(gap.difference.high),
        "note": gap.difference.note,
        "p": _number(gap.p),
        "p_adjusted": _number(gap.p_adjusted),
        "worst": _number(gap.worst),
        "best": _number(gap.best),
    }
    if gap.test is None:
        return fields
    return fields | {
        "n": gap.test.n,
        "steiger_z": _number(gap.test.z),
        "steiger_p": _number(gap.test.p),
        "zou_low": _number(gap.test.low),
        "zou_high": _number(gap.test.high),
        "test_note": gap.test.note,
    }


def _kappa_as_json(gap: KappaGap | None) -> dict[str, object] | None:
    if gap is None:
        return None
    return {
        "difference": _number(gap.found.value),
        "ci_low": _number(gap.found.low),
        "ci_high": _number(gap.found.high),
        "p": _number(gap.p),
        "p_adjusted": _number(gap.p_adjusted),
    }


def _equivalence_as_json(found: Equivalence | None) -> dict[str, object] | None:
    if found is None:
        return None
    return {
        "margin": found.margin,
        "low": _number(found.low),
        "high": _number(found.high),
        "p": _number(found.p),
        "p_no_worse": _number(found.p_no_worse),
        "note": found.note,
    }


def _missing_as_json(missing: Missing | None) -> dict[str, object] | None:
    if missing is None:
        return None
    scored = missing.scored
    return {
        "items": missing.items,
        "accuracy_difference_scored": _number(scored.value),
        "ci_low": _number(scored.low),
        "ci_high": _number(scored.high),
        "worst": missing.worst,
        "best": missing.best,
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
