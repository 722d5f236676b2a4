"""How far annotators agree with each other, and published machine verdicts with them.

Pairs of annotations of one unit, as in FastChat's agreement of MT-Bench votes; chance-corrected
coefficients beside. Intervals resample clusters of units.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from venire.records import Annotation, Annotations, Dimension, Value, Winner
from venire.stats.agreement import kappa_from_sums
from venire.stats.coincidence import (
    Level,
    agreeing,
    alpha_from_coincidences,
    coincidences,
    pair_tables,
    weighted_kappa_from_sums,
)
from venire.stats.estimate import Estimate, FloatArray, undefined
from venire.stats.intervals import Resampler, Statistic, bootstrap, codes_of, share

HUMANS = "each other"
_DECIMALS = 12  # equal means of points of a scale are one label, whatever the order of their sum


@dataclass(frozen=True, slots=True)
class Share:
    """`agree` of `total` pairs of annotations say the same."""

    agree: int
    total: int
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class AgreementSettings:
    """How intervals are made: draws of the bootstrap, confidence level, seed."""

    draws: int = 2000
    level: float = 0.95
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of a group of annotators, with each other or with a machine.

    Args:
        title: of the annotations, empty where a data set has only these.
        question: `preference` or a dimension.
        group: which annotators; `all` where there are no groups.
        against: `each other`, or the machine's name.
        units: with two annotations (or one and the machine's).
        annotators: how many different ones gave these annotations; None where they have no names.
        with_ties: the share of pairs that say the same.
        without_ties: of the pairs in which neither is a tie; None where nothing is compared.
        kappa: chance-corrected `with_ties`; what its chance is, is said by `kappa_kind`.
        quadratic_kappa: with squared differences as weights; None of preferences.
        alpha: Krippendorff's, by level; empty against a machine.
    """

    title: str
    question: str
    group: str
    against: str
    units: int
    annotators: int | None
    with_ties: Share
    without_ties: Share | None
    kappa: Estimate
    kappa_kind: str
    quadratic_kappa: Estimate | None = None
    alpha: Mapping[Level, Estimate] = field(default_factory=dict)


def agreements(annotations: Annotations, settings: AgreementSettings) -> list[Agreement]:
    """Each group's agreement with itself, then with each machine; groups without a pair are left out."""
    found = []
    groups: list[str | None] = [*annotations.groups] or [None]
    for group in groups:
        entries = annotations.of_group(group)
        labels = _Labels.of(annotations.dimension, (entry.value for entry in entries))
        group_name = "all" if group is None else group
        if meeting := _between_humans(annotations, group_name, entries, labels, settings):
            found.append(meeting)
        for machine, verdicts in annotations.machines.items():
            if meeting := _with_machine(annotations, group_name, entries, (machine, verdicts), settings):
                found.append(meeting)
    return found


@dataclass(frozen=True, slots=True)
class _Labels:
    """Labels as codes: the three winners, or the ratings that were given, lowest first."""

    values: tuple[Value, ...]
    numbers: FloatArray
    is_rated: bool
    is_stepped: bool

    @classmethod
    def of(cls, dimension: Dimension | None, given: Iterable[Value]) -> "_Labels":
        if dimension is None:
            return cls(tuple(Winner), np.arange(len(Winner), dtype=np.float64), False, False)
        values = tuple(sorted({round(float(value), _DECIMALS) for value in given}))
        return cls(values, np.array(values, dtype=np.float64), True, dimension.step is not None)

    @property
    def size(self) -> int:
        return len(self.values)

    def code(self, value: Value) -> int:
        return self.values.index(value if isinstance(value, Winner) else round(float(value), _DECIMALS))

    @property
    def decided(self) -> np.typing.NDArray[np.bool_]:
        """Which labels name a better response."""
        return np.array([value is not Winner.TIE for value in self.values])

    @property
    def levels(self) -> tuple[Level, ...]:
        if not self.is_rated:
            return (Level.NOMINAL,)
        return tuple(Level) if self.is_stepped else (Level.INTERVAL,)


@dataclass(frozen=True, slots=True)
class _Over:
    """Statistics over units in a fixed order, with their bootstrap."""

    resampler: Resampler
    level: float

    @classmethod
    def units(cls, units: Sequence[str], cluster: Mapping[str, str], settings: AgreementSettings) -> "_Over":
        codes = codes_of([cluster.get(unit, unit) for unit in units])
        rng = np.random.default_rng(settings.seed)
        return cls(Resampler.draw(codes, settings.draws, rng), settings.level)

    def share(self, tables: FloatArray, kept: np.typing.NDArray[np.bool_]) -> Share:
        hits, base = agreeing(tables, kept)
        return Share(round(hits.sum()), round(base.sum()), share(hits, base, self.resampler, self.level))

    def estimate(self, features: FloatArray, statistic: Statistic, reason: str) -> Estimate:
        used = int(np.count_nonzero(features.any(axis=1)))
        value = float(statistic(features.sum(axis=0)))
        if np.isnan(value):
            return undefined(reason, used)
        return bootstrap(features, statistic, self.resampler, self.level).around(value, used)


def _between_humans(
    annotations: Annotations,
    group: str,
    entries: Sequence[Annotation],
    labels: _Labels,
    settings: AgreementSettings,
) -> Agreement | None:
    by_unit = _by_unit(entries)
    units = sorted(unit for unit, own in by_unit.items() if len(own) > 1)
    if not units:
        return None
    counts = np.zeros((len(units), labels.size))
    for row, unit in enumerate(units):
        for entry in by_unit[unit]:
            counts[row, labels.code(entry.value)] += 1
    pairs, met = pair_tables(counts), coincidences(counts)
    over = _Over.units(units, annotations.cluster, settings)
    names = {entry.annotator for unit in units for entry in by_unit[unit]}
    tables, kind = pairs, "chance-corrected by how often each label is given, over all pairs"
    if annotations.named and len(names) == 2:
        tables, kind = _directed(by_unit, units, sorted(names), labels), "Cohen's"
    alpha = {
        level: over.estimate(
            met, _alpha(labels.numbers, level), "all annotators gave one and the same label throughout"
        )
        for level in labels.levels
    }
    return _agreement(
        annotations,
        (group, HUMANS),
        (pairs, tables, kind),
        labels,
        over,
        annotators=len(names) if annotations.named else None,
        alpha=alpha,
    )


def _with_machine(
    annotations: Annotations,
    group: str,
    entries: Sequence[Annotation],
    machine: tuple[str, Mapping[str, Value]],
    settings: AgreementSettings,
) -> Agreement | None:
    name, verdicts = machine
    judged = [entry for entry in entries if entry.unit in verdicts]
    if not judged:
        return None
    labels = _Labels.of(
        annotations.dimension, (*(entry.value for entry in judged), *(verdicts[e.unit] for e in judged))
    )
    by_unit = _by_unit(judged)
    units = sorted(by_unit)
    tables = np.zeros((len(units), labels.size**2))
    for row, unit in enumerate(units):
        for entry in by_unit[unit]:
            tables[row, labels.code(verdicts[unit]) * labels.size + labels.code(entry.value)] += 1
    names = {entry.annotator for entry in judged}
    return _agreement(
        annotations,
        (group, name),
        (tables, tables, "Cohen's"),
        labels,
        _Over.units(units, annotations.cluster, settings),
        annotators=len(names) if annotations.named else None,
    )


def _agreement(
    annotations: Annotations,
    who: tuple[str, str],
    tables: tuple[FloatArray, FloatArray, str],
    labels: _Labels,
    over: _Over,
    *,
    annotators: int | None,
    alpha: Mapping[Level, Estimate] | None = None,
) -> Agreement:
    pairs, for_kappa, kind = tables
    every = np.ones(labels.size, dtype=bool)
    one_label = "both sides use one label only, so chance agreement is 1"
    kappa = over.estimate(for_kappa, kappa_from_sums, one_label)
    if labels.is_rated and not labels.is_stepped:
        kappa = undefined("any number is a rating, so equal ones say little", len(pairs))
    return Agreement(
        title=annotations.title,
        question=annotations.question,
        group=who[0],
        against=who[1],
        units=len(pairs),
        annotators=annotators,
        with_ties=over.share(pairs, every),
        without_ties=None if labels.is_rated else over.share(pairs, labels.decided),
        kappa=kappa,
        kappa_kind=kind,
        quadratic_kappa=over.estimate(for_kappa, _weighted(labels.numbers), one_label)
        if labels.is_rated
        else None,
        alpha=alpha or {},
    )


def _directed(
    by_unit: Mapping[str, Sequence[Annotation]], units: Sequence[str], names: Sequence[str], labels: _Labels
) -> FloatArray:
    """Tables of the first annotator's label by the second's."""
    tables = np.zeros((len(units), labels.size**2))
    for row, unit in enumerate(units):
        own = {
            name: [labels.code(entry.value) for entry in by_unit[unit] if entry.annotator == name]
            for name in names
        }
        for one in own[names[0]]:
            for other in own[names[1]]:
                tables[row, one * labels.size + other] += 1
    return tables


def _by_unit(entries: Iterable[Annotation]) -> dict[str, list[Annotation]]:
    found: dict[str, list[Annotation]] = {}
    for entry in entries:
        found.setdefault(entry.unit, []).append(entry)
    return found


def _weighted(values: FloatArray) -> Statistic:
    return lambda tables: weighted_kappa_from_sums(tables, values)


def _alpha(values: FloatArray, level: Level) -> Callable[[FloatArray], FloatArray]:
    return lambda tables: alpha_from_coincidences(tables, values, level)
