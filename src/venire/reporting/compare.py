"""Runs on the same items side by side: what differs in them, and the paired differences."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from venire.errors import RunError
from venire.metrics.headline import dimensions_of
from venire.records import RunRecord, RunStatus
from venire.reporting.footer import ceiling_sentence, differences, interval_level, provenance
from venire.reporting.pairing import Run, other_gold
from venire.reporting.preference_pairing import Paired, corrected, paired_runs
from venire.reporting.rated_pairing import RatedPair, corrected_gaps, is_rated, rated_pair
from venire.reporting.runs_table import shown_columns
from venire.reporting.table import Cell, Estimate, Table
from venire.stats.multiple import Correction, family_size

_MOST = 26  # runs have letters


@dataclass(frozen=True, slots=True)
class Comparison:
    """What `venire compare` says; `paired` of runs on preferences, `rated` of runs on human ratings.

    `families` says how many tests of each kind were made, and that these were corrected together.
    """

    side_by_side: Table
    settings: Table
    paired: tuple[Paired, ...]
    warnings: tuple[str, ...]
    rated: tuple[RatedPair, ...] = ()
    families: str = ""


def compare(
    runs: Sequence[Run], *, correction: Correction = Correction.HOLM, margin: float | None = None
) -> Comparison:
    """The first run is the baseline of every paired difference.

    Args:
        runs: at least two.
        correction: of the p values of each kind of test, over all runs.
        margin: where given, also tests whether accuracies differ by less than it.

    Raises:
        RunError: fewer than two runs or more than 26, or two of them have no item in common, or
            items whose gold differs; or some are on preferences and some on ratings; or a margin that is
            not between 0 and 1, or is given for ratings.
    """
    if not 2 <= len(runs) <= _MOST:
        raise RunError(f"compare: expected at least two runs and at most {_MOST}, got {len(runs)}")
    labels = _labels([run.record for run in runs])
    baseline, *others = zip(labels, runs, strict=True)
    rated = [is_rated(run) for run in runs]
    if any(rated) and not all(rated):
        raise RunError("compare: expected runs on preferences only, or on ratings only, got both")
    if margin is not None and (any(rated) or not 0 < margin < 1):
        raise RunError(
            f"compare: --margin: expected a difference of accuracies between 0 and 1, got {margin:g}"
            f"{' for runs on ratings' if any(rated) else ''}"
        )
    common = [(other, _common(baseline, other)) for other in others]
    paired = [] if any(rated) else [paired_runs(baseline, *each, margin=margin) for each in common]
    gaps = [rated_pair(baseline, *each) for each in common] if any(rated) else []
    return Comparison(
        side_by_side=_side_by_side(labels, runs),
        settings=_settings(labels, [run.record for run in runs]),
        paired=corrected(paired, correction),
        warnings=tuple(_warnings([run.record for run in runs])),
        rated=corrected_gaps(gaps, correction),
        families=_families(paired, gaps, correction),
    )


def _families(paired: Sequence[Paired], rated: Sequence[RatedPair], correction: Correction) -> str:
    """How many tests there were of each kind, and how they were corrected."""
    if correction is Correction.NONE:
        return "p values are not corrected for how many tests there are"
    sizes = {
        "of accuracy": family_size([pair.p for pair in paired]),
        "by McNemar": sum(len(pair.p_exact) for pair in paired),
        "of kappa": family_size([pair.kappa.p for pair in paired if pair.kappa]),
    }
    for gap in (gap for pair in rated for gap in pair.gaps):
        name = f"of {gap.coefficient}"
        sizes[name] = sizes.get(name, 0) + family_size([gap.p])
    told = ", ".join(f"{size} {name}" for name, size in sizes.items() if size)
    return f"p, {correction.label}: corrected over all runs for the tests of one kind: {told}"


def _labels(records: Sequence[RunRecord]) -> list[str]:
    return [f"{letter}: {record.name}" for letter, record in zip(_letters(records), records, strict=True)]


def _letters(records: Sequence[RunRecord]) -> Sequence[str]:
    return [chr(ord("A") + index) for index in range(len(records))]


def _side_by_side(labels: Sequence[str], runs: Sequence[Run]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        ("backend", *(str(run.record.kind) for run in runs)),
        ("n", *(f"{run.record.metrics['n']:.0f}" for run in runs)),
    ]
    for column in shown_columns([run.record for run in runs]):
        cells = [Estimate.among(run.record.metrics, column.metric, column.decimals) for run in runs]
        if any(not math.isnan(cell.value) for cell in cells):
            rows.append((column.title, *cells))
    records = [run.record for run in runs]
    intervals = f"[low, high]: {interval_level(records)} interval over items."
    footer = (intervals, *ceiling_sentence(records), provenance(records))
    return Table("side by side", ("", *labels), tuple(rows), footer)


def _settings(labels: Sequence[str], records: Sequence[RunRecord]) -> Table:
    keys = sorted({key for record in records for key in record.params})
    differing = [key for key in keys if len({record.params.get(key) for record in records}) > 1]
    rows = tuple((key, *(record.params.get(key, "–") for record in records)) for key in differing)
    return Table("settings that differ", ("", *labels), rows)


def _warnings(records: Sequence[RunRecord]) -> Iterator[str]:
    """What makes the runs incomparable, or comparable only with care."""
    yield from _same_runs(records)
    yield from (sentence.removeprefix("WARNING: ").rstrip(".") for sentence in differences(records))
    parsers = [record.params.get("judge.parser", record.params.get("panel.parser")) for record in records]
    if len({parser for parser in parsers if parser}) > 1:
        yield f"the parsers differ: {' / '.join(parser or 'none' for parser in parsers)}"
    for label, record in zip(_labels(records), records, strict=True):
        if record.status is not RunStatus.FINISHED:
            unjudged = "is left out" if _is_on_ratings(record) else "counts as not right"
            yield f"{label} is {record.status}: {record.error}; what it did not judge {unjudged}"
    incomplete = [
        (letter, record)
        for letter, record in zip(_letters(records), records, strict=True)
        if record.metrics.get("coverage", 1.0) < 1.0
    ]
    verdicts = [each for each in incomplete if not _is_on_ratings(each[1])]
    if verdicts:
        lacking = ", ".join(f"{letter} in {_between(record, 'accuracy')}" for letter, record in verdicts)
        yield f"verdicts are missing; with them accuracy lies: {lacking}"
    for letter, record in incomplete:
        if _is_on_ratings(record):
            spans = [f"{name} in {_between(record, f'spearman/{name}')}" for name in dimensions_of(record)]
            rated = f"{letter} rated {record.metrics['coverage']:.1%} of the items"
            yield f"ratings are missing: {rated}; with the others rho lies: {', '.join(spans)}"


def _is_on_ratings(record: RunRecord) -> bool:
    return bool(dimensions_of(record))


def _between(record: RunRecord, name: str) -> str:
    worst, best = (record.metrics.get(f"{name}/{end}", math.nan) for end in ("worst", "best"))
    return f"[{worst:.3f}, {best:.3f}]"


def _same_runs(records: Sequence[RunRecord]) -> Iterator[str]:
    letters: dict[str, list[str]] = {}
    for letter, record in zip(_letters(records), records, strict=True):
        letters.setdefault(record.run_id, []).append(letter)
    for run_id, names in letters.items():
        if len(names) > 1:
            yield f"{' and '.join(names)} are one and the same run, {run_id}"


def _common(first: tuple[str, Run], second: tuple[str, Run]) -> list[str]:
    """The items of both runs, sorted; refused where there is none, or the gold differs."""
    (first_label, one), (second_label, two) = first, second
    items = sorted(one.rows.keys() & two.rows.keys())
    if not items:
        raise RunError(f"compare: {first_label} and {second_label} have no item in common")
    differing = other_gold(one, two, items)
    if differing:
        raise RunError(
            f"compare: {first_label} and {second_label} have different gold for {len(differing)} of "
            f"{len(items)} common items, first {differing[0]!r}; run both on the same data"
        )
    return items
