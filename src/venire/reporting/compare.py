"""Runs on the same items side by side: what differs in them, and the paired differences."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from venire.errors import RunError
from venire.metrics.headline import dimensions_of
from venire.records import Order, RunRecord, RunStatus
from venire.reporting.footer import ceiling_sentence, differences, provenance
from venire.reporting.pairing import (
    Run,
    clusters_of,
    orders_asked,
    other_gold,
    right_in,
    share_missing,
    shares_right,
)
from venire.reporting.rated_pairing import RatedPair, is_rated, rated_pair
from venire.reporting.runs_table import shown_columns
from venire.reporting.table import Cell, Estimate, Table
from venire.stats.estimate import FloatArray, IntArray
from venire.stats.paired import mcnemar_exact, paired_difference

DRAWS = 5000  # of the bootstrap of a difference
_MOST = 26  # runs have letters

# The one verdict of an item, where it has no order or one of its own (`method.orders=seeded`).
VERDICT = "verdict"


@dataclass(frozen=True, slots=True)
class Paired:
    """`second` minus `first` on the items of both runs. What is unscored, or a tie, is not right.

    Args:
        first, second: the runs' labels.
        accuracy: difference of the mean share of verdicts that are right, with interval.
        note: over which verdicts, and how the interval was made.
        discordant: by order (or `verdict`), items that only the first and only the second gets right.
        p_exact: likewise, McNemar's exact p.
        common, left_out: items in both runs; items in only one.
        missing: of the common items, those that lack a verdict in one of the runs; None where none does.
    """

    first: str
    second: str
    accuracy: Estimate
    note: str
    discordant: Mapping[str, tuple[int, int]]
    p_exact: Mapping[str, float]
    common: int
    left_out: int
    missing: "Missing | None"


@dataclass(frozen=True, slots=True)
class Missing:
    """What missing verdicts may do to a difference: a run can neither win nor lose by them unseen.

    Args:
        items: common items that lack a verdict in one of the runs.
        scored: the difference over the other items, which both runs scored in full.
        worst, best: the difference if all missing verdicts spoke against, or for, the second run.
    """

    items: int
    scored: Estimate
    worst: float
    best: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """What `venire compare` says; `paired` of runs on preferences, `rated` of runs on human ratings."""

    side_by_side: Table
    settings: Table
    paired: tuple[Paired, ...]
    warnings: tuple[str, ...]
    rated: tuple[RatedPair, ...] = ()


def compare(runs: Sequence[Run]) -> Comparison:
    """The first run is the baseline of every paired difference.

    Raises:
        RunError: fewer than two runs or more than 26, or two of them have no item in common, or
            items whose gold differs; or some are on preferences and some on ratings.
    """
    if not 2 <= len(runs) <= _MOST:
        raise RunError(f"compare: expected at least two runs and at most {_MOST}, got {len(runs)}")
    labels = _labels([run.record for run in runs])
    baseline, *others = zip(labels, runs, strict=True)
    rated = [is_rated(run) for run in runs]
    if any(rated) and not all(rated):
        raise RunError("compare: expected runs on preferences only, or on ratings only, got both")
    return Comparison(
        side_by_side=_side_by_side(labels, runs),
        settings=_settings(labels, [run.record for run in runs]),
        paired=() if any(rated) else tuple(_paired(baseline, other) for other in others),
        warnings=tuple(_warnings([run.record for run in runs])),
        rated=tuple(rated_pair(baseline, other, _common(baseline, other)) for other in others if any(rated)),
    )


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
    footer = ("[low, high]: 95% interval over items.", *ceiling_sentence(records), provenance(records))
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


def _paired(first: tuple[str, Run], second: tuple[str, Run]) -> Paired:
    (first_label, one), (second_label, two) = first, second
    items = _common(first, second)
    verdicts, over = _verdicts(one, two, items)
    shares = [np.mean(side, axis=0) for side in zip(*verdicts.values(), strict=True)]
    before, after = shares or [shares_right(run, items) for run in (one, two)]
    orders = [order for order in Order if order in verdicts]
    lacking = (share_missing(one, items, orders), share_missing(two, items, orders))
    clusters = clusters_of(one, items)
    difference = paired_difference(before, after, clusters, draws=DRAWS, rng=np.random.default_rng(0))
    discordant = {name: _discordant(*sides) for name, sides in verdicts.items()}
    return Paired(
        first=first_label,
        second=second_label,
        accuracy=Estimate.of(difference),
        note=f"{over}; {difference.note}",
        discordant=discordant,
        p_exact={name: mcnemar_exact(*counts) for name, counts in discordant.items()},
        common=len(items),
        left_out=len(one.rows.keys() ^ two.rows.keys()),
        missing=_missing((before, after), lacking, clusters),
    )


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


def _missing(
    right: tuple[FloatArray, FloatArray], lacking: tuple[FloatArray, FloatArray], clusters: IntArray
) -> Missing | None:
    """`right` and `lacking` hold each run's share of right and of missing verdicts by item."""
    in_full = (lacking[0] == 0) & (lacking[1] == 0)
    if in_full.all():
        return None
    codes = np.unique(clusters[in_full], return_inverse=True)[1]
    before, after = right
    found = paired_difference(
        before[in_full], after[in_full], codes, draws=DRAWS, rng=np.random.default_rng(0)
    )
    return Missing(
        items=int((~in_full).sum()),
        scored=Estimate.of(found),
        worst=float((after - before - lacking[0]).mean()),
        best=float((after + lacking[1] - before).mean()),
    )


def _verdicts(
    one: Run, two: Run, items: Sequence[str]
) -> tuple[dict[str, tuple[FloatArray, FloatArray]], str]:
    """Right (1) or not (0) by kind of verdict, of both runs; and over which verdicts that is.

    By the orders that both runs were asked in; where both have one verdict an item, by that; empty
    where only one of them has.
    """
    asked = [orders_asked(run, items) for run in (one, two)]
    shared = [order for order in Order if all(order in orders for orders in asked)]
    if shared:
        verdicts = {
            str(order): (right_in(one, items, order), right_in(two, items, order)) for order in shared
        }
        only = "" if asked[0] == asked[1] else " (the orders that both were asked in)"
        return verdicts, f"over {' and '.join(verdicts)}{only}"
    if not asked[0] and not asked[1]:
        return {VERDICT: (shares_right(one, items), shares_right(two, items))}, "over one verdict an item"
    return {}, "over each run's own verdicts (no order is common to all items: no exact test)"


def _discordant(first: FloatArray, second: FloatArray) -> tuple[int, int]:
    return int(((first > 0) & (second == 0)).sum()), int(((second > 0) & (first == 0)).sum())
