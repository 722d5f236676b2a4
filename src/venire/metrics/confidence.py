"""Whether confidences are worth their numbers: `confidence/<source>/*` of a run on preferences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from venire.errors import ConfigError
from venire.judging.confidence import Source, confidence_of
from venire.metrics.measurement import Collector, metric_name
from venire.records import Instance, Outcome, Preference, PreferenceGold
from venire.stats.calibration import (
    Binning,
    Bins,
    Graded,
    aurc,
    aurc_of,
    auroc,
    auroc_of,
    brier_interval,
    e_aurc,
    e_aurc_of,
    ece_interval,
    graded,
    with_interval,
)
from venire.stats.estimate import BoolArray, Codes, Estimate, FloatArray
from venire.stats.features import weights_of
from venire.stats.intervals import Resampler, Statistic, share
from venire.stats.recalibration import Recalibration, fit

Judged = Sequence[tuple[Instance, Outcome | None]]
_NAMES = ("mean", "accuracy", "brier", "ece", "auroc", "aurc", "e_aurc")


@dataclass(frozen=True, slots=True)
class ConfidenceSettings:
    """How confidences are measured.

    Args:
        sources: which; null: those that the run's outcomes have.
        bins, binning: of the ECE and of reliability diagrams.
        recalibration: which curves are fitted on the development split, where there is one.
        figures: whether the run has reliability diagrams and risk-coverage curves among its files; null:
            where it has a development split.
    """

    sources: tuple[Source, ...] | None = None
    bins: int = 10
    binning: Binning = Binning.EQUAL_WIDTH
    recalibration: tuple[Recalibration, ...] = field(default=tuple(Recalibration))
    figures: bool | None = None

    def __post_init__(self) -> None:
        if self.bins < 1:
            raise ConfigError(f"bins: expected at least 1, got {self.bins}")

    @property
    def binned(self) -> Bins:
        """The bins."""
        return Bins(self.bins, self.binning)


@dataclass(frozen=True, slots=True)
class Told:
    """The items of which a source tells a confidence.

    Args:
        source: which.
        used: mask over the run's items, shape (n,), or over kinds of them, shape (K,).
        confidence, right: of those items or kinds alone.
        kind: the kind of each item, shape (n,); None: each is its own.
    """

    source: Source
    used: BoolArray
    confidence: FloatArray
    right: BoolArray
    kind: Codes | None = None

    @property
    def graded(self) -> Graded:
        """Its confidences and whether they were right."""
        weights = None if self.kind is None else weights_of(self.kind)[self.used]
        return graded(self.confidence, self.right, weights)


def told_by(source: Source, judged: Judged) -> Told:
    """What `source` tells of the final predictions of `judged`, against gold; of no item without gold."""
    values = [
        confidence_of(source, each, outcome) if outcome and isinstance(each.gold, PreferenceGold) else None
        for each, outcome in judged
    ]
    used = np.array([value is not None for value in values], dtype=np.bool_)
    confidence = np.array([value for value in values if value is not None], dtype=np.float64)
    right = np.array(
        [_is_right(*each) for each, kept in zip(judged, used, strict=True) if kept], dtype=np.bool_
    )
    return Told(source, used, confidence, right)


def sources_of(settings: ConfidenceSettings, judged: Judged) -> tuple[Source, ...]:
    """The sources that are measured."""
    return _measured_sources(settings, {source: told_by(source, judged) for source in Source})


def _measured_sources(settings: ConfidenceSettings, told: Mapping[Source, Told]) -> tuple[Source, ...]:
    if settings.sources is not None:
        return settings.sources
    return tuple(source for source in Source if told[source].used.any())


def confidence_metrics(
    judged: Judged,
    resampler: Resampler,
    settings: ConfidenceSettings,
    out: Collector,
    *,
    level: float = 0.95,
    development: Judged = (),
    all_told: Mapping[Source, Told] | None = None,
) -> None:
    """`confidence/<source>/*`, and below it `isotonic/*` and `platt/*` where there is a development split.

    Of final predictions: an item without one, or of which the source tells nothing, is no part (`n`).
    `all_told` is what every source tells of `judged`, where that was found out before.
    """
    known = {source: told_by(source, judged) for source in Source} if all_told is None else all_told
    for source in _measured_sources(settings, known):
        prefix = metric_name("confidence", source)
        told = known[source]
        measured = _Measured(told, replace(resampler, kind=told.kind), settings, level)
        out.put(f"{prefix}/n", measured.resampler.count(told.used))
        if not len(told.confidence):
            names = [f"{prefix}/{name}" for name in _NAMES]
            out.missing(names, f"no outcome has a confidence by {source}")
            continue
        _raw(prefix, measured, out)
        if development:
            _recalibrated(prefix, measured, told_by(source, development), out)


@dataclass(frozen=True, slots=True)
class _Measured:
    """What a source tells of the evaluated items, and how it is measured."""

    told: Told
    resampler: Resampler
    settings: ConfidenceSettings
    level: float

    def mean(self, values: FloatArray) -> Estimate:
        """The mean of values in [0, 1], one for each item or kind that the source tells of."""
        used = self.told.used
        hits = np.zeros(len(used))
        hits[used] = values
        return share(hits, used.astype(float), self.resampler, self.level)

    def of_curve(self, items: Graded) -> tuple[Estimate, Estimate]:
        """Brier score and ECE of the items, by whatever confidence."""
        of = (self.resampler, self.told.used, self.level)
        return brier_interval(items, *of), ece_interval(items, self.settings.binned, *of)

    def ranking(self, point: Estimate, statistic: Statistic) -> Estimate:
        """A figure of how the source ranks the items."""
        told = self.told
        return with_interval(told.graded, point, statistic, self.resampler, told.used, self.level)


def _raw(prefix: str, measured: _Measured, out: Collector) -> None:
    told, items = measured.told, measured.told.graded
    score, calibration = measured.of_curve(items)
    out.estimate(f"{prefix}/mean", measured.mean(told.confidence))
    out.estimate(f"{prefix}/accuracy", measured.mean(told.right.astype(float)))
    out.estimate(f"{prefix}/brier", score)
    out.estimate(f"{prefix}/ece", calibration)
    out.estimate(f"{prefix}/auroc", measured.ranking(auroc(items), auroc_of))
    out.estimate(f"{prefix}/aurc", measured.ranking(aurc(items), aurc_of))
    out.estimate(f"{prefix}/e_aurc", measured.ranking(e_aurc(items), e_aurc_of))


def _recalibrated(prefix: str, measured: _Measured, development: Told, out: Collector) -> None:
    """On the evaluated items, by curves fitted on the development split alone.

    Intervals are over the evaluated items: the curve is held as it was fitted.
    """
    told = measured.told
    out.put(f"{prefix}/development_n", len(development.confidence))
    for kind in measured.settings.recalibration:
        name = f"{prefix}/{kind}"
        if not len(development.confidence):
            reason = f"no outcome of the development split has a confidence by {told.source}"
            out.missing([f"{name}/brier", f"{name}/ece"], reason)
            continue
        curve = fit(kind, development.graded)
        score, calibration = measured.of_curve(graded(np.clip(curve(told.confidence), 0, 1), told.right))
        out.estimate(f"{name}/brier", _of_evaluated(score))
        out.estimate(f"{name}/ece", _of_evaluated(calibration))


def _of_evaluated(estimate: Estimate) -> Estimate:
    return replace(estimate, note=f"{estimate.note}; the curve as fitted, its own chance is no part")


def _is_right(instance: Instance, outcome: Outcome | None) -> bool:
    if outcome is None or not isinstance(outcome.prediction, Preference):
        return False
    return isinstance(instance.gold, PreferenceGold) and outcome.prediction.winner is instance.gold.winner
