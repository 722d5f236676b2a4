"""One question to one prompted judge: request, reply, bounded re-ask."""

import math
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from venire.judging.judge import PromptedJudge, ReplyFormat
from venire.judging.persona import in_person
from venire.judging.reply import Reply, read_completion, schema_text
from venire.llm.protocol import LLM
from venire.prompts.render import render
from venire.records import Call, Completion, Message, Reason, Request, Subject, Unscored

R = TypeVar("R", bound=Reply)
REASK = "reask"
JSON_OBJECT = '{"type":"object"}'


@dataclass(frozen=True, slots=True)
class Asked(Generic[R]):
    """What a judge made of a question.

    `reply` is the typed reply, or why there is none after all re-asks; `text` is the last reply as
    it came; `calls` has every call in time order, re-asks included.
    """

    reply: R | Unscored
    text: str
    calls: tuple[Call, ...]


# Replicates from here on are re-asks with the same words as the one before.
_REASKED = 100


async def ask(
    judge: PromptedJudge,
    messages: tuple[Message, ...],
    reply_model: type[R],
    llm: LLM,
    *,
    stage: str,
    subject: Subject | None,
    replicate: int = 0,
) -> Asked[R]:
    """The judge's reply to `messages`, asked again at most `judge.max_reasks` times.

    An unusable reply is asked again with that reply and what is wrong with it; a cut one with
    `judge.max_tokens_growth` times the token limit and not a word about JSON. Refusals and provider
    errors are final. Each re-ask is a call of its own, of the same stage. The judge's persona, where it
    has one, is put before the system message.
    """
    messages = in_person(messages, judge.persona)
    request = replace(
        request_to(judge, messages, stage=stage, subject=subject),
        schema=_schema(judge.reply_format, reply_model),
        replicate=replicate,
    )
    shown = [message.content for message in messages]
    calls: list[Call] = []
    while True:
        completion = await llm.complete(request)
        reply = read_completion(completion, reply_model, shown=shown)
        again = _reask(judge, request, messages, completion, reply, reply_model)
        is_last = again is None or len(calls) >= judge.max_reasks
        calls.append(_used(completion.as_call(request), reply, is_last=is_last))
        if again is None or is_last:
            return Asked(reply, completion.text, tuple(calls))
        request = again


def _used(call: Call, reply: Reply | Unscored, *, is_last: bool) -> Call:
    """`call` with what became of its reply."""
    if not isinstance(reply, Unscored):
        return call
    return replace(call, unusable=reply.reason.value, lost=is_last)


def request_to(
    judge: PromptedJudge, messages: tuple[Message, ...], *, stage: str, subject: Subject | None
) -> Request:
    """The request that puts `messages`, as they are, to the judge under its own settings; no schema."""
    return Request(
        model=judge.model,
        messages=messages,
        endpoint=judge.endpoint,
        temperature=judge.temperature,
        top_p=judge.top_p,
        max_tokens=judge.max_tokens,
        sampling_seed=judge.sampling_seed,
        stage=stage,
        role=judge.name,
        subject=subject,
    )


def _schema(reply_format: ReplyFormat, reply_model: type[Reply]) -> str | None:
    match reply_format:
        case ReplyFormat.JSON_SCHEMA:
            return schema_text(reply_model)
        case ReplyFormat.JSON_OBJECT:
            return JSON_OBJECT
        case ReplyFormat.TEXT:
            return None


def _reask(
    judge: PromptedJudge,
    request: Request,
    messages: tuple[Message, ...],
    completion: Completion,
    reply: Reply | Unscored,
    reply_model: type[Reply],
) -> Request | None:
    """The next request after `reply`, or None where it is final."""
    if not isinstance(reply, Unscored):
        return None
    if reply.reason is Reason.TRUNCATED and request.max_tokens is not None:
        grown = math.ceil(request.max_tokens * judge.max_tokens_growth)
        return replace(request, max_tokens=grown) if grown > request.max_tokens else None
    if reply.reason is Reason.UNPARSED:
        form = schema_text(reply_model)
        complaint = render(REASK, problem=reply.detail, schema=form)[-1]
        asked = _appended(messages, completion.text, complaint)
        if asked == request.messages:  # the same unusable reply again: ask anew, not the store
            return replace(request, replicate=request.replicate + _REASKED)
        return replace(request, messages=asked)
    return None


def _appended(messages: tuple[Message, ...], text: str, complaint: Message) -> tuple[Message, ...]:
    """The first question, the unusable reply, and the complaint about it.

    Always after the first question, so that the conversation does not grow with each re-ask. An
    empty reply cannot be quoted (some providers refuse empty messages, others two user messages in a
    row): the complaint then goes to the end of the question.
    """
    if text.strip():
        return (*messages, Message("assistant", text), complaint)
    question = messages[-1]
    return (*messages[:-1], Message(question.role, f"{question.content}\n\n{complaint.content}"))
