"""The file of recorded replies: what is read, what is refused, and how a request names one of them."""

import gzip
import os
from collections import Counter
from pathlib import Path

import orjson
import pytest

from venire.errors import DataError
from venire.llm.recordings import (
    FILE,
    Locator,
    Part,
    RecordedReply,
    RecordingKey,
    Recordings,
    read_recordings,
    recordings_digest,
)
from venire.records import FinishReason, Order, Winner

PLAIN = {
    "subset": "Natural",
    "index": 0,
    "model": "GPT-4",
    "strategy": "CoT",
    "swap": False,
    "winner": 1,
    "completion": "Output (a) is better.",
    "finish_reason": "stop",
}
TWO_STAGE = PLAIN | {
    "strategy": "Swap",
    "n_stages": 2,
    "stage1_winner": 2,
    "stage1_completion": "Output (b) is better.",
    "stage1_finish_reason": "stop",
    "completion": "Output (a)",
}
RATING = {key: PLAIN[key] for key in ("subset", "index", "model", "swap", "winner")} | {
    "strategy": "Rating",
    "score_1_raw": "9",
    "score_1_finish_reason": "stop",
    "score_1": 9,
    "score_2_raw": "",
    "score_2_finish_reason": "content management policy",
    "score_2": None,
}


def written(root: Path, rows: list[dict[str, object]]) -> Path:
    """`root`, in which `rows` are the recordings."""
    (root / FILE).parent.mkdir(parents=True, exist_ok=True)
    (root / FILE).write_bytes(gzip.compress(b"".join(orjson.dumps(row) + b"\n" for row in rows), mtime=0))
    return root


def both_orders(row: dict[str, object]) -> list[dict[str, object]]:
    return [row, row | {"swap": True}]


def key(strategy: str, order: Order = Order.AS_GIVEN, index: int = 0) -> RecordingKey:
    return RecordingKey("GPT-4", strategy, "Natural", index, order)


def test_a_row_of_one_stage_is_one_reply(tmp_path: Path) -> None:
    rows = read_recordings(written(tmp_path, both_orders(PLAIN))).rows
    assert set(rows) == {key("CoT"), key("CoT", Order.SWAPPED)}
    assert rows[key("CoT")].replies == {
        Part.VERDICT: RecordedReply("Output (a) is better.", FinishReason.STOP)
    }
    assert rows[key("CoT")].winner is Winner.FIRST


def test_a_row_of_two_stages_keeps_both_replies_under_their_parts(tmp_path: Path) -> None:
    row = read_recordings(written(tmp_path, both_orders(TWO_STAGE))).rows[key("Swap")]
    assert {part: reply.text for part, reply in row.replies.items()} == {
        Part.VERDICT: "Output (b) is better.",
        Part.SYNTHESIS: "Output (a)",
    }


def test_a_rating_row_is_one_reply_an_output(tmp_path: Path) -> None:
    row = read_recordings(written(tmp_path, both_orders(RATING))).rows[key("Rating")]
    assert row.replies == {
        Part.SCORE_1: RecordedReply("9", FinishReason.STOP),
        Part.SCORE_2: RecordedReply("", FinishReason.REFUSED),
    }


@pytest.mark.parametrize(
    ("text", "reason", "finish"),
    [
        ("Output (a)", "stop", FinishReason.STOP),
        ("Output (a)", "length", FinishReason.LENGTH),
        ("", "content management policy", FinishReason.REFUSED),
        ("Output (a)", "", FinishReason.STOP),  # LLaMA2, PaLM2, Falcon: no reason was recorded
        ("", "", FinishReason.REFUSED),  # PaLM2: a blocked reply
    ],
)
def test_finish_reasons_are_mapped(tmp_path: Path, text: str, reason: str, finish: FinishReason) -> None:
    rows = both_orders(PLAIN | {"completion": text, "finish_reason": reason, "winner": None})
    assert read_recordings(written(tmp_path, rows)).rows[key("CoT")].replies[Part.VERDICT].finish is finish


def test_only_the_runs_asked_for_are_kept_but_coverage_tells_of_all(tmp_path: Path) -> None:
    rows = [row for plain in (PLAIN, PLAIN | {"index": 4}, RATING) for row in both_orders(plain)]
    recordings = read_recordings(written(tmp_path, rows), [("GPT-4", "Rating")])
    assert {row.strategy for row in recordings.rows} == {"Rating"}
    assert recordings.coverage == {
        ("GPT-4", "CoT"): {"Natural": {0, 4}},
        ("GPT-4", "Rating"): {"Natural": {0}},
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"swap": "yes"}, "row 1, field swap: expected bool, got 'yes'"),
        ({"index": True}, "row 1, field index: expected int, got True"),
        ({"index": -1}, "row 1, field index: expected 0 or more, got -1"),
        ({"winner": "1"}, "row 1, field winner: expected 1, 2 or null, got '1'"),
        ({"winner": True}, "row 1, field winner: expected 1, 2 or null, got True"),
        ({"winner": 3}, "row 1, field winner: expected 1, 2 or null, got 3"),
        ({"winner": [1]}, r"row 1, field winner: expected 1, 2 or null, got \[1\]"),
        ({"completion": None}, "row 1, field completion: expected str, got None"),
        ({"finish_reason": "eos"}, "row 1, field finish_reason: expected one of .*, got 'eos'"),
        ({"n_stages": 3}, "row 1, field n_stages: expected 1 or 2, got 3"),
        ({"n_stages": 2}, "row 1, field stage1_completion: expected str, got nothing"),
    ],
)
def test_a_bad_field_is_named_with_file_and_row(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read_recordings(written(tmp_path, [PLAIN | change]))
    assert str(tmp_path / FILE) in str(caught.value)


def test_a_row_without_winner_is_refused(tmp_path: Path) -> None:
    row = {field: value for field, value in PLAIN.items() if field != "winner"}
    with pytest.raises(DataError, match="row 1, field winner: expected 1, 2 or null, it is missing"):
        read_recordings(written(tmp_path, [row]))


def test_a_second_row_of_one_key_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="row 2, field index: a second row of Natural 0, as_given"):
        read_recordings(written(tmp_path, [PLAIN, PLAIN]))


def test_one_order_alone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"GPT-4 CoT Natural 0: expected one row an order \(2\), got 1"):
        read_recordings(written(tmp_path, [PLAIN]))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no gzip", "expected a whole gzip file"),
        (gzip.compress(orjson.dumps(PLAIN) * 50, mtime=0)[:-20], "expected a whole gzip file"),
        (gzip.compress(b'{"subset": "Nat', mtime=0), "row 1: no JSON in UTF-8"),
        (gzip.compress(b'{"subset": "\xff"}', mtime=0), "row 1: no JSON in UTF-8"),
        (gzip.compress(b"[1]", mtime=0), "row 1: expected a JSON object, got list"),
    ],
)
def test_a_broken_file_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    written(tmp_path, [])
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(DataError, match=message):
        read_recordings(tmp_path)


def test_a_missing_file_is_refused_with_the_place_where_it_should_be(tmp_path: Path) -> None:
    for reading in (read_recordings, recordings_digest):
        with pytest.raises(DataError, match=r"recorded\.jsonl\.gz: expected .* Set VENIRE_DATA"):
            reading(tmp_path)


def test_an_empty_file_holds_nothing(tmp_path: Path) -> None:
    recordings = read_recordings(written(tmp_path, []))
    assert (recordings.rows, recordings.coverage) == ({}, {})


def test_the_digest_is_the_files_and_follows_a_change(tmp_path: Path) -> None:
    before = recordings_digest(written(tmp_path, both_orders(PLAIN)))
    assert before == read_recordings(tmp_path).digest
    written(tmp_path, both_orders(RATING))
    os.utime(tmp_path / FILE, ns=(1, 1))
    after = recordings_digest(tmp_path)
    assert after == read_recordings(tmp_path).digest
    assert after != before


@pytest.mark.parametrize(
    ("locator", "line"),
    [
        (
            Locator("0123456789ab", "Adversarial/Manual", 12, "CoT", Part.VERDICT, Order.AS_GIVEN),
            "LLMBar recording 0123456789ab: subset=Adversarial/Manual index=12 strategy=CoT "
            "swap=false part=verdict",
        ),
        (
            Locator("0123456789ab", "MT-Bench", 0, "Swap", Part.SYNTHESIS, Order.SWAPPED),
            "LLMBar recording 0123456789ab: subset=MT-Bench index=0 strategy=Swap swap=true part=synthesis",
        ),
        (
            Locator("0123456789ab", "Natural", 3, "Rating", Part.SCORE_2, None),
            "LLMBar recording 0123456789ab: subset=Natural index=3 strategy=Rating part=score_2",
        ),
    ],
)
def test_a_locator_is_written_and_read_back(locator: Locator, line: str) -> None:
    assert str(locator) == line
    assert Locator.parse(line) == locator


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Which output is better?",
        "LLMBar recording 0123456789ab: subset=Natural index=3 strategy=Rating part=score_2 ",
        "LLMBar recording 0123456789ab: subset=Natural index=3 strategy=Rating part=score_2\n",
        "LLMBar recording 0123456789ab: subset=Natural index=03 strategy=Rating part=score_2",
        "LLMBar recording 0123456789ab: subset=Natural index=3 strategy=Rating swap=true part=score_2",
        "LLMBar recording 0123456789ab: subset=Natural index=3 strategy=CoT part=verdict",
        "LLMBar recording 0123456789ab: subset=Natural index=3 strategy=CoT swap=True part=verdict",
        "LLMBar recording 0123456789ab: subset=Natural index=3 strategy=CoT swap=true part=verdict2",
    ],
)
def test_anything_but_a_locator_is_none(text: str) -> None:
    assert Locator.parse(text) is None


@pytest.fixture(scope="module")
def published(data_root: Path) -> Recordings:
    return read_recordings(data_root)


def test_the_published_file_has_its_counts(published: Recordings) -> None:
    # README of llmbar_recorded: 56,934 rows; 325 (subset, model, strategy) runs.
    assert len(published.rows) == 56_934
    assert sum(len(subsets) for subsets in published.coverage.values()) == 325
    winners = Counter(row.winner for row in published.rows.values())
    assert winners == {Winner.SECOND: 29_183, Winner.FIRST: 27_602, None: 149}


def test_both_orders_of_the_published_ratings_hold_the_same_replies(published: Recordings) -> None:
    ratings = [row for row in published.rows.values() if Part.SCORE_1 in row.replies]
    assert len(ratings) == 5_866
    for row in ratings:
        place = row.key
        other = RecordingKey(place.model, place.strategy, place.subset, place.index, Order.SWAPPED)
        assert row.replies == published.rows[other].replies
