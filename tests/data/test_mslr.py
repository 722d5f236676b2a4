"""The MSLR-Cochrane loader, on small tables and on the public data."""

import csv
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from venire.data.mslr import FILE, MSLR, Annotators, Facets
from venire.errors import ConfigError, DataError
from venire.records import Instance, RatingsGold

Rows = list[dict[str, str]]


def row(system: str = "AAAAAA", annotator: str = "A1", **changes: str) -> dict[str, str]:
    """Fluent, 2 + 1 + 0, same direction, strength 2 against 1: facets 2, 3, 1, 2."""
    made = {
        "review_id": "CD000001",
        "system_id": system,
        "system_name": f"model/{system}",
        "system_type": "model",
        "annotator": annotator,
        "target": "What the review found.",
        "generated": "What the system wrote.",
        "fluency": "2",
        "population": "2",
        "intervention": "1",
        "outcome": "0",
        "ed_target": "1",
        "ed_generated": "1",
        "strength_target": "2",
        "strength_generated": "1",
        "has_answers": "1",
        "used_by_source": "1",
        "primary": "1",
        "in_sample_102": "0",
        "facet_average": "0.7916666666666666",
        "paper_average": "0.7916666666666666",
    }
    return {**made, **changes}


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Rows], Path]:
    """Writes the table below `tmp_path`, which becomes the data root."""

    def write_rows(rows: Rows) -> Path:
        path = tmp_path / FILE
        path.parent.mkdir(exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        return tmp_path

    return write_rows


def load(root: Path, **settings: Any) -> tuple[Instance, ...]:
    return MSLR(str(root), check_counts=False, **settings).load().instances


def gold(instance: Instance) -> RatingsGold:
    assert isinstance(instance.gold, RatingsGold)
    return instance.gold


def test_a_summary_is_an_instance_with_its_reference_and_scales(write: Callable[[Rows], Path]) -> None:
    (instance,) = load(write([row()]))
    assert (instance.id, instance.cluster, instance.subset) == ("CD000001/AAAAAA", "CD000001", "model/AAAAAA")
    assert [(each.text, each.generator) for each in instance.responses] == [
        ("What the system wrote.", "model/AAAAAA")
    ]
    assert instance.reference == "What the review found."
    assert instance.context is None
    scales = {each.name: (each.low, each.high, each.step, each.asked) for each in instance.dimensions}
    assert scales == {
        "fluency": (0.0, 2.0, 1.0, True),
        "pio": (0.0, 6.0, 1.0, True),
        "direction": (0.0, 1.0, 1.0, True),
        "strength": (0.0, 3.0, 1.0, True),
        "average": (0.0, 1.0, None, False),
    }
    assert gold(instance).mean == {
        "fluency": 2.0,
        "pio": 3.0,
        "direction": 1.0,
        "strength": 2.0,
        "average": pytest.approx((1 + 3 / 6 + 1 + 2 / 3) / 4),
    }


def test_neither_prompt_nor_reference_nor_dimension_tells_a_rating(write: Callable[[Rows], Path]) -> None:
    (one,) = load(write([row()]))
    (other,) = load(write([row(fluency="0", population="0", ed_target="2", strength_target="0")]))
    assert one.gold != other.gold
    assert (one.prompt, one.reference, one.dimensions, one.metadata) == (
        *(other.prompt, other.reference, other.dimensions, other.metadata),
    )


TWO = [row(fluency="2", primary="1"), row(annotator="A2", fluency="0", primary="0", outcome="")]


def test_the_primary_annotator_is_the_gold_and_both_are_kept_for_the_ceiling(
    write: Callable[[Rows], Path],
) -> None:
    (instance,) = load(write(TWO), dimensions=("fluency", "outcome"))
    assert gold(instance).mean == {"fluency": 2.0, "outcome": 0.0}
    assert gold(instance).by_annotator == {"A1": {"fluency": 2.0, "outcome": 0.0}, "A2": {"fluency": 0.0}}
    assert instance.metadata["annotators"] == "A1, A2"


def test_the_mean_of_both_is_over_those_who_answered(write: Callable[[Rows], Path]) -> None:
    (instance,) = load(write(TWO), dimensions=("fluency", "outcome"), annotators=Annotators.BOTH)
    assert gold(instance).mean == {"fluency": 1.0, "outcome": 0.0}


def test_each_annotator_may_be_an_instance(write: Callable[[Rows], Path]) -> None:
    instances = load(write(TWO), dimensions=("fluency",), annotators=Annotators.EACH)
    assert [(each.id, gold(each).mean) for each in instances] == [
        ("CD000001/AAAAAA/A1", {"fluency": 2.0}),
        ("CD000001/AAAAAA/A2", {"fluency": 0.0}),
    ]
    assert {each.cluster for each in instances} == {"CD000001"}


def test_as_published_strength_is_signed_and_goes_to_six(write: Callable[[Rows], Path]) -> None:
    root = write([row(strength_target="0", strength_generated="3", paper_average="1.125")])
    (instance,) = load(root, facets=Facets.AS_PUBLISHED)
    assert gold(instance).mean["strength"] == 6.0
    assert gold(instance).mean["average"] == 1.125
    by_name = {each.name: each for each in instance.dimensions}
    assert (by_name["strength"].high, by_name["average"].high) == (6.0, 1.25)
    (corrected,) = load(root, dimensions=("strength",))
    assert gold(corrected).mean == {"strength": 0.0}
    assert corrected.dimensions[0].description != by_name["strength"].description


def test_summaries_that_nobody_answered_or_that_the_paper_dropped_are_counted(
    write: Callable[[Rows], Path],
) -> None:
    root = write(
        [row(), row("BBBBBB", has_answers="0", used_by_source="0"), row("CCCCCC", used_by_source="0")]
    )
    loaded = MSLR(str(root), check_counts=False).load()
    assert [each.id for each in loaded.instances] == ["CD000001/AAAAAA", "CD000001/CCCCCC"]
    assert loaded.warnings == ("1 of 3 summaries left out: nobody answered",)
    published = MSLR(str(root), Facets.AS_PUBLISHED, check_counts=False).load()
    assert [each.id for each in published.instances] == ["CD000001/AAAAAA"]
    assert published.warnings == ("2 of 3 summaries left out: the paper's script dropped them",)


def test_a_summary_without_any_chosen_rating_is_left_out_and_counted(write: Callable[[Rows], Path]) -> None:
    root = write([row(), row("BBBBBB", outcome="")])
    loaded = MSLR(str(root), dimensions=("outcome",), check_counts=False).load()
    assert [each.id for each in loaded.instances] == ["CD000001/AAAAAA"]
    assert loaded.warnings == ("1 summaries left out: not rated on any of outcome",)


def test_a_part_of_the_set_keeps_what_two_humans_rated_of_all_of_it(write: Callable[[Rows], Path]) -> None:
    rows = [row("BBBBBB", in_sample_102="1"), *TWO]
    sample = MSLR(str(write(rows)), sample=102, check_counts=False).load()
    assert [each.id for each in sample.instances] == ["CD000001/BBBBBB"]
    assert [each.id for each in sample.doubly_rated] == ["CD000001/AAAAAA"]
    assert MSLR(str(write(rows)), check_counts=False).load().doubly_rated == ()
    limited = MSLR(str(write(rows)), limit=1, check_counts=False).load()
    assert [each.id for each in limited.doubly_rated] == ["CD000001/AAAAAA"]


def test_an_average_is_that_of_the_data_or_exact(write: Callable[[Rows], Path]) -> None:
    # 1, 4/6, 0, 1/3: the data's own sum is half an ulp short of .5
    root = write([row(population="2", intervention="2", ed_generated="2", strength_generated="0",
                      facet_average="0.49999999999999994")])  # fmt: skip
    (stored,), (exact,) = load(root), load(root, average="exact")
    assert gold(stored).mean["average"] == 0.49999999999999994
    assert gold(exact).mean["average"] == 0.5


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"dimensions": ("fluency", "style")}, r"^dimensions: expected different ones of fluency, pio, "),
        ({"dimensions": ()}, r"^dimensions: expected different ones of "),
        ({"dimensions": ("pio", "pio")}, r"^dimensions: .* got \['pio', 'pio'\]"),
        ({"sample": 50}, r"^sample: expected 102, the fixed sample, or null for all, got 50"),
        ({"facets": "fixed"}, r"^facets: expected corrected or as_published, got 'fixed'"),
        ({"annotators": "A1"}, r"^annotators: expected primary or both or each, got 'A1'"),
        ({"average": "rounded"}, r"^average: expected as_stored or exact, got 'rounded'"),
        ({"limit": 0}, r"^limit: "),
    ],
)
def test_a_bad_setting_is_refused(settings: Mapping[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        MSLR("data", **settings)


def test_missing_data_and_other_counts_are_refused(tmp_path: Path, write: Callable[[Rows], Path]) -> None:
    with pytest.raises(DataError, match=r"annotations\.csv: expected a file, got nothing there"):
        MSLR(str(tmp_path)).load()
    with pytest.raises(DataError, match=r"expected 639 rows \(the published count\), got 1; "):
        MSLR(str(write([row()]))).load()


def test_two_rows_of_one_annotator_are_refused(write: Callable[[Rows], Path]) -> None:
    with pytest.raises(DataError, match=r"row 2, .*: expected ids that differ, got 'CD000001/AAAAAA/A1'"):
        load(write([row(), row()]))


def test_a_copy_on_the_hub_is_read_where_there_is_no_file(tmp_path: Path) -> None:
    folder = tmp_path / "set" / "data"
    folder.mkdir(parents=True)
    numbers = {"fluency": 2, "primary": 1, "in_sample_102": 0, "outcome": None, "facet_average": 0.5}
    pq.write_table(pa.Table.from_pylist([{**row(), **numbers}]), folder / "train-00000-of-00001.parquet")
    settings = {"hub": str(tmp_path / "set"), "cache_dir": str(tmp_path / "cache"), "check_counts": False}
    loaded = MSLR(str(tmp_path), **settings, revision="main").load()
    assert loaded.source == f"hub:{tmp_path / 'set'}/train"
    assert gold(loaded.instances[0]).mean["pio"] == 3.0


def test_the_public_data_have_598_summaries_of_275_reviews(data_root: Path) -> None:
    loaded = MSLR(str(data_root)).load()
    assert len(loaded.instances) == 598
    # 277 reviews less CD002987 and CD005251, whose only summary nobody answered
    assert len({each.cluster for each in loaded.instances}) == 275
    assert sum(len(gold(each).by_annotator) == 2 for each in loaded.instances) == 39
    counts = {name: sum(name in gold(each).mean for each in loaded.instances) for name in MSLR().dimensions}
    # README of the shared mslr/ folder, "ROUGE-L against the facets"
    assert counts == {"fluency": 598, "pio": 598, "direction": 590, "strength": 515, "average": 514}
    assert loaded.warnings == ("2 of 600 summaries left out: nobody answered",)


def test_the_paper_kept_597_and_the_fixed_sample_is_the_published_one(data_root: Path) -> None:
    assert len(MSLR(str(data_root), Facets.AS_PUBLISHED).load().instances) == 597
    sample = MSLR(str(data_root), sample=102).load().instances
    ids = json.loads((data_root / "mslr" / "reference.json").read_text(encoding="utf-8"))["sample"]["ids"]
    assert sorted(each.id for each in sample) == sorted(
        f"{review}/{system}" for system, reviews in ids.items() for review in reviews
    )
    assert len(MSLR(str(data_root), annotators=Annotators.EACH).load().instances) == 637
