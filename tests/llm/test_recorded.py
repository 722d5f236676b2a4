"""The recorded backend: a locator gets its reply, anything else is refused for good."""

import asyncio
import gzip
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from venire.errors import BackendError, DataError
from venire.llm.protocol import Reply
from venire.llm.recorded import RecordedBackend
from venire.llm.recordings import FILE, Locator, Part, recordings_digest
from venire.records import BackendKind, FinishReason, Message, Order, Request, Usage


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A data root whose recordings are GPT-4's CoT (cut, in the swapped order) and Rating on Natural 7."""
    shared = {"subset": "Natural", "index": 7, "model": "GPT-4", "winner": 1}
    compared = shared | {"strategy": "CoT", "finish_reason": "stop", "completion": "Output (a) is better."}
    cut = compared | {"finish_reason": "length", "completion": "Both", "winner": None}
    scores = {"score_1_raw": "8", "score_2_raw": "5"}
    reasons = {"score_1_finish_reason": "stop", "score_2_finish_reason": "stop"}
    rated = shared | {"strategy": "Rating"} | scores | reasons
    rows = [compared | {"swap": False}, cut | {"swap": True}, rated | {"swap": False}, rated | {"swap": True}]
    (tmp_path / FILE).parent.mkdir()
    (tmp_path / FILE).write_bytes(gzip.compress(b"\n".join(map(orjson.dumps, rows)), mtime=0))
    return tmp_path


def asking(root: Path, strategy: str, part: Part, order: Order | None, *, index: int = 7) -> Request:
    locator = Locator(recordings_digest(root)[:12], "Natural", index, strategy, part, order)
    return Request("GPT-4", (Message("user", str(locator)),), "recorded:llmbar", temperature=None)


def sent(backend: RecordedBackend, request: Request) -> Reply:
    return asyncio.run(backend.send(request))


def test_the_reply_is_the_recorded_text_with_its_ending_and_unknown_usage(root: Path) -> None:
    backend = RecordedBackend(root)
    reply = sent(backend, asking(root, "CoT", Part.VERDICT, Order.AS_GIVEN))
    assert reply == Reply("Output (a) is better.", FinishReason.STOP, "GPT-4", Usage(None, None))
    assert sent(backend, asking(root, "CoT", Part.VERDICT, Order.SWAPPED)).finish is FinishReason.LENGTH
    assert backend.kind is BackendKind.RECORDED


def test_scores_are_found_without_an_order(root: Path) -> None:
    texts = [
        sent(RecordedBackend(root), asking(root, "Rating", part, None)).text
        for part in (Part.SCORE_1, Part.SCORE_2)
    ]
    assert texts == ["8", "5"]


@pytest.mark.parametrize(
    ("strategy", "part", "index"),
    [("Vanilla", Part.VERDICT, 7), ("CoT", Part.SYNTHESIS, 7), ("CoT", Part.VERDICT, 8)],
)
def test_a_reply_that_was_not_recorded_stops_the_run(
    root: Path, strategy: str, part: Part, index: int
) -> None:
    with pytest.raises(BackendError, match="no reply of GPT-4 at 'LLMBar recording"):
        sent(RecordedBackend(root), asking(root, strategy, part, Order.AS_GIVEN, index=index))


def test_a_run_that_is_not_kept_has_no_reply(root: Path) -> None:
    backend = RecordedBackend(root, [("GPT-4", "Rating")])
    assert sent(backend, asking(root, "Rating", Part.SCORE_1, None)).text == "8"
    with pytest.raises(BackendError, match="no reply"):
        sent(backend, asking(root, "CoT", Part.VERDICT, Order.AS_GIVEN))


@pytest.mark.parametrize(
    "messages",
    [
        (),
        (Message("user", "Which output is better?"),),
        (Message("system", "Be fair."), Message("user", "x")),
    ],
)
def test_a_prompt_is_refused_because_the_model_never_saw_it(
    root: Path, messages: tuple[Message, ...]
) -> None:
    with pytest.raises(BackendError, match="expected one message that names a recorded reply"):
        sent(RecordedBackend(root), Request("GPT-4", messages))


def test_a_locator_of_another_file_is_refused(root: Path) -> None:
    request = asking(root, "CoT", Part.VERDICT, Order.AS_GIVEN)
    other = request.messages[0].content.replace(recordings_digest(root)[:12], "0" * 12)
    with pytest.raises(BackendError, match="the judge names the recordings 000000000000"):
        sent(RecordedBackend(root), replace(request, messages=(Message("user", other),)))


def test_the_file_is_read_at_the_first_request_and_not_before(tmp_path: Path, root: Path) -> None:
    backend = RecordedBackend(root)
    request = asking(root, "CoT", Part.VERDICT, Order.AS_GIVEN)
    (root / FILE).unlink()
    with pytest.raises(DataError, match="found no such file"):
        sent(backend, request)
    asyncio.run(backend.aclose())
