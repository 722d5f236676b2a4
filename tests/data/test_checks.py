import pytest

from venire.data.checks import Placed, assemble, check_count, index_by
from venire.data.fingerprint import fingerprint
from venire.data.rows import Row
from venire.errors import DataError
from venire.records import Instance, Response, Winner


def placed(number: int, id: str, *texts: str, file: str = "f.jsonl") -> Placed:
    return Placed(Row(file, number, {}), Instance(id, "p", tuple(Response(text) for text in texts)))


def test_a_data_set_without_instances_is_refused() -> None:
    with pytest.raises(DataError, match=r"^x: expected at least one instance, got none; "):
        assemble([], source="x")


def test_a_duplicate_id_names_both_rows() -> None:
    items = [placed(1, "a", "x"), placed(2, "b", "x"), placed(5, "a", "x")]
    with pytest.raises(DataError) as caught:
        assemble(items, source="x")
    assert str(caught.value) == (
        "f.jsonl, row 5, field 'id': expected ids that differ, got 'a', which row 1 has too; "
        "give each record its own id, or take one of the two out"
    )


def test_a_duplicate_id_in_another_file_names_that_file() -> None:
    with pytest.raises(DataError, match=r"got 'a', which f\.jsonl, row 1 has too"):
        assemble([placed(1, "a", "x"), placed(1, "a", "x", file="g.jsonl")], source="x")


def test_rows_beyond_the_limit_are_checked_too() -> None:
    with pytest.raises(DataError, match="expected ids that differ"):
        assemble([placed(1, "a", "x"), placed(2, "b", "x"), placed(3, "b", "x")], source="x", limit=1)


def test_the_limit_keeps_the_first_in_order_and_the_fingerprint_is_of_those() -> None:
    items = [placed(1, "b", "x"), placed(2, "a", "y"), placed(3, "c", "z")]
    loaded = assemble(items, source="x", limit=2, labels=(Winner.FIRST,))
    assert [instance.id for instance in loaded.instances] == ["b", "a"]
    assert loaded.fingerprint == fingerprint(loaded.instances)
    assert loaded.labels == (Winner.FIRST,)
    assert loaded.warnings == ()


def test_a_limit_above_the_number_keeps_all() -> None:
    assert len(assemble([placed(1, "a", "x")], source="x", limit=9).instances) == 1


def test_empty_responses_are_kept_counted_and_named() -> None:
    items = [placed(n, f"i{n}", "x", " " if n % 2 else "") for n in range(1, 6)]
    loaded = assemble(items, source="x", warnings=["first"])
    assert len(loaded.instances) == 5
    assert loaded.warnings == (
        "first",
        "empty responses, kept as they are: 5 (in i1, i2, i3 and 2 more)",
    )


def test_pairs_of_equal_responses_are_kept_and_named() -> None:
    loaded = assemble([placed(1, "a", "x", "x"), placed(2, "b", "x", "y"), placed(3, "c", "x")], source="x")
    assert loaded.warnings == ("pairs of two equal responses, kept as they are: 1 (a)",)


def test_another_count_than_the_published_one_is_refused() -> None:
    check_count("f", "votes", 3, 3)
    check_count("f", "votes", 3, None)
    with pytest.raises(DataError, match=r"^f: expected 4 votes \(the published count\), got 3; fetch"):
        check_count("f", "votes", 3, 4)


def test_an_index_keeps_order_and_refuses_a_second_row_of_one_key() -> None:
    rows = [Row("f", number, {"k": key}) for number, key in ((1, "b"), (2, "a"))]
    assert list(index_by(rows, lambda row: row.fields["k"], "k")) == ["b", "a"]
    with pytest.raises(
        DataError, match="f, row 3, field 'k': expected ids that differ, got 'a', which row 2"
    ):
        index_by([*rows, Row("f", 3, {"k": "a"})], lambda row: row.fields["k"], "k")
