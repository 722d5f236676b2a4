"""One run's main numbers, a row a number, with interval and what must be said of each."""

import math

from venire.metrics.headline import dimensions_of, format_metric
from venire.records import RunRecord, RunStatus
from venire.reporting.footer import cautions, provenance
from venire.reporting.table import Cell, Estimate, Table
from venire.stats.recalibration import Recalibration

# In the order shown; a metric that the run does not have is left out.
_ROWS = (
    ("n", "instances"),
    ("accuracy", "accuracy, mean of the orders"),
    ("accuracy/as_given", "accuracy, as given"),
    ("accuracy/swapped", "accuracy, swapped"),
    ("accuracy/consistent", "accuracy, position-consistent items"),
    ("accuracy/final", "accuracy, final verdict (a tie is wrong)"),
    ("accuracy/macro", "accuracy, mean of the subsets"),
    ("kappa", "Cohen's kappa, mean of the orders"),
    ("kappa/as_given", "kappa, as given"),
    ("kappa/swapped", "kappa, swapped"),
    ("kappa_null_category", "kappa, no verdict as a category"),
    ("cascade/coverage", "decided by the cascade"),
    ("cascade/agreement", "agreement of what is decided"),
    ("cascade/escalated", "left to people"),
    ("cascade/with_people/accuracy", "accuracy if people are right on these"),
    ("cascade/guarantee/target", "agreement promised"),
    ("cascade/guarantee/held", "promise held on these instances"),
    ("position_consistency", "position consistency"),
    ("first_place_rate", "first-place rate"),
    ("coverage", "coverage"),
    ("accuracy/worst", "accuracy if the missing were wrong"),
    ("accuracy/best", "accuracy if the missing were right"),
    ("panel/best_judge_accuracy", "accuracy, best single judge"),
    ("panel/effective_votes", "effective votes"),
    ("panel/effective_votes/as_given", "effective votes, as given"),
    ("panel/effective_votes/swapped", "effective votes, swapped"),
    ("panel/fleiss_kappa", "Fleiss' kappa of the panel"),
    ("panel/krippendorff_alpha", "Krippendorff's alpha of the panel"),
    ("panel/no_majority", "verdicts without a majority"),
    ("parser/differs", "votes that the other parser reads differently"),
)
_SPENT = (
    ("calls/total", "calls"),
    ("calls/paid", "calls paid"),
    ("calls/replayed", "calls replayed"),
    ("calls/failed", "calls without a reply"),
    ("calls/unfinished", "calls of unfinished instances"),
    ("calls/uncertain", "calls uncertain"),
    ("tokens/input", "tokens in"),
    ("tokens/output", "tokens out"),
    ("cost_usd/total", "USD, all calls"),
    ("cost_usd/billed", "USD, billed now"),
    ("cost_usd/per_1000", "USD per 1,000 instances"),
)
_COEFFICIENTS = (("spearman", "Spearman's rho"), ("kendall", "Kendall's tau-b"), ("pearson", "Pearson's r"))
_LABELS = (
    ("precision", "precision"),
    ("recall", "recall"),
    ("f1", "F1"),
    ("kappa", "Cohen's kappa"),
    ("kappa_quadratic", "quadratic kappa"),
)
# Shown only where they say something.
_ONLY_IF_NOT_ZERO = {
    *("calls/failed", "calls/unfinished", "calls/uncertain"),
    *("panel/no_majority", "parser/differs"),
}
_ONLY_IF_INCOMPLETE = {"accuracy/worst", "accuracy/best", "kappa_null_category"}


def run_sheet(record: RunRecord) -> Table:
    """Main numbers of a run with their notes; the title has its kind, and its status unless it finished."""
    rows: list[tuple[Cell, ...]] = [
        _row(record, name, title) for name, title in _ROWS if _is_shown(record, name)
    ]
    rows[1:1] = [*_alignment_rows(record), *_label_rows(record)]
    rows += _development_rows(record)
    rows += [_row(record, name, title) for name, title in _SPENT if _is_shown(record, name)]
    all_of_it = "All metrics: summary.json, docs/metrics.md."
    footer = (f"{provenance([record])} {all_of_it}", *cautions([record]))
    mark = "" if record.status is RunStatus.FINISHED else f" ({record.status})"
    return Table(f"{record.name} [{record.kind}]{mark}", ("", "value", "note"), tuple(rows), footer)


def _alignment_rows(record: RunRecord) -> list[tuple[Cell, ...]]:
    """Correlations with human ratings, their ceiling in the note; undefined ones, too: the note says why."""
    rows: list[tuple[Cell, ...]] = []
    for coefficient, title in _COEFFICIENTS:
        for dimension in dimensions_of(record):
            name, n = f"{coefficient}/{dimension}", record.metrics[f"n/{dimension}"]
            if name not in record.metrics:  # not among metrics.chosen
                continue
            label, value, note = _row(record, name, f"{title}, {dimension} (n {n:.0f})")
            ceiling = record.metrics.get(f"ceiling/{name}", math.nan)
            beside = "" if math.isnan(ceiling) else f"human against human {ceiling:.3f}"
            rows.append((label, value, "; ".join(part for part in (beside, note) if part)))
        for kind, absolute in ((coefficient, ""), (f"abs_{coefficient}", "absolute ")):
            if f"{kind}/mean" in record.metrics:
                rows.append(_row(record, f"{kind}/mean", f"{title}, {absolute}mean"))
    return rows


def _label_rows(record: RunRecord) -> list[tuple[Cell, ...]]:
    """Metrics of pass/fail dimensions and of the points of a scale, where the run has some."""
    named = [
        (f"{metric}/{dimension}", f"{title}, {dimension}")
        for metric, title in _LABELS
        for dimension in (*dimensions_of(record), "mean")
    ]
    named += [("multilabel/f1_macro", "F1, mean of the labels"), ("multilabel/f1_micro", "F1, all labels")]
    return [_row(record, name, title) for name, title in named if name in record.metrics]


def _development_rows(record: RunRecord) -> list[tuple[Cell, ...]]:
    """What a development split mends, before and after; nothing without one.

    The ECE of each confidence by the curves, undefined ones with their reason; the win rate corrected.
    """
    developed = [name.split("/")[1] for name in record.metrics if name.endswith("/development_n")]
    named = [
        (f"confidence/{source}/{curve}ece", f"ECE of {source}{title}")
        for source in developed
        for curve, title in (("", ""), *((f"{kind}/", f", {kind}") for kind in Recalibration))
    ]
    named += [
        ("win_rate/measured", "first response wins, as judged"),
        ("win_rate/corrected", "first response wins, corrected"),
    ]
    return [_row(record, name, title) for name, title in named if name in record.metrics]


def _is_shown(record: RunRecord, name: str) -> bool:
    value = record.metrics.get(name)
    if value is None or (name in _ONLY_IF_NOT_ZERO and value == 0):
        return False
    if name in _ONLY_IF_INCOMPLETE and record.metrics.get("coverage") == 1.0:
        return False
    # Undefined for this method as such (no second order, no model): the note would only be noise.
    return not (math.isnan(value) and "/" in name and not name.startswith("cost_usd/total"))


def _row(record: RunRecord, name: str, title: str) -> tuple[str, str, str]:
    found = Estimate.among(record.metrics, name)
    shown = found.text() if found.has_interval else format_metric(name, found.value)
    return title, shown, record.notes.get(name, "")
