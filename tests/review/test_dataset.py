import pytest

from venire.data.table import Columns, Table
from venire.errors import DataError
from venire.records import PreferenceGold, RatingsGold, Winner
from venire.review.dataset import labelled_data
from venire.review.labels import labels_by_instance

FIRST, SECOND, TIE = Winner


def loaded(made, tmp_path):
    """The data set as `dataset=table` reads what was written."""
    path = tmp_path / "labelled.jsonl"
    path.write_text(made.text, encoding="utf-8")
    settings = {name: value for name, value in made.settings.items() if name != "columns"}
    return Table(columns=Columns(**made.settings["columns"]), path=str(path), **settings).load()


def test_labelled_pairs_are_a_data_set_whose_gold_is_people_s_word(pair, label, tmp_path):
    instances = [
        pair("a", FIRST, context="c", reference="r", subset="s", cluster="k"),
        pair("b"),
        pair("not labelled"),
    ]
    labels = labels_by_instance(
        [label(instances[0], SECOND), label(instances[1], TIE), label(instances[1], TIE, "bob")], instances
    )
    made = labelled_data(instances, labels, name="reviewed")
    assert (made.items, made.undecided, made.settings["name"]) == (2, 0, "reviewed")
    first, second = loaded(made, tmp_path).instances
    assert first.gold == PreferenceGold(SECOND)
    assert (first.id, first.prompt, first.context, first.reference) == ("a", "prompt of a", "c", "r")
    assert (first.subset, first.cluster) == ("s", "k")
    assert [(each.text, each.generator) for each in first.responses] == [("one", "gpt-9"), ("two", "llama-9")]
    assert second.gold == PreferenceGold(TIE)


def test_labelled_ratings_keep_every_annotator(rated, label, tmp_path):
    instances = [rated("a", fluency=1), rated("b")]
    labels = labels_by_instance(
        [
            label(instances[0], {"fluency": 2.0, "polite": 1.0}),
            label(instances[0], {"fluency": 5.0}, "bob"),
            label(instances[1], {"polite": 0.0}),
        ],
        instances,
    )
    first, second = loaded(labelled_data(instances, labels, name="reviewed"), tmp_path).instances
    assert isinstance(first.gold, RatingsGold)
    assert first.gold.mean == {"fluency": 3.5, "polite": 1.0}
    assert first.gold.by_annotator == {"ann": {"fluency": 2.0, "polite": 1.0}, "bob": {"fluency": 5.0}}
    assert isinstance(second.gold, RatingsGold)
    assert second.gold.mean == {"polite": 0.0}
    scales = [(each.name, each.low, each.high, each.step, each.description) for each in first.dimensions]
    assert scales == [("fluency", 1, 5, 1, "how fluent"), ("polite", 0, 1, 1, "whether polite")]


def test_a_draw_is_left_out_and_no_label_at_all_is_refused(pair, label):
    instances = [pair("a"), pair("b")]
    draw = [label(instances[0], FIRST), label(instances[0], SECOND, "bob")]
    with pytest.raises(DataError, match="expected at least one item with a verdict of people"):
        labelled_data(instances, labels_by_instance(draw, instances), name="x")
    both = labels_by_instance([*draw, label(instances[1], FIRST)], instances)
    made = labelled_data(instances, both, name="x")
    assert (made.items, made.undecided) == (1, 1)
