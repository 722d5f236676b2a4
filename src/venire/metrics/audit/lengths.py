"""Whether longer responses are picked for their length, and what would be won at equal length."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from venire.judging.probe import PLAIN, Bias
from venire.metrics.audit.finding import Finding, reasons_in, with_interval
from venire.metrics.audit.ratios import Mean
from venire.metrics.audit.readings import Readings, before_of, lengths, mean_won
from venire.metrics.estimators import Estimator
from venire.metrics.join import CODE
from venire.metrics.measurement import metric_name
from venire.records import Winner
from venire.stats.estimate import BoolArray, Codes, Estimate, FloatArray, IntArray, divide, undefined
from venire.stats.intervals import NO_DRAW_DIFFERS, NO_DRAWS, ROUNDING, Resampler
from venire.stats.logistic import Coefficient, logistic, resampled_coefficients, win_rate_at_equal_length

_FIRST, _SECOND = CODE[Winner.FIRST], CODE[Winner.SECOND]
_LENGTH, _GOLD = "length", "gold"
_Rates = tuple[str, Mapping[str, Estimate], int]  # whose, the rates by name, over how many items


def length(readings: Readings, arm: str, estimator: Estimator) -> Finding:
    """Log odds by which a response is picked for each doubling of its length, the gold held fixed.

    Logistic regression over the verdicts that pick one: response 1 picked ~ log2 of the length ratio +
    gold (1 response 1, -1 response 2, 0 a tie), errors robust over clusters. Where both orders are judged
    each item has two rows, and position, balanced by design, is left out: as a covariate it would
    separate the verdicts of a judge that always picks the response shown first.

    Facts: the odds ratio; the gold's coefficient; the length's coefficient where the gold's may differ
    from subset to subset (`within_subsets`: else length stands in for how hard a subset is); how often the
    longer response is picked, by the judge and by the gold; win rates as they are and at equal length.
    """
    rows = _rows(readings, arm, estimator)
    made = logistic(rows.picked, rows.covariates, rows.cluster, estimator.level)
    coefficient = made[_LENGTH]
    before = before_of(readings, arm)
    change = _change(rows, _rows(readings, before, estimator), estimator) if before else None
    facts = {"odds_ratio": coefficient.odds_ratio, "gold_coefficient": made[_GOLD].estimate.value}
    estimates = {}
    within = _within_subsets(rows, readings, estimator.level)
    if within is not None:
        estimates["within_subsets"], facts["within_subsets/p"] = within.estimate, within.p
    facts |= _longer(rows, readings, estimator.gold)
    for name, rates, n in _at_equal_length(readings, arm, estimator):
        estimates |= {metric_name(name, rate): estimate for rate, estimate in rates.items()}
        facts[metric_name(name, "n")] = float(n)
    for name, estimate in estimates.items():
        facts |= with_interval(name, estimate)
    effect = replace(coefficient.estimate, n=len(np.unique(rows.item)))
    reasons = reasons_in(estimates)
    return Finding(arm, Bias.LENGTH, Bias.LENGTH, effect, coefficient.p, facts, change, reasons=reasons)


@dataclass(frozen=True, slots=True)
class _Rows:
    """The verdicts that pick one, as rows of the regression: shape (rows,)."""

    item: IntArray
    picked: FloatArray
    doublings: FloatArray
    gold: FloatArray
    cluster: Codes

    @property
    def covariates(self) -> dict[str, FloatArray]:
        return {_LENGTH: self.doublings, _GOLD: self.gold}


def _rows(readings: Readings, arm: str, estimator: Estimator) -> _Rows:
    columns = list(readings.columns(arm).values())
    rows = [np.flatnonzero((column == _FIRST) | (column == _SECOND)) for column in columns]
    item: IntArray = np.concatenate([np.zeros(0, dtype=np.int64), *rows])
    said = np.concatenate([np.zeros(0), *(column[row] for column, row in zip(columns, rows, strict=True))])
    gold = np.select([estimator.gold == _FIRST, estimator.gold == _SECOND], [1.0, -1.0], 0.0)
    doublings = _doublings(readings)
    cluster = estimator.resampler.cluster
    return _Rows(item, (said == _FIRST).astype(float), doublings[item], gold[item], cluster[item])


def _doublings(readings: Readings) -> FloatArray:
    """How often the second response's length is doubled in the first, shape (n,)."""
    doublings: FloatArray = np.log2(divide(*lengths(readings.items).T))
    return doublings


def _within_subsets(rows: _Rows, readings: Readings, level: float) -> Coefficient | None:
    """The length's coefficient beside a coefficient of the gold for each subset; None of one subset."""
    subsets = np.array([item.instance.subset for item in readings.items])[rows.item]
    names = sorted(set(subsets.tolist()))
    if len(names) < 2:
        return None
    covariates = {_LENGTH: rows.doublings, **{name: rows.gold * (subsets == name) for name in names}}
    return logistic(rows.picked, covariates, rows.cluster, level)[_LENGTH]


def _change(rows: _Rows, before: _Rows, estimator: Estimator) -> Estimate:
    """The coefficient minus that before; percentiles of bootstrap draws of both together."""
    values = [
        logistic(each.picked, each.covariates, each.cluster)[_LENGTH].estimate for each in (rows, before)
    ]
    for each in values:
        if not each.is_defined:
            return undefined(f"of one of the two: {each.note.removeprefix('undefined: ')}")
    resampler = estimator.resampler
    value, n = values[0].value - values[1].value, len(np.unique(rows.item))
    if resampler.draws == 0:
        return Estimate(value, n=n, note=NO_DRAWS)
    drawn = [_drawn(each, resampler) for each in (rows, before)]
    gaps = drawn[0] - drawn[1]
    defined = gaps[~np.isnan(gaps)]
    if 2 * len(defined) < len(gaps):
        return Estimate(value, n=n, note="no interval: undefined on most bootstrap draws")
    if np.ptp(defined) <= ROUNDING:
        return Estimate(value, n=n, note=NO_DRAW_DIFFERS)
    tail = (1 - estimator.level) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    note = f"{estimator.level:.0%} percentile bootstrap, {len(gaps)} draws"
    if len(defined) < len(gaps):
        note += f" ({len(gaps) - len(defined)} of them undefined and left out)"
    return Estimate(value, float(low), float(high), n, note)


def _drawn(rows: _Rows, resampler: Resampler) -> FloatArray:
    """The length's coefficient on each draw; a constant gold is no covariate."""
    covariates = [each for each in (rows.doublings, rows.gold) if np.ptp(each) > 0]
    units = resampler.drawn_as(rows.cluster)
    return resampled_coefficients(rows.picked, covariates, units, resampler.counts)[:, 1]


def _longer(rows: _Rows, readings: Readings, gold: IntArray) -> dict[str, float]:
    """How often the longer response is picked, and is the better one."""
    doublings = _doublings(readings)
    by_gold = (doublings != 0) & ((gold == _FIRST) | (gold == _SECOND))
    by_judge = rows.doublings != 0
    return {
        "longer_rate": _share((rows.doublings > 0) == (rows.picked > 0), by_judge),
        "longer_rate_of_gold": _share((doublings > 0) == (gold == _FIRST), by_gold),
    }


def _share(hits: BoolArray, among: BoolArray) -> float:
    return float(divide(np.count_nonzero(hits & among), np.count_nonzero(among)))


def _at_equal_length(readings: Readings, arm: str, estimator: Estimator) -> Iterator[_Rates]:
    """Win rates, ties half, as they are and at equal length: of the better response, and of each generator.

    Generators only of the plain question, where both responses name theirs and they differ.
    """
    better = {
        at: 0 if code == _FIRST else 1 for at, code in enumerate(estimator.gold) if code in (_FIRST, _SECOND)
    }
    yield from _win_rates("better", better, readings, arm, estimator)
    if arm != PLAIN:
        return
    authors = [[each.generator for each in item.instance.responses] for item in readings.items]
    differ = {at: names for at, names in enumerate(authors) if None not in names and len(set(names)) == 2}
    for name in sorted({str(name) for names in differ.values() for name in names}):
        own = {at: names.index(name) for at, names in differ.items() if name in names}
        yield from _win_rates(metric_name("generator", name), own, readings, arm, estimator)


def _win_rates(
    root: str, response: Mapping[int, int], readings: Readings, arm: str, estimator: Estimator
) -> Iterator[_Rates]:
    """Of the response named for each item; items without a verdict in every order are left out."""
    wins = {at: mean_won(readings.items[at].as_is(arm), one) for at, one in response.items()}
    scored = {at: win for at, win in wins.items() if win is not None}
    if not scored:
        return
    own = lengths([readings.items[at] for at in scored])
    mine = np.array([response[at] for at in scored])
    place = np.arange(len(scored))
    cluster = estimator.resampler.cluster[list(scored)]
    outcome = np.array(list(scored.values()))
    won, base = (np.zeros(len(readings.items)) for _ in range(2))
    won[list(scored)], base[list(scored)] = outcome, 1.0
    as_is = Mean(won, base, least=0.0).estimate(estimator)
    rate = win_rate_at_equal_length(
        outcome, own[place, mine] - own[place, 1 - mine], cluster, estimator.level
    )
    yield root, {"win_rate": as_is, "win_rate_at_equal_length": rate}, len(scored)
