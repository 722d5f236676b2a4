"""From a file of `conf/criteria` to a `CriteriaSet`, from one of `conf/rubric` to a `RubricSet`."""

import math
from collections.abc import Mapping, Sequence

from venire.build import TARGET, build
from venire.errors import ConfigError
from venire.judging.criteria import CriteriaSet, Criterion
from venire.judging.rubric import CriterionRubric, RubricLevel, RubricOrigin, RubricSet, Strictness
from venire.judging.scales import DEFAULT, Scale, scale_of

_CRITERION = ("name", "description", "weight", "scale")
_RUBRIC = ("criterion", "description", "scale", "levels", "edge_cases", "scoring_guidelines")
_RUBRIC_ALSO = ("strictness", "domain")
_LEVEL = ("score", "label", "description", "characteristics", "example")


def criteria_set(name: str, members: Mapping[str, object], normalise: bool = False) -> CriteriaSet:
    """The set that a file describes.

    Args:
        name: of the set.
        members: key to `name`, `description`, `weight` and `scale` (1-5 where none is named). The keys are
            those of replies and metrics, so that `criteria.members.<key>.weight=...` overrides a weight and
            `~criteria.members.<key>` leaves a criterion out.
        normalise: whether weights are relative: they are then divided by their sum.

    Raises:
        ConfigError: an unknown or missing key, a wrong type, weights that do not fit; names the key.
    """
    nodes = {key: _mapping(node, f"members.{key}") for key, node in members.items()}
    weights = {key: _weight(node, f"members.{key}.weight") for key, node in nodes.items()}
    if normalise:
        total = math.fsum(weights.values())
        if not total > 0:
            raise ConfigError(f"members: expected weights of which one is above 0, got a sum of {total:g}")
        weights = {key: weight / total for key, weight in weights.items()}
    return CriteriaSet(name, tuple(_criterion(key, nodes[key], weights[key]) for key in nodes))


def rubric_set(
    name: str,
    rubrics: Mapping[str, object],
    origin: RubricOrigin = RubricOrigin.HAND_WRITTEN,
    strictness: Strictness = Strictness.BALANCED,
    domain: str = "",
    provenance: Mapping[str, object] | None = None,
) -> RubricSet:
    """The set of rubrics that a file describes.

    Args:
        name, origin, provenance: see `RubricSet`.
        rubrics: the criterion's key to its rubric.
        strictness, domain: of all rubrics that name none of their own.

    Raises:
        ConfigError: an unknown or missing key, a wrong type, levels that are missing, out of order or
            overlap; names the key.
    """
    made = tuple(_rubric(key, node, strictness, domain) for key, node in rubrics.items())
    return RubricSet(name, made, origin, provenance or {})


def _criterion(key: str, node: Mapping[str, object], weight: float) -> Criterion:
    path = f"members.{key}"
    _refuse_unknown(node, _CRITERION, path)
    whole = {
        TARGET: "venire.judging.criteria.Criterion",
        "key": key,
        **{part: node[part] for part in ("name", "description") if part in node},
        "weight": weight,
    }
    criterion = build({**whole, "scale": _scale(node.get("scale"), path) or DEFAULT}, path)
    assert isinstance(criterion, Criterion)
    return criterion


def _weight(node: Mapping[str, object], path: str) -> float:
    weight = node.get("weight")
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not math.isfinite(weight):
        raise ConfigError(f"{path}: expected a number, got {weight!r}")
    if weight < 0:
        raise ConfigError(f"{path}: expected at least 0, got {weight:g}")
    return float(weight)


def _rubric(key: str, given: object, strictness: Strictness, domain: str) -> CriterionRubric:
    path = f"rubrics.{key}"
    node = _mapping(given, path)
    _refuse_unknown(node, (*_RUBRIC, *_RUBRIC_ALSO), path)
    scale = _scale(node.get("scale"), path)
    if scale is None:
        raise ConfigError(f"{path}.scale: missing; name one, such as 1-5")
    levels = [
        _level(each, scale, f"{path}.levels[{i}]")
        for i, each in enumerate(_list(node.get("levels"), f"{path}.levels"))
    ]
    cases = [
        build(
            {TARGET: "venire.judging.rubric.EdgeCase", **_mapping(each, f"{path}.edge_cases[{i}]")},
            f"{path}.edge_cases[{i}]",
        )
        for i, each in enumerate(_list(node.get("edge_cases", []), f"{path}.edge_cases"))
    ]
    whole = {
        TARGET: "venire.judging.rubric.CriterionRubric",
        "key": key,
        "scale": scale,
        "levels": levels,
        "edge_cases": cases,
        "guidelines": _list(node.get("scoring_guidelines", []), f"{path}.scoring_guidelines"),
        "strictness": node.get("strictness", strictness),
        "domain": node.get("domain", domain),
        **{part: node[part] for part in ("criterion", "description") if part in node},
    }
    made = build(whole, path)
    assert isinstance(made, CriterionRubric)
    return made


def _level(given: object, scale: Scale, path: str) -> RubricLevel:
    node = _mapping(given, path)
    _refuse_unknown(node, _LEVEL, path)
    low, high = _band(node.get("score"), scale, f"{path}.score")
    parts = {
        part: node[part] for part in ("label", "description", "characteristics", "example") if part in node
    }
    made = build({TARGET: "venire.judging.rubric.RubricLevel", "low": low, "high": high, **parts}, path)
    assert isinstance(made, RubricLevel)
    return made


def _band(score: object, scale: Scale, path: str) -> tuple[float, float]:
    """The first and last point that `3`, `"3-4"` or `pass` name."""
    if isinstance(score, str) and not scale.words:
        low, dash, high = score.partition("-")
        with_dash = (low, high) if dash else (low, low)
        try:
            return float(with_dash[0]), float(with_dash[1])
        except ValueError:
            raise ConfigError(
                f"{path}: expected a score or two with a dash (3, 3-4), got {score!r}"
            ) from None
    if not scale.words and not isinstance(score, bool) and isinstance(score, int | float):
        return float(score), float(score)
    try:
        point = scale.read(score)
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from None
    return point, point


def _scale(given: object, path: str) -> Scale | None:
    if given is None:
        return None
    if not isinstance(given, str):
        raise ConfigError(f"{path}.scale: expected a text such as 1-5, got {given!r}")
    try:
        return scale_of(given)
    except ConfigError as error:
        raise ConfigError(f"{path}.{error}") from None


def _refuse_unknown(node: Mapping[str, object], known: Sequence[str], path: str) -> None:
    for part in node:
        if part not in known:
            raise ConfigError(f"{path}.{part}: unknown key; expected {', '.join(known)}")


def _mapping(node: object, path: str) -> Mapping[str, object]:
    if not isinstance(node, Mapping) or not node:
        raise ConfigError(f"{path}: expected a mapping with entries, got {node!r}")
    return {str(key): value for key, value in node.items()}


def _list(node: object, path: str) -> list[object]:
    if not isinstance(node, list | tuple):
        raise ConfigError(f"{path}: expected a list, got {node!r}")
    return list(node)
