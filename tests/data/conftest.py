"""Small data sets written by the tests."""

import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

Record = Mapping[str, object]
Writer = Callable[[str, Sequence[Record]], Path]


@pytest.fixture
def write_jsonl(tmp_path: Path) -> Writer:
    """Writes records as JSON lines (gzipped where the name ends in .gz) below `tmp_path`."""

    def write(name: str, records: Sequence[Record]) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        content = "".join(f"{json.dumps(record)}\n" for record in records).encode()
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    return write


@pytest.fixture
def write_llmbar(tmp_path: Path) -> Writer:
    """Writes a subset's `dataset.json` below `tmp_path/llmbar/Dataset`."""

    def write(subset: str, records: Sequence[Record]) -> Path:
        path = tmp_path / "llmbar" / "Dataset" / subset / "dataset.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(records))
        return path

    return write


def vote(question_id: int, judge: str, model_a: str, model_b: str, winner: str) -> Record:
    return {
        "question_id": question_id,
        "judge": judge,
        "model_a": model_a,
        "model_b": model_b,
        "winner": winner,
    }


VOTES = [
    # 81, ann/bob: 2 of 3 for bob once the second vote is turned around.
    vote(81, "expert_0", "ann", "bob", "model_b"),
    vote(81, "expert_1", "bob", "ann", "model_a"),
    vote(81, "author_0", "ann", "bob", "tie"),
    # 81, ann/cy: a tie by plurality.
    vote(81, "expert_0", "cy", "ann", "tie"),
    # 81, bob/cy: one judge, both orders, two opinions: no unique plurality.
    vote(81, "expert_2", "bob", "cy", "model_a"),
    vote(81, "expert_2", "cy", "bob", "model_a"),
    # 101, ann/bob: ann.
    vote(101, "expert_0", "bob", "ann", "model_b"),
    # 101, ann/cy: decided, but cy's answer is not published.
    vote(101, "expert_0", "ann", "cy", "model_a"),
]


@pytest.fixture
def write_bench(tmp_path: Path, write_jsonl: Writer) -> Callable[..., Path]:
    """Writes an `mtbench/` folder of 2 questions, 3 models and 8 votes; keywords replace a file's records."""

    def write(**replaced: Sequence[Record]) -> Path:
        records: dict[str, Sequence[Record]] = {
            "questions": [
                {"question_id": 81, "category": "writing", "turns": ["Write {a} poem.", "Now shorter."]},
                {"question_id": 101, "category": "reasoning", "turns": ["Who wins?", "And why?"]},
            ],
            "answers": [
                {"question_id": 81, "model": "ann", "turns": ["ann 81.1", "ann 81.2"]},
                {"question_id": 81, "model": "bob", "turns": ["bob 81.1", "bob 81.2"]},
                {"question_id": 81, "model": "cy", "turns": ["cy 81.1", "cy 81.2"]},
                {"question_id": 101, "model": "ann", "turns": ["", "ann 101.2"]},
                {"question_id": 101, "model": "bob", "turns": ["bob 101.1", "bob 101.2"]},
            ],
            "references": [
                {"question_id": 101, "choices": [{"index": 0, "turns": ["Ann.", "She is first."]}]}
            ],
            "votes": VOTES,
            "votes_with_turn": [{**v, "turn": turn} for v in VOTES for turn in (1, 2)],
        }
        records |= replaced
        write_jsonl("mtbench/question.jsonl", records["questions"])
        write_jsonl("mtbench/answers.jsonl.gz", records["answers"])
        write_jsonl("mtbench/reference_answer/gpt-4.jsonl", records["references"])
        write_jsonl("mtbench/human_votes.jsonl", records["votes"])
        write_jsonl("mtbench/human_votes_with_turn.jsonl", records["votes_with_turn"])
        return tmp_path

    return write
