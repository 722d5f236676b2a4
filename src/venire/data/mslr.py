"""MSLR-Cochrane: six systems' summaries of medical reviews, rated by two human annotators.

Source: Wang et al., ACL 2023, as `venire.data.mslr_facets`; the shared table
`mslr/mslr_cochrane_annotations.csv` made from its repository (see docs/data.md).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from venire.data import mslr_facets as facets_of
from venire.data.checks import Placed, assemble, check_count, index_by
from venire.data.hub import HubSplit
from venire.data.mslr_facets import AVERAGE, COMPONENTS, FACETS, Answers
from venire.data.protocol import Loaded
from venire.data.rows import Row
from venire.data.scores import mean_ratings
from venire.data.settings import as_choice, check_at_least_one, check_names
from venire.data.source import Read, read_local_or_hub
from venire.data.tasks import read_task
from venire.errors import ConfigError
from venire.records import Dimension, Instance, RatingsGold, Response

FILE = "mslr/mslr_cochrane_annotations.csv"
SAMPLE = 102  # 17 summaries of each of the six systems
_ROWS, _SUMMARIES = 639, 598


class Facets(StrEnum):
    """How answers become facets."""

    CORRECTED = "corrected"
    AS_PUBLISHED = "as_published"


class Annotators(StrEnum):
    """Whose ratings are the gold."""

    PRIMARY = "primary"  # the first annotator's if it answered, else the second's
    BOTH = "both"  # the mean of those who answered
    EACH = "each"  # each annotator's row is an instance of its own


class Average(StrEnum):
    """How the mean of the four facets is read."""

    AS_STORED = "as_stored"  # the data's own column: the same mean may be two numbers, by rounding
    EXACT = "exact"


@dataclass(frozen=True, slots=True)
class MSLR:
    """One instance a summary that somebody rated; gold on the annotators' scales.

    The response is the generated summary, the reference the review's published conclusion, the
    cluster the review, the subset (and the response's generator) the system. The id is
    `<review>/<system>`, with `annotators: each` `<review>/<system>/<annotator>`.
    `RatingsGold.by_annotator` has all annotators of the summary, whoever the gold is.

    Args:
        root: the data root, which holds `mslr/`.
        facets: `corrected`, or `as_published`: the paper's coding, and only the rows that it kept.
        annotators: see `Annotators`.
        dimensions: some of fluency, pio, direction, strength, average, and of the single answers
            population, intervention, outcome, ed_agree, strength_agree.
        sample: 102 for the fixed sample of 17 summaries a system, None for all.
        average: see `Average`; `as_stored` gives the reference figures of the data.
        limit: the first instances that are kept; None for all.
        hub: a Hub id (or folder) with the same columns, read where there is no file; None for never.
        revision, cache_dir: see `HubSplit`.
        check_counts: whether the published counts must be met.
    """

    root: str = "data"
    facets: Facets = Facets.CORRECTED
    annotators: Annotators = Annotators.PRIMARY
    dimensions: tuple[str, ...] = (*FACETS, AVERAGE)
    sample: int | None = None
    average: Average = Average.AS_STORED
    limit: int | None = None
    hub: str | None = None
    revision: str | None = None
    cache_dir: str | None = None
    check_counts: bool = True

    def __post_init__(self) -> None:
        check_at_least_one("limit", self.limit)
        object.__setattr__(self, "facets", as_choice("facets", self.facets, Facets))
        object.__setattr__(self, "annotators", as_choice("annotators", self.annotators, Annotators))
        object.__setattr__(self, "average", as_choice("average", self.average, Average))
        object.__setattr__(self, "dimensions", tuple(self.dimensions))
        check_names("dimensions", self.dimensions, (*FACETS, AVERAGE, *COMPONENTS))
        if self.sample not in (None, SAMPLE):
            raise ConfigError(
                f"sample: expected {SAMPLE}, the fixed sample, or null for all, got {self.sample}; "
                "dataset.limit=N takes the first N"
            )

    @property
    def name(self) -> str:
        """`mslr`."""
        return "mslr"

    @property
    def scales(self) -> tuple[Dimension, ...]:
        """The dimensions chosen, with their scales."""
        return tuple(self._dimension(name) for name in self.dimensions)

    def load(self) -> Loaded:
        """The summaries by review and system.

        Raises:
            DataError: the table cannot be read, a record breaks the format, or a count differs.
        """
        hub = HubSplit(self.hub, "train", None, self.revision, self.cache_dir) if self.hub else None
        read = read_local_or_hub(self.root, FILE, hub)
        if self.check_counts:
            check_count(read.source, "rows", len(read.rows), _ROWS)
        index_by(read.rows, _key, "review_id, system_id, annotator")
        summaries: dict[tuple[str, str], list[Row]] = defaultdict(list)
        for row in read.rows:
            summaries[row.name("review_id"), row.name("system_id")].append(row)
        warnings: list[str] = list(read.warnings)
        everything = [each for key in sorted(summaries) for each in self._placed(key, summaries[key])]
        placed = [item for item in everything if self.sample is None or _flag(item.row, "in_sample_102")]
        self._check(read, summaries, placed, warnings)
        two = [item.instance for item in everything if _n_annotators(item.instance) > 1]
        return assemble(
            [item for item in placed if self._is_rated(item)],
            source=read.source,
            limit=self.limit,
            revision=read.revision,
            id_field="review_id, system_id, annotator",
            warnings=warnings,
            doubly_rated=two if self.sample is not None or self.limit is not None else (),
        )

    def _check(
        self,
        read: Read,
        summaries: Mapping[tuple[str, str], Sequence[Row]],
        placed: Sequence[Placed],
        warnings: list[str],
    ) -> None:
        """Published counts, and a sentence on what is left out."""
        primary = sum(_flag(row, "primary") for rows in summaries.values() for row in rows)
        if self.check_counts:
            check_count(read.source, "primary rows", primary, _SUMMARIES)
        if self.sample is None and self.annotators is not Annotators.EACH:
            left = len(summaries) - len(placed)
            why = "nobody answered" if self.facets is Facets.CORRECTED else "the paper's script dropped them"
            if left:
                warnings.append(f"{left} of {len(summaries)} summaries left out: {why}")
        unrated = sum(not self._is_rated(item) for item in placed)
        if unrated:
            warnings.append(f"{unrated} summaries left out: not rated on any of {', '.join(self.dimensions)}")

    def _is_rated(self, item: Placed) -> bool:
        return isinstance(item.instance.gold, RatingsGold) and bool(item.instance.gold.mean)

    def _placed(self, key: tuple[str, str], rows: Sequence[Row]) -> list[Placed]:
        """The instances of one summary: none where nobody answered, or the paper's script kept no row."""
        kept = [row for row in rows if self._is_kept(row)]
        if not kept:
            return []
        ratings = {row.name("annotator"): self._ratings(row) for row in kept}
        if self.annotators is Annotators.EACH:
            return [
                Placed(row, self._instance("/".join((*key, who)), row, {who: ratings[who]}, ratings[who]))
                for row in kept
                for who in (row.name("annotator"),)
            ]
        # Of a doubly annotated summary one row is marked; the coding may have dropped it.
        first = next((row for row in kept if _flag(row, "primary")), kept[0])
        if self.annotators is Annotators.BOTH:
            mean = mean_ratings(list(ratings.values()))
        else:
            mean = ratings[first.name("annotator")]
        return [Placed(first, self._instance("/".join(key), first, ratings, mean))]

    def _is_kept(self, row: Row) -> bool:
        return _flag(row, "has_answers" if self.facets is Facets.CORRECTED else "used_by_source")

    def _ratings(self, row: Row) -> dict[str, float]:
        """One annotator's ratings on the chosen dimensions, on their scales."""
        answers = Answers.of(row)
        made = facets_of.corrected if self.facets is Facets.CORRECTED else facets_of.as_published
        facets = made(answers)
        average = facets_of.exact_average(facets)
        if average is not None and self.average is Average.AS_STORED:
            column = "facet_average" if self.facets is Facets.CORRECTED else "paper_average"
            average = row.real(column, 0, self._dimension(AVERAGE).high)
        everything = {**facets_of.components(answers), **facets}
        if average is not None:
            everything[AVERAGE] = average
        return {name: everything[name] for name in self.dimensions if name in everything}

    def _instance(
        self, id: str, row: Row, by_annotator: Mapping[str, Mapping[str, float]], mean: Mapping[str, float]
    ) -> Instance:
        system = row.name("system_name")
        return Instance(
            id=id,
            prompt=read_task("mslr").prompt,
            responses=(Response(row.text("generated"), "generated", system),),
            gold=RatingsGold(dict(mean), {who: dict(own) for who, own in by_annotator.items()}),
            subset=system,
            reference=row.prompt("target"),
            cluster=row.name("review_id"),
            dimensions=self.scales,
            metadata={
                "review_id": row.name("review_id"),
                "system_id": row.name("system_id"),
                "system_type": row.name("system_type"),
                "annotators": ", ".join(by_annotator),
            },
        )

    def _dimension(self, name: str) -> Dimension:
        task = read_task("mslr")
        for section in (self.facets.value, Facets.CORRECTED.value, "component"):
            if name in task.scales.get(section, {}):
                return task.dimension(section, name)
        raise AssertionError(f"{name} is in tasks/mslr.toml")


def _n_annotators(instance: Instance) -> int:
    return len(instance.gold.by_annotator) if isinstance(instance.gold, RatingsGold) else 0


def _key(row: Row) -> object:
    return "/".join(row.name(field) for field in ("review_id", "system_id", "annotator"))


def _flag(row: Row, field: str) -> bool:
    return row.real(field, 0, 1) == 1
