import gzip
import json
import math
from dataclasses import replace

import pytest

from venire.errors import RunError
from venire.runs import (
    RUN_FILES,
    files_of,
    read_record,
    set_mlflow_run_id,
    start_run,
    unfinished_runs,
    write_run,
)

SENTINEL = "sk-sentinel-0123456789"


def test_a_run_folder_holds_exactly_its_five_files(tmp_path, record, instances, outcomes):
    write_run(tmp_path / "r", record, config_yaml="seed: 1\n", instances=instances, outcomes=outcomes)
    assert sorted(path.name for path in (tmp_path / "r").iterdir()) == sorted(RUN_FILES)
    assert (tmp_path / "r/config.yaml").read_text() == "seed: 1\n"


def test_what_a_method_leaves_besides_is_written_without_secrets_and_listed(
    tmp_path, record, instances, outcomes
):
    start_run(tmp_path, pid=1, overrides=(), started_at=0.0)
    write_run(
        tmp_path,
        record,
        config_yaml="",
        instances=instances,
        outcomes=outcomes,
        secrets=(SENTINEL,),
        more={"graphs.jsonl": f"a {SENTINEL}", "a.html": ""},
    )
    (tmp_path / ".upload.lock").touch()
    assert (tmp_path / "graphs.jsonl").read_text() == "a ***"
    assert [path.name for path in files_of(tmp_path)] == [*RUN_FILES, "a.html", "graphs.jsonl"]


def test_a_methods_file_may_not_take_the_name_of_a_runs_own(tmp_path, record, instances, outcomes):
    with pytest.raises(RunError, match=r"names of their own, got run\.json"):
        write_run(
            tmp_path,
            record,
            config_yaml="",
            instances=instances,
            outcomes=outcomes,
            more={"run.json": "{}"},
        )
    assert not (tmp_path / "run.json").exists()


def test_a_record_survives_its_round_trip(tmp_path, record, instances, outcomes):
    write_run(tmp_path, record, config_yaml="", instances=instances, outcomes=outcomes)
    read = read_record(tmp_path)
    assert math.isnan(read.metrics["kappa"])
    without_nan = {"n": 4.0, "accuracy": 0.5, "cost_usd/total": 0.25, "kappa": 0.0}
    assert replace(read, metrics=without_nan) == replace(record, metrics=without_nan)


def test_summary_is_flat_sorted_strict_json_with_null_for_undefined(tmp_path, record, instances, outcomes):
    write_run(tmp_path, record, config_yaml="", instances=instances, outcomes=outcomes)
    text = (tmp_path / "summary.json").read_text()

    def refuse(constant):
        raise AssertionError(constant)

    summary = json.loads(text, parse_constant=refuse)
    assert list(summary.items()) == [("accuracy", 0.5), ("cost_usd/total", 0.25), ("kappa", None), ("n", 4.0)]


def test_equal_runs_give_equal_bytes(tmp_path, record, instances, outcomes):
    for name in ("one", "two"):
        write_run(tmp_path / name, record, config_yaml="a: 1", instances=instances, outcomes=outcomes)
    for name in RUN_FILES:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name


def test_calls_are_a_line_each_and_carry_their_instance(tmp_path, record, instances, outcomes):
    write_run(tmp_path, record, config_yaml="", instances=instances, outcomes=outcomes)
    raw = (tmp_path / "calls.jsonl.gz").read_bytes()
    calls = [json.loads(line) for line in gzip.decompress(raw).decode().splitlines()]
    assert [(call["key"], call["instance_id"], call["cost_usd"]) for call in calls] == [
        ("k1", "a/1", 0.25),
        ("k2", "a/1", None),
        ("k3", "b/1", None),
    ]
    assert not any(call["unfinished"] for call in calls)
    assert raw[4:8] == b"\0\0\0\0"  # RFC 1952: the header's modification time


def test_a_call_about_no_instance_is_one_line_without_an_instance(tmp_path, record, instances, outcomes):
    fixed = replace(outcomes[0].calls[0], key="k0", instance_id="", replayed=True)
    shared = [replace(outcome, calls=(fixed, *outcome.calls)) for outcome in outcomes]
    write_run(tmp_path, record, config_yaml="", instances=instances, outcomes=shared)
    lines = gzip.decompress((tmp_path / "calls.jsonl.gz").read_bytes()).decode().splitlines()
    found = [(call["key"], call["instance_id"]) for call in map(json.loads, lines)]
    assert found == [("k0", ""), ("k1", "a/1"), ("k2", "a/1"), ("k3", "b/1")]


def test_calls_of_unfinished_instances_come_last_and_are_marked(tmp_path, record, instances, outcomes):
    left = replace(outcomes[0].calls[0], key="k9", instance_id="b/2")
    write_run(tmp_path, record, config_yaml="", instances=instances, outcomes=outcomes, unfinished=(left,))
    lines = gzip.decompress((tmp_path / "calls.jsonl.gz").read_bytes()).decode().splitlines()
    calls = [json.loads(line) for line in lines]
    assert [call["unfinished"] for call in calls] == [False, False, False, True]
    assert (calls[-1]["key"], calls[-1]["instance_id"]) == ("k9", "b/2")


def test_a_run_folder_is_written_once(tmp_path, record, instances, outcomes):
    write_run(tmp_path, record, config_yaml="", instances=instances, outcomes=outcomes)
    with pytest.raises(RunError, match="holds a run already"):
        write_run(tmp_path, record, config_yaml="", instances=instances, outcomes=outcomes)


@pytest.mark.parametrize("name", ["beta^", "", "a//b", "/a", "a/../b", "x" * 251, "a\n"])
def test_a_metric_name_that_mlflow_refuses_is_refused_before_anything_is_written(tmp_path, record, name):
    with pytest.raises(RunError, match="metrics: expected letters"):
        write_run(
            tmp_path / "r", replace(record, metrics={name: 1.0}), config_yaml="", instances=(), outcomes=()
        )
    assert not (tmp_path / "r").exists()


def test_an_empty_run_can_be_written(tmp_path, record):
    write_run(tmp_path, replace(record, metrics={}), config_yaml="", instances=(), outcomes=())
    assert json.loads((tmp_path / "summary.json").read_text()) == {}
    assert gzip.decompress((tmp_path / "calls.jsonl.gz").read_bytes()) == b""


def test_a_started_run_is_unfinished_until_its_record_is_there(tmp_path, record):
    folder = tmp_path / "runs" / record.run_id
    start_run(folder, pid=4711, overrides=["seed=1"], started_at=12.5)
    assert json.loads((folder / "started.json").read_text()) == {
        "overrides": ["seed=1"],
        "pid": 4711,
        "started_at": 12.5,
    }
    assert unfinished_runs(tmp_path) == [folder]
    with pytest.raises(RunError, match="an unfinished run"):
        read_record(folder)
    write_run(folder, record, config_yaml="", instances=(), outcomes=())
    assert unfinished_runs(tmp_path) == []


def test_a_folder_without_a_run_says_so(tmp_path):
    with pytest.raises(RunError, match="found no run"):
        read_record(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"run_id": "r", "name": "n", "status": "odd"}'])
def test_a_damaged_record_names_its_file(tmp_path, text):
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(RunError, match=r"run\.json"):
        read_record(tmp_path)


def test_the_mlflow_run_id_is_noted_without_touching_the_rest(tmp_path, record, instances, outcomes):
    write_run(tmp_path, record, config_yaml="", instances=instances, outcomes=outcomes)
    before = json.loads((tmp_path / "run.json").read_text())
    set_mlflow_run_id(tmp_path, "abc123")
    assert json.loads((tmp_path / "run.json").read_text()) == before | {"mlflow_run_id": "abc123"}


def test_no_secret_reaches_any_file(tmp_path, record, instances, outcomes):
    leaky = replace(
        record,
        params={"judge.key": SENTINEL},
        notes={"n": SENTINEL},
        overrides=(f"judge.key={SENTINEL}",),
        error=f"401 for {SENTINEL}",
        tags={"t": SENTINEL},
    )
    calls = tuple(replace(call, model_returned=SENTINEL) for call in outcomes[0].calls)
    told = replace(outcomes[0], detail={"reply": [f"echo {SENTINEL}"]}, calls=calls)
    write_run(
        tmp_path,
        leaky,
        config_yaml=f"key: {SENTINEL}",
        instances=instances,
        outcomes=(told,),
        secrets=[SENTINEL],
    )
    import pyarrow.parquet as pq

    texts = [(tmp_path / name).read_text() for name in ("run.json", "summary.json", "config.yaml")]
    texts.append(gzip.decompress((tmp_path / "calls.jsonl.gz").read_bytes()).decode())
    texts.append(str(pq.read_table(tmp_path / "outcomes.parquet").to_pylist()))
    for text in texts:
        assert SENTINEL not in text
    assert sum("***" in text for text in texts) == 4  # all but summary.json, which holds numbers only
