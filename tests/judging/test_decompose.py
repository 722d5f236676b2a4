"""Decomposition of a response into claims."""

import asyncio
import json

import pytest
from tests.judging.scripted import replies
from tests.methods.juryflow.court import Court, material

from venire.judging.decompose import decompose
from venire.judging.judge import PromptedJudge
from venire.judging.matter import Matter
from venire.records import Claim, FinishReason, Instance, Reason, Response, Unscored

JUDGE = PromptedJudge("j0", "m0", "f0", max_reasks=1)
MATTER = Matter(
    Instance("set/1", "Name a prime.", (Response("7"), Response("8")), context="c", reference="5"), 0
)


def claims_of(*said: str | tuple[str, FinishReason]) -> tuple[Claim, ...] | Unscored:
    return asyncio.run(decompose(JUDGE, MATTER, replies(*said))).claims


def test_claims_keep_their_order_without_blank_and_repeated_ones() -> None:
    said = json.dumps({"claims": [" b ", "", "a", "b", "  "]})
    assert claims_of(said) == (Claim(0, "b"), Claim(1, "a"))


def test_an_empty_list_is_a_valid_decomposition() -> None:
    assert claims_of('{"claims": []}') == ()


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (("no list", "none either"), Reason.UNPARSED),
        (('{"claims": "one"}', '{"claims": [1]}'), Reason.UNPARSED),
        ((("", FinishReason.ERROR),), Reason.PROVIDER_ERROR),
    ],
)
def test_a_failed_one_is_no_empty_one(
    said: tuple[str | tuple[str, FinishReason], ...], reason: Reason
) -> None:
    made = claims_of(*said)
    assert isinstance(made, Unscored)
    assert made.reason is reason


def test_the_prompt_shows_the_response_alone_and_never_the_other_one() -> None:
    court = Court()
    asyncio.run(decompose(JUDGE, MATTER, court))
    shown = material(court.requests[0])
    assert {label: shown[label] for label in ("request", "response", "context", "reference")} == {
        "request": "Name a prime.",
        "response": "7",
        "context": "c",
        "reference": "5",
    }
    assert "8" not in court.requests[0].messages[1].content.replace(_nonce(court), "")


def _nonce(court: Court) -> str:
    return court.requests[0].messages[1].content.split('id="')[1][:16]
