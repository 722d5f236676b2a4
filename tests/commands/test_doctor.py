import re
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import insert

from venire.commands.doctor import doctor
from venire.config import config_dir
from venire.errors import StoreError
from venire.llm.store import open_engine
from venire.llm.store.schema import intents


def told(capsys: pytest.CaptureFixture[str], home: Path, *, reconcile: bool = False, **environ: str) -> str:
    assert doctor(home, store=None, reconcile=reconcile, environ=environ) == 0
    return capsys.readouterr().out


def test_every_key_that_a_judge_needs_is_listed_with_its_judges(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = told(capsys, tmp_path, GOOGLE_API_KEY="sk-sentinel", DEEPINFRA_API_KEY="")
    lines = [line.strip() for line in out.splitlines() if "_API_KEY" in line]
    assert "OPENAI_API_KEY: not set (gpt_4, gpt_4o, gpt_6_luna, gpt_6_sol, text_embedding_3_large)" in lines
    assert (
        "GEMINI_API_KEY or GOOGLE_API_KEY: set (gemini_1_5_pro, gemini_3_5_flash_lite, gemini_4_argon)"
        in lines
    )
    assert any(line.startswith("DEEPINFRA_API_KEY: not set (gemma_4_31b, ") for line in lines)
    assert "sk-sentinel" not in out
    keyless = {"local", "openai_compatible", "recorded"}
    named = {name for line in lines for name in line.partition("(")[2].rstrip(")").split(", ")}
    judges = {path.stem for path in (config_dir() / "judge").glob("*.yaml")}
    assert named == (judges - keyless) | {"text_embedding_3_large"}


def test_the_data_folder_is_told_as_set_or_as_the_default(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "VENIRE_DATA not set (default ./data): no known data set" in told(capsys, tmp_path)
    (tmp_path / "llmbar").mkdir()
    out = told(capsys, tmp_path, VENIRE_DATA=str(tmp_path))
    assert f"VENIRE_DATA {tmp_path}: llmbar" in out


def test_a_store_is_counted_and_a_broken_one_is_said_with_a_remedy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "no call store yet" in told(capsys, tmp_path)
    open_engine(f"sqlite:///{tmp_path / 'calls.db'}").dispose()
    assert "0 replies, 0 attempts, 0 in flight" in told(capsys, tmp_path)
    (tmp_path / "calls.db").write_bytes(b"no database" * 1000)
    for reconcile in (False, True):
        with pytest.raises(StoreError, match=r"file is not a database.*move the file away"):
            doctor(tmp_path, store=None, reconcile=reconcile, environ={})
    assert "keys (never shown)" in capsys.readouterr().out  # the rest is told all the same


@pytest.mark.parametrize("reconcile", [False, True])
def test_a_file_that_is_missing_is_said_to_be_and_not_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], reconcile: bool
) -> None:
    url = f"sqlite:///{tmp_path / 'mistyped.db'}"
    assert doctor(tmp_path, store=url, reconcile=reconcile, environ={}) == 0
    told = capsys.readouterr().out
    assert f"no call store yet at {url}" in told or f"no calls yet: {url} does not exist" in told
    assert not list(tmp_path.iterdir())


def test_a_store_that_is_broken_further_in_is_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "calls.db"
    open_engine(f"sqlite:///{path}").dispose()
    with sqlite3.connect(path) as database:
        database.execute("DROP TABLE attempts")
    database.close()
    with pytest.raises(StoreError, match="attempts"):
        doctor(tmp_path, store=None, reconcile=True, environ={})


def test_what_is_in_flight_or_was_left_behind_is_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'calls.db'}")
    assert "left behind" not in told(capsys, tmp_path, reconcile=True)
    row = {"key": "k1", "owner": "o", "run_id": "run-1", "stage": "judge", "role": "gpt_4o",
           "model": "openai/gpt-4o", "started_at": 1.0e9, "worst_usd": 0.0125}  # fmt: skip
    columns = {column.name: 0 for column in intents.columns if not column.nullable} | row
    with engine.begin() as connection:
        connection.execute(insert(intents), columns)
    engine.dispose()
    out = told(capsys, tmp_path, reconcile=True)
    assert "in flight, or left behind by a process that died" in out
    assert re.search(r"2001-09-09 01:46:40 +openai/gpt-4o +judge +run-1 +0\.0125", out)
