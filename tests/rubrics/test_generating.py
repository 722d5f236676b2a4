"""Rubrics by a scripted model: a request that is lost is asked again, one that is rejected is not."""

import asyncio
from dataclasses import dataclass, replace

import pytest
from tests.judging.scripted import ScriptedLLM
from tests.personas.scripted import calling

from venire.errors import RunError
from venire.generated.replies import LostReply
from venire.judging.criteria import Criterion
from venire.judging.rubric import GeneratedRubric
from venire.judging.scales import DEFAULT
from venire.records import Completion, FinishReason, Request
from venire.rubrics.generating import generate_rubrics

CRITERIA = [Criterion("clarity", "Clarity", "How clear it is.", 1.0, DEFAULT)]


@dataclass
class Unanswering(ScriptedLLM):
    """No reply to anything, for the reason that `error` names."""

    error: str = ""

    async def complete(self, request: Request) -> Completion:
        return replace(await super().complete(request), error=self.error)


def generate(error: str) -> None:
    llm = Unanswering(lambda request: ("", FinishReason.ERROR), error=error)
    asyncio.run(generate_rubrics(CRITERIA, GeneratedRubric(), calling(), llm))


def test_a_lost_request_is_one_to_ask_again() -> None:
    with pytest.raises(LostReply, match=r"^clarity: no reply: provider_error, timeout: 60 s$"):
        generate("timeout: 60 s")


def test_a_rejected_request_is_an_error_that_asking_again_does_not_mend() -> None:
    with pytest.raises(
        RunError, match=r"^clarity: the provider rejects the request: rejected: no such model$"
    ):
        generate("rejected: no such model")
