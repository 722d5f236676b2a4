"""Any table as a data set: a JSONL, JSON, CSV or Parquet file, or a Hub split, with named columns."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from venire.data.checks import Placed, assemble, check_count
from venire.data.files import read_rows
from venire.data.fingerprint import content_id, prompt_cluster
from venire.data.hub import HubSplit
from venire.data.protocol import Loaded
from venire.data.rows import Row
from venire.data.scores import Rated, merged
from venire.data.settings import as_choice, check_at_least_one
from venire.data.streamed import assemble_streamed
from venire.data.streams import stream_rows
from venire.errors import ConfigError
from venire.records import Dimension, Gold, Instance, PreferenceGold, RatingsGold, Response, Winner


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column holds what; None where the table has none.

    Either `response` (single-response) or both `response_1` and `response_2` (pairwise).

    Args:
        id: unique; None makes ids from the texts (`content_id`).
        prompt: what was asked.
        response, response_1, response_2: the response or the two responses.
        label: which response is better (pairwise only).
        ratings: dimension to column (single-response only).
        annotator: who rated; then several rows may rate one response, under one id: they are merged, and
            the gold is the mean.
        context, reference: what the response is based on, and a reference answer.
        subset: the part of the data set that results are also given for.
        cluster: what is drawn together by a bootstrap; None: rows with equal prompts are a cluster.
        generator, generator_1, generator_2: which model wrote the response.
        metadata: metadata key to column, for tables; never shown to a judge.
    """

    id: str | None = "id"
    prompt: str = "prompt"
    response: str | None = None
    response_1: str | None = None
    response_2: str | None = None
    label: str | None = None
    ratings: Mapping[str, str] = field(default_factory=dict)
    annotator: str | None = None
    context: str | None = None
    reference: str | None = None
    subset: str | None = None
    cluster: str | None = None
    generator: str | None = None
    generator_1: str | None = None
    generator_2: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ratings", {str(k): str(v) for k, v in self.ratings.items()})
        object.__setattr__(self, "metadata", {str(k): str(v) for k, v in self.metadata.items()})
        pair = [name for name in (self.response_1, self.response_2) if name is not None]
        if (self.response is None) == (len(pair) == 0) or len(pair) == 1:
            raise ConfigError(
                "response: expected either response, or both response_1 and response_2, got "
                f"response={self.response}, response_1={self.response_1}, response_2={self.response_2}"
            )
        if pair and self.ratings:
            raise ConfigError("ratings: expected a single-response table, got two responses")
        if self.annotator is not None and (not self.ratings or self.id is None):
            raise ConfigError("annotator: expected ratings and an id column: rows are merged by id")
        if self.label is not None and not pair:
            raise ConfigError("label: expected response_1 and response_2, got a single response; set null")

    @property
    def is_pairwise(self) -> bool:
        """Whether each row has two responses."""
        return self.response_1 is not None

    @property
    def responses(self) -> Sequence[tuple[str, str | None]]:
        """The columns of each response and of its generator."""
        if self.response_1 is not None and self.response_2 is not None:
            return ((self.response_1, self.generator_1), (self.response_2, self.generator_2))
        return ((str(self.response), self.generator),)


@dataclass(frozen=True, slots=True)
class Table:
    """A data set that is one table.

    Args:
        columns: see `Columns`.
        path: the file, below `root`, else as it is (below the working directory); None with `hub`.
        hub: a Hub id; None with `path`.
        split, config, revision, cache_dir: see `HubSplit`.
        root: the data root.
        labels: the label column's values to `response_1`, `response_2` or `tie`; None where the
            file says just these three. Numbers count as their text. Any other value is an error.
        scales: rating dimension to [lowest, highest], or [lowest, highest, step]; each rated dimension
            needs one, and a rating outside is an error. An empty rating is absent; a row without any has
            no gold. Judges rate in steps of 1 where the ends are whole numbers more than 1 apart, else
            any number between; step 0 is any number.
        descriptions: rating dimension to what judges are told of it; its name where there is none.
        name: as it stands in tables and tags.
        expected_count: how many records there must be; None for any number.
        limit: the first records that are kept; None for all.
        stream: read pairs of responses one after another each time that they are gone through, so that a
            run need not hold them all; see docs/scale.md.
    """

    columns: Columns
    path: str | None = None
    hub: str | None = None
    split: str = "train"
    config: str | None = None
    revision: str | None = None
    cache_dir: str | None = None
    root: str = "data"
    labels: Mapping[str, str] | None = None
    scales: Mapping[str, Sequence[float]] = field(default_factory=dict)
    descriptions: Mapping[str, str] = field(default_factory=dict)
    name: str = "table"
    expected_count: int | None = None
    limit: int | None = None
    stream: bool = False

    def __post_init__(self) -> None:
        check_at_least_one("limit", self.limit)
        check_at_least_one("expected_count", self.expected_count)
        if (self.path is None) == (self.hub is None):
            raise ConfigError(f"path: expected either path or hub, got path={self.path}, hub={self.hub}")
        if self.hub is None and self.revision is not None:
            raise ConfigError(f"revision: only a Hub set has one, got {self.revision!r} for a file")
        if self.labels is not None:
            object.__setattr__(self, "labels", _checked_labels(self.labels))
        object.__setattr__(self, "scales", _checked_scales(self.scales, self.columns.ratings))
        for dimension in self.descriptions:
            _check_rated("descriptions", dimension, self.columns.ratings)
        if self.stream and not self.columns.is_pairwise:
            raise ConfigError(
                "stream: expected pairs of responses: single ones are measured over all documents at once"
            )

    def load(self) -> Loaded:
        """The records in file order.

        Raises:
            DataError: the file (or Hub split) cannot be read, or a record breaks the format.
        """
        if self.stream:
            return self._streamed()
        rows, source, warnings = self._read()
        check_count(source, "records", len(rows), self.expected_count)
        return assemble(
            self._placed(rows),
            source=source,
            labels=self._declared,
            limit=self.limit,
            revision=self.revision if self.hub is not None else None,
            id_field=self.columns.id or "prompt and responses",
            warnings=warnings,
        )

    def _streamed(self) -> Loaded:
        stream, source, warnings = self._stream()
        return assemble_streamed(
            lambda: (Placed(row, self._instance(row)) for row in stream()),
            source=source,
            labels=self._declared,
            limit=self.limit,
            revision=self.revision if self.hub is not None else None,
            id_field=self.columns.id or "prompt and responses",
            expected_count=self.expected_count,
            warnings=warnings,
        )

    def _placed(self, rows: Sequence[Row]) -> list[Placed]:
        """An instance a row; where rows have annotators, an instance an id."""
        columns = self.columns
        if columns.annotator is None or columns.id is None:
            return [Placed(row, self._instance(row)) for row in rows]
        texts = [columns.prompt, columns.context, columns.reference, *(text for text, _ in columns.responses)]
        rated = merged(
            [(row, row.name(columns.id)) for row in rows],
            {dimension: (scale[0], scale[1]) for dimension, scale in self.scales.items()},
            columns=columns.ratings,
            annotator=columns.annotator,
            alike=[text for text in texts if text is not None],
        )
        return [Placed(each.row, self._instance(each.row, each)) for each in rated]

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        """What is rated, with scales."""
        return tuple(
            Dimension(name, self.descriptions.get(name, name.replace("_", " ")), *scale)
            for name, scale in ((name, _scale(self.scales[name])) for name in self.columns.ratings)
        )

    def _read(self) -> tuple[tuple[Row, ...], str, tuple[str, ...]]:
        if self.path is not None:
            return read_rows(self._file(self.path)), self.path, ()
        split = self._split
        return split.rows(), split.source, split.warnings

    def _stream(self) -> tuple[Callable[[], Iterator[Row]], str, tuple[str, ...]]:
        if self.path is not None:
            path = self._file(self.path)
            return lambda: stream_rows(path), self.path, ()
        split = self._split
        return split.stream, split.source, split.warnings

    def _file(self, path: str) -> Path:
        # An absolute path stays itself when joined.
        below_root = Path(self.root) / path
        return below_root if below_root.exists() else Path(path)

    @property
    def _split(self) -> HubSplit:
        return HubSplit(str(self.hub), self.split, self.config, self.revision, self.cache_dir)

    @property
    def _meanings(self) -> Mapping[str, Winner]:
        if self.labels is None:
            return {winner.value: winner for winner in Winner}
        return {value: Winner(label) for value, label in self.labels.items()}

    @property
    def _declared(self) -> tuple[Winner, ...]:
        if self.columns.label is None:
            return ()
        meant = set(self._meanings.values())
        return tuple(winner for winner in Winner if winner in meant)

    def _instance(self, row: Row, rated: Rated | None = None) -> Instance:
        columns = self.columns
        prompt = row.prompt(columns.prompt)
        context = _optional(row, columns.context)
        responses = tuple(
            Response(row.text(text), text, _optional_name(row, generator))
            for text, generator in columns.responses
        )
        texts = [response.text for response in responses]
        return Instance(
            id=content_id(prompt, context, texts) if columns.id is None else row.name(columns.id),
            prompt=prompt,
            responses=responses,
            gold=self._gold(row) if rated is None else _ratings(rated.mean, rated.by_annotator),
            subset=_optional_name(row, columns.subset) or "",
            context=context,
            reference=_optional(row, columns.reference),
            cluster=_optional_name(row, columns.cluster) or prompt_cluster(prompt),
            dimensions=self.dimensions if columns.ratings else (),
            metadata={key: _as_text(row.value(column)) for key, column in columns.metadata.items()},
        )

    def _gold(self, row: Row) -> Gold | None:
        if self.columns.label is not None:
            return PreferenceGold(row.choice(self.columns.label, self._meanings))
        if not self.columns.ratings:
            return None
        read = {
            dimension: row.real(column, self.scales[dimension][0], self.scales[dimension][1])
            for dimension, column in self.columns.ratings.items()
        }
        mean = {dimension: rating for dimension, rating in read.items() if rating is not None}
        return _ratings(mean, {})


def _ratings(mean: Mapping[str, float], by: Mapping[str, Mapping[str, float]]) -> RatingsGold | None:
    return RatingsGold(mean, by) if mean else None


def _optional(row: Row, column: str | None) -> str | None:
    """The column's text; None where there is no such column in the settings, or nothing in it."""
    if column is None or row.value(column) is None:
        return None
    return row.text(column) or None


def _optional_name(row: Row, column: str | None) -> str | None:
    if column is None or row.value(column) in (None, ""):
        return None
    return row.name(column)


def _as_text(value: object) -> str:
    return "" if value is None else str(value)


def _checked_labels(labels: Mapping[str, str]) -> Mapping[str, str]:
    if not labels:
        raise ConfigError("labels: expected values with what they mean, got none; null for as it is")
    return {
        str(value): as_choice(f"labels.{value}", meaning, Winner).value for value, meaning in labels.items()
    }


def _checked_scales(
    scales: Mapping[str, Sequence[float]], ratings: Mapping[str, str]
) -> Mapping[str, tuple[float, ...]]:
    for dimension in ratings:
        if dimension not in scales:
            raise ConfigError(f"scales.{dimension}: expected [lowest, highest] of this rating, got none")
    for dimension in scales:
        _check_rated("scales", dimension, ratings)
    return {dimension: _checked_scale(dimension, ends) for dimension, ends in scales.items()}


def _check_rated(key: str, dimension: str, ratings: Mapping[str, str]) -> None:
    if dimension not in ratings:
        there = ", ".join(ratings) or "none"
        raise ConfigError(f"{key}.{dimension}: no such rating (columns.ratings: {there})")


def _checked_scale(dimension: str, ends: Sequence[float]) -> tuple[float, ...]:
    scale = tuple(float(end) for end in ends)
    if len(scale) not in (2, 3) or not scale[0] < scale[1] or not _divides(scale):
        raise ConfigError(
            f"scales.{dimension}: expected [lowest, highest], got {list(ends)}; a step between points may "
            "stand third (0: any number between)"
        )
    return scale


def _scale(scale: Sequence[float]) -> tuple[float, float, float | None]:
    """Lowest, highest, step; None where any number between will do."""
    low, high = scale[0], scale[1]
    whole = 1.0 if float(low).is_integer() and float(high).is_integer() and high - low > 1 else 0.0
    step = scale[2] if len(scale) == 3 else whole
    return low, high, step or None


def _divides(scale: Sequence[float]) -> bool:
    """Whether a step, where there is one, leads from the lowest to the highest point."""
    if len(scale) == 2 or scale[2] == 0:
        return True
    steps = (scale[1] - scale[0]) / scale[2]
    return steps >= 1 and abs(steps - round(steps)) < 1e-9
