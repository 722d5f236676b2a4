"""Runs into a bundle: their files, the data that they judged, and the stored replies that they used."""

import gzip
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from sqlalchemy import Engine

from venire.bundles.bare import bare_outcome, not_derivable
from venire.bundles.contents import (
    DEVELOPMENT,
    REPLIES,
    VECTORS,
    BundledJob,
    BundledRun,
    BundledTable,
    Contents,
    versions_here,
)
from venire.bundles.copying import Copying
from venire.bundles.deriving import Derived, as_filed, judge_again, with_calls
from venire.bundles.entries import TABLES, fill_store, lines_of, rows_of
from venire.bundles.from_bundle import sources_of
from venire.bundles.instances import loaded_to_json, without_texts
from venire.bundles.sources import Sources, Weights
from venire.bundles.tables import tables_of
from venire.data.protocol import Dataset, Loaded
from venire.errors import BundleError, VenireError
from venire.experiment import Experiment
from venire.judging.judge import RecordedJudge
from venire.llm.local import LocalSettings
from venire.llm.protocol import LLM
from venire.llm.recordings import recordings_digest
from venire.llm.store import open_engine
from venire.methods.protocol import AsksPeople
from venire.records import Call, Outcome, RunRecord, RunStatus
from venire.runs import RUN_FILES, assert_no_secrets, outcome_cells, read_calls, read_record
from venire.runs.outcomes import OUTCOMES_FILE, outcomes_to_parquet
from venire.runs.record_json import record_to_json

Rebuild: TypeAlias = Callable[[str, RunRecord, Sources], Experiment]
Files: TypeAlias = dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Order:
    """What to bundle: runs, and of a sweep its jobs and tables, with the members that are tables' specs."""

    name: str
    folders: tuple[Path, ...]
    jobs: tuple[BundledJob, ...] = ()
    tables: tuple[BundledTable, ...] = ()
    specs: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Packing:
    """How: from which store (a URL; None: each run's own), with texts or without; who builds experiments."""

    home: Path
    rebuild: Rebuild
    environ: Mapping[str, str]
    texts: bool = True
    store: str | None = None
    say: Callable[[str], None] = lambda _: None


def pack(order: Order, packing: Packing) -> tuple[Contents, Files]:
    """The contents of a bundle and its members.

    Raises:
        BundleError: a run's data set is not that which it judged, or something holds a secret.
        VenireError: a data set cannot be read, or a run's folder is damaged.
    """
    files: Files = {}
    rows: dict[str, dict[str, dict[str, object]]] = {name: {} for name in TABLES}
    runs = []
    for folder in order.folders:
        packing.say(f"{folder.name}: packing")
        runs.append(_pack_run(folder, packing, files, rows))
    if packing.texts:
        for name, path in (("replies", REPLIES), ("vectors", VECTORS)):
            if rows[name]:
                files[path] = lines_of(row for _, row in sorted(rows[name].items()))
    files |= order.specs
    contents = Contents(order.name, packing.texts, versions_here(), tuple(runs), order.jobs, order.tables)
    with tempfile.TemporaryDirectory(prefix="venire-bundle-") as scratch:
        unpack(files, Path(scratch))
        files |= tables_of(contents, Path(scratch) / "runs", Path(scratch) / "specs")
        _refuse_secrets(files, Path(scratch), runs, packing.environ)
    return contents, files


def unpack(files: Mapping[str, bytes], folder: Path) -> None:
    """Write members below `folder`; their names were checked."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _pack_run(
    folder: Path, packing: Packing, files: Files, rows: dict[str, dict[str, dict[str, object]]]
) -> BundledRun:
    record = read_record(folder)
    config_yaml = (folder / "config.yaml").read_text(encoding="utf-8")
    noted = _Noted()
    experiment = packing.rebuild(config_yaml, record, noted.sources())
    _check_data(record, experiment)
    with tempfile.TemporaryDirectory(prefix="venire-bundle-") as scratch:
        derived, why = _judge(folder, record, experiment, packing, Path(scratch), rows)
    data = {key: f"data/{loaded.fingerprint}.json" for key, loaded in noted.loaded.items()}
    for key, loaded in noted.loaded.items():
        files[data[key]] = loaded_to_json(loaded if packing.texts else without_texts(loaded))
    own = _run_files(folder, record, experiment, derived.development, texts=packing.texts)
    files |= {f"runs/{record.run_id}/{name}": content for name, content in own.items()}
    run = BundledRun(record.run_id, str(record.status), data, noted.digest, noted.weights, why)
    if packing.texts:
        return run
    bare = packing.rebuild(config_yaml, record, sources_of(run, files, texts=False))
    return replace(run, not_judged=_NO_TEXTS, unchecked=tuple(_unchecked(bare, own, record)))


_NO_TEXTS = "bundled without texts: there are no prompts and no replies to judge from"


def _unchecked(experiment: Experiment, own: Files, record: RunRecord) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="venire-bundle-") as scratch:
        unpack(own, Path(scratch))
        return not_derivable(experiment, as_filed(Path(scratch)), read_calls(Path(scratch)), record)


def _judge(
    folder: Path,
    record: RunRecord,
    experiment: Experiment,
    packing: Packing,
    scratch: Path,
    rows: dict[str, dict[str, dict[str, object]]],
) -> tuple[Derived, str]:
    """The judgments from the stored replies, which are put among `rows`; those of the files, and why."""
    keys = [call.key for part in _calls(folder) for call in part if not call.is_embedding]
    url = packing.store or experiment.llm.url(packing.home)
    with closing(_Opened(url if keys or experiment.method.embeddings else None)) as source:
        found = rows_of(source.engine, TABLES["replies"], keys) if source.engine else []
        copy = fill_store(scratch, TABLES["replies"], found)
        copying: list[Copying] = []

        def by_way_of(llm: LLM) -> Copying:
            copying.append(Copying(llm, experiment.method.embeddings, source.engine, copy))
            return copying[-1]

        derived, why = as_filed(folder), _why_not(record, experiment)
        if not why:
            try:
                derived = judge_again(experiment, scratch, by_way_of)
            except VenireError as error:
                why = f"not re-derived where it was bundled: {error}"
        copy.dispose()
    rows["replies"] |= {str(row["key"]): row for row in found}
    rows["vectors"] |= {str(row["key"]): dict(row) for each in copying for row in each.copied}
    return derived, why


def _why_not(record: RunRecord, experiment: Experiment) -> str:
    if record.status is RunStatus.INCOMPLETE:
        return f"the run stopped early: {record.error}"
    if isinstance(experiment.method, AsksPeople) and experiment.method.asks_people:
        return "people answered in this run, and no store holds what they said"
    return ""


def _calls(folder: Path) -> Sequence[Sequence[Call]]:
    lines = read_calls(folder)
    return lines.finished, lines.unfinished, lines.development


class _Opened:
    """A store, if there is one to open."""

    def __init__(self, url: str | None) -> None:
        self.engine: Engine | None = None if url is None else open_engine(url)

    def close(self) -> None:
        if self.engine is not None:
            self.engine.dispose()


class _Noted:
    """What an experiment was built from, as it is built."""

    def __init__(self) -> None:
        self.loaded: dict[str, Loaded] = {}
        self.digest = ""
        self.weights: Weights | None = None

    def sources(self) -> Sources:
        """Those of this machine, noted."""
        return Sources(self._load, self._recorded, self._weights)

    def _load(self, key: str, dataset: Dataset) -> Loaded:
        self.loaded[key] = dataset.load()
        return self.loaded[key]

    def _recorded(self, judge: RecordedJudge) -> RecordedJudge:
        self.digest = recordings_digest(judge.root)
        return judge

    def _weights(self, settings: LocalSettings) -> Weights:
        self.weights = Sources().weights(settings)
        return self.weights


def _check_data(record: RunRecord, experiment: Experiment) -> None:
    judged, here = record.tags.get("data_fingerprint", ""), experiment.loaded.fingerprint
    if judged != here:
        raise BundleError(
            f"{record.run_id}: expected the data that it judged ({judged[:12]}), found others here "
            f"({here[:12]}, {experiment.loaded.source}): set VENIRE_DATA to the folder that it was run on"
        )


def _run_files(
    folder: Path, record: RunRecord, experiment: Experiment, development: Sequence[Outcome], *, texts: bool
) -> Files:
    """The files of a run; without its MLflow run's id, which says nothing of it."""
    files = {name: (folder / name).read_bytes() for name in RUN_FILES}
    record = replace(record, mlflow_run_id=None)
    if not texts:
        record = replace(record, error="left out with the texts" if record.error else "")
        bare = map(bare_outcome, as_filed(folder).outcomes)
        outcomes = with_calls(tuple(bare), read_calls(folder).finished)
        files[OUTCOMES_FILE] = outcomes_to_parquet(experiment.loaded.instances, outcomes)
    files["run.json"] = record_to_json(record).encode()
    if development and experiment.development is not None:
        kept = development if texts else tuple(map(bare_outcome, development))
        files[f"{DEVELOPMENT}/{OUTCOMES_FILE}"] = outcomes_to_parquet(experiment.development.instances, kept)
    return files


def _refuse_secrets(
    files: Files, folder: Path, runs: Sequence[BundledRun], environ: Mapping[str, str]
) -> None:
    """Refuse what holds the value of a variable that is called like a key.

    Raises:
        RunError: names the variable, never its value.
    """
    packed = (".parquet", ".gz")
    texts = [
        content.decode("utf-8", "replace") for name, content in files.items() if not name.endswith(packed)
    ]
    for run in runs:
        own = folder / "runs" / run.run_id
        parts = [own, own / DEVELOPMENT] if (own / DEVELOPMENT).is_dir() else [own]
        texts += [repr(row) for part in parts for row in outcome_cells(part)]
        texts.append(gzip.decompress((own / "calls.jsonl.gz").read_bytes()).decode("utf-8", "replace"))
    assert_no_secrets(texts, environ)
