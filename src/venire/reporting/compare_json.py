"""A comparison as plain values, for scripts; what is undefined is null."""

import math

from venire.reporting.compare import Comparison
from venire.reporting.preference_pairing import KappaGap, Missing
from venire.reporting.rated_pairing import Gap
from venire.stats.equivalence import Equivalence


def as_json(comparison: Comparison) -> dict[str, object]:
    """Warnings, families, and every pair's differences with their tests."""
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
