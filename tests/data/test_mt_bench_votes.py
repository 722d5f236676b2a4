from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from venire.data.mt_bench_votes import MTBenchVotes
from venire.errors import ConfigError, DataError
from venire.records import PreferenceGold, Winner

Bench = Callable[..., Path]


def small(root: Path, **settings: object) -> MTBenchVotes:
    return MTBenchVotes(str(root), hub=None, check_counts=False, **settings)  # type: ignore[arg-type]


def test_each_vote_is_an_instance_in_the_order_shown(write_bench: Bench) -> None:
    instances = small(write_bench()).load().instances
    assert [instance.id for instance in instances] == [
        "81/turn-1/ann/bob/expert_0",
        "81/turn-1/bob/ann/expert_1",
        "81/turn-1/ann/bob/author_0",
        "81/turn-1/cy/ann/expert_0",
        "81/turn-1/bob/cy/expert_2",
        "81/turn-1/cy/bob/expert_2",
        "101/turn-1/bob/ann/expert_0",
    ]
    second = instances[1]
    assert [response.generator for response in second.responses] == ["bob", "ann"]
    assert second.gold == PreferenceGold(Winner.FIRST, {Winner.FIRST: 1})
    assert second.metadata["annotator"] == "expert_1"
    assert second.metadata["models"] == "bob, ann"
    assert instances[2].gold == PreferenceGold(Winner.TIE, {Winner.TIE: 1})


def test_one_judges_votes_in_both_orders_stay_apart_in_one_cluster(write_bench: Bench) -> None:
    twice = [i for i in small(write_bench()).load().instances if i.metadata["annotator"] == "expert_2"]
    assert [instance.id for instance in twice] == ["81/turn-1/bob/cy/expert_2", "81/turn-1/cy/bob/expert_2"]
    assert twice[0].cluster == twice[1].cluster


def test_votes_on_unpublished_answers_are_left_out_and_counted(write_bench: Bench) -> None:
    loaded = small(write_bench()).load()
    assert loaded.warnings == (
        "1 of 8 votes left out because an answer is not published",
        "empty responses, kept as they are: 1 (in 101/turn-1/bob/ann/expert_0)",
    )
    assert loaded.labels == (Winner.FIRST, Winner.SECOND, Winner.TIE)


def test_a_vote_that_is_there_twice_is_refused(write_bench: Bench) -> None:
    twice = {"question_id": 81, "judge": "e", "model_a": "ann", "model_b": "bob", "winner": "tie"}
    with pytest.raises(DataError) as caught:
        small(write_bench(votes=[twice, twice])).load()
    assert (
        "human_votes.jsonl, row 2, field 'question_id, model_a, model_b, judge': expected ids that differ, "
        "got '81/turn-1/ann/bob/e', which row 1 has too; "
    ) in str(caught.value)


def test_the_limit_keeps_the_first_votes(write_bench: Bench) -> None:
    assert len(small(write_bench(), limit=2).load().instances) == 2


def test_settings_out_of_range_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"^turn: expected 1 or 2, got 0$"):
        MTBenchVotes(turn=0)
    with pytest.raises(ConfigError, match=r"^limit: "):
        MTBenchVotes(limit=-1)


def test_1632_of_the_1689_published_votes_have_both_answers(data_root: Path) -> None:
    # The README of the shared mtbench/ folder; one judge voted on one comparison in both orders.
    loaded = MTBenchVotes(str(data_root)).load()
    assert len(loaded.instances) == 1632
    assert loaded.warnings[0] == "57 of 1689 votes left out because an answer is not published"
    seen = Counter(
        (i.metadata["annotator"], i.metadata["question_id"], *sorted(i.metadata["models"].split(", ")))
        for i in loaded.instances
    )
    assert sum(count == 2 for count in seen.values()) <= 1
    assert max(seen.values()) <= 2
