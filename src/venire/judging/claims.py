"""Claim-level judging: one judge, a list of claims -> a verdict with tags for each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    create_model,
)

from venire.errors import ConfigError
from venire.judging.ask import Asked, ask
from venire.judging.judge import PromptedJudge
from venire.judging.matter import Matter, rubric_values, together
from venire.judging.reply import Reply, parse_reply
from venire.judging.tags import TagSet
from venire.llm.protocol import LLM
from venire.prompts.render import render
from venire.records import Call, Claim, ClaimJudgment, Message, Reason, RubricEntry, Unscored, Verdict

JUDGE_CLAIMS = "judge_claims"


def verdict_label(value: object) -> object:
    """The label without regard to case and outer white space; nothing else is mended."""
    return value.strip().casefold() if isinstance(value, str) else value


VerdictLabel = Annotated[Literal["accept", "reject", "uncertain"], BeforeValidator(verdict_label)]


class Ruling(BaseModel):
    """One entry of a reply. `claim` is the number shown, from 1."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")

    claim: int
    rationale: str = ""
    verdict: VerdictLabel
    tags: list[str] = Field(default_factory=list)


class ClaimsReply(Reply):
    """One ruling a claim; `reply_form` makes the form for a tag set and the claims asked for."""

    judgments: list[Ruling]

    @property
    def decision(self) -> object:
        """The verdicts by claim."""
        return sorted((ruling.claim, ruling.verdict) for ruling in self.judgments)


@dataclass(frozen=True, slots=True)
class ClaimForm:
    """How judges are asked about claims.

    Args:
        tags: the dimensions they may name.
        claims_per_call: a longer list is put to them in chunks of this size.
        tokens_per_claim: a reply may take at least this many tokens a claim, where the judge's own
            `max_tokens` is less.
        examples: how many examples of either kind each rubric entry shows.
    """

    tags: TagSet
    claims_per_call: int = 40
    tokens_per_claim: int = 96
    examples: int = 2

    def __post_init__(self) -> None:
        for name in ("claims_per_call", "tokens_per_claim"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name}: expected at least 1, got {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class Ruled:
    """A judge's judgments, one a claim and in their order, and the calls they took."""

    judgments: tuple[ClaimJudgment, ...]
    calls: tuple[Call, ...]

    @property
    def failure(self) -> Unscored | None:
        """Why there is no verdict at all; None where there is one, or no claim."""
        if not self.judgments or any(judgment.verdict for judgment in self.judgments):
            return None
        return next((judgment.reason for judgment in self.judgments if judgment.reason), None)


@dataclass(frozen=True, slots=True)
class ClaimQuestion:
    """A claim list as judges are asked about it: rendered once, put to each of them.

    `chunks` has the claims of each call with its messages.
    """

    matter: Matter
    form: ClaimForm
    chunks: tuple[tuple[tuple[Claim, ...], tuple[Message, ...]], ...]


def claim_question(
    matter: Matter, claims: Sequence[Claim], form: ClaimForm, rubric: Sequence[RubricEntry] = ()
) -> ClaimQuestion:
    """The question about `claims`, with the rubric entries to show; no claim: no chunk."""
    size = form.claims_per_call
    parts = [tuple(claims[start : start + size]) for start in range(0, len(claims), size)]
    shown = {"tags": dict(form.tags.tags), "rubric": rubric_values(rubric, form.examples)}
    return ClaimQuestion(matter, form, tuple((part, _messages(matter, part, shown)) for part in parts))


def _messages(matter: Matter, part: Sequence[Claim], shown: Mapping[str, object]) -> tuple[Message, ...]:
    numbered = [{"number": claim.index + 1, "text": claim.text} for claim in part]
    return render(JUDGE_CLAIMS, **matter.values, **shown, claims=numbered)


async def judge_claims(
    judge: PromptedJudge, question: ClaimQuestion, llm: LLM, *, replicate: int = 0
) -> Ruled:
    """The judge's verdicts on the claims, rationale before verdict, in one call a chunk.

    A claim that the reply says nothing of, or two things, after all re-asks: the judge abstains on it
    (`unparsed`). A chunk without a reply: it abstains on all of its claims. No claim: no call.
    Tags that are not in the set are dropped.

    Source: JuryFlow, "Panel judging"; spec, section 1, stage 1.
    """
    ruled = await together(
        _judge_chunk(judge, question, claims, messages, llm, replicate=replicate)
        for claims, messages in question.chunks
    )
    return Ruled(
        tuple(judgment for part in ruled for judgment in part.judgments),
        tuple(call for part in ruled for call in part.calls),
    )


async def _judge_chunk(
    judge: PromptedJudge,
    question: ClaimQuestion,
    claims: Sequence[Claim],
    messages: tuple[Message, ...],
    llm: LLM,
    *,
    replicate: int,
) -> Ruled:
    form = question.form
    roomy = replace(judge, max_tokens=max(judge.max_tokens, form.tokens_per_claim * len(claims)))
    wanted = reply_form(form.tags.names, tuple(claim.index + 1 for claim in claims))
    subject = question.matter.subject()
    asked = await ask(roomy, messages, wanted, llm, stage="judge", subject=subject, replicate=replicate)
    reply = _salvaged(asked, messages, form.tags)
    return Ruled(tuple(_judgment(judge.name, claim, reply, form.tags) for claim in claims), asked.calls)


@cache
def reply_form(tags: tuple[str, ...], numbers: tuple[int, ...] = ()) -> type[ClaimsReply]:
    """The reply's model: its schema names the `tags`; every one of `numbers` needs one ruling.

    The schema does not depend on `numbers`.
    """
    enum = {"type": "array", "items": {"type": "string", "enum": list(tags)}}
    named = Annotated[list[str], WithJsonSchema(enum)]
    ruling = create_model("Ruling", __base__=Ruling, tags=(named, Field(default_factory=list)))

    def complete(rulings: list[Ruling]) -> list[Ruling]:
        lacking = [number for number in numbers if _one_of(rulings, number) is None]
        if lacking:
            raise ValueError(f"expected one judgment each of the claims {', '.join(map(str, lacking))}")
        return rulings

    rulings = Annotated[list[ruling], AfterValidator(complete)]  # type: ignore[valid-type]
    return create_model("ClaimsReply", __base__=ClaimsReply, judgments=(rulings, ...))


def _salvaged(asked: Asked[ClaimsReply], messages: Sequence[Message], tags: TagSet) -> ClaimsReply | Unscored:
    """The reply; of one that lacks some claims after all re-asks, those that it has."""
    if not isinstance(asked.reply, Unscored) or asked.reply.reason is not Reason.UNPARSED:
        return asked.reply
    shown = [message.content for message in messages]
    partial = parse_reply(asked.text, reply_form(tags.names), shown=shown)
    return asked.reply if isinstance(partial, Unscored) else partial


def _judgment(judge: str, claim: Claim, reply: ClaimsReply | Unscored, tags: TagSet) -> ClaimJudgment:
    if isinstance(reply, Unscored):
        return ClaimJudgment(judge, claim.index, None, reason=reply)
    ruling = _one_of(reply.judgments, claim.index + 1)
    if ruling is None:
        lacking = Unscored(Reason.UNPARSED, f"no single judgment of claim {claim.index + 1}")
        return ClaimJudgment(judge, claim.index, None, reason=lacking)
    verdict = Verdict(ruling.verdict)
    return ClaimJudgment(judge, claim.index, verdict, ruling.rationale, tags.known(ruling.tags))


def _one_of(rulings: Sequence[Ruling], number: int) -> Ruling | None:
    """The ruling on claim `number`; None where there is none, or two that differ in their verdict."""
    found = [ruling for ruling in rulings if ruling.claim == number]
    return found[0] if len({ruling.verdict for ruling in found}) == 1 else None
