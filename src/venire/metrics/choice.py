"""Which metrics fit which data: binary, ordinal, pairwise, multi-label; and why the others do not.

Source: the evaluation guide's metric selection (spec, section 3, "Choice of method and metric").
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from venire.errors import ConfigError
from venire.metrics.classes import points_of
from venire.metrics.measurement import Measurement
from venire.records import Dimension, Instance, PreferenceGold, RatingsGold, Winner


class Family(StrEnum):
    """A kind of metric, as `metrics.chosen` names it."""

    ACCURACY = "accuracy"
    KAPPA = "kappa"
    POSITION_CONSISTENCY = "position_consistency"
    PRECISION = "precision"
    RECALL = "recall"
    F1 = "f1"
    F1_MACRO = "f1_macro"
    F1_MICRO = "f1_micro"
    SPEARMAN = "spearman"
    KENDALL = "kendall"
    PEARSON = "pearson"
    KAPPA_QUADRATIC = "kappa_quadratic"


# The parts of metric names that a family has, where they are not its own name alone.
_PARTS: Mapping[Family, tuple[str, ...]] = {
    Family.KAPPA: ("kappa", "kappa_null_category"),
    Family.POSITION_CONSISTENCY: ("position_consistency", "first_place_rate"),
    Family.SPEARMAN: ("spearman", "abs_spearman"),
    Family.KENDALL: ("kendall", "abs_kendall"),
    Family.PEARSON: ("pearson", "abs_pearson"),
}
_FAMILY_OF = {part: family for family in Family for part in _PARTS.get(family, (family.value,))}


class Scale(StrEnum):
    """What kind of answer a dimension asks for."""

    PASS_FAIL = "pass/fail"
    ORDINAL = "ordinal"
    CONTINUOUS = "continuous"

    @classmethod
    def of(cls, dimension: Dimension) -> "Scale":
        """By the number of its points."""
        points = points_of(dimension)
        if points is None:
            return cls.CONTINUOUS
        return cls.PASS_FAIL if points == 2 else cls.ORDINAL


@dataclass(frozen=True, slots=True)
class Shape:
    """What a data set's gold looks like.

    Args:
        is_pairwise: two responses are compared.
        has_gold: some instance has a human judgment.
        labels: the declared gold labels of a pairwise set.
        dimensions: what single responses are rated on, means of others left out.
    """

    is_pairwise: bool
    has_gold: bool
    labels: tuple[Winner, ...]
    dimensions: tuple[Dimension, ...]

    def named(self, *scales: Scale) -> list[str]:
        """The dimensions of some scales."""
        return [each.name for each in self.dimensions if Scale.of(each) in scales]


def shape_of(instances: Sequence[Instance], labels: Sequence[Winner]) -> Shape:
    """The shape of instances as they were loaded."""
    dimensions = {each.name: each for instance in instances for each in instance.dimensions}
    asked = tuple(each for each in dimensions.values() if each.asked) or tuple(dimensions.values())
    return Shape(
        is_pairwise=any(each.is_pairwise for each in instances) and not dimensions,
        has_gold=any(_has_gold(each) for each in instances),
        labels=tuple(labels),
        dimensions=asked,
    )


def _has_gold(instance: Instance) -> bool:
    match instance.gold:
        case PreferenceGold():
            return True
        case RatingsGold(mean=mean):
            return bool(mean)
        case None:
            return False


def misfit(family: Family, shape: Shape) -> str:
    """Why the family says nothing, or something wrong, of such data; empty where it fits."""
    if not shape.has_gold:
        return "nobody has judged these items, so there is nothing to measure against"
    return _MISFITS[family](shape)


def fitting(shape: Shape) -> list[Family]:
    """The families that fit, in their order."""
    return [family for family in Family if not misfit(family, shape)]


def check_choice(chosen: Sequence[Family], shape: Shape) -> None:
    """Nothing, where every chosen family fits.

    Raises:
        ConfigError: names those that do not, each with the reason, and those that do.
    """
    wrong = [(family, reason) for family in chosen if (reason := misfit(family, shape))]
    if wrong:
        fits = ", ".join(fitting(shape)) or "none"
        reasons = "; ".join(f"{family} does not fit this data: {reason}" for family, reason in wrong)
        raise ConfigError(f"metrics.chosen: {reasons} (what fits: {fits})")


def only(chosen: Sequence[Family], measured: Measurement) -> Measurement:
    """The metrics of the chosen families, and those that are of no family (counts, coverage, cost)."""
    kept = {name for name in measured.metrics if _family_of(name) in (None, *chosen)}
    return Measurement(
        {name: value for name, value in measured.metrics.items() if name in kept},
        {name: note for name, note in measured.notes.items() if name in kept},
    )


def _family_of(metric: str) -> Family | None:
    """By the name's first part, prefixes of a judge, a group or a variant aside; None for all others.

    What describes a panel, a confidence or a cascade is of no family, whatever its last part is called.
    """
    parts = metric.split("/")
    if parts[0] in ("judge", "group", "group_before", "group_change"):
        parts = parts[2:]
    elif parts[0] in ("ceiling", "multilabel") or parts[0].startswith("mean_of_"):
        parts = parts[1:]
    return _FAMILY_OF.get(parts[0]) if parts else None


_NO_POSITIVE = (
    "which response stands first is arbitrary, so that neither label is a positive one; accuracy and kappa "
    "treat the labels alike"
)


def _of_pairs(shape: Shape) -> str:
    if shape.is_pairwise:
        return ""
    return "single responses are rated, none is preferred to another: choose by the dimensions' scales"


def _kappa(shape: Shape) -> str:
    if shape.is_pairwise or shape.named(Scale.PASS_FAIL):
        return ""
    if shape.named(Scale.ORDINAL):
        return "it counts a miss by one point like one by the whole scale: kappa_quadratic weighs them"
    return "any number is a rating, and two are hardly ever equal: correlations fit"


def _of_pass_fail(shape: Shape) -> str:
    if shape.is_pairwise:
        return _NO_POSITIVE
    if shape.named(Scale.PASS_FAIL):
        return ""
    return "no dimension is pass/fail (a scale of two points), and a cut through a longer scale is arbitrary"


def _of_several_labels(shape: Shape) -> str:
    passing = shape.named(Scale.PASS_FAIL)
    if shape.is_pairwise or not passing:
        return _of_pass_fail(shape)
    if len(passing) == 1:
        return f"{passing[0]} alone is pass/fail, a mean over labels takes several: f1 is its own"
    return ""


def _of_order(shape: Shape) -> str:
    if shape.is_pairwise:
        return "a preference is a label without an order: accuracy and kappa fit"
    if shape.named(Scale.ORDINAL, Scale.CONTINUOUS):
        return ""
    return "on two points a rank correlation is all ties: precision, recall, f1 and kappa fit"


def _quadratic_kappa(shape: Shape) -> str:
    if shape.is_pairwise:
        return "a preference is a label, and labels have no distance: kappa fits"
    if shape.named(Scale.ORDINAL):
        return ""
    if shape.named(Scale.PASS_FAIL):
        return "on two points it is plain kappa"
    return "the scales have no points (a step), any number is a rating: correlations fit"


_MISFITS: Mapping[Family, Callable[[Shape], str]] = {
    Family.ACCURACY: _of_pairs,
    Family.POSITION_CONSISTENCY: _of_pairs,
    Family.KAPPA: _kappa,
    Family.PRECISION: _of_pass_fail,
    Family.RECALL: _of_pass_fail,
    Family.F1: _of_pass_fail,
    Family.F1_MACRO: _of_several_labels,
    Family.F1_MICRO: _of_several_labels,
    Family.SPEARMAN: _of_order,
    Family.KENDALL: _of_order,
    Family.PEARSON: _of_order,
    Family.KAPPA_QUADRATIC: _quadratic_kappa,
}
