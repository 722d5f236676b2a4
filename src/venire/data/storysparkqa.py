"""StorySparkQA: question-answer pairs on children's stories; human ratings come from a file of yours.

The 5,868 pairs are experts' own and unrated. As far as we know, neither the 70 pairs by GPT-4 nor the
experts' ratings that MAJ-EVAL was measured on are public, so alignment needs a file of ratings.

Source: Chen et al., EMNLP 2024, arXiv:2311.09756; https://github.com/neuhai/StorySparkQA.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from venire.data.checks import Placed, assemble, check_count, index_by
from venire.data.files import read_rows
from venire.data.hub import HubSplit
from venire.data.protocol import Loaded
from venire.data.rows import Row, complaint
from venire.data.scores import Rated, check_scale, merged
from venire.data.settings import check_at_least_one, check_names
from venire.data.source import Read, read_local_or_hub
from venire.data.tasks import read_task
from venire.errors import ConfigError
from venire.records import Dimension, Instance, RatingsGold, Response

FILE = "storysparkqa/storysparkqa.csv.gz"
HUB_ID = "NEU-HAI/StorySparkQA"
SPLITS = ("train", "val", "test")
DIMENSIONS = ("grammar", "relevancy", "consistency", "appropriateness")
_PAIRS = {"train": 4300, "val": 799, "test": 769}

RATINGS_FILE = (
    "a .csv, .jsonl, .json or .parquet file with a column qa_id (train-0000, ...: joined by it) and a column "
    f"each of {', '.join(DIMENSIONS)}, with numbers on dataset.scale or nothing; optional: annotator (then a "
    "row an annotator and pair), and for pairs that a model wrote: id, question, answer, generator (then "
    "qa_id names an expert's pair on the same section, which becomes the reference)"
)


@dataclass(frozen=True, slots=True)
class StorySparkQA:
    """The pairs that a file of ratings names, with the section as context and the story as cluster.

    Without a file there is no gold and nothing to measure: that is refused, with what the file must
    look like, unless `unrated` is set. The response is `Question: ...` and `Answer: ...`, the subset
    the collection that the story is from.

    Args:
        root: the data root, which holds `storysparkqa/`.
        ratings: the file of human ratings (below `root`, else as it is); see `RATINGS_FILE`.
        unrated: without ratings, load all pairs without gold (to plan, or to judge unmeasured).
        scale: lowest and highest rating; judges are asked for whole numbers on it.
        dimensions: some of grammar, relevancy, consistency, appropriateness.
        splits: of train, val, test; pairs of the others are left out.
        limit: the first instances that are kept; None for all.
        hub: the Hub id that is read where there is no local file; None for local only.
        revision, cache_dir: see `HubSplit`.
        check_counts: whether the published counts must be met.
    """

    root: str = "data"
    ratings: str | None = None
    unrated: bool = False
    scale: tuple[float, float] = (1.0, 5.0)
    dimensions: tuple[str, ...] = DIMENSIONS
    splits: tuple[str, ...] = SPLITS
    limit: int | None = None
    hub: str | None = HUB_ID
    revision: str | None = None
    cache_dir: str | None = None
    check_counts: bool = True

    def __post_init__(self) -> None:
        check_at_least_one("limit", self.limit)
        check_names("dimensions", self.dimensions, DIMENSIONS)
        check_names("splits", self.splits, SPLITS)
        check_scale("scale", self.scale)
        if self.ratings is not None and self.unrated:
            raise ConfigError("unrated: expected false where there is a file of ratings; drop one of the two")

    @property
    def name(self) -> str:
        """`storysparkqa`."""
        return "storysparkqa"

    @property
    def scales(self) -> tuple[Dimension, ...]:
        """The dimensions chosen, all on `scale`."""
        task = read_task("storysparkqa")
        return tuple(task.dimension("dimensions", name, (*self.scale, 1.0)) for name in self.dimensions)

    def load(self) -> Loaded:
        """The rated pairs in the order of the file of ratings; with `unrated` all pairs in their own.

        Raises:
            DataError: there is no file of ratings, a rating of no pair, or a record that breaks the format.
        """
        if self.ratings is None and not self.unrated:
            raise complaint(
                "dataset.ratings",
                expected=f"human ratings ({RATINGS_FILE})",
                got="none: as far as we know no ratings of StorySparkQA are public",
                todo="set dataset.ratings=FILE, or dataset.unrated=true to judge without measuring alignment",
            )
        read, pairs = self._pairs()
        if self.ratings is None:
            placed = [Placed(row, self._instance(_Pair(name, row, row))) for name, row in pairs.items()]
            warnings = ["no human ratings: nothing can be measured against them"]
        else:
            placed, warnings = self._rated(pairs)
        return assemble(
            placed,
            source=read.source if self.ratings is None else f"{read.source} + {self.ratings}",
            limit=self.limit,
            revision=read.revision,
            id_field="qa_id",
            warnings=(*read.warnings, *warnings),
        )

    def _pairs(self) -> tuple[Read, Mapping[str, Row]]:
        """All pairs by id; on the Hub the id is made of split and row, as in the local file."""
        local = (Path(self.root) / FILE).exists() or self.hub is None
        if local:
            read = read_local_or_hub(self.root, FILE, None)
            named = [(row.name("qa_id"), row) for row in read.rows]
        else:
            reads = [
                read_local_or_hub(
                    self.root, FILE, HubSplit(str(self.hub), split, None, self.revision, self.cache_dir)
                )
                for split in SPLITS
            ]
            named = [
                (f"{split}-{row.number - 1:04d}", row)
                for split, each in zip(SPLITS, reads, strict=True)
                for row in each.rows
            ]
            read = Read((), f"hub:{self.hub}", self.revision, reads[0].warnings)
        if self.check_counts:
            for split, count in _PAIRS.items():
                got = sum(name.startswith(f"{split}-") for name, _ in named)
                check_count(read.source, f"{split} pairs", got, count)
        if local:
            index_by([row for _, row in named], lambda row: row.name("qa_id"), "qa_id")
        return read, {name: row for name, row in named if name.split("-")[0] in self.splits}

    def _rated(self, pairs: Mapping[str, Row]) -> tuple[list[Placed], list[str]]:
        file = Path(self.root) / str(self.ratings)
        rows = read_rows(file if file.exists() else Path(str(self.ratings)))
        known: list[tuple[Row, str]] = []
        for row in rows:
            if row.name("qa_id") not in pairs:
                raise row.bad(
                    "qa_id",
                    expected=f"the id of a pair of {', '.join(self.splits)} (train-0000, ...)",
                    got=repr(row.name("qa_id")),
                    todo="correct the id: ratings are joined by it, never by position",
                )
            known.append((row, _own(row, "id") or row.name("qa_id")))
        rated = merged(
            known,
            dict.fromkeys(self.dimensions, self.scale),
            annotator="annotator",
            alike=("qa_id", "question", "answer"),
        )
        placed = [Placed(each.row, self._instance(_pair_of(each, pairs), each)) for each in rated]
        with_any = [item for item in placed if item.instance.gold is not None]
        empty = len(placed) - len(with_any)
        left = f"{len(pairs) - len({row.name('qa_id') for row in rows})} of {len(pairs)} pairs are not rated"
        return with_any, [left, *([f"{empty} rows without any rating are left out"] if empty else [])]

    def _instance(self, pair: "_Pair", rated: Rated | None = None) -> Instance:
        public, own = pair.public, pair.own
        story = public.name("story_name")
        concept = next((field for field in ("concept", "concept (sub)") if field in public.fields), "concept")
        origin = _own(public, "origin") or ""
        return Instance(
            id=pair.name,
            prompt=read_task("storysparkqa").prompt,
            responses=(Response(_text(own), "pair", _own(own, "generator") if own is not public else None),),
            gold=RatingsGold(rated.mean, rated.by_annotator) if rated and rated.mean else None,
            subset=origin,
            context=public.prompt("section_text"),
            reference=None if own is public else _text(public),
            cluster=story,
            dimensions=self.scales,
            metadata={
                "qa_id": pair.qa_id or pair.name,
                "story": story,
                "section": str(public.value("section_id")),
                "triple": " | ".join(str(public.value(field)) for field in (concept, "relation", "obj")),
            },
        )


@dataclass(frozen=True, slots=True)
class _Pair:
    """The pair to judge: an expert's (`own` is `public`), or another on the same section."""

    name: str
    public: Row
    own: Row
    qa_id: str = ""


def _pair_of(rated: Rated, pairs: Mapping[str, Row]) -> _Pair:
    row = rated.row
    qa_id = row.name("qa_id")
    written = [field for field in ("question", "answer") if _own(row, field) is not None]
    if len(written) == 1 or (written and _own(row, "id") is None):
        raise row.bad(
            "question",
            expected="id, question and answer for a pair that a model wrote, or none of the three",
            got=f"only {', '.join(['qa_id', *written])}",
            todo="fill in what is missing",
        )
    return _Pair(rated.name, pairs[qa_id], row if written else pairs[qa_id], qa_id)


def _own(row: Row, field: str) -> str | None:
    """What is in an optional column; None where there is no such column, or nothing in it."""
    value = row.fields.get(field)
    return None if value is None or not str(value).strip() else str(value)


def _text(row: Row) -> str:
    return f"Question: {row.text('question').strip()}\nAnswer: {row.text('answer').strip()}"
