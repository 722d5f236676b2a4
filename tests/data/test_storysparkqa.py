"""The StorySparkQA loader: pairs, and human ratings joined by id from a file."""

import csv
import gzip
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from venire.data.storysparkqa import DIMENSIONS, FILE, StorySparkQA
from venire.errors import ConfigError, DataError
from venire.records import Instance, RatingsGold

Record = Mapping[str, object]
Writer = Callable[[str, Sequence[Record]], Path]


def pair(qa_id: str, question: str = "Who?", **changes: str) -> dict[str, str]:
    made = {
        "qa_id": qa_id,
        "split": qa_id.split("-")[0],
        "origin": "first-round",
        "story_name": "a-story",
        "section_id": "1",
        "word_id": "0",
        "concept": "fish",
        "relation": "is a",
        "obj": "animal",
        "question": question,
        "answer": " They. ",
        "section_text": "Once upon a time.",
    }
    return {**made, **changes}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A data root with three pairs on two stories."""
    pairs = [pair("train-0000"), pair("train-0001", "What?"), pair("val-0000", story_name="b-story")]
    path = tmp_path / FILE
    path.parent.mkdir()
    with gzip.open(path, "wt", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(pairs[0]))
        writer.writeheader()
        writer.writerows(pairs)
    return tmp_path


def rating(qa_id: str, *ratings: float | None, **more: object) -> dict[str, object]:
    return {"qa_id": qa_id, **dict(zip(DIMENSIONS, ratings, strict=True)), **more}


def load(root: Path, **settings: Any) -> tuple[Instance, ...]:
    return StorySparkQA(str(root), check_counts=False, **settings).load().instances


def test_without_ratings_it_is_refused_and_says_what_the_file_must_look_like(root: Path) -> None:
    with pytest.raises(DataError) as caught:
        StorySparkQA(str(root)).load()
    message = str(caught.value)
    assert message.startswith("dataset.ratings: expected human ratings (a .csv, .jsonl, .json or .parquet ")
    assert "a column qa_id (train-0000, ...: joined by it) and a column each of grammar, rel" in message
    assert "as far as we know no ratings of StorySparkQA are public" in message
    assert message.endswith(
        "dataset.ratings=FILE, or dataset.unrated=true to judge without measuring alignment"
    )


def test_ratings_are_joined_by_id_in_the_file_s_order(root: Path, write_jsonl: Writer) -> None:
    write_jsonl("r.jsonl", [rating("val-0000", 5, 4, 3, 2), rating("train-0000", 1, None, 1, 1)])
    loaded = StorySparkQA(str(root), "r.jsonl", check_counts=False).load()
    assert [each.id for each in loaded.instances] == ["val-0000", "train-0000"]
    assert [each.gold for each in loaded.instances] == [
        RatingsGold({"grammar": 5.0, "relevancy": 4.0, "consistency": 3.0, "appropriateness": 2.0}),
        RatingsGold({"grammar": 1.0, "consistency": 1.0, "appropriateness": 1.0}),
    ]
    first = loaded.instances[0]
    assert (first.cluster, first.subset, first.context) == ("b-story", "first-round", "Once upon a time.")
    assert first.responses[0].text == "Question: Who?\nAnswer: They."
    assert first.reference is None
    assert [(each.name, each.low, each.high, each.step) for each in first.dimensions] == [
        (name, 1.0, 5.0, 1.0) for name in DIMENSIONS
    ]
    assert loaded.warnings == ("1 of 3 pairs are not rated",)


def test_annotators_are_merged_to_their_mean_and_kept(root: Path, write_jsonl: Writer) -> None:
    write_jsonl(
        "r.jsonl",
        [
            rating("train-0000", 1, 2, 3, 4, annotator="ann"),
            rating("train-0000", 2, 2, None, 5, annotator="bob"),
        ],
    )
    (instance,) = load(root, ratings="r.jsonl")
    assert isinstance(instance.gold, RatingsGold)
    assert instance.gold.mean == {"grammar": 1.5, "relevancy": 2, "consistency": 3, "appropriateness": 4.5}
    assert set(instance.gold.by_annotator) == {"ann", "bob"}
    assert "consistency" not in instance.gold.by_annotator["bob"]


def test_a_generated_pair_has_the_expert_s_as_its_reference(root: Path, write_jsonl: Writer) -> None:
    written = {"id": "g1", "question": "Why do fish swim?", "answer": "To eat.", "generator": "gpt-4"}
    write_jsonl("r.jsonl", [rating("train-0001", 4, 4, 4, 4, **written)])
    (instance,) = load(root, ratings="r.jsonl")
    assert instance.id == "g1"
    assert instance.responses[0].text == "Question: Why do fish swim?\nAnswer: To eat."
    assert instance.responses[0].generator == "gpt-4"
    assert instance.reference == "Question: What?\nAnswer: They."
    assert instance.metadata["qa_id"] == "train-0001"


BROKEN = [
    (
        [rating("train-9999", 1, 1, 1, 1)],
        r"field 'qa_id': expected the id of a pair of train, val, test .* got 'train-9999'; correct the id",
    ),
    ([rating("train-0000", 6, 1, 1, 1)], r"field 'grammar': expected a rating from 1 to 5, got 6"),
    ([{"qa_id": "train-0000", "grammar": 1}], r"field 'relevancy': expected this column"),
    ([{"grammar": 1}], r"field 'qa_id': expected this column"),
    (
        [rating("train-0000", 1, 1, 1, 1), rating("train-0000", 2, 2, 2, 2)],
        r"row 2, field 'annotator': expected one row a response and annotator, got a second of 'train-0000'",
    ),
    (
        [
            rating("train-0000", 1, 1, 1, 1, annotator="a"),
            rating("train-0000", 2, 2, 2, 2, annotator="a"),
        ],
        r"a second of 'train-0000' by 'a' \(first: row 1\)",
    ),
    (
        [rating("train-0000", 1, 1, 1, 1, question="Why?", answer="So.")],
        r"field 'question': expected id, question and answer for a pair that a model wrote",
    ),
    (
        [
            rating("train-0000", 1, 1, 1, 1, annotator="a", id="g", question="Q", answer="A"),
            rating("train-0001", 1, 1, 1, 1, annotator="b", id="g", question="Q", answer="A"),
        ],
        r"row 2, field 'qa_id': expected what row 1 has, which rates 'g', too, got 'train-0001'",
    ),
    ([rating("train-0000", None, None, None, None)], r"expected at least one instance, got none"),
]


@pytest.mark.parametrize(("records", "message"), BROKEN)
def test_a_broken_file_of_ratings_is_refused(
    root: Path, write_jsonl: Writer, records: Sequence[Record], message: str
) -> None:
    write_jsonl("r.jsonl", records)
    with pytest.raises(DataError, match=message):
        load(root, ratings="r.jsonl")


def test_another_scale_may_be_declared(root: Path, write_jsonl: Writer) -> None:
    write_jsonl("r.jsonl", [rating("train-0000", 0, 7, 10, 1)])
    (instance,) = load(root, ratings="r.jsonl", scale=(0.0, 10.0))
    assert {(each.low, each.high) for each in instance.dimensions} == {(0.0, 10.0)}


def test_unrated_pairs_have_no_gold_and_a_warning_says_so(root: Path) -> None:
    loaded = StorySparkQA(str(root), unrated=True, splits=("train",), check_counts=False).load()
    assert [(each.id, each.gold) for each in loaded.instances] == [("train-0000", None), ("train-0001", None)]
    assert loaded.warnings == ("no human ratings: nothing can be measured against them",)
    assert len(loaded.instances[0].dimensions) == 4


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ratings": "r.csv", "unrated": True}, r"^unrated: expected false where there is a file of ratings"),
        ({"scale": (5.0, 1.0)}, r"^scale: expected \[lowest, highest\], got \[5\.0, 1\.0\]"),
        ({"splits": ("dev",)}, r"^splits: expected different ones of train, val, test, got \['dev'\]"),
        ({"dimensions": ()}, r"^dimensions: expected different ones of grammar, "),
    ],
)
def test_a_bad_setting_is_refused(settings: Mapping[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        StorySparkQA("data", **settings)


def test_the_hub_s_splits_get_the_ids_of_the_local_file(tmp_path: Path, write_jsonl: Writer) -> None:
    folder = tmp_path / "set" / "data"
    folder.mkdir(parents=True)
    for split in ("train", "val", "test"):
        made = {**pair(f"{split}-0"), "section_id": 3, "concept (sub)": "fish"}
        named = {key: made[key] for key in made if key not in ("qa_id", "split", "origin", "concept")}
        pq.write_table(pa.Table.from_pylist([named]), folder / f"{split}-00000-of-00001.parquet")
    write_jsonl("r.jsonl", [rating("val-0000", 1, 1, 1, 1)])
    loaded = StorySparkQA(
        str(tmp_path),
        "r.jsonl",
        hub=str(tmp_path / "set"),
        revision="main",
        cache_dir=str(tmp_path / "cache"),
        check_counts=False,
    ).load()
    assert [each.id for each in loaded.instances] == ["val-0000"]
    assert loaded.instances[0].metadata["triple"] == "fish | is a | animal"
    assert loaded.source == f"hub:{tmp_path / 'set'} + r.jsonl"


def test_the_public_pairs_have_their_published_counts(data_root: Path) -> None:
    instances = StorySparkQA(str(data_root), unrated=True).load().instances
    counts = json.loads((data_root / "storysparkqa" / "counts.json").read_text(encoding="utf-8"))
    assert len(instances) == counts["n"] == 5868
    assert Counter(each.id.split("-")[0] for each in instances) == counts["by_split"]
    assert len({each.cluster for each in instances}) == counts["stories"] == 278
    assert Counter(each.subset for each in instances) == counts["by_origin"]
