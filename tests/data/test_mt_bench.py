import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from venire.data.mt_bench import MTBench, Part, Ties
from venire.errors import ConfigError, DataError
from venire.records import Instance, PreferenceGold, Response, Winner

Bench = Callable[..., Path]

SMALL = MTBench(sample=None, check_counts=False, hub=None)


def load(root: Path, **settings: object) -> tuple[Instance, ...]:
    return replace(SMALL, root=str(root), **settings).load().instances  # type: ignore[arg-type]


def refusal(root: Path, **settings: object) -> str:
    with pytest.raises(DataError) as caught:
        load(root, **settings)
    return str(caught.value)


def vote(question_id: object, model_a: object, model_b: object, winner: object) -> dict[str, object]:
    return {
        "question_id": question_id,
        "judge": "expert_0",
        "model_a": model_a,
        "model_b": model_b,
        "winner": winner,
    }


def test_votes_are_turned_to_alphabetical_order_and_the_plurality_wins(write_bench: Bench) -> None:
    first, second = load(write_bench())
    # 81: model_b of (ann, bob), model_a of (bob, ann), and a tie: 2 of 3 for bob.
    assert first.id == "81/turn-1/ann/bob"
    assert first.gold == PreferenceGold(Winner.SECOND, {Winner.FIRST: 0, Winner.SECOND: 2, Winner.TIE: 1})
    assert first.responses == (Response("ann 81.1", "ann", "ann"), Response("bob 81.1", "bob", "bob"))
    # 101: model_b of (bob, ann).
    assert second.id == "101/turn-1/ann/bob"
    assert second.gold == PreferenceGold(Winner.FIRST, {Winner.FIRST: 1, Winner.SECOND: 0, Winner.TIE: 0})


def test_subset_reference_cluster_and_metadata_are_the_questions(write_bench: Bench) -> None:
    first, second = load(write_bench())
    assert (first.subset, second.subset) == ("writing", "reasoning")
    assert (first.reference, second.reference) == (None, "Ann.")
    assert first.prompt == "Write {a} poem."
    assert first.cluster != second.cluster
    assert first.metadata == {
        "question_id": "81",
        "category": "writing",
        "turn": "1",
        "models": "ann, bob",
    }


def test_what_is_left_out_is_counted_and_an_empty_answer_is_data(write_bench: Bench) -> None:
    loaded = replace(SMALL, root=str(write_bench())).load()
    assert loaded.warnings == (
        "5 comparisons: 1 ties left out, 1 without a unique plurality left out, "
        "1 left out because an answer is not published",
        "empty responses, kept as they are: 1 (in 101/turn-1/ann/bob)",
    )
    assert loaded.labels == (Winner.FIRST, Winner.SECOND)
    assert loaded.source == "mtbench"
    assert loaded.revision is None


def test_ties_may_be_kept_but_a_split_vote_never_is(write_bench: Bench) -> None:
    loaded = replace(SMALL, root=str(write_bench()), ties=Ties.KEEP).load()
    assert [instance.id for instance in loaded.instances] == [
        "81/turn-1/ann/bob",
        "81/turn-1/ann/cy",
        "101/turn-1/ann/bob",
    ]
    assert loaded.instances[1].gold == PreferenceGold(
        Winner.TIE, {Winner.FIRST: 0, Winner.SECOND: 0, Winner.TIE: 1}
    )
    assert loaded.labels == (Winner.FIRST, Winner.SECOND, Winner.TIE)
    assert loaded.warnings[0].startswith("5 comparisons: 1 ties kept, ")


def test_a_second_turn_carries_the_conversation_so_far_with_each_response(write_bench: Bench) -> None:
    first, second = load(write_bench(), turn=2)
    assert first.id == "81/turn-2/ann/bob"
    assert first.prompt == "[Question, turn 1]\nWrite {a} poem.\n\n[Question, turn 2]\nNow shorter."
    assert first.responses[1].text == "[Answer, turn 1]\nbob 81.1\n\n[Answer, turn 2]\nbob 81.2"
    assert second.reference == "[Answer, turn 1]\nAnn.\n\n[Answer, turn 2]\nShe is first."


def test_the_second_turn_says_that_its_votes_are_a_part(write_bench: Bench) -> None:
    loaded = replace(SMALL, root=str(write_bench()), turn=2).load()
    assert (
        loaded.warnings[0] == "human_votes_with_turn.jsonl holds only a part of the published turn-2 votes: 8"
    )


def test_both_turns_of_a_question_share_a_cluster(write_bench: Bench) -> None:
    root = write_bench()
    assert [i.cluster for i in load(root, turn=1)] == [i.cluster for i in load(root, turn=2)]


def test_a_revision_of_no_effect_is_warned_about(write_bench: Bench) -> None:
    root = write_bench()
    loaded = replace(SMALL, root=str(root), revision="abc").load()
    assert loaded.warnings[0] == f"revision abc is of no effect: {root}/mtbench was read, not the Hub"
    assert loaded.revision is None


def test_a_sample_above_the_number_of_pairs_is_refused(write_bench: Bench) -> None:
    assert refusal(write_bench(), sample=3) == (
        "dataset.sample: expected at most 2, the number of pairs that there are, got 3; "
        "set a smaller sample, or dataset.sample=null for all pairs"
    )


def test_the_rest_is_the_other_questions(write_bench: Bench) -> None:
    root = write_bench()
    sample = {i.id for i in load(root, sample=1)}
    rest = {i.id for i in load(root, sample=1, part=Part.REST)}
    assert len(sample) == len(rest) == 1
    assert sample | rest == {"81/turn-1/ann/bob", "101/turn-1/ann/bob"}


def test_the_limit_is_taken_of_the_sample(write_bench: Bench) -> None:
    assert [i.id for i in load(write_bench(), sample=2, limit=1)] == ["81/turn-1/ann/bob"]


QUESTION = {"question_id": 81, "category": "writing", "turns": ["Write.", "Shorter."]}
ANSWER = {"question_id": 81, "model": "ann", "turns": ["x", "y"]}


@pytest.mark.parametrize(
    ("records", "file", "message"),
    [
        (
            {"votes": [vote(81, "ann", "bob", "tie (inconsistent)")]},
            "human_votes.jsonl",
            "row 1, field 'winner': expected one of model_a, model_b, tie, got 'tie (inconsistent)'; ",
        ),
        (
            {"votes": [vote(81, "ann", "bob", "tie"), vote(99, "ann", "bob", "tie")]},
            "human_votes.jsonl",
            "row 2, field 'question_id': expected a question of question.jsonl, got 99; ",
        ),
        (
            {"votes": [vote(81, "ann", "ann", "tie")]},
            "human_votes.jsonl",
            "row 1, field 'model_b': expected another model than model_a, got 'ann'; ",
        ),
        (
            {"votes": [{"question_id": 81}]},
            "human_votes.jsonl",
            "row 1, field 'model_a': expected this column, got a record of question_id; ",
        ),
        (
            {"questions": [QUESTION, QUESTION]},
            "question.jsonl",
            "row 2, field 'question_id': expected ids that differ, got 81, which row 1 has too; ",
        ),
        (
            {"questions": [{**QUESTION, "turns": ["Write.", ""]}]},
            "question.jsonl",
            "row 1, field 'turns': expected two questions, got an empty text; ",
        ),
        (
            {"questions": [{**QUESTION, "turns": ["Write."]}]},
            "question.jsonl",
            "row 1, field 'turns': expected a list of 2 texts, got ['Write.']; ",
        ),
        (
            {"answers": [ANSWER, ANSWER]},
            "answers.jsonl.gz",
            "row 2, field 'question_id, model': expected ids that differ, got (81, 'ann'), which row 1",
        ),
        (
            {"references": [{"question_id": 101, "choices": []}]},
            "reference_answer/gpt-4.jsonl",
            "row 1, field 'choices': expected a list of 2 texts, got null; ",
        ),
        (
            {"votes": []},
            "",
            "expected at least one instance, got none; ",
        ),
    ],
)
def test_a_broken_record_is_refused_with_file_row_and_field(
    write_bench: Bench, records: dict[str, list[dict[str, object]]], file: str, message: str
) -> None:
    root = write_bench(**records)
    assert f"{root / 'mtbench' / file}, {message}" in refusal(root) if file else message in refusal(root)


def test_without_a_folder_and_without_the_hub_the_missing_file_is_named(tmp_path: Path) -> None:
    assert f"{tmp_path}/mtbench/question.jsonl: expected a file, got nothing there; " in refusal(tmp_path)


def test_another_count_than_the_published_one_is_refused(write_bench: Bench) -> None:
    message = refusal(write_bench(), check_counts=True)
    assert "question.jsonl: expected 80 questions (the published count), got 2; " in message


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"turn": 3}, "^turn: expected 1 or 2, got 3$"),
        ({"ties": "sometimes"}, "^ties: expected drop or keep, got 'sometimes'$"),
        ({"part": "half"}, "^part: expected sample or rest, got 'half'$"),
        ({"sample": 0}, "^sample: expected an integer of at least 1"),
        ({"limit": 0}, "^limit: expected an integer of at least 1"),
        ({"sample": None, "part": "rest"}, "^part: 'rest' is what a sample leaves over"),
    ],
)
def test_settings_out_of_range_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        MTBench(**settings)  # type: ignore[arg-type]


def test_the_published_votes_give_621_decided_pairs_of_which_591_have_both_answers(data_root: Path) -> None:
    # The README of the shared mtbench/ folder: 910 comparisons: 621 decided, 184 tie, 105 without
    # a unique majority; models in alphabetical order: first 311, second 310.
    loaded = MTBench(str(data_root), sample=None).load()
    assert len(loaded.instances) == 591
    assert loaded.warnings[0] == (
        "910 comparisons: 184 ties left out, 105 without a unique plurality left out, "
        "30 left out because an answer is not published"
    )
    assert "127/turn-1/claude-v1/llama-13b" in loaded.warnings[1]


def test_the_default_is_a_fixed_sample_of_300_with_each_categorys_share(data_root: Path) -> None:
    everything = MTBench(str(data_root), sample=None).load().instances
    sample = MTBench(str(data_root)).load().instances
    sizes = Counter(instance.subset for instance in everything)
    taken = Counter(instance.subset for instance in sample)
    assert len(sample) == 300
    assert len(taken) == 8
    assert all(abs(taken[name] - 300 * size / 591) < 1 for name, size in sizes.items())
    # In data order, and the same each time.
    order = [instance.id for instance in everything]
    assert sorted(sample, key=lambda i: order.index(i.id)) == list(sample)
    assert MTBench(str(data_root)).load().instances == sample


def test_the_rest_shares_no_question_with_the_sample(data_root: Path) -> None:
    sample = MTBench(str(data_root)).load().instances
    rest = MTBench(str(data_root), part=Part.REST).load().instances
    assert len(rest) > 200
    assert not {i.cluster for i in sample} & {i.cluster for i in rest}


def test_reference_answers_are_those_of_reasoning_math_and_coding(data_root: Path) -> None:
    instances = MTBench(str(data_root), sample=None).load().instances
    assert {i.subset for i in instances if i.reference is not None} == {"reasoning", "math", "coding"}
    assert {i.subset for i in instances if i.reference is None}.isdisjoint({"reasoning", "math", "coding"})


def test_the_second_turn_loads(data_root: Path) -> None:
    # README: 869 votes on 612 comparisons.
    loaded = MTBench(str(data_root), turn=2, sample=None).load()
    assert loaded.warnings[0].endswith("published turn-2 votes: 869")
    assert loaded.warnings[1].startswith("612 comparisons: ")


def test_question_ids_and_categories_are_as_the_hub_reader_assumes(data_root: Path) -> None:
    names = ("writing", "roleplay", "reasoning", "math", "coding", "extraction", "stem", "humanities")
    lines = (data_root / "mtbench" / "question.jsonl").read_text().splitlines()
    found = {question["question_id"]: question["category"] for question in map(json.loads, lines)}
    assert found == {81 + index: names[index // 10] for index in range(80)}
