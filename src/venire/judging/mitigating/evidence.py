"""Verdicts that must quote their evidence, after a check of what the responses rest their authority on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict

from venire.errors import ConfigError
from venire.judging.ask import ask
from venire.judging.claims import verdict_label
from venire.judging.judge import Judge, PromptedJudge
from venire.judging.matter import Matter, pair_values, together
from venire.judging.mitigating.stage import Answer, Question, Verdict, reads_prompts
from venire.judging.pairwise import Confidence, Either, WithTie
from venire.judging.probe import Bias
from venire.judging.quotes import stands_in
from venire.judging.reply import Reply
from venire.llm.protocol import LLM
from venire.prompts.render import render
from venire.records import (
    Call,
    Instance,
    Message,
    Order,
    Prediction,
    Preference,
    Reason,
    Slot,
    Subject,
    Unscored,
    Vote,
)

PAIRWISE_EVIDENCE, FACT_CHECK = "pairwise_evidence", "fact_check"
FACT_CHECK_STAGE = "fact_check"


class Finding(StrEnum):
    """What is known of a checked statement."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNVERIFIABLE = "unverifiable"


class Check(BaseModel):
    """A statement of a response and what is known of it."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")

    statement: str
    finding: str = ""
    verdict: Annotated[Literal["supported", "contradicted", "unverifiable"], BeforeValidator(verdict_label)]


class FactCheck(Reply):
    """The statements that were checked; an empty list is a valid one."""

    checks: list[Check]

    @property
    def decision(self) -> object:
        """What was found of what."""
        return tuple((check.statement, check.verdict) for check in self.checks)


class Quote(BaseModel):
    """A passage of a response, as the judge gives it."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")

    response: Either
    quote: str


class EvidenceReply(Reply):
    """A verdict with the quotes that it rests on."""

    evidence: list[Quote]
    reasoning: str = ""
    winner: WithTie
    confidence: Confidence = None

    @property
    def decision(self) -> object:
        """The winner."""
        return self.winner


class ForcedEvidenceReply(Reply):
    """The same without a tie."""

    evidence: list[Quote]
    reasoning: str = ""
    winner: Either
    confidence: Confidence = None

    @property
    def decision(self) -> object:
        """The winner."""
        return self.winner


@dataclass(frozen=True, slots=True)
class Evidence:
    """A verdict needs a quote that stands in the response; before it, a fact check of both responses.

    A verdict without one is void (`ungrounded`). Where a fact check has no usable reply the pair is not
    judged: an unchecked verdict would pass for a checked one.

    Args:
        fact_check: whether the responses are checked before; one call each.
        least_quote: letters and digits that a quote needs; shorter ones stand anywhere.

    Source: the evaluation guide, "Authority Bias" (require evidence citation, fact-checking layer).
    """

    fact_check: bool = True
    least_quote: int = 4

    def __post_init__(self) -> None:
        if self.least_quote < 1:
            raise ConfigError(f"least_quote: expected at least 1, got {self.least_quote}")

    @property
    def against(self) -> tuple[Bias, ...]:
        """Authority."""
        return (Bias.AUTHORITY,)

    @property
    def prompts(self) -> tuple[str, ...]:
        """That of the verdict, and that of the check where there is one."""
        return (PAIRWISE_EVIDENCE, FACT_CHECK) if self.fact_check else (PAIRWISE_EVIDENCE,)

    def names(self, name: str) -> tuple[str, ...]:
        """The one arm."""
        return (name,)

    def can_ask(self, judge: Judge) -> bool:
        """Whether it reads prompts."""
        return reads_prompts(judge)

    async def ask(self, judge: Judge, question: Question, llm: LLM, *, name: str) -> Answer:
        """The verdict, with the numbers of quotes given and standing, and of statements by finding."""
        assert isinstance(judge, PromptedJudge)
        checked: list[_Checked] = []
        if self.fact_check:
            checked = await together(
                _check(judge, Matter(question.instance, index), question.replicate, llm) for index in (0, 1)
            )
        calls = tuple(call for each in checked for call in each.calls)
        failed = next((each.checks for each in checked if isinstance(each.checks, Unscored)), None)
        if failed is not None:
            return Answer({name: Verdict(Unscored(failed.reason, f"fact check: {failed.detail}"))}, calls)
        found = [each.checks for each in checked if not isinstance(each.checks, Unscored)]
        shown = found if question.order is Order.AS_GIVEN else found[::-1]
        form: type[EvidenceReply] | type[ForcedEvidenceReply] = (
            EvidenceReply if question.allow_tie else ForcedEvidenceReply
        )
        asked = await ask(
            judge,
            _messages(question, shown),
            form,
            llm,
            stage=question.stage,
            subject=Subject(question.instance.id, question.order),
            replicate=question.replicate,
        )
        prediction, facts = self._grounded(asked.reply, question.instance, question.order)
        rationale = "" if isinstance(asked.reply, Unscored) else asked.reply.reasoning
        vote = Vote(judge.name, question.order, prediction, rationale, asked.text)
        facts |= (
            {f"checks_{verdict.value}": float(_count(found, verdict)) for verdict in Finding} if found else {}
        )
        return Answer({name: Verdict(prediction, facts)}, (*calls, *asked.calls), vote)

    def _grounded(
        self, reply: EvidenceReply | ForcedEvidenceReply | Unscored, instance: Instance, order: Order
    ) -> tuple[Prediction, dict[str, float]]:
        """The verdict where a quote of it stands in the response that it names."""
        if isinstance(reply, Unscored):
            return reply, {}
        texts = [response.text for response in instance.responses]
        shown = texts if order is Order.AS_GIVEN else texts[::-1]
        standing = sum(
            stands_in(each.quote, shown[0 if each.response == Slot.A else 1], least=self.least_quote)
            for each in reply.evidence
        )
        facts = {"quotes": float(len(reply.evidence)), "quotes_standing": float(standing)}
        if standing == 0:
            why = f"none of its {len(reply.evidence)} quotes stands in the responses"
            return Unscored(Reason.UNGROUNDED, why), facts
        return Preference(order.winner(Slot(reply.winner)), reply.confidence), facts


@dataclass(frozen=True, slots=True)
class _Checked:
    checks: Sequence[Check] | Unscored
    calls: tuple[Call, ...]


async def _check(judge: PromptedJudge, matter: Matter, replicate: int, llm: LLM) -> _Checked:
    """What the judge finds of the response's statements; of those that do not stand in it nothing."""
    asked = await ask(
        judge,
        render(FACT_CHECK, **matter.values),
        FactCheck,
        llm,
        stage=FACT_CHECK_STAGE,
        subject=matter.subject(),
        replicate=replicate,
    )
    if isinstance(asked.reply, Unscored):
        return _Checked(asked.reply, asked.calls)
    text = matter.instance.responses[matter.response_index].text
    return _Checked([each for each in asked.reply.checks if stands_in(each.statement, text)], asked.calls)


def _messages(question: Question, checks: Sequence[Sequence[Check]]) -> tuple[Message, ...]:
    """The verdict's prompt; `checks` in the order shown, empty where nothing was checked."""
    values = pair_values(question.instance, question.order)
    first, second = (list(map(_plain, each)) for each in checks) if checks else (None, None)
    return render(PAIRWISE_EVIDENCE, **values, allow_tie=question.allow_tie, checks_a=first, checks_b=second)


def _plain(check: Check) -> Mapping[str, str]:
    return {"statement": check.statement, "finding": check.finding, "verdict": check.verdict}


def _count(found: Sequence[Sequence[Check]], verdict: Finding) -> int:
    return sum(check.verdict == verdict for checks in found for check in checks)
