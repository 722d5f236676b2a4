from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from venire.data.annotations import annotations_of, in_instances, units_in
from venire.data.mt_bench import MTBench
from venire.data.mt_bench_annotations import EVERYBODY, EXPERTS, GPT_4
from venire.data.mt_bench_votes import MTBenchVotes
from venire.data.protocol import Loaded
from venire.data.table import Columns, Table
from venire.errors import DataError
from venire.records import Dimension, Instance, PreferenceGold, RatingsGold, Response, Winner

Bench = Callable[..., Path]
SCALE = Dimension("fluency", "how fluent", 1, 5)


def pair(
    id: str, *texts: str, winner: Winner = Winner.FIRST, annotator: str = "", **more: object
) -> Instance:
    return Instance(
        id=id,
        prompt="which?",
        responses=tuple(Response(text) for text in texts),
        gold=PreferenceGold(winner, more.get("votes", {})),  # type: ignore[arg-type]
        cluster=str(more.get("cluster", "")),
        metadata={"annotator": annotator} if annotator else {},
    )


def rated(id: str, by_annotator: Mapping[str, Mapping[str, float]]) -> Instance:
    gold = RatingsGold({"fluency": 3.0}, by_annotator)
    return Instance(id, "rate", (Response("text"),), gold, dimensions=(SCALE,))


def loaded(*instances: Instance) -> Loaded:
    return Loaded(instances, "0", "test")


def test_votes_on_the_same_two_responses_are_one_unit_in_either_order() -> None:
    instances = [
        pair("one", "x", "y", annotator="ann"),
        pair("two", "y", "x", annotator="bob"),
        pair("three", "x", "z", annotator="ann"),
    ]
    (found,) = annotations_of(object(), loaded(*instances))
    assert [(each.unit, each.annotator, each.value) for each in found.entries] == [
        ("one", "ann", Winner.FIRST),
        ("one", "bob", Winner.SECOND),  # it picked "y", which is the second of the unit
        ("three", "ann", Winner.FIRST),
    ]
    assert found.question == "preference"
    assert found.named


def test_equal_responses_of_two_models_stay_apart() -> None:
    same = [
        Instance("one", "which?", (Response("x", generator="m"), Response("x", generator="n"))),
        Instance("two", "which?", (Response("x", generator="n"), Response("x", generator="m"))),
    ]
    assert units_in(object(), same) == [("one", False), ("two", False)]  # no annotators: each is a unit
    votes = [
        Instance(
            each.id, each.prompt, each.responses, PreferenceGold(Winner.TIE), metadata={"annotator": "a"}
        )
        for each in same
    ]
    assert units_in(object(), votes) == [("one", False), ("one", True)]


def test_each_dimension_is_a_question_of_its_own() -> None:
    instances = [rated("a", {"A1": {"fluency": 2.0}, "A2": {"fluency": 3.0}}), rated("b", {"A2": {}})]
    (found,) = annotations_of(object(), loaded(*instances))
    assert found.question == "fluency"
    assert [(each.unit, each.annotator, each.value) for each in found.entries] == [
        ("a", "A1", 2.0),
        ("a", "A2", 3.0),
    ]
    assert found.cluster == {"a": "a", "b": "b"}


def test_counted_votes_have_no_names() -> None:
    votes = {Winner.FIRST: 2, Winner.SECOND: 0, Winner.TIE: 1}
    (found,) = annotations_of(object(), loaded(pair("a", "x", "y", votes=votes)))
    assert [each.value for each in found.entries] == [Winner.FIRST, Winner.FIRST, Winner.TIE]
    assert not found.named
    assert found.notes == ("votes are counted by item: who gave them is not known",)


def test_data_without_two_annotations_of_an_item_is_refused() -> None:
    with pytest.raises(DataError) as caught:
        annotations_of(object(), loaded(pair("a", "x", "y")))
    assert str(caught.value) == (
        "test: expected items that several annotators judged, found none; agreement needs two annotations of "
        "an item (of a table: columns.annotator where ratings are given, columns.metadata.annotator where "
        "pairs are compared)"
    )
    assert in_instances([]) == ()


MACHINE = [
    {"question_id": 81, "turn": 1, "judge": "g", "model_a": "bob", "model_b": "ann", "winner": "model_a"},
    {
        "question_id": 101,
        "turn": 1,
        "judge": "g",
        "model_a": "ann",
        "model_b": "bob",
        "winner": "tie (inconsistent)",
    },
    {"question_id": 81, "turn": 2, "judge": "g", "model_a": "ann", "model_b": "cy", "winner": "tie"},
]


def test_mt_bench_has_all_votes_in_alphabetical_order_and_gpt_4s_beside(
    write_bench: Bench, write_jsonl: Callable[..., Path]
) -> None:
    root = write_bench()
    write_jsonl("mtbench/gpt4_pair_votes.jsonl", MACHINE)
    dataset = MTBenchVotes(str(root), hub=None, check_counts=False)
    whole, subset = dataset.annotations()
    assert (whole.title, subset.title) == ("turn 1", "turn 1, subset")
    # 8 votes, that on an unpublished answer too.
    assert [(each.unit, each.annotator, str(each.value)) for each in whole.entries] == [
        ("81/turn-1/ann/bob", "expert_0", "response_2"),
        ("81/turn-1/ann/bob", "expert_1", "response_2"),
        ("81/turn-1/ann/bob", "author_0", "tie"),
        ("81/turn-1/ann/cy", "expert_0", "tie"),
        ("81/turn-1/bob/cy", "expert_2", "response_1"),
        ("81/turn-1/bob/cy", "expert_2", "response_2"),
        ("101/turn-1/ann/bob", "expert_0", "response_1"),
        ("101/turn-1/ann/cy", "expert_0", "response_1"),
    ]
    assert whole.groups == {
        EXPERTS: frozenset({"expert_0", "expert_1", "expert_2"}),
        EVERYBODY: frozenset({"expert_0", "expert_1", "expert_2", "author_0"}),
    }
    assert len(whole.of_group(EXPERTS)) == 7
    assert whole.machines == {GPT_4: {"81/turn-1/ann/bob": Winner.SECOND, "101/turn-1/ann/bob": Winner.TIE}}
    (second,) = MTBenchVotes(str(root), turn=2, hub=None, check_counts=False).annotations()
    assert second.title == "turn 2, subset"
    assert second.machines == {GPT_4: {"81/turn-2/ann/cy": Winner.TIE}}


def test_without_gpt_4s_votes_there_are_only_the_humans(write_bench: Bench) -> None:
    (found,) = MTBench(str(write_bench()), hub=None, check_counts=False, sample=None).annotations()
    assert found.title == "turn 1"
    assert found.machines == {}


def test_an_instance_of_a_vote_shows_its_comparison(write_bench: Bench) -> None:
    root = str(write_bench())
    votes = MTBenchVotes(root, hub=None, check_counts=False)
    units = units_in(votes, votes.load().instances)
    assert units[:2] == [("81/turn-1/ann/bob", False), ("81/turn-1/ann/bob", True)]
    pairs = MTBench(root, hub=None, check_counts=False, sample=None)
    instances = pairs.load().instances
    assert units_in(pairs, instances) == [(each.id, False) for each in instances]


def test_a_table_of_votes_on_pairs_names_its_annotators(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    rows = ["1,why,a,b,response_1,ann", "2,why,b,a,response_2,bob", "3,why,a,b,tie,cy"]
    path.write_text("\n".join(["id,prompt,x,y,label,who", *rows]), encoding="utf-8")
    columns = Columns(response_1="x", response_2="y", label="label", metadata={"annotator": "who"})
    table = Table(columns, str(path))
    (found,) = annotations_of(table, table.load())
    assert [(each.unit, each.annotator, each.value) for each in found.entries] == [
        ("1", "ann", Winner.FIRST),
        ("1", "bob", Winner.FIRST),
        ("1", "cy", Winner.TIE),
    ]
