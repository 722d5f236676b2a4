"""`venire merge` of shards as the command line composes them."""

import json
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from venire.commands.merge import merge
from venire.config import config_dir, experiment_of
from venire.errors import ConfigError, RunError
from venire.experiment import Experiment
from venire.launch import Door, Written, execute, prepare
from venire.runs import find_run, list_runs, read_record

LENGTH = ("method=length", "tracking.enabled=false", "metrics.draws=20")


def composed(*overrides: str) -> Experiment:
    with initialize_config_dir(version_base="1.3", config_dir=str(config_dir())):
        whole = compose("config", list(overrides), return_hydra_config=True)
    bare = OmegaConf.masked_copy(whole, [str(key) for key in whole if key != "hydra"])
    choices = {str(key): str(value) for key, value in whole.hydra.runtime.choices.items()}
    return experiment_of(bare, overrides, choices)


def run(home: Path, *overrides: str) -> Written:
    return execute(prepare(composed(*LENGTH, *overrides), {}), Door(home, {}))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VENIRE_HOME", str(tmp_path))
    return tmp_path


def test_two_shards_of_the_command_line_are_the_run_without(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shards = [run(home, f"shard={index}/2").record for index in (1, 2)]
    assert [shard.name for shard in shards] == [f"length sample draws=20 shard {index}/2" for index in (1, 2)]
    assert [shard.tags["shard"] for shard in shards] == ["1/2", "2/2"]
    assert merge(home, [shard.run_id for shard in shards]) == 0
    folder = Path(capsys.readouterr().out.splitlines()[-1])
    merged, whole = read_record(folder), run(home).record
    assert (merged.name, merged.params) == (whole.name, whole.params)
    assert merged.overrides == LENGTH
    hashes = ("job_hash", "config_hash", "arm_hash", "data_fingerprint")
    assert [merged.tags[name] for name in hashes] == [whole.tags[name] for name in hashes]
    other = json.loads((find_run(home, whole.run_id) / "summary.json").read_text())
    own = json.loads((folder / "summary.json").read_text())
    assert {name for name in other if own[name] != other[name]} == {"duration_s"}


def test_a_run_without_shards_is_refused(home: Path) -> None:
    run(home)
    with pytest.raises(RunError, match="expected a shard"):
        merge(home, [list_runs(home)[0].name])


def test_what_streams_has_no_development_split(home: Path) -> None:
    rows = [{"id": f"{i}", "prompt": "p", "response_1": "a", "response_2": "b"} for i in range(4)]
    (home / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    table = ("dataset=table", f"dataset.path={home}/t.jsonl", "dataset.columns.label=null")
    with pytest.raises(ConfigError, match=r"dataset\.stream: a development split is drawn from all"):
        composed(*table, "method=length", "dataset.stream=true", "development=half")


def test_a_shard_is_another_job_and_streaming_is_none(home: Path) -> None:
    rows = [{"id": f"{i}", "prompt": "p", "response_1": "a", "response_2": "b"} for i in range(4)]
    (home / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    table = ("method=length", "dataset=table", f"dataset.path={home}/t.jsonl", "dataset.columns.label=null")
    held, streamed, shard = (
        prepare(composed(*table, *more), {}) for more in ((), ("dataset.stream=true",), ("shard=1/2",))
    )
    assert streamed.job_hash == held.job_hash == shard.tags["whole_job_hash"]
    assert len({held.job_hash, shard.job_hash}) == 2


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        (("shard=3/2",), "shard: expected i/n"),
        (("shard=1/2", "method=juryflow", "backend=simulated"), "shard: method=juryflow judges an instance"),
        (("shard=1/2", "development=half"), "shard: each shard would fit"),
    ],
)
def test_what_has_no_shards_is_refused(overrides: tuple[str, ...], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        composed(*overrides)
