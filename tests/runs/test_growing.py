"""Files that grow hold what the files hold that are written at once."""

from contextlib import suppress
from dataclasses import replace

import pytest

from venire.errors import RunError
from venire.records import Order
from venire.runs import GrowingFiles, iterate_pairs, read_calls, read_judged, read_outcomes, write_run
from venire.runs.growing import ROW_GROUP


def own(call, instance):
    return replace(call, instance_id=instance)


@pytest.fixture
def both(tmp_path, record, instances, outcomes):
    """The same run, written at once and grown, with a call of an instance that was not finished."""
    left = [own(outcomes[0].calls[0], "b/2")]
    at_once, grown = tmp_path / "at_once", tmp_path / "grown"
    write_run(at_once, record, config_yaml="", instances=instances, outcomes=outcomes, unfinished=left)
    grown.mkdir()
    by_id = {each.instance_id: each for each in outcomes}
    with GrowingFiles(grown, ["no JSON"]) as files:
        for instance in instances:
            files.add(instance, by_id.get(instance.id))
        files.close(left)
    return at_once, grown


def test_calls_are_the_same_bytes_and_outcomes_the_same_rows(both):
    at_once, grown = both
    assert (grown / "calls.jsonl.gz").read_bytes() == (at_once / "calls.jsonl.gz").read_bytes()
    assert read_outcomes(grown)[0] == read_outcomes(at_once)[0]
    assert [row.id for row in read_outcomes(grown)] == ["a/1", "a/2", "b/1", "b/2"]
    assert sorted(path.name for path in grown.iterdir()) == ["calls.jsonl.gz", "outcomes.parquet"]


def test_secrets_are_hidden(both):
    at_once, grown = both
    assert read_judged(at_once)[1].prediction.detail == "no JSON"
    assert read_judged(grown)[1].prediction.detail == "***"


def test_pairs_are_read_back_one_after_another_with_their_calls(both, instances, outcomes):
    _, grown = both
    pairs = list(iterate_pairs(grown, iter(instances)))
    assert [instance for instance, _ in pairs] == list(instances)
    assert [None if outcome is None else len(outcome.calls) for _, outcome in pairs] == [2, 0, 1, None]
    first = pairs[0][1]
    assert first.calls == tuple(own(call, "a/1") for call in outcomes[0].calls)
    assert first.by_order[Order.SWAPPED] == outcomes[0].by_order[Order.SWAPPED]
    assert len(read_calls(grown).unfinished) == 1


def test_pairs_of_other_instances_are_refused(both, instances):
    _, grown = both
    with pytest.raises(RunError, match="expected the outcome of 'a/2', found the row of 'a/1'"):
        list(iterate_pairs(grown, iter(instances[1:])))
    with pytest.raises(RunError, match="found something of 'b/2'"):
        list(iterate_pairs(grown, iter(instances[:3])))
    with pytest.raises(RunError, match="expected the outcome of 'c', found no more rows"):
        list(iterate_pairs(grown, iter([*instances, replace(instances[0], id="c")])))


def test_rows_are_written_in_groups_as_they_come(tmp_path, instances):
    import pyarrow.parquet as pq

    with GrowingFiles(tmp_path) as files:
        for number in range(ROW_GROUP + 3):
            files.add(replace(instances[3], id=str(number)), None)
        assert len(files.held) == 3
        assert (tmp_path / ".outcomes.parquet.part").stat().st_size > 1000
        files.close()
    table = pq.ParquetFile(tmp_path / "outcomes.parquet").metadata
    assert [table.row_group(at).num_rows for at in range(table.num_row_groups)] == [ROW_GROUP, 3]


def test_what_is_left_unfinished_leaves_no_file(tmp_path, instances):
    with suppress(OSError), GrowingFiles(tmp_path) as files:
        files.add(instances[3], None)
        raise OSError("disk full")
    assert list(tmp_path.iterdir()) == []
