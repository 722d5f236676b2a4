import errno
import os
from dataclasses import replace
from threading import Thread

import pytest

from venire.errors import DataError
from venire.records import Order, Winner
from venire.review.labels import current
from venire.review.store import LabelStore, append_labels, read_labels, store_path


def test_labels_come_back_as_they_were_given(pair, rated, label, tmp_path):
    path = store_path(tmp_path, "bench")
    given = [
        label(pair("a"), Winner.TIE, seconds=3.25, comment="ünï\u2028", run_id="run-1"),
        label(rated("b"), {"fluency": 4.0}, source="x.csv", imported_at="now"),
    ]
    assert append_labels(path, given) == tuple(given)
    assert read_labels(path) == tuple(given)
    assert path == tmp_path / "labels" / "bench.jsonl"


def test_what_is_said_already_is_not_said_twice(pair, label, tmp_path):
    path = store_path(tmp_path, "bench")
    first = label(pair("a"), Winner.TIE)
    append_labels(path, [first])
    assert append_labels(path, [replace(first, imported_at="later", source="other")]) == ()
    assert len(read_labels(path)) == 1


def test_a_corrected_label_is_added_and_the_old_one_stays(pair, label, tmp_path):
    path = store_path(tmp_path, "bench")
    before, after = label(pair("a"), Winner.TIE), label(pair("a"), Winner.FIRST)
    append_labels(path, [before])
    text = path.read_text()
    assert append_labels(path, [after]) == (after,)
    assert path.read_text().startswith(text)
    assert read_labels(path) == (before, after)
    assert current(read_labels(path)) == [after]
    # and back again: the current one counts, not any earlier one
    assert append_labels(path, [before]) == (before,)
    assert current(read_labels(path)) == [before]


def test_two_people_and_two_texts_are_different_labels(pair, label, tmp_path):
    labels = [
        label(pair("a"), Winner.TIE),
        label(pair("a"), Winner.FIRST, "bob"),
        label(pair("a", prompt="another"), Winner.SECOND),
    ]
    append_labels(store_path(tmp_path, "bench"), labels)
    assert current(read_labels(store_path(tmp_path, "bench"))) == labels


def test_a_file_without_a_last_line_end_is_gone_on_with(pair, label, tmp_path):
    path = store_path(tmp_path, "bench")
    append_labels(path, [label(pair("a"), Winner.TIE)])
    path.write_text(path.read_text().rstrip("\n"))
    append_labels(path, [label(pair("b"), Winner.TIE)])
    assert [each.instance_id for each in read_labels(path)] == ["a", "b"]


def test_a_damaged_line_is_named_and_nothing_is_added(pair, label, tmp_path):
    path = store_path(tmp_path, "bench")
    append_labels(path, [label(pair("a"), Winner.TIE)])
    with path.open("a") as file:
        file.write('{"instance_id": "b", "verd\n')
    before = path.read_text()
    with pytest.raises(DataError, match=r"bench\.jsonl:2: expected a label, got"):
        append_labels(path, [label(pair("c"), Winner.TIE)])
    assert path.read_text() == before


def test_a_line_that_a_kill_cut_short_counts_for_nothing_and_the_next_takes_its_place(pair, label, tmp_path):
    path = store_path(tmp_path, "bench")
    before, after = label(pair("a"), Winner.TIE), label(pair("b"), Winner.TIE, comment="ü")
    append_labels(path, [before])
    size = path.stat().st_size
    append_labels(path, [after])
    whole = path.read_bytes()
    store = LabelStore(path)
    for end in (size + 1, whole.index("ü".encode()) + 1, len(whole) - 2):  # also within a letter
        path.write_bytes(whole[:end])
        assert store.read() == read_labels(path) == (before,)
        assert store.append([after]) == (after,)
        assert path.read_bytes() == whole
        assert store.read() == (before, after)


def test_a_full_disk_leaves_the_file_as_it_was(pair, label, tmp_path, monkeypatch):
    path = store_path(tmp_path, "bench")
    before, after = label(pair("a"), Winner.TIE), label(pair("b"), Winner.TIE)
    append_labels(path, [before])
    kept, write = path.read_bytes(), os.write

    def full(file: int, data: bytes) -> int:
        if len(data) < 100:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(file, data[:-50])

    store = LabelStore(path)
    with monkeypatch.context() as patched:
        patched.setattr("os.write", full)
        with pytest.raises(OSError, match="No space left"):
            store.append([after])
        assert path.read_bytes() == kept
        with pytest.raises(OSError, match="No space left"):
            store.take_back(before, at="x" * 200)
        assert path.read_bytes() == kept
    assert store.append([after]) == (after,)
    assert read_labels(path) == (before, after)


def test_no_file_has_no_labels_and_a_name_is_no_path(tmp_path):
    assert read_labels(store_path(tmp_path, "bench")) == ()
    assert store_path(tmp_path, "../x y").name == "x-y.jsonl"
    assert store_path(tmp_path, "..").name == "unnamed.jsonl"


def test_writers_at_once_lose_nothing(pair, label, tmp_path):
    path = store_path(tmp_path, "bench")
    threads = [
        Thread(target=append_labels, args=(path, [label(pair(f"{n}/{k}"), Winner.TIE) for k in range(20)]))
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(read_labels(path)) == 80


def test_a_label_taken_back_counts_no_more_and_the_one_before_it_does(pair, label, tmp_path):
    store = LabelStore(store_path(tmp_path, "bench"))
    before = label(pair("a"), Winner.TIE, created_at="2026-11-30T09:00:00.001Z")
    after = label(pair("a"), Winner.FIRST, created_at="2026-11-30T09:00:00.002Z", shown=Order.SWAPPED)
    others = label(pair("a"), Winner.SECOND, "bob")
    store.append([before, others, after])
    text = store.path.read_text()
    assert store.take_back(after, at="2026-11-30T10:00:00Z")
    assert store.path.read_text().startswith(text)
    assert store.read() == read_labels(store.path) == (before, others)
    # neither twice, nor one that was never there; what is said again after that, counts again
    assert not store.take_back(after, at="later")
    assert store.append([after]) == (after,)
    assert current(read_labels(store.path)) == [after, others]


def test_a_store_reads_on_where_it_stopped_and_from_the_start_in_another_file(pair, label, tmp_path):
    path = store_path(tmp_path, "bench")
    reader = LabelStore(path)
    assert (reader.read(), reader.revision) == ((), 0)
    labels = [label(pair(name), Winner.TIE) for name in "abc"]
    append_labels(path, labels[:2])
    assert reader.read() == tuple(labels[:2])
    assert reader.revision == path.stat().st_size
    append_labels(path, labels[2:])
    assert reader.read() == tuple(labels)
    other = tmp_path / "other.jsonl"
    append_labels(other, labels[1:])
    other.replace(path)
    assert reader.read() == tuple(labels[1:])
    path.unlink()
    assert reader.read() == ()
