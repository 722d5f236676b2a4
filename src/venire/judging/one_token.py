"""A question answered by one token: the request, what may come back, and how its candidates are spelled."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from venire.judging.ask import request_to
from venire.judging.judge import PromptedJudge
from venire.judging.persona import in_person
from venire.llm.protocol import LLM
from venire.records import Call, FinishReason, Message, Reason, Subject, Unscored

# What tokenizers put in the place of white space before a word.
_SPACES = " \t\r\n▁Ġ"


@dataclass(frozen=True, slots=True)
class AskedToken:
    """What came back of a question for one token.

    Args:
        positions: at each position of the reply, candidate token to log probability; empty where the
            provider tells none. Without a reply, why there is none.
        text: the reply as it came.
        call: the one call.
    """

    positions: tuple[Mapping[str, float], ...] | Unscored
    text: str
    call: Call


async def ask_token(
    judge: PromptedJudge, messages: tuple[Message, ...], llm: LLM, *, stage: str, subject: Subject
) -> AskedToken:
    """The judge's one token in reply to `messages`, with the probabilities of its `top_logprobs` candidates.

    Without a schema: under one, providers tell the probabilities before its grammar is applied. Never asked
    again.
    """
    asked = request_to(judge, in_person(messages, judge.persona), stage=stage, subject=subject)
    request = replace(asked, max_tokens=1, logprobs=judge.top_logprobs)
    completion = await llm.complete(request)
    call = completion.as_call(request)
    if completion.finish is FinishReason.LENGTH and completion.logprobs:
        call = replace(call, finish=FinishReason.STOP)  # the one token that was asked for is no cut reply
    positions: tuple[Mapping[str, float], ...] | Unscored = completion.logprobs or ()
    if completion.finish is FinishReason.ERROR:
        positions = Unscored(Reason.PROVIDER_ERROR, completion.error)
    elif completion.finish is FinishReason.REFUSED:
        positions = Unscored(Reason.REFUSED, completion.text[:200])
    return AskedToken(positions, completion.text, call)


def bare(candidate: str) -> str:
    """A candidate token without the white space around it, however its tokenizer writes that."""
    return candidate.strip(_SPACES)
