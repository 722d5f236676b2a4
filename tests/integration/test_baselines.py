"""G-Eval and ChatEval on real rated data, as a user runs them; simulated judges, no key."""

import gzip
import json
from pathlib import Path

import pytest
from tests.integration.command import Ran, Venire, but_accounting

SUMMARIES = ("dataset=mslr", "dataset.sample=102", "dataset.limit=6", "backend=simulated")
GEVAL = (*SUMMARIES, "method=geval", "judge=gpt_4")


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory, data_root: Path) -> Venire:
    """The command on the public data, in a home of these tests."""
    return Venire(tmp_path_factory.mktemp("rated") / "home", data_root)


@pytest.fixture(scope="module")
def geval(rated: Venire) -> Ran:
    """G-Eval by log probabilities, on an empty store."""
    return rated.finished(*GEVAL)


def calls_of(ran: Ran) -> list[dict[str, object]]:
    with gzip.open(ran.folder / "calls.jsonl.gz") as file:
        return [json.loads(line) for line in file]


def test_evaluation_steps_are_paid_once_a_dimension_and_scores_once_an_instance(geval: Ran) -> None:
    # Four dimensions that judges rate, six summaries.
    assert (geval.number("calls/steps"), geval.number("calls/score")) == (4, 24)
    assert (geval.number("calls/fixed"), geval.number("calls/per_instance")) == (4, 4)
    assert geval.number("calls/paid") == 28
    assert geval.number("geval/logprobs") == 6
    assert 0.5 <= geval.number("geval/covered/least") <= 1
    assert [call["stage"] for call in calls_of(geval) if not call["instance_id"]] == ["steps"] * 4
    assert geval.number("tokens/fixed") == geval.number("tokens/steps")
    per_instance = geval.number("tokens/per_instance")
    assert per_instance * 6 == pytest.approx(geval.number("tokens/score"))


def test_a_repetition_from_the_store_pays_nothing_and_says_the_same(rated: Venire, geval: Ran) -> None:
    again = rated.finished(*GEVAL)
    assert (again.number("calls/paid"), again.number("calls/replayed")) == (0, 28)
    assert but_accounting(again) == but_accounting(geval)


def test_samples_go_by_the_same_steps(rated: Venire, geval: Ran) -> None:
    sampled = rated.finished(*GEVAL, "method.scoring=samples", "method.samples=2")
    assert sampled.number("calls/steps/paid") == 0
    assert sampled.number("geval/samples") == 6
    assert "geval/logprobs" not in sampled.summary
    assert sampled.number("calls/score/paid") >= 48  # what is off the scale is asked again


def test_log_probabilities_are_refused_where_nobody_tells_them(rated: Venire) -> None:
    refused = rated.run(*SUMMARIES, "method=geval", "judge=claude_3_7_sonnet")
    assert refused.status == 2
    assert "claude_3_7_sonnet tells none" in refused.err
    assert "set method.scoring=samples" in refused.err


def test_a_plan_tells_what_is_paid_once_from_what_each_instance_takes(rated: Venire) -> None:
    ran = rated("plan", *SUMMARIES, "method=geval", "judge=claude_3_7_sonnet", "method.scoring=samples")
    assert ran.status == 0, ran.err
    assert "fixed and per instance" in ran.out
    row = next(line for line in ran.out.splitlines() if line.startswith("geval claude_3_7_sonnet"))
    # 4 steps; 4 dimensions by 20 samples an instance, and whatever is asked again.
    fixed, per_instance = float(row.split()[-8]), float(row.split()[-5])
    assert fixed == 4
    assert 80 <= per_instance < 84


def test_the_discussion_of_chateval_is_kept_and_its_roles_are_the_votes(rated: Venire) -> None:
    arguments = (*SUMMARIES, "dataset.limit=3", "method=chateval", "judge=claude_3_7_sonnet")
    ran = rated.finished(*arguments, "method.communication=simultaneous_with_summariser")
    # Three summaries, five roles, two turns; one summary between them. Re-asks come on top.
    assert ran.number("calls/summarise") == 3
    assert 30 <= ran.number("calls/discuss") < 36
    assert ran.number("coverage") == 1
    roles = {call["role"] for call in calls_of(ran)}
    assert roles == {"general public", "critic", "news author", "psychologist", "scientist", "summariser"}
