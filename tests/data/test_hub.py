"""The Hub reader on local folders, which `datasets` treats like Hub repositories; no network."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from venire.data.hub import HubSplit
from venire.data.mt_bench import MTBench
from venire.data.mt_bench_votes import MTBenchVotes
from venire.data.table import Columns, Table
from venire.errors import DataError
from venire.records import PreferenceGold, Winner


@pytest.fixture
def parquet_set(tmp_path: Path) -> Callable[..., str]:
    """Writes a data set of one Parquet split `human` and gives its folder, which serves as its id."""

    def write(records: list[dict[str, object]]) -> str:
        folder = tmp_path / "set"
        (folder / "data").mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(records), folder / "data" / "human-00000-of-00001.parquet")
        return str(folder)

    return write


def messages(question: int, model: str) -> list[dict[str, str]]:
    texts = [f"q{question}.1", f"{model} {question}.1", f"q{question}.2", f"{model} {question}.2"]
    return [
        {"content": text, "role": "assistant" if index % 2 else "user"} for index, text in enumerate(texts)
    ]


def judgment(question: int, turn: int, model_a: str, model_b: str, winner: str) -> dict[str, object]:
    """A row as lmsys/mt_bench_human_judgments has it."""
    return {
        "question_id": question,
        "model_a": model_a,
        "model_b": model_b,
        "winner": winner,
        "judge": "expert_0",
        "conversation_a": messages(question, model_a),
        "conversation_b": messages(question, model_b),
        "turn": turn,
    }


def test_a_parquet_split_comes_as_rows(tmp_path: Path, parquet_set: Callable[..., str]) -> None:
    folder = parquet_set([{"id": "1", "n": 2}, {"id": "2", "n": None}])
    rows = HubSplit(folder, "human", cache_dir=str(tmp_path / "cache")).rows()
    assert [(row.number, dict(row.fields)) for row in rows] == [
        (1, {"id": "1", "n": 2}),
        (2, {"id": "2", "n": None}),
    ]
    assert rows[0].file == f"hub:{folder}/human"


def test_a_json_split_comes_as_rows(tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "test.jsonl").write_text('{"id": "1"}\n{"id": "2"}\n')
    rows = HubSplit(str(tmp_path / "set"), "test", cache_dir=str(tmp_path / "cache")).rows()
    assert [row.fields["id"] for row in rows] == ["1", "2"]


def test_an_unknown_split_is_refused_with_those_there_are(
    tmp_path: Path, parquet_set: Callable[..., str]
) -> None:
    folder = parquet_set([{"id": "1"}])
    with pytest.raises(DataError) as caught:
        HubSplit(folder, "test", cache_dir=str(tmp_path / "cache")).rows()
    assert str(caught.value) == (
        f"hub:{folder}/test (revision: none pinned): expected a readable data set, got: Unknown split "
        "\"test\". Should be one of ['human'].; check id, config, split and revision, or put a local "
        "copy under VENIRE_DATA"
    )


def test_a_loading_script_is_refused(tmp_path: Path) -> None:
    (tmp_path / "scripted").mkdir()
    (tmp_path / "scripted" / "scripted.py").write_text("")
    with pytest.raises(DataError, match="it is a loading script, which `datasets` no longer runs"):
        HubSplit(str(tmp_path / "scripted"), "test", cache_dir=str(tmp_path / "cache")).rows()


def test_offline_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    # HF_HUB_OFFLINE is read when `datasets` is imported, hence a process of its own.
    code = (
        "from venire.data.hub import HubSplit\n"
        "from venire.errors import DataError\n"
        "try:\n"
        "    HubSplit('owner/name', 'test', revision='abc').rows()\n"
        "except DataError as error:\n"
        "    print(error)\n"
    )
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("hub:owner/name/test (revision: abc): expected a readable data set, got: ")
    assert "there is no network, or the Hub is down: put a local copy under VENIRE_DATA" in done.stdout


def test_a_revision_is_logged_and_none_is_never_made_up(
    tmp_path: Path, parquet_set: Callable[..., str]
) -> None:
    folder = parquet_set([{"id": "1", "prompt": "p", "response": "x"}])
    table = Table(
        Columns(response="response"),
        hub=folder,
        split="human",
        cache_dir=str(tmp_path / "cache"),
        name="mine",
    )
    loaded = table.load()
    assert loaded.source == f"hub:{folder}/human"
    assert loaded.revision is None
    assert loaded.warnings == (
        f"hub:{folder}/human: no revision is pinned, so what was read may change; "
        "set dataset.revision to a commit of the data set",
    )
    pinned = HubSplit(folder, "human", revision="abc")
    assert pinned.warnings == ()


def test_a_broken_record_of_a_hub_set_names_the_set_row_and_field(
    tmp_path: Path, parquet_set: Callable[..., str]
) -> None:
    folder = parquet_set(
        [{"id": "1", "prompt": "p", "response": "x"}, {"id": "2", "prompt": "", "response": "y"}]
    )
    table = Table(Columns(response="response"), hub=folder, split="human", cache_dir=str(tmp_path / "cache"))
    with pytest.raises(DataError) as caught:
        table.load()
    assert f"hub:{folder}/human, row 2, field 'prompt': expected a prompt" in str(caught.value)


def test_mt_bench_without_a_local_folder_is_read_from_its_hub_layout(
    tmp_path: Path, parquet_set: Callable[..., str]
) -> None:
    folder = parquet_set(
        [
            judgment(81, 1, "bob", "ann", "model_a"),
            judgment(81, 2, "bob", "ann", "model_b"),
            judgment(160, 1, "ann", "bob", "tie"),
        ]
    )
    cache = str(tmp_path / "cache")
    pairs = MTBench(str(tmp_path), sample=None, hub=folder, cache_dir=cache, check_counts=False).load()
    assert [instance.id for instance in pairs.instances] == ["81/turn-1/ann/bob"]
    first = pairs.instances[0]
    assert (first.prompt, first.subset) == ("q81.1", "writing")
    assert [response.text for response in first.responses] == ["ann 81.1", "bob 81.1"]
    assert first.gold == PreferenceGold(Winner.SECOND, {Winner.FIRST: 0, Winner.SECOND: 1, Winner.TIE: 0})
    assert pairs.warnings[1] == f"hub:{folder}/human has no reference answers"
    votes = MTBenchVotes(str(tmp_path), hub=folder, cache_dir=cache, check_counts=False).load()
    assert [(i.id, i.subset) for i in votes.instances] == [
        ("81/turn-1/bob/ann/expert_0", "writing"),
        ("160/turn-1/ann/bob/expert_0", "humanities"),
    ]


def test_answers_that_differ_between_hub_rows_are_counted(
    tmp_path: Path, parquet_set: Callable[..., str]
) -> None:
    second = judgment(81, 1, "ann", "cy", "model_a")
    second["conversation_a"] = messages(81, "another ann")
    folder = parquet_set([judgment(81, 1, "ann", "bob", "model_a"), second])
    cache = str(tmp_path / "cache")
    loaded = MTBench(str(tmp_path), sample=None, hub=folder, cache_dir=cache, check_counts=False).load()
    assert "answers that differ between rows, the first one kept: 1" in loaded.warnings
    assert {instance.responses[0].text for instance in loaded.instances} == {"ann 81.1"}


def test_a_cut_conversation_of_the_hub_is_refused(tmp_path: Path, parquet_set: Callable[..., str]) -> None:
    broken = judgment(81, 1, "ann", "bob", "model_a")
    broken["conversation_b"] = messages(81, "bob")[:2]
    folder = parquet_set([broken])
    with pytest.raises(DataError, match="row 1, field 'conversation_b': expected a list of 4 texts"):
        MTBench(str(tmp_path), hub=folder, cache_dir=str(tmp_path / "cache"), check_counts=False).load()


def test_no_loader_imports_datasets_pyarrow_or_pandas_before_it_needs_them() -> None:
    code = (
        "import sys\n"
        "import venire.data.llmbar, venire.data.mt_bench, venire.data.mt_bench_votes\n"
        "import venire.data.table\n"
        "from venire.data.sample import Sample\n"
        "Sample().load()\n"
        "print(sorted({'datasets', 'pyarrow', 'pandas', 'litellm', 'mlflow', 'scipy'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
