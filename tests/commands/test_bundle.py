"""`venire bundle` and `venire replay`, through the command line, on the bundled sample."""

import json
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from venire.bundles.archive import Archive, read_archive, write_archive
from venire.cli import main

SETTINGS = ("backend=simulated", "dataset.limit=4", "metrics.draws=0", "tracking.enabled=false")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one run, and its bundle beside it."""
    home = tmp_path_factory.mktemp("bundles") / "home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VENIRE_HOME", str(home))
        assert main(["run", "method=juryflow", "panel=mixed", *SETTINGS]) == 0
        (run,) = (home / "runs").iterdir()
        assert main(["bundle", str(run), "--out", str(home.parent / "b.zip")]) == 0
        assert main(["bundle", str(run), "--out", str(home.parent / "bare.zip"), "--without-texts"]) == 0
    return home


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VENIRE_HOME", str(tmp_path / "other home"))
    monkeypatch.delenv("VENIRE_DATA", raising=False)


def again(archive: Archive, members: Mapping[str, bytes], path: Path) -> Path:
    """A bundle of these members, whose hashes are right."""
    known = ("format", "format_version", "members")
    write_archive(path, {k: v for k, v in archive.manifest.items() if k not in known}, members)
    return path


def test_a_bundle_is_derived_again_elsewhere_bit_for_bit(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(made.parent / "b.zip"), "--out", str(tmp_path / "out")]) == 0
    told = capsys.readouterr().out
    assert "4 judgments made" in told
    assert "all 5 runs and tables are equal, bit for bit" in told
    (run,) = (made / "runs").iterdir()
    for name in ("summary.json", "outcomes.parquet", "config.yaml"):
        assert (tmp_path / "out" / "runs" / run.name / name).read_bytes() == (run / name).read_bytes()


def test_a_changed_outcome_is_named(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive = read_archive(made.parent / "b.zip")
    name = next(each for each in archive.members if each.endswith("outcomes.parquet"))
    (tmp_path / "old").write_bytes(archive.members[name])
    table = pq.read_table(tmp_path / "old")
    rows = table.to_pylist()
    row = next(each for each in rows if each["prediction_kind"] == "preference")
    row["prediction_winner"] = "second" if row["prediction_winner"] == "first" else "first"
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), tmp_path / "new")
    changed = archive.members | {name: (tmp_path / "new").read_bytes()}
    assert main(["replay", str(again(archive, changed, tmp_path / "t.zip"))]) == 1
    told = capsys.readouterr().out
    assert f"instance {row['id']}: prediction_winner bundled" in told
    assert "1 of 5 runs and tables differ" in told


def test_a_changed_reply_number_or_table_is_named(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = read_archive(made.parent / "b.zip")
    summary = next(each for each in archive.members if each.endswith("summary.json"))
    numbers = json.loads(archive.members[summary])
    numbers["accuracy"] += 0.125
    table = archive.members["tables/runs.md"].replace(b"|", b"!", 1)
    changed = archive.members | {summary: json.dumps(numbers).encode(), "tables/runs.md": table}
    assert main(["replay", str(again(archive, changed, tmp_path / "t.zip"))]) == 1
    told = capsys.readouterr().out
    assert (
        f"summary.json: accuracy: bundled {numbers['accuracy']}, derived {numbers['accuracy'] - 0.125}"
        in told
    )
    assert "differs: tables/runs.md" in told

    lines = archive.members["store/replies.jsonl"].splitlines(keepends=True)
    changed = archive.members | {"store/replies.jsonl": b"".join(lines[1:])}
    assert main(["replay", str(again(archive, changed, tmp_path / "u.zip"))]) == 1
    assert "ReplayMiss" in capsys.readouterr().out


def test_without_texts_no_prompt_reply_or_response_is_inside_and_the_numbers_are_derived(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, bare = (read_archive(made.parent / name) for name in ("b.zip", "bare.zip"))
    data = next(each for name, each in whole.members.items() if name.startswith("data/"))
    texts = [each["text"] for one in json.loads(data)["instances"] for each in one["responses"]]
    assert texts
    assert not any(name.startswith("store/") for name in bare.members)
    outcomes = next(each for each in bare.members if each.endswith("outcomes.parquet"))
    (tmp_path / "o").write_bytes(bare.members[outcomes])
    rows = repr(pq.read_table(tmp_path / "o").to_pylist())
    plain = [each.decode("utf-8", "replace") for name, each in bare.members.items() if name.endswith(".json")]
    assert not any(text in "".join([rows, *plain]) for text in texts)
    assert main(["replay", str(made.parent / "bare.zip")]) == 0
    told = capsys.readouterr().out
    assert "judgments taken as they are" in told
    assert "all 5 runs and tables are equal" in told


def test_bundling_the_same_runs_twice_gives_the_same_bytes(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VENIRE_HOME", str(made))
    (run,) = (made / "runs").iterdir()
    assert main(["bundle", run.name[:20], "--out", str(tmp_path / "c.zip"), "--without-texts"]) == 0
    assert (tmp_path / "c.zip").read_bytes() == (made.parent / "bare.zip").read_bytes()


def test_a_secret_in_what_would_be_bundled_is_refused_without_its_value(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VENIRE_HOME", str(made))
    monkeypatch.setenv("SOME_API_KEY", "venire.methods.juryflow")
    (run,) = (made / "runs").iterdir()
    assert main(["bundle", str(run), "--out", str(tmp_path / "d.zip"), "--without-texts"]) == 1
    told = capsys.readouterr().err
    assert "found the value of SOME_API_KEY" in told
    assert "juryflow.method" not in told
    assert not (tmp_path / "d.zip").exists()


def test_a_full_folder_is_not_written_over(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").write_text("x")
    assert main(["replay", str(made.parent / "b.zip"), "--out", str(tmp_path)]) == 1
    assert "expected a new or an empty folder" in capsys.readouterr().err
