"""Rubrics of criteria: what each point of a scale looks like, edge cases, guidelines.

Another thing than the memory of JuryFlow (`records.Rubric`), which holds what disputes have taught.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from venire.data.fingerprint import content_id
from venire.errors import ConfigError
from venire.judging.criteria import Criterion
from venire.judging.scales import Scale
from venire.records import Instance


class Strictness(StrEnum):
    """How high the bar is. Source: papers/advanced-evaluation, "Strictness Calibration"."""

    LENIENT = "lenient"  # a lower bar, to encourage another try
    BALANCED = "balanced"  # what one may expect of everyday use
    STRICT = "strict"  # a high bar, where errors are dear


class RubricOrigin(StrEnum):
    """Who wrote a rubric."""

    HAND_WRITTEN = "hand_written"
    GENERATED = "generated"  # by a model
    SIMULATED = "simulated"  # by the simulated backend: for trying things out


@dataclass(frozen=True, slots=True)
class RubricLevel:
    """What responses look like that get a score from `low` to `high` (one point, or a band of neighbours).

    Args:
        label: a word or two (`good`).
        description: what sets the level apart from its neighbours.
        characteristics: observable features.
        example: a text that shows the level; empty where there is none.
    """

    low: float
    high: float
    label: str
    description: str
    characteristics: tuple[str, ...] = ()
    example: str = ""

    def covers(self, point: float) -> bool:
        """Whether a score of `point` is of this level."""
        return self.low <= point <= self.high


@dataclass(frozen=True, slots=True)
class EdgeCase:
    """A situation in which the levels leave it open, and what to do then."""

    situation: str
    guidance: str


@dataclass(frozen=True, slots=True)
class CriterionRubric:
    """The rubric of one criterion.

    Args:
        key: the criterion's.
        criterion: its name, as a judge is told.
        description: what it measures.
        scale: that it is scored on.
        levels: lowest first; every point of the scale is of exactly one.
        edge_cases, guidelines: what goes beyond the levels.
        strictness: how high the bar is.
        domain: whose words it speaks; empty where it is general.

    Raises:
        ConfigError: the levels are not complete, not in order, overlap, or say the same.

    Source: papers/advanced-evaluation, "Rubric Components".
    """

    key: str
    criterion: str
    description: str
    scale: Scale
    levels: tuple[RubricLevel, ...]
    edge_cases: tuple[EdgeCase, ...] = ()
    guidelines: tuple[str, ...] = ()
    strictness: Strictness = Strictness.BALANCED
    domain: str = ""

    def __post_init__(self) -> None:
        fault = next(faults_of(self.levels, self.scale), None)
        if fault is not None:
            raise ConfigError(f"levels: {fault}")


@dataclass(frozen=True, slots=True)
class RubricSet:
    """The rubrics of one or several criteria.

    Args:
        name: short, for tables: the file's name.
        rubrics: at least one, no two of one criterion.
        origin: who wrote it.
        provenance: of a generated one: where it comes from, JSON-ready. Moves no result.
    """

    name: str
    rubrics: tuple[CriterionRubric, ...]
    origin: RubricOrigin = RubricOrigin.HAND_WRITTEN
    provenance: Mapping[str, object] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        if not self.rubrics:
            raise ConfigError("rubrics: expected at least one, got none")

    def of(self, criterion: Criterion) -> CriterionRubric | None:
        """The rubric of `criterion`: by its key, else by its name; None where there is none."""
        by_key = {each.key: each for each in self.rubrics}
        by_name = {each.criterion.casefold(): each for each in self.rubrics}
        return by_key.get(criterion.key) or by_name.get(criterion.name.casefold())


@dataclass(frozen=True, slots=True)
class GeneratedRubric:
    """A rubric that the judge writes itself, once a criterion, before it scores.

    Args:
        strictness: how high the bar is.
        domain: whose words it speaks; empty for none in particular.
    """

    strictness: Strictness = Strictness.BALANCED
    domain: str = ""


def faults_of(levels: Sequence[RubricLevel], scale: Scale) -> Iterator[str]:
    """What is wrong with the levels, a sentence each; nothing where they are complete, ordered and apart."""
    if not scale.points:
        yield f"a scale of any numbers ({scale}) has no levels; give it points"
        return
    for level in levels:
        if not level.label.strip() or not level.description.strip():
            yield f"{name_of(level, scale)}: expected a label and a description, one of them is empty"
        if level.low > level.high:
            yield f"{level.low:g}-{level.high:g}: expected the lower score first"
        strange = [each for each in (level.low, level.high) if each not in scale.points]
        if strange:
            yield f"{strange[0]:g} is no point of the scale {scale}"
    for point in scale.points:
        covering = [level for level in levels if level.covers(point)]
        if not covering:
            yield f"expected one for each point of the scale {scale}, {scale.shown(point)} has none"
        if len(covering) > 1:
            both = " and ".join(name_of(level, scale) for level in covering)
            yield f"{both} overlap at {scale.shown(point)}"
    lows = [level.low for level in levels]
    if lows != sorted(lows):
        yield f"expected the lowest first, got {', '.join(name_of(level, scale) for level in levels)}"
    yield from same_descriptions([(str(name_of(each, scale)), each.description) for each in levels])


def same_descriptions(described: Sequence[tuple[str, str]]) -> Iterator[str]:
    """A sentence on each pair of levels whose descriptions are the same words: nobody can tell them apart."""
    seen: dict[str, str] = {}
    for name, text in described:
        words = " ".join(re.findall(r"\w+", text.casefold()))
        if words and words in seen:
            yield f"{seen[words]} and {name} have the same description, so that they overlap"
        seen.setdefault(words, name)


# The key of a rubric's provenance that says on which items people corrected it: id to hash of the texts.
CORRECTED_ON = "corrected_on"


def check_corrected_on(rubric: RubricSet, instances: Sequence[Instance]) -> None:
    """Nothing, where no instance is one of the items whose corrections are in `rubric`.

    Raises:
        ConfigError: some are: what people said of them would be in their own prompts.
    """
    known = rubric.provenance.get(CORRECTED_ON)
    if not isinstance(known, Mapping):
        return
    learnt = set(map(str, known.values()))
    own = [
        i.id for i in instances if content_id(i.prompt, i.context, [r.text for r in i.responses]) in learnt
    ]
    if own:
        raise ConfigError(
            f"rubric: {rubric.name} holds people's corrections of {len(own)} of these instances "
            f"({own[0]}, ...), so that it would tell the judge what they said; judge others with it"
        )


def name_of(level: RubricLevel, scale: Scale) -> str:
    """`3`, `3-4` or `pass`."""
    ends = [
        str(scale.shown(each)) if each in scale.points else f"{each:g}" for each in (level.low, level.high)
    ]
    return ends[0] if level.low == level.high else "-".join(ends)


_SEVERAL = re.compile(r"\b(\w+(?: \w+)?),? (and|or|as well as|along with|plus) (\w+(?: \w+)?)", re.IGNORECASE)
_MARKS = re.compile(r"\w+ ?[/&;+] ?\w+")


def several_things(name: str, description: str) -> str | None:
    """The words by which a criterion seems to measure several things; None where nothing looks like it.

    A guess by its wording: two things joined in its name or in the first sentence of its description. Source:
    papers/advanced-evaluation, "Anti-pattern: Overloaded criteria".
    """
    first = re.split(r"(?<=[.?!])\s", description.strip(), maxsplit=1)[0]
    for text in (name, first):
        found = _SEVERAL.search(text) or _MARKS.search(text)
        if found:
            return found.group().strip()
    return None


def rubric_values(rubric: CriterionRubric) -> dict[str, object]:
    """`rubric` as prompts show it."""
    return {
        "strictness": rubric.strictness.value,
        "domain": rubric.domain,
        "levels": [
            {
                "score": name_of(each, rubric.scale),
                "label": each.label,
                "description": each.description,
                "characteristics": list(each.characteristics),
                "example": each.example,
            }
            for each in rubric.levels
        ],
        "edge_cases": [
            {"situation": each.situation, "guidance": each.guidance} for each in rubric.edge_cases
        ],
        "guidelines": list(rubric.guidelines),
    }


def check_rubric(rubric: RubricSet, criteria: Sequence[Criterion]) -> None:
    """Nothing, where `rubric` has the levels of every criterion on that criterion's scale.

    Raises:
        ConfigError: says which is missing, or on another scale.
    """
    for criterion in criteria:
        found = rubric.of(criterion)
        if found is None:
            there = ", ".join(each.key for each in rubric.rubrics)
            raise ConfigError(
                f"rubric: {rubric.name} has none of {criterion.key} (it has {there}); choose a rubric of all "
                "criteria, rubric=generated, or rubric=none"
            )
        if found.scale.points != criterion.scale.points or found.scale.words != criterion.scale.words:
            raise ConfigError(
                f"rubric: {rubric.name} describes {criterion.key} on the scale {found.scale}, it is scored "
                f"on {criterion.scale}; set method.scale, or generate one on that scale"
            )
