"""Shards joined are the run without shards; what are no shards of one run is refused with the reason."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import pytest
from tests.test_console import call
from tests.test_launch import INSTANCES, SIMULATED, Scripted, experiment, run

from venire.data.fingerprint import fingerprint
from venire.data.protocol import Loaded
from venire.data.shard import Shard
from venire.data.streamed import Streamed
from venire.data.table import Columns, Table
from venire.errors import ConfigError, RunError
from venire.experiment import Experiment
from venire.judging.panel import Panel
from venire.launch import Door, Written
from venire.llm.budget import Budget
from venire.merging import Merged, matching, merge
from venire.methods.length import Length
from venire.methods.majority import Majority
from venire.methods.protocol import Method
from venire.metrics.calls import is_accounting
from venire.metrics.measure import MetricSettings
from venire.records import BackendKind, Instance, Outcome, Preference, Winner
from venire.runs import finished_run, read_calls, read_judged, read_record, write_atomically

COUNT, SHARDS = 31, 3
PANEL = Panel(tuple(replace(SIMULATED, name=name, model=f"m/{name}") for name in ("gpt", "llama")), "gpt")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pairs in an order that is not that of their ids; two have the same texts."""
    path = tmp_path_factory.mktemp("data") / "pairs.jsonl"
    rows = [
        {
            "id": f"p/{number * 7 % COUNT}",
            "prompt": f"Which of {max(number, 1)}?",
            "a": "word " * (max(number, 1) % 7 + 1),
            "b": "term " * (max(number, 1) % 5 + 1),
            "label": "response_1" if number % 3 else "response_2",
        }
        for number in range(COUNT)
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def whole_of(table: Path, method: Method, *, stream: bool = False) -> Experiment:
    columns = Columns(response_1="a", response_2="b", label="label")
    made = experiment(method, loaded=Table(columns, str(table), stream=stream).load())
    return replace(made, metrics=MetricSettings(draws=50), concurrency=8)


def shard_of(whole: Experiment, shard: Shard) -> Experiment:
    """As `config.experiment_of` makes it of `shard=...`."""
    own = replace(
        whole.identity,
        config_hash=f"{shard}".ljust(64, "s"),
        whole_hash=whole.identity.config_hash,
        params={**whole.identity.params, "shard": str(shard)},
    )
    return replace(whole, identity=own, loaded=shard.of(whole.loaded), shard=shard, whole=whole.loaded)


def run_shards(home: Path, whole: Experiment) -> list[Path]:
    return [run(home, shard_of(whole, Shard(index, SHARDS))).folder for index in range(1, SHARDS + 1)]


@dataclass(frozen=True)
class Both:
    """A run without shards, and what its shards were joined to."""

    whole: Written
    merged: Merged
    shards: Sequence[Path]


class Numbers(Protocol):
    """Something with a folder."""

    @property
    def folder(self) -> Path: ...


@pytest.fixture(scope="module", params=["majority", "majority streamed"])
def both(request: pytest.FixtureRequest, table: Path, tmp_path_factory: pytest.TempPathFactory) -> Both:
    made = whole_of(table, Majority(panel=PANEL), stream=request.param.endswith("streamed"))
    home = tmp_path_factory.mktemp("home")
    shards = run_shards(home, made)  # each pays for its own
    merged = merge(matching(shards[::-1]), made, Door(home, {}))
    return Both(run(tmp_path_factory.mktemp("other"), made), merged, shards)


def numbers(of: Numbers) -> dict[str, float | None]:
    read: dict[str, float | None] = json.loads((of.folder / "summary.json").read_text(encoding="utf-8"))
    return read


def test_the_merged_run_has_the_numbers_of_the_run_without_shards(both: Both) -> None:
    whole, merged = numbers(both.whole), numbers(both.merged)
    assert merged.keys() == whole.keys()
    assert {name for name in whole if merged[name] != whole[name]} == {"duration_s"}
    assert merged["n"] == COUNT
    notes = dict(both.merged.record.notes)
    assert notes.pop("duration_s") == "the sum of the shards' own"
    assert notes == both.whole.record.notes
    assert any(is_accounting(name) for name in whole)


def test_the_merged_run_has_the_rows_and_calls_of_the_run_without_shards(both: Both) -> None:
    assert read_judged(both.merged.folder) == read_judged(both.whole.folder)
    one, other = (read_calls(each.folder).finished for each in (both.merged, both.whole))
    assert [(call.key, call.instance_id) for call in one] == [(call.key, call.instance_id) for call in other]


def test_the_merged_run_is_found_as_the_job_without_shards(both: Both) -> None:
    merged, whole = both.merged.record, both.whole.record
    assert finished_run(both.merged.folder.parents[1], whole.tags["job_hash"]) == both.merged.folder
    own = {"merged": ", ".join(folder.name for folder in both.shards)}
    assert {name: value for name, value in merged.tags.items() if whole.tags.get(name) != value} == own
    assert merged.params == whole.params
    assert both.merged.warnings == ()


@pytest.fixture(scope="module")
def shards(table: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three shards of a run that asks nobody."""
    return run_shards(tmp_path_factory.mktemp("shards"), whole_of(table, Length()))


def copied(folder: Path, to: Path, **changes: object) -> Path:
    """A run with another record."""
    made = to / folder.name
    made.mkdir()
    for path in folder.iterdir():
        (made / path.name).write_bytes(path.read_bytes())
    fields = json.loads((made / "run.json").read_text(encoding="utf-8"))
    for name, value in changes.items():
        fields[name] = {**fields[name], **value} if isinstance(value, dict) else value
    write_atomically(made / "run.json", json.dumps(fields))
    return made


@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        ([0, 1], "expected 3 shards, missing: 3/3"),
        ([0, 1, 2, 1], r"shard 2/3 is there twice: \S+ and \S+; give one"),
    ],
)
def test_missing_and_doubled_shards_are_refused(shards: list[Path], chosen: list[int], says: str) -> None:
    with pytest.raises(RunError, match=says):
        matching([shards[at] for at in chosen])


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"tags": {"whole_job_hash": "x", "whole_fingerprint": "abc"}}, "one run: data: .* and abc"),
        ({"tags": {"whole_job_hash": "x"}, "params": {"seed": "1"}}, "one run: seed: 0 and 1"),
        ({"tags": {"whole_job_hash": "x", "version.venire": "0"}}, "one run: tag version.venire: .* and 0"),
        ({"tags": {"whole_job_hash": "x"}}, "a setting that is no parameter, see config.yaml"),
        ({"tags": {"shard": "2/4"}}, "expected shards of one n, got i/3, i/4"),
        ({"status": "incomplete", "error": "spent"}, r"is incomplete \(spent\): run its command again"),
    ],
)
def test_shards_of_other_runs_are_refused(
    tmp_path: Path, shards: list[Path], changes: dict[str, object], says: str
) -> None:
    with pytest.raises(RunError, match=says):
        matching([shards[0], copied(shards[1], tmp_path, **changes), shards[2]])


def test_a_run_that_is_no_shard_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="expected a shard"):
        matching([run(tmp_path, experiment()).folder])


def test_shards_of_another_commit_are_joined_with_a_warning(tmp_path: Path, shards: list[Path]) -> None:
    other = copied(shards[1], tmp_path, tags={"git_commit": "f00"})
    commit = read_record(shards[0]).tags["git_commit"]
    parts = matching([other, shards[0], shards[2]])
    assert parts.folders == (shards[0], other, shards[2])
    assert parts.warnings == (f"the shards differ in git_commit: {commit}, f00",)


@pytest.mark.parametrize("stream", [False, True])
def test_files_of_other_instances_are_refused(
    tmp_path: Path, table: Path, shards: list[Path], stream: bool
) -> None:
    wrong = copied(shards[1], tmp_path, tags={"shard": "3/3"})
    right = copied(shards[2], tmp_path, tags={"shard": "2/3"})
    with pytest.raises(RunError, match=r"is no instance of it|expected the outcome of"):
        merge(
            matching([shards[0], wrong, right]), whole_of(table, Length(), stream=stream), Door(tmp_path, {})
        )


def test_data_that_changed_is_refused(tmp_path: Path, table: Path, shards: list[Path]) -> None:
    other = Loaded(INSTANCES, fingerprint(INSTANCES), "here")
    with pytest.raises(RunError, match="are here not those that the shards had"):
        merge(matching(shards), replace(whole_of(table, Length()), loaded=other), Door(tmp_path, {}))


def test_a_stopped_shard_is_run_again_and_then_joined(tmp_path: Path, table: Path) -> None:
    whole = whole_of(table, Majority(panel=PANEL))
    other = run(tmp_path, shard_of(whole, Shard(2, 2))).folder
    stopped = run(tmp_path / "a", replace(shard_of(whole, Shard(1, 2)), budget=Budget(calls=9))).folder
    with pytest.raises(RunError, match="is incomplete"):
        matching([stopped, other])
    again = run(tmp_path / "a", shard_of(whole, Shard(1, 2))).folder
    assert read_record(again).metrics["calls/replayed"] == 9
    assert merge(matching([again, other]), whole, Door(tmp_path, {})).record.metrics["n"] == COUNT


def test_a_shard_of_simulated_judges_knows_the_whole_data(table: Path) -> None:
    whole = whole_of(table, Majority(panel=PANEL), stream=True)
    shard = shard_of(whole, Shard(2, 3))
    assert len(shard.known_instances) == COUNT
    assert isinstance(shard.known_instances, Streamed)
    assert len(shard.all_instances) == 10


@dataclass(frozen=True)
class Remembering(Length):
    """Depends on the order."""

    @property
    def order_dependent(self) -> bool:
        """Always."""
        return True


def test_a_method_with_a_memory_has_no_shards(table: Path) -> None:
    with pytest.raises(ConfigError, match="would fold a memory of its own, of its part of them"):
        shard_of(whole_of(table, Remembering()), Shard(1, 2))


def test_a_development_split_has_no_shards(table: Path) -> None:
    whole = whole_of(table, Length())
    with pytest.raises(ConfigError, match="a development split of its own"):
        shard_of(replace(whole, development=whole.loaded), Shard(1, 2))


def test_lost_replies_of_shards_are_warned_of_again(table: Path, tmp_path: Path) -> None:
    def unread(instance: Instance) -> Outcome:
        asked = call(BackendKind.SIMULATED, 0.0)
        lost = replace(asked, key=instance.id, instance_id=instance.id, unusable="unparsed", lost=True)
        return Outcome(instance.id, Preference(Winner.FIRST), calls=(lost,))

    made = whole_of(table, Scripted(unread))
    said = merge(matching(run_shards(tmp_path, made)), made, Door(tmp_path, {})).warnings
    assert said == run(tmp_path / "other", made).warnings
    assert f"{COUNT} questions have no usable reply" in said[0]
