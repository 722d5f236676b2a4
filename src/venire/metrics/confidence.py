"""Whether confidences are worth their numbers: `confidence/<source>/*` of a run on preferences."""

from collections.abc import Sequence
from dataclasses import dataclass, field

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
    brier,
    brier_interval,
    e_aurc,
    ece,
    graded,
    with_interval,
)
from venire.stats.estimate import BoolArray, FloatArray
from venire.stats.intervals import Resampler
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
        used: mask over the run's items, shape (n,).
        confidence, right: of those items alone.
    """

    source: Source
    used: BoolArray
    confidence: FloatArray
    right: BoolArray

    @property
    def graded(self) -> Graded:
        """Its confidences and whether they were right."""
        return graded(self.confidence, self.right)


def told_by(source: Source, judged: Judged) -> Told:
    """What `source` tells of the final predictions of `judged`, against gold."""
    values = [None if outcome is None else confidence_of(source, each, outcome) for each, outcome in judged]
    used = np.array([value is not None for value in values], dtype=np.bool_)
    confidence = np.array([value for value in values if value is not None], dtype=np.float64)
    right = np.array(
        [_is_right(*each) for each, kept in zip(judged, used, strict=True) if kept], dtype=np.bool_
    )
    return Told(source, used, confidence, right)


def sources_of(settings: ConfidenceSettings, judged: Judged) -> tuple[Source, ...]:
    """The sources that are measured."""
    if settings.sources is not None:
        return settings.sources
    return tuple(source for source in Source if told_by(source, judged).used.any())


def confidence_metrics(
    judged: Judged,
    resampler: Resampler,
    settings: ConfidenceSettings,
    out: Collector,
    *,
    level: float = 0.95,
    development: Judged = (),
) -> None:
    """`confidence/<source>/*`, and below it `isotonic/*` and `platt/*` where there is a development split.

    Of final predictions: an item without one, or of which the source tells nothing, is no part (`n`).
    """
    for source in sources_of(settings, judged):
        prefix = metric_name("confidence", source)
        told = told_by(source, judged)
        out.put(f"{prefix}/n", len(told.confidence))
        if not len(told.confidence):
            names = [f"{prefix}/{name}" for name in _NAMES]
            out.missing(names, f"no outcome has a confidence by {source}")
            continue
        _raw(prefix, told, resampler, settings, level, out)
        if development:
            _recalibrated(prefix, told, told_by(source, development), settings, out)


def _raw(
    prefix: str,
    told: Told,
    resampler: Resampler,
    settings: ConfidenceSettings,
    level: float,
    out: Collector,
) -> None:
    items = told.graded
    out.put(f"{prefix}/mean", float(told.confidence.mean()))
    out.put(f"{prefix}/accuracy", float(told.right.mean()))
    out.estimate(f"{prefix}/brier", brier_interval(items, resampler, told.used, level))
    calibration = ece(items, settings.binned)
    out.put(f"{prefix}/ece", calibration.value, calibration.note)
    ranking = with_interval(items, auroc(items), auroc_of, resampler, told.used, level)
    out.estimate(f"{prefix}/auroc", ranking)
    out.estimate(f"{prefix}/aurc", with_interval(items, aurc(items), aurc_of, resampler, told.used, level))
    out.point(f"{prefix}/e_aurc", e_aurc(items))


def _recalibrated(
    prefix: str, told: Told, development: Told, settings: ConfidenceSettings, out: Collector
) -> None:
    """On the evaluated items, by curves fitted on the development split alone."""
    out.put(f"{prefix}/development_n", len(development.confidence))
    for kind in settings.recalibration:
        name = f"{prefix}/{kind}"
        if not len(development.confidence):
            reason = f"no outcome of the development split has a confidence by {told.source}"
            out.missing([f"{name}/brier", f"{name}/ece"], reason)
            continue
        curve = fit(kind, development.graded)
        items = graded(np.clip(curve(told.confidence), 0, 1), told.right)
        out.put(f"{name}/brier", brier(items).value)
        calibration = ece(items, settings.binned)
        out.put(f"{name}/ece", calibration.value, calibration.note)


def _is_right(instance: Instance, outcome: Outcome | None) -> bool:
    if outcome is None or not isinstance(outcome.prediction, Preference):
        return False
    return isinstance(instance.gold, PreferenceGold) and outcome.prediction.winner is instance.gold.winner
