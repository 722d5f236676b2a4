import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from venire.data.table import Columns, Table
from venire.errors import ConfigError, DataError
from venire.records import Dimension, PreferenceGold, RatingsGold, Response, Winner

Writer = Callable[[str, Sequence[Mapping[str, object]]], Path]

PAIR = Columns(response_1="a", response_2="b", label="better")
SINGLE = Columns(response="answer", ratings={"fluency": "f", "accuracy": "acc"})
SCALES = {"fluency": [1, 5], "accuracy": [0, 1]}


def pair(id: object = "x1", better: object = "response_1", **other: object) -> dict[str, object]:
    return {"id": id, "prompt": "Why {so}?", "a": "one", "b": "two", "better": better, **other}


def single(id: object, f: object, acc: object) -> dict[str, object]:
    return {"id": id, "prompt": "Why?", "answer": "because", "f": f, "acc": acc}


def write(path: Path, records: Sequence[Mapping[str, object]], write_jsonl: Writer) -> None:
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist([dict(record) for record in records]), path)
    elif path.suffix == ".csv":
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, records[0])
            writer.writeheader()
            writer.writerows(records)
    else:
        write_jsonl(path.name, records)


def refusal(table: Table) -> str:
    with pytest.raises(DataError) as caught:
        table.load()
    return str(caught.value)


@pytest.mark.parametrize("name", ["t.jsonl", "t.csv", "t.parquet"])
def test_a_pairwise_table_reads_the_same_from_every_format(
    tmp_path: Path, write_jsonl: Writer, name: str
) -> None:
    write(tmp_path / name, [pair(), pair("x2", "tie", a="")], write_jsonl)
    loaded = Table(PAIR, path=name, root=str(tmp_path)).load()
    first, second = loaded.instances
    assert (first.id, first.prompt) == ("x1", "Why {so}?")
    assert first.responses == (Response("one", "a"), Response("two", "b"))
    assert first.gold == PreferenceGold(Winner.FIRST)
    assert second.gold == PreferenceGold(Winner.TIE)
    assert first.cluster == second.cluster  # equal prompts
    assert loaded.labels == (Winner.FIRST, Winner.SECOND, Winner.TIE)
    assert loaded.warnings == ("empty responses, kept as they are: 1 (in x2)",)
    assert (loaded.source, loaded.revision) == (name, None)
    # sha256sum of the two lines ["x1","Why {so}?",null,null,["one","two"],{"votes":{},"winner":"response_1"}]
    # and ["x2","Why {so}?",null,null,["","two"],{"votes":{},"winner":"tie"}]
    assert loaded.fingerprint == "1d7a8fdc8f22fd52c2b8de9d328c69b79674bfd9ac69914e7054245c77856bcb"


@pytest.mark.parametrize("name", ["t.jsonl", "t.csv", "t.parquet"])
def test_a_rated_table_reads_the_same_from_every_format(
    tmp_path: Path, write_jsonl: Writer, name: str
) -> None:
    write(
        tmp_path / name, [single("1", 4.0, 0.5), single("2", 1.0, None), single("3", None, None)], write_jsonl
    )
    loaded = Table(SINGLE, path=name, root=str(tmp_path), scales=SCALES).load()
    assert [instance.gold for instance in loaded.instances] == [
        RatingsGold({"fluency": 4.0, "accuracy": 0.5}),
        RatingsGold({"fluency": 1.0}),
        None,
    ]
    assert loaded.labels == ()
    assert not loaded.instances[0].is_pairwise


def test_every_column_may_be_named(tmp_path: Path, write_jsonl: Writer) -> None:
    record = pair(7, q="Q", ctx="C", ref="R", part="P", group=3, m1="m", m2=None, year=1999, note=None)
    write_jsonl("t.jsonl", [record])
    columns = Columns(
        prompt="q",
        response_1="a",
        response_2="b",
        context="ctx",
        reference="ref",
        subset="part",
        cluster="group",
        generator_1="m1",
        generator_2="m2",
        metadata={"year": "year", "remark": "note"},
    )
    instance = Table(columns, path=str(tmp_path / "t.jsonl")).load().instances[0]
    assert (instance.id, instance.prompt, instance.context, instance.reference) == ("7", "Q", "C", "R")
    assert (instance.subset, instance.cluster) == ("P", "3")
    assert [response.generator for response in instance.responses] == ["m", None]
    assert instance.metadata == {"year": "1999", "remark": ""}
    assert instance.gold is None


def test_labels_of_a_file_are_mapped_and_numbers_count_as_text(tmp_path: Path, write_jsonl: Writer) -> None:
    write_jsonl("t.jsonl", [pair("1", 0), pair("2", 1), pair("3", "0")])
    labels = {"0": "response_2", "1": "response_1"}
    loaded = Table(PAIR, path="t.jsonl", root=str(tmp_path), labels=labels).load()
    assert [instance.gold for instance in loaded.instances] == [
        PreferenceGold(Winner.SECOND),
        PreferenceGold(Winner.FIRST),
        PreferenceGold(Winner.SECOND),
    ]
    assert loaded.labels == (Winner.FIRST, Winner.SECOND)


def test_an_id_made_from_the_texts_does_not_depend_on_the_row_or_the_label(
    tmp_path: Path, write_jsonl: Writer
) -> None:
    columns = Columns(id=None, response_1="a", response_2="b", label="better")
    records = [pair(a="one"), pair(a="other", better="tie")]
    write_jsonl("t.jsonl", records)
    write_jsonl("u.jsonl", [{**record, "better": "response_2"} for record in records[::-1]])
    ids = [
        [instance.id for instance in Table(columns, path=name, root=str(tmp_path)).load().instances]
        for name in ("t.jsonl", "u.jsonl")
    ]
    assert ids[0] == ids[1][::-1]
    assert len(set(ids[0])) == 2


def test_two_rows_of_the_same_texts_without_ids_are_refused(tmp_path: Path, write_jsonl: Writer) -> None:
    write_jsonl("t.jsonl", [pair("1"), pair("2")])
    columns = Columns(id=None, response_1="a", response_2="b")
    assert "row 2, field 'prompt and responses': expected ids that differ" in refusal(
        Table(columns, path="t.jsonl", root=str(tmp_path))
    )


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (pair("x1"), "row 2, field 'id': expected ids that differ, got 'x1', which row 1 has too; "),
        (pair(""), "row 2, field 'id': expected a non-empty text or an integer, got an empty text; "),
        (pair("x2", prompt=""), "row 2, field 'prompt': expected a prompt, got an empty text; "),
        (pair("x2", b=None), "row 2, field 'b': expected a text, got null; "),
        (
            pair("x2", "A"),
            "row 2, field 'better': expected one of response_1, response_2, tie, got 'A'; "
            "correct the record, or declare what this value means",
        ),
        (pair("x2", None), "row 2, field 'better': expected one of response_1, response_2, tie, got null; "),
        ({"id": "x2"}, "row 2, field 'prompt': expected this column, got a record of id; "),
    ],
)
def test_a_broken_record_is_refused_with_file_row_and_field(
    tmp_path: Path, write_jsonl: Writer, record: Mapping[str, object], message: str
) -> None:
    path = write_jsonl("t.jsonl", [pair(), record])
    assert f"{path}, {message}" in refusal(Table(PAIR, path="t.jsonl", root=str(tmp_path), limit=1))


def test_a_rating_outside_the_declared_scale_is_refused(tmp_path: Path, write_jsonl: Writer) -> None:
    path = write_jsonl("t.jsonl", [single("1", 5, 1), single("2", 6, 1)])
    assert refusal(Table(SINGLE, path="t.jsonl", root=str(tmp_path), scales=SCALES)) == (
        f"{path}, row 2, field 'f': expected a rating from 1 to 5, got 6; "
        "correct the rating, or declare the scale that it is on"
    )


def test_a_missing_column_of_a_csv_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id,prompt,a,better\n1,p,x,tie\n")
    assert (
        "t.csv, row 1, field 'b': expected this column, got a record of id, prompt, a, better; "
        in refusal(Table(PAIR, path="t.csv", root=str(tmp_path)))
    )


def test_an_empty_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text("")
    assert refusal(Table(PAIR, path="t.jsonl", root=str(tmp_path))).startswith(
        "t.jsonl: expected at least one instance, got none; "
    )


def test_another_count_than_the_expected_one_is_refused(tmp_path: Path, write_jsonl: Writer) -> None:
    write_jsonl("t.jsonl", [pair()])
    table = Table(PAIR, path="t.jsonl", root=str(tmp_path), expected_count=2)
    assert refusal(table).startswith("t.jsonl: expected 2 records (the published count), got 1; ")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    assert refusal(Table(PAIR, path=str(tmp_path / "no.csv"))).startswith(
        f"{tmp_path}/no.csv: expected a file, got nothing there; "
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, r"^path: expected either path or hub, got path=None, hub=None$"),
        ({"path": "x.csv", "hub": "a/b"}, r"^path: expected either path or hub, got path=x.csv, hub=a/b$"),
        ({"path": "x.csv", "revision": "1"}, r"^revision: only a Hub set has one"),
        ({"path": "x.csv", "limit": 0}, r"^limit: expected an integer of at least 1"),
        ({"path": "x.csv", "labels": {}}, r"^labels: expected values with what they mean, got none"),
        (
            {"path": "x.csv", "labels": {"A": "first"}},
            r"^labels\.A: expected response_1 or response_2 or tie, got 'first'$",
        ),
        (
            {"path": "x.csv", "scales": {"f": [1, 5]}},
            r"^scales\.f: no such rating \(columns\.ratings: none\)$",
        ),
    ],
)
def test_settings_that_do_not_fit_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Table(PAIR, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("scales", [{}, {"fluency": [1, 5]}])
def test_a_rating_without_a_scale_is_refused(scales: dict[str, list[float]]) -> None:
    with pytest.raises(
        ConfigError, match=r"^scales\.\w+: expected \[lowest, highest\] of this rating, got none$"
    ):
        Table(SINGLE, path="x.csv", scales=scales)


@pytest.mark.parametrize("ends", [[5, 1], [1, 1], [1], [1, 2, 3]])
def test_a_scale_goes_up(ends: list[float]) -> None:
    with pytest.raises(ConfigError, match=r"^scales\.fluency: expected \[lowest, highest\], got \["):
        Table(SINGLE, path="x.csv", scales={**SCALES, "fluency": ends})


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({}, r"^response: expected either response, or both response_1 and response_2"),
        ({"response": "a", "response_1": "b", "response_2": "c"}, r"^response: expected either"),
        ({"response_1": "a"}, r"^response: expected either"),
        ({"response": "a", "label": "x"}, r"^label: expected response_1 and response_2"),
        ({"response_1": "a", "response_2": "b", "ratings": {"f": "f"}}, r"^ratings: expected a single"),
    ],
)
def test_columns_are_of_one_response_or_of_two(columns: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Columns(**columns)  # type: ignore[arg-type]


def rated_by(id: str, who: str, fluency: float | None, text: str = "out") -> dict[str, object]:
    return {"id": id, "prompt": "p", "out": text, "who": who, "flu": fluency}


RATED = Columns(response="out", ratings={"fluency": "flu"}, annotator="who")


def test_rows_of_several_annotators_are_one_instance_with_their_mean(
    tmp_path: Path, write_jsonl: Writer
) -> None:
    write_jsonl("t.jsonl", [rated_by("1", "a", 1), rated_by("2", "a", 5), rated_by("1", "b", 4)])
    loaded = Table(RATED, path="t.jsonl", root=str(tmp_path), scales={"fluency": [1, 5]}).load()
    assert [(each.id, each.gold) for each in loaded.instances] == [
        ("1", RatingsGold({"fluency": 2.5}, {"a": {"fluency": 1.0}, "b": {"fluency": 4.0}})),
        ("2", RatingsGold({"fluency": 5.0}, {"a": {"fluency": 5.0}})),
    ]


def test_annotators_must_have_rated_the_same_text_and_once(tmp_path: Path, write_jsonl: Writer) -> None:
    table = Table(RATED, path="t.jsonl", root=str(tmp_path), scales={"fluency": [1, 5]})
    write_jsonl("t.jsonl", [rated_by("1", "a", 1), rated_by("1", "b", 4, "other")])
    assert "field 'out': expected what row 1 has, which rates '1', too, got 'other'" in refusal(table)
    write_jsonl("t.jsonl", [rated_by("1", "a", 1), rated_by("1", "a", 4)])
    assert "field 'who': expected one row a response and annotator, got a second of '1' by 'a'" in refusal(
        table
    )


def test_annotators_need_ratings_and_ids() -> None:
    with pytest.raises(ConfigError, match=r"^annotator: expected ratings and an id column"):
        Columns(response="out", annotator="who")


@pytest.mark.parametrize(
    ("scale", "step"),
    [
        ([1, 5], 1.0),
        ([0.0, 1.0], None),
        ([0, 1, 1], 1.0),
        ([0, 0.5], None),
        ([1, 5, 0.5], 0.5),
        ([1, 5, 0], None),
    ],
)
def test_a_rated_dimension_has_its_scale_and_what_judges_are_told(
    tmp_path: Path, write_jsonl: Writer, scale: list[float], step: float | None
) -> None:
    write_jsonl("t.jsonl", [{"id": "1", "prompt": "p", "out": "o", "flu": None}])
    columns = Columns(response="out", ratings={"well_written": "flu"})
    plain = Table(columns, path="t.jsonl", root=str(tmp_path), scales={"well_written": scale})
    (instance,) = plain.load().instances
    low, high = scale[:2]
    assert instance.dimensions == (Dimension("well_written", "well written", low, high, step),)
    told = replace(plain, descriptions={"well_written": "whether it reads well"}).load().instances[0]
    assert told.dimensions[0].description == "whether it reads well"


@pytest.mark.parametrize("scale", [[1, 5, 3], [1, 5, -1], [1, 5, 1, 1], [1, 5, 9]])
def test_a_step_leads_from_the_lowest_to_the_highest_point(scale: list[float]) -> None:
    with pytest.raises(ConfigError, match=r"a step between points may stand third"):
        Table(RATED, path="x.csv", scales={"fluency": scale})


def test_a_description_of_no_rating_is_refused() -> None:
    with pytest.raises(
        ConfigError, match=r"^descriptions\.style: no such rating \(columns\.ratings: fluency\)"
    ):
        Table(RATED, path="x.csv", scales={"fluency": [1, 5]}, descriptions={"style": "s"})
