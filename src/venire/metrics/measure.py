"""Measures a run: joins outcomes to gold by id, and computes every metric that its kind of gold has."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from venire.errors import ConfigError, DataError
from venire.judging.cascade import is_cascade
from venire.metrics.audit import audit_metrics
from venire.metrics.calls import call_metrics
from venire.metrics.cascade import cascade_metrics
from venire.metrics.choice import Family, check_choice, only, shape_of
from venire.metrics.claims import claim_metrics
from venire.metrics.classes import Labelled, class_metrics, ordinal_metrics
from venire.metrics.compact import Compact
from venire.metrics.confidence import ConfidenceSettings, Judged, confidence_metrics
from venire.metrics.criteria import criterion_agreement, score_metrics
from venire.metrics.debate import debate_metrics
from venire.metrics.estimators import Estimator
from venire.metrics.geval import geval_metrics
from venire.metrics.groups import group_metrics
from venire.metrics.independence import independence_metrics
from venire.metrics.join import (
    UNSCORED,
    Judgments,
    clusters_of,
    columns,
    each_once,
    items_of,
    join,
    orders_asked,
    reasons,
)
from venire.metrics.measurement import Collector, Measurement
from venire.metrics.pairwise import (
    agreement_metrics,
    coverage_metrics,
    final_metrics,
    order_metrics,
    position_metrics,
    scored_metrics,
    subset_metrics,
)
from venire.metrics.panel import bench_of, judge_metrics, panel_metrics
from venire.metrics.rated import predicted, rated_items
from venire.metrics.ratings import (
    Alignment,
    CorrelationSettings,
    alignment_metrics,
    bound_metrics,
    ceiling_metrics,
    rating_coverage,
)
from venire.metrics.ties import tie_metrics
from venire.metrics.win_rate import win_rate_metrics
from venire.records import Call, Instance, Outcome, PreferenceGold, Price, RatingsGold, Winner
from venire.stats.intervals import Resampler, codes_of

STREAM = 0x6D657472  # keeps the bootstrap's draws apart from other uses of the run's seed


@dataclass(frozen=True, slots=True)
class MetricSettings:
    """How a run is measured.

    Args:
        draws: of the bootstrap; 0 for no bootstrap intervals.
        level: confidence level of all intervals.
        correlation: how ratings are correlated with human ratings.
        confidence: how confidences in preferences are measured.
        chosen: the kinds of metrics that the run is read by; one that does not fit the data is refused, and
            those of other kinds are left out. Empty: all that fit.
    """

    draws: int = 2000
    level: float = 0.95
    correlation: CorrelationSettings = field(default_factory=CorrelationSettings)
    confidence: ConfidenceSettings = field(default_factory=ConfidenceSettings)
    chosen: tuple[Family, ...] = ()

    def __post_init__(self) -> None:
        if self.draws < 0:
            raise ConfigError(f"draws: expected at least 0, got {self.draws}")
        if not 0 < self.level < 1:
            raise ConfigError(f"level: expected between 0 and 1, got {self.level}")


def measure(
    instances: Sequence[Instance],
    outcomes: Iterable[Outcome],
    *,
    labels: Sequence[Winner],
    seed: int,
    settings: MetricSettings = MetricSettings(),
    doubly_rated: Sequence[Instance] = (),
    development: Sequence[tuple[Instance, Outcome]] = (),
    unfinished: Sequence[Call] = (),
    prices: Mapping[str, Price | None] | None = None,
) -> Measurement:
    """Every metric of a run; the order of instances and outcomes changes nothing.

    An instance without an outcome is unscored (`not_run`) and counts as not correct.

    Args:
        instances: all that were to be judged.
        outcomes: at most one an instance.
        labels: the gold labels that the data set declares; none where it has no gold.
        seed: of the bootstrap.
        settings: how intervals are made, and over what ratings are correlated.
        doubly_rated: what tells how two humans go with each other, where that is more than `instances`.
        development: what was judged to fit on, and is not evaluated.
        unfinished: the calls of instances that the run stopped before; see `call_metrics`.
        prices: of the run's models, by model; see `call_metrics`.

    Raises:
        DataError: an id that is unknown or occurs twice, gold that is missing or not declared, no
            instance at all, or gold that no metrics exist for.
        ConfigError: a chosen kind of metric does not fit the data.
    """
    pairs = join(instances, outcomes)
    if not pairs:
        raise DataError("instances: expected at least one to measure, got none")
    check_choice(settings.chosen, shape_of(instances, labels))
    out = Collector()
    out.put("n", len(pairs))
    rng = np.random.default_rng((seed, STREAM))
    if any(isinstance(instance.gold, RatingsGold) or instance.dimensions for instance, _ in pairs):
        _measure_ratings(pairs, rng, settings, out)
        _measure_humans(doubly_rated or instances, rng, settings, out)
    else:
        _measure_pairs(pairs, labels, rng, settings, out, development)
    calls = [call for _, outcome in pairs if outcome for call in outcome.calls]
    judged = sum(outcome is not None for _, outcome in pairs)
    fitting = [call for _, outcome in development for call in outcome.calls]
    call_metrics(calls, judged, out, unfinished=unfinished, prices=prices, development=fitting)
    return only(settings.chosen, out.result()) if settings.chosen else out.result()


def measure_compact(
    compact: Compact,
    *,
    labels: Sequence[Winner],
    seed: int,
    settings: MetricSettings = MetricSettings(),
    prices: Mapping[str, Price | None] | None = None,
) -> Measurement:
    """As `measure` of the pairs that `compact` was made of: the same numbers and notes.

    What metrics look at are kinds of pairs, and how many pairs each stands for; see `stats.intervals`.

    Raises:
        DataError, ConfigError
    """
    check_choice(settings.chosen, shape_of([each for each, _ in compact.pairs], labels))
    out = Collector()
    out.put("n", len(compact.kind))
    rng = np.random.default_rng((seed, STREAM))
    _measure_pairs(compact.pairs, labels, rng, settings, out, (), compact)
    call_metrics(
        compact.calls,
        compact.judged,
        out,
        unfinished=compact.unfinished,
        prices=prices,
        pooled=compact.pooled,
    )
    return only(settings.chosen, out.result()) if settings.chosen else out.result()


def _measure_pairs(
    pairs: Judged,
    labels: Sequence[Winner],
    rng: np.random.Generator,
    settings: MetricSettings,
    out: Collector,
    development: Sequence[tuple[Instance, Outcome]],
    compact: Compact | None = None,
) -> None:
    """Of pairs with preferences as gold, or of pairs that nobody has judged."""
    if isinstance(pairs[0][0].gold, PreferenceGold):
        _measure_preferences(pairs, labels, rng, settings, out, development, compact)
    elif not labels and all(each.is_pairwise and each.gold is None for each, _ in pairs):
        _measure_unlabelled(pairs, rng, settings, out, development, compact)
    else:
        raise DataError(f"gold of {pairs[0][0].id!r}: expected a preference or ratings, got no gold")


def _measure_preferences(
    pairs: Judged,
    labels: Sequence[Winner],
    rng: np.random.Generator,
    settings: MetricSettings,
    out: Collector,
    development: Sequence[tuple[Instance, Outcome]],
    compact: Compact | None,
) -> None:
    instances, outcomes = [each for each, _ in pairs], [outcome for _, outcome in pairs]
    items = items_of(instances, labels, cluster=None if compact is None else compact.cluster)
    kind = None if compact is None else compact.kind
    resampler = Resampler.draw(items.cluster, settings.draws, rng, kind=kind)
    estimator = Estimator(items.gold, resampler, settings.level)
    judgments = each_once(_judgments, outcomes)
    asked = orders_asked(judgments)
    verdicts = columns(judgments, asked)
    last = each_once(_last, outcomes)
    agreement_metrics(verdicts, estimator, out)
    final = columns(last, [frozenset({None})] * items.n).main[0]
    final_metrics(final, estimator, out)
    tie_metrics(verdicts, final, estimator, out)
    order_metrics(verdicts, estimator, out)
    subset_metrics(items, verdicts, estimator, out)
    coverage_metrics(verdicts, reasons(judgments, asked, resampler.weights), estimator, out)
    audit_metrics(pairs, estimator, out)
    bench = bench_of(outcomes)
    # Of a cascade not every judge is asked about every instance.
    if len(bench.judges) > 1 and not any(map(is_cascade, outcomes)):
        judge_metrics(bench, estimator, out)
        panel_metrics(bench, estimator, out)
        independence_metrics(bench, estimator, out)
    claim_metrics(outcomes, out)
    score_metrics(outcomes, out)
    criterion_agreement(outcomes, estimator, out)
    cascade_metrics(pairs, estimator, out)
    confidence_metrics(
        pairs,
        resampler,
        settings.confidence,
        out,
        level=settings.level,
        development=development,
        all_told=None if compact is None else compact.told,
    )
    if development:
        win_rate_metrics(pairs, development, out, level=settings.level)


def _measure_unlabelled(
    pairs: Judged,
    rng: np.random.Generator,
    settings: MetricSettings,
    out: Collector,
    development: Sequence[tuple[Instance, Outcome]],
    compact: Compact | None,
) -> None:
    """Of pairs that nobody has judged: what the verdicts tell without gold, and the corrected win rate."""
    outcomes = [outcome for _, outcome in pairs]
    if compact is None:
        codes = codes_of(clusters_of([each for each, _ in pairs]))
        resampler = Resampler.draw(codes, settings.draws, rng)
    else:
        resampler = Resampler.draw(compact.cluster, settings.draws, rng, kind=compact.kind)
    estimator = Estimator(np.full(len(pairs), UNSCORED), resampler, settings.level)
    judgments = each_once(_judgments, outcomes)
    asked = orders_asked(judgments)
    verdicts = columns(judgments, asked)
    position_metrics(verdicts, estimator, out)
    scored_metrics(verdicts, reasons(judgments, asked, resampler.weights), estimator, out)
    claim_metrics(outcomes, out)
    score_metrics(outcomes, out)
    cascade_metrics(pairs, estimator, out)
    win_rate_metrics(pairs, development, out, level=settings.level, weights=resampler.weights)


def _measure_ratings(
    pairs: Sequence[tuple[Instance, Outcome | None]],
    rng: np.random.Generator,
    settings: MetricSettings,
    out: Collector,
) -> None:
    """Also of instances without any gold: what they were rated is then measured against nothing."""
    items = rated_items([instance for instance, _ in pairs])
    outcomes = [outcome for _, outcome in pairs]
    found = predicted(items, outcomes)
    resampler = Resampler.draw(items.document, settings.draws, rng)
    alignment = Alignment(items, resampler, settings.level, settings.correlation.grouping)
    alignment_metrics(alignment, found, out)
    rating_coverage(items, found, out)
    bound_metrics(alignment, found, out)
    labelled = Labelled(items, found, resampler, settings.level)
    class_metrics(labelled, out)
    ordinal_metrics(labelled, out)
    group_metrics(alignment, outcomes, out)
    debate_metrics(outcomes, out)
    geval_metrics(outcomes, out)
    score_metrics(outcomes, out)


def _measure_humans(
    instances: Sequence[Instance], rng: np.random.Generator, settings: MetricSettings, out: Collector
) -> None:
    items = rated_items(sorted(instances, key=lambda each: each.id))
    resampler = Resampler.draw(items.document, settings.draws, rng)
    ceiling_metrics(Alignment(items, resampler, settings.level, settings.correlation.grouping), out)


def _last(outcome: Outcome | None) -> Judgments:
    return {None: outcome.prediction} if outcome else {}


def _judgments(outcome: Outcome | None) -> Judgments:
    """What was judged in each order; the prediction itself where the method shows none."""
    if outcome is None:
        return {}
    if outcome.by_order:
        return dict(outcome.by_order.items())
    return {None: outcome.prediction}
