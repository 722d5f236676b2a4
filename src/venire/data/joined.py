"""Several data sets as one: a development split over benchmarks, disjoint from what is evaluated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from venire.data.fingerprint import fingerprint
from venire.data.overlap import Overlap, normalised, overlap
from venire.data.protocol import Dataset, Loaded
from venire.data.sampling import stratified_sample
from venire.data.settings import as_choice, check_at_least_one
from venire.errors import ConfigError, DataError
from venire.records import Instance, Winner

_NAMED = 3  # ids that a message names


class OnOverlap(StrEnum):
    """What becomes of instances that the evaluated data has, too."""

    DROP = "drop"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class Joined:
    """The instances of several data sets, part after part; ids, subsets and clusters stay as they are.

    Of what two parts both have (prompt and responses, in whatever order) the earlier part's is kept.

    Args:
        parts: data sets by name; all have preferences, or all ratings.
        disjoint_from: what is evaluated elsewhere: no instance may share an id or a prompt with it.
        on_overlap: leave such instances out, with a warning that counts them, or refuse to run.
        sample: how many are kept, stratified by part and subset, as few prompts as possible; None: all.
        sample_seed: names another sample.
        limit: the first instances of these that are kept; None for all.

    Raises:
        ConfigError: no part, or a setting out of range.
    """

    parts: Mapping[str, Dataset]
    disjoint_from: Mapping[str, Dataset] = field(default_factory=dict)
    on_overlap: OnOverlap = OnOverlap.DROP
    sample: int | None = None
    sample_seed: int = 0
    limit: int | None = None

    def __post_init__(self) -> None:
        if not self.parts:
            raise ConfigError("parts: expected at least one data set, got none")
        check_at_least_one("sample", self.sample)
        check_at_least_one("limit", self.limit)
        object.__setattr__(self, "on_overlap", as_choice("on_overlap", self.on_overlap, OnOverlap))

    @property
    def name(self) -> str:
        """`mt_bench+llmbar`."""
        return "+".join(self.parts)

    def load(self) -> Loaded:
        """The parts' instances, without those that the evaluated data has, sampled.

        Raises:
            DataError: a part cannot be read, two parts have an id in common or differ in their labels'
                kind, instances overlap (`refuse`), nothing is left, or fewer than `sample`.
        """
        loaded = {name: part.load() for name, part in self.parts.items()}
        _check_together(loaded)
        warnings = [f"{name}: {warning}" for name, part in loaded.items() for warning in part.warnings]
        kept = {name: list(part.instances) for name, part in loaded.items()}
        for name, other in self.disjoint_from.items():
            evaluated = other.load().instances
            for part, instances in kept.items():
                found = overlap(instances, evaluated)
                if found.ids:
                    warnings.append(self._met(part, name, found))
                    kept[part] = [each for each in instances if each.id not in found.ids]
        kept = _without_doubles(kept, warnings)
        instances = self._sampled(kept)[: self.limit]
        if not instances:
            raise DataError("dataset.parts: expected at least one instance that is not evaluated, got none")
        return Loaded(
            instances=tuple(instances),
            fingerprint=fingerprint(instances),
            source=" + ".join(part.source for part in loaded.values()),
            labels=_labels(loaded),
            warnings=tuple(warnings),
        )

    def _met(self, part: str, other: str, found: Overlap) -> str:
        """The sentence on an overlap; an error where none is allowed."""
        ids = sorted(found.ids)
        named = ", ".join(ids[:_NAMED]) + (f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else "")
        what = f"{len(found.by_id)} by id, {len(found.by_prompt)} by prompt: {named}"
        if self.on_overlap is OnOverlap.REFUSE:
            raise DataError(
                f"dataset.parts.{part}: expected no instance that {other} evaluates, got {len(ids)} "
                f"({what}); take other data, or set dataset.on_overlap=drop"
            )
        return f"{part}: {len(ids)} instances left out because {other} evaluates them ({what})"

    def _sampled(self, kept: Mapping[str, Sequence[Instance]]) -> list[Instance]:
        everything = [each for instances in kept.values() for each in instances]
        if self.sample is None:
            return everything
        if self.sample > len(everything):
            raise DataError(
                f"dataset.sample: expected at most {len(everything)}, the instances that there are, got "
                f"{self.sample}; set a smaller sample, or dataset.sample=null for all"
            )
        strata = [
            replace(each, subset=f"{name}/{each.subset}") for name, part in kept.items() for each in part
        ]
        chosen = stratified_sample(strata, self.sample, self.sample_seed)
        return [each for each in everything if each.id in chosen]


def _check_together(loaded: Mapping[str, Loaded]) -> None:
    """Nothing, where the parts can be one data set."""
    owner: dict[str, str] = {}
    for name, part in loaded.items():
        for instance in part.instances:
            first = owner.setdefault(instance.id, name)
            if first != name:
                raise DataError(
                    f"dataset.parts.{name}: expected ids that no other part has, got {instance.id!r}, which "
                    f"{first} has, too; leave one of the two out"
                )
    if len({bool(part.labels) for part in loaded.values()}) > 1:
        raise DataError("dataset.parts: expected preferences in all parts, or ratings in all, got both")


def _without_doubles(
    kept: Mapping[str, Sequence[Instance]], warnings: list[str]
) -> dict[str, list[Instance]]:
    """Each part without what an earlier part has; adds a warning for each part that had some."""
    earlier: set[object] = set()
    single: dict[str, list[Instance]] = {}
    for name, instances in kept.items():
        single[name] = [each for each in instances if _content(each) not in earlier]
        if len(single[name]) < len(instances):
            doubles = len(instances) - len(single[name])
            warnings.append(f"{name}: {doubles} instances left out because an earlier part has them")
        earlier |= {_content(each) for each in instances}
    return single


def _content(instance: Instance) -> object:
    return normalised(instance.prompt), frozenset(normalised(each.text) for each in instance.responses)


def _labels(loaded: Mapping[str, Loaded]) -> tuple[Winner, ...]:
    declared = {label for part in loaded.values() for label in part.labels}
    return tuple(label for label in Winner if label in declared)
