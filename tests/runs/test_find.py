import os
from dataclasses import replace

import pytest

from venire.errors import RunError
from venire.records import RunStatus
from venire.runs import find_run, finished_run, list_runs, write_run


@pytest.fixture
def put(tmp_path, record):
    def put(run_id, **changes):
        folder = tmp_path / "runs" / run_id
        changed = replace(record, run_id=run_id, **changes)
        write_run(folder, changed, config_yaml="", instances=(), outcomes=())
        return folder

    return put


def test_a_run_is_found_by_path_id_beginning_and_mlflow_id(tmp_path, put):
    one = put("20260101-a", mlflow_run_id="aaaa1111")
    two = put("20260102-b", mlflow_run_id="bbbb2222")
    assert list_runs(tmp_path) == [one, two]
    assert find_run(tmp_path, str(one)) == one
    assert find_run(tmp_path, os.path.relpath(two)) == two
    assert find_run(tmp_path, "20260101-a") == one
    assert find_run(tmp_path, "20260102") == two
    assert find_run(tmp_path, "aaaa") == one
    assert find_run(tmp_path, "bbbb2222") == two


def test_a_whole_id_wins_over_a_beginning(tmp_path, put):
    short = put("20260101-a")
    put("20260101-ab")
    assert find_run(tmp_path, "20260101-a") == short


def test_an_ambiguous_reference_lists_the_candidates(tmp_path, put):
    put("20260101-a")
    put("20260101-b")
    with pytest.raises(RunError, match=r"means 2 runs.*20260101-b, 20260101-a"):
        find_run(tmp_path, "2026")


@pytest.mark.parametrize("ref", ["nope", ""])
def test_an_unknown_reference_lists_the_latest_runs(tmp_path, put, ref):
    for day in range(1, 11):
        put(f"202601{day:02d}-x")
    with pytest.raises(RunError, match=r"latest runs: 20260110-x, .*20260103-x \(and 2 older\)"):
        find_run(tmp_path, ref)


def test_no_run_at_all_says_where_it_looked(tmp_path):
    assert list_runs(tmp_path) == []
    with pytest.raises(RunError, match="none below"):
        find_run(tmp_path, "x")


def test_an_unfinished_run_is_named_as_such(tmp_path):
    (tmp_path / "runs" / "dead").mkdir(parents=True)
    with pytest.raises(RunError, match=r"'dead' \(it is unfinished\)"):
        find_run(tmp_path, "dead")


def test_a_damaged_run_hides_no_other(tmp_path, put):
    good = put("20260102-b", mlflow_run_id="bbbb2222")
    bad = put("20260101-a")
    (bad / "run.json").write_text("{")
    assert find_run(tmp_path, "bbbb") == good
    assert find_run(tmp_path, "20260101") == bad
    assert finished_run(tmp_path, "j1") == good


def test_the_finished_run_of_a_job_is_found_among_damaged_and_other_ones(tmp_path, put):
    assert finished_run(tmp_path, "j1") is None
    put("20260101-a")
    newest = put("20260102-a")
    (put("20260103-a") / "run.json").write_text('{"job_hash": "j1"')
    put("20260104-a", status=RunStatus.INCOMPLETE)
    put("20260105-a", tags={"job_hash": "j12"})
    put("20260106-a", tags={"other": "j1"})
    assert finished_run(tmp_path, "j1") == newest
    assert finished_run(tmp_path, "j2") is None


def test_only_the_newest_finished_run_of_a_job_counts(tmp_path, put):
    put("20260101-a")
    newest = put("20260102-a")
    put("20260103-a", status=RunStatus.INCOMPLETE)
    put("20260104-a", status=RunStatus.FAILED)
    put("20260105-a", tags={})
    assert finished_run(tmp_path, "j1") == newest
