"""Re-evaluation: the reviewer and one claim -> a revised verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from venire.judging.ask import ask
from venire.judging.claims import VerdictLabel
from venire.judging.judge import PromptedJudge
from venire.judging.matter import Matter, rubric_values
from venire.judging.reply import Reply
from venire.llm.protocol import LLM
from venire.prompts.render import render
from venire.records import Call, Claim, ClaimJudgment, RubricEntry, Unscored, Verdict

REEVALUATE = "reevaluate"
PROPAGATE = "propagate"


class Review(Reply):
    """A revised verdict, its reason before it."""

    rationale: str = ""
    verdict: VerdictLabel

    @property
    def decision(self) -> object:
        """The verdict."""
        return self.verdict


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The reviewer's verdict on a claim, or why there is none; with the calls it took."""

    verdict: Verdict | Unscored
    rationale: str
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """A finished review: the claim, its verdict before and after, and why.

    `before` is None where nobody had ruled on it.
    """

    claim: str
    before: Verdict | None
    after: Verdict
    rationale: str

    @property
    def values(self) -> dict[str, object]:
        """As prompts show it."""
        return {
            "claim": self.claim,
            "before": self.before.value if self.before else "none",
            "after": self.after.value,
            "rationale": self.rationale,
        }


@dataclass(frozen=True, slots=True)
class Dispute:
    """What the reviewer is shown in any case.

    Args:
        matter: the response.
        claim: the claim under review.
        judgments: of the panel, abstentions included; shown without names, ordered by what they say.
        rubric: the entries to show.
        examples: how many examples of either kind each entry shows.
    """

    matter: Matter
    claim: Claim
    judgments: Sequence[ClaimJudgment]
    rubric: Sequence[RubricEntry] = ()
    examples: int = 2

    @property
    def values(self) -> dict[str, object]:
        """As prompts show it."""
        return {
            **self.matter.values,
            "claim": self.claim.text,
            "assessments": assessments(self.judgments),
            "rubric": rubric_values(self.rubric, self.examples),
        }


def assessments(judgments: Sequence[ClaimJudgment]) -> list[dict[str, object]]:
    """Verdicts with rationales; sorted by their own text, so that the order tells nothing of the judges."""
    given = sorted((each.verdict.value, each.rationale) for each in judgments if each.verdict is not None)
    return [{"verdict": verdict, "rationale": rationale} for verdict, rationale in given]


async def reevaluate(reviewer: PromptedJudge, dispute: Dispute, llm: LLM) -> Reviewed:
    """The claim re-evaluated on its own: the conflicting assessments are shown, identities are not.

    Source: JuryFlow, stage 4 (a); spec, section 1, stage 4.
    """
    return await _review(reviewer, REEVALUATE, dispute, {}, llm, stage="focal")


async def propagate(
    reviewer: PromptedJudge, dispute: Dispute, evidence: Finding, precedents: Sequence[Finding], llm: LLM
) -> Reviewed:
    """The claim re-evaluated with the review of a related claim as evidence, and with precedents.

    Source: JuryFlow, stage 4 (b); spec, section 1, stage 4.
    """
    shown = {"evidence": evidence.values, "precedents": [each.values for each in precedents]}
    return await _review(reviewer, PROPAGATE, dispute, shown, llm, stage="propagation")


async def _review(
    reviewer: PromptedJudge,
    prompt: str,
    dispute: Dispute,
    shown: Mapping[str, object],
    llm: LLM,
    *,
    stage: str,
) -> Reviewed:
    subject = dispute.matter.subject(dispute.claim.index)
    messages = render(prompt, **dispute.values, **shown)
    asked = await ask(reviewer, messages, Review, llm, stage=stage, subject=subject)
    if isinstance(asked.reply, Unscored):
        return Reviewed(asked.reply, "", asked.calls)
    return Reviewed(Verdict(asked.reply.verdict), asked.reply.rationale, asked.calls)
