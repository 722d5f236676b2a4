"""`venire compare`: runs side by side."""

import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path

from venire.reporting.compare import Comparison, Missing, Paired
from venire.reporting.compare import compare as compare_runs
from venire.reporting.compare_tables import comparison_tables
from venire.reporting.pairing import read_run
from venire.reporting.rated_pairing import Gap, RatedPair, gap_line
from venire.reporting.table import Format, render_tables
from venire.runs import find_run


def compare(home: Path, references: Sequence[str], form: str) -> int:
    """Print the comparison of the named runs; the first is the baseline."""
    comparison = compare_runs([read_run(find_run(home, reference)) for reference in references])
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
    return 0


def _sentence(paired: Paired) -> str:
    lines = [
        f"{paired.second} minus {paired.first}, {paired.common} common items:",
        f"  accuracy {paired.accuracy.text()} ({paired.note})",
    ]
    for order, (first, second) in paired.discordant.items():
        p = paired.p_exact[order]
        lines.append(
            f"  {order}: right in only the first {first}, only the second {second}; McNemar exact p {p:.3g}"
        )
    if paired.missing is not None:
        lacking = paired.missing
        lines.append(
            f"  {lacking.items} items lack a verdict in a run: without them {lacking.scored.text()}; "
            f"with them the difference lies in [{lacking.worst:.3f}, {lacking.best:.3f}]"
        )
    if paired.left_out:
        lines.append(f"  {paired.left_out} items are in only one of the runs and are left out")
    return "\n".join(lines)


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
        "paired": [
            {
                "first": paired.first,
                "second": paired.second,
                "n": paired.common,
                "left_out": paired.left_out,
                "accuracy_difference": paired.accuracy.value,
                "ci_low": _number(paired.accuracy.low),
                "ci_high": _number(paired.accuracy.high),
                "missing": _missing_as_json(paired.missing),
                "discordant": {str(order): list(counts) for order, counts in paired.discordant.items()},
                "mcnemar_exact_p": {str(order): p for order, p in paired.p_exact.items()},
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
