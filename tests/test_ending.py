"""How a run ended: status, error for the record, advice for who started it."""

from dataclasses import replace

import pytest
from tests.test_launch import INSTANCES, LIVE, SIMULATED, experiment

from venire.ending import AGAIN, Ending, ending_of, shortened
from venire.errors import BackendError, BudgetExhausted, ReplayMiss, StoreError, VenireError
from venire.judging.judge import PromptedJudge
from venire.methods.pairwise import Pairwise
from venire.metrics.measure import MetricSettings, measure
from venire.records import (
    BackendKind,
    Completion,
    FinishReason,
    Order,
    Outcome,
    Preference,
    Reason,
    Request,
    RunStatus,
    Unscored,
    Vote,
    Winner,
)
from venire.runner import Interrupted, Judged

LIMIT = Unscored(Reason.PROVIDER_ERROR, "rate_limited: HTTP 429: slow down, request 17")
WRONG = Unscored(Reason.PROVIDER_ERROR, "rejected: HTTP 400: max_tokens: not taken")
UNREAD = Unscored(Reason.UNPARSED, "no JSON object")


def outcome(number: int, vote: Unscored | None = None, raw: str = "") -> Outcome:
    """Of the `number`-th instance; with `vote`, its only judge gave none."""
    instance_id = INSTANCES[number].id
    if vote is None:
        return Outcome(instance_id, Preference(Winner.FIRST))
    return Outcome(instance_id, vote, votes=(Vote("gpt_4o", Order.AS_GIVEN, vote, raw=raw),))


def ended(
    *outcomes: Outcome, stopped: VenireError | None = None, judge: PromptedJudge = LIVE, **changes: object
) -> Ending:
    made = experiment(Pairwise(judged_by=judge), **changes)
    loaded = made.loaded
    measured = measure(
        loaded.instances, outcomes, labels=loaded.labels, seed=0, settings=MetricSettings(draws=0)
    )
    return ending_of(made, Judged(outcomes, stopped), measured)


ALL = tuple(outcome(number) for number in range(6))


def test_a_finished_run_needs_no_words() -> None:
    assert ended(*ALL) == Ending(RunStatus.FINISHED)


@pytest.mark.parametrize(
    ("stopped", "advice"),
    [
        (Interrupted("interrupted (SIGINT)"), AGAIN),
        (BackendError("HTTP 401"), "Once that is mended, run the same command again"),
        (StoreError("disk full"), "Once that is mended, run the same command again"),
        (BudgetExhausted("budget.calls=1: spent; raise it"), ""),  # it says itself what helps
        (ReplayMiss("expected a stored reply; run once with llm=live"), ""),
    ],
)
def test_the_same_command_is_advised_only_where_it_helps(stopped: VenireError, advice: str) -> None:
    ending = ended(*ALL[:4], stopped=stopped)
    assert ending.status is RunStatus.INCOMPLETE
    assert ending.error == f"{stopped} (2 of 6 instances are not judged)"
    assert ending.advice.startswith(advice)
    assert bool(ending.advice) is bool(advice)


def test_lost_replies_are_told_with_their_causes_and_counts() -> None:
    other = replace(LIMIT, detail="rate_limited: HTTP 429: slow down, request 18")
    late = Unscored(Reason.PROVIDER_ERROR, "timeout: no reply within 2 s")
    ending = ended(*ALL[:3], outcome(3, LIMIT), outcome(4, late), outcome(5, other))
    assert ending.status is RunStatus.INCOMPLETE
    assert ending.error == (
        "no reply on 3 of 6 instances: rate_limited: HTTP 429: slow down, request 17 (2); "
        "timeout: no reply within 2 s (1). Instances: set/3, set/4, set/5"
    )
    assert ending.advice == "Run the same command again: only what lacks a reply is asked for."


def test_a_cause_is_told_as_the_vote_has_it() -> None:
    told = replace(WRONG, detail=f"as_given: {WRONG.detail}")
    lost = replace(outcome(0, WRONG), prediction=told, by_order={Order.AS_GIVEN: told})
    assert "no reply on 1 of 6 instances: rejected: HTTP 400: max_tokens: not taken (1)." in (
        ended(lost, *ALL[1:]).error
    )
    alone = Outcome(INSTANCES[0].id, WRONG)  # a method that shows no votes
    assert "not taken (1)." in ended(alone, *ALL[1:]).error


def test_a_lost_vote_of_a_panel_that_decided_counts_too_and_once() -> None:
    decided = Outcome(
        INSTANCES[0].id,
        Preference(Winner.FIRST),
        votes=(Vote("a", Order.AS_GIVEN, LIMIT), Vote("a", Order.SWAPPED, LIMIT)),
    )
    assert "no reply on 1 of 6 instances: rate_limited: HTTP 429" in ended(decided, *ALL[1:]).error


def test_a_lost_call_of_a_later_stage_counts_where_the_votes_are_whole() -> None:
    request = Request("m", (), stage="focal", role="gpt_4o")
    answered = Completion("", FinishReason.ERROR, "k", "m", (), False, BackendKind.LIVE, error="timeout")
    lacking = replace(outcome(0), calls=(answered.as_call(request),))
    ending = ended(lacking, *ALL[1:])
    assert ending.status is RunStatus.INCOMPLETE
    assert "stage focal: no reply of gpt_4o" in ending.error


def test_no_more_than_three_causes_are_listed() -> None:
    details = [f"server_error: HTTP 50{number}: down" for number in range(5)]
    votes = [outcome(n, Unscored(Reason.PROVIDER_ERROR, detail)) for n, detail in enumerate(details)]
    error = ended(*votes, ALL[5]).error
    assert error.count("(1)") == 3
    assert "; and 2 other causes. Instances: set/0" in error


def test_what_the_provider_rejects_is_not_advised_to_be_sent_again() -> None:
    ending = ended(*ALL[:5], outcome(5, WRONG))
    assert "rejected: HTTP 400: max_tokens: not taken (1)" in ending.error
    assert ending.advice.startswith("The provider will reject the same requests again")
    mixed = ended(*ALL[:4], outcome(4, WRONG), outcome(5, LIMIT))
    assert mixed.advice.startswith("Run the same command again")


def test_a_judge_that_cannot_be_read_is_shown_with_an_example_and_what_helps() -> None:
    long = "I think\nthat " + "x" * 300
    ending = ended(*[outcome(n, UNREAD, long) for n in range(4)], *ALL[4:])
    assert ending.status is RunStatus.FAILED
    assert ending.error.startswith(
        "66.7% of the verdicts are missing (unparsed 4), more than max_unscored=0.2. For example "
        "gpt_4o on set/0 (unparsed, no JSON object): 'I think that xxx"
    )
    assert ending.error.endswith("x…'")
    assert len(ending.error) < 400
    assert "llm=refresh" in ending.advice
    assert "Run the same command again" not in ending.advice


def test_what_is_no_reply_of_a_model_is_not_asked_anew() -> None:
    nobody = Unscored(Reason.NO_MAJORITY)
    ending = ended(*[Outcome(INSTANCES[n].id, nobody) for n in range(6)])
    assert "(no_majority 6)" in ending.error
    assert "For example" not in ending.error
    assert "llm=refresh" not in ending.advice
    simulated = ended(*[outcome(n, UNREAD, "x") for n in range(6)], judge=SIMULATED)
    assert "llm=refresh" not in simulated.advice


def test_a_text_is_shortened_to_one_line() -> None:
    assert shortened(" a\n b\t c ") == "a b c"
    assert shortened("x" * 200) == "x" * 200
    assert shortened("x" * 201) == "x" * 199 + "…"
    assert shortened("") == ""
