"""A control: the calls that JuryFlow re-evaluates with, spent on asking the panel again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice

from venire.errors import ConfigError
from venire.judging.claim_pairs import (
    hear_pair,
    judge_votes,
    lacking,
    panel_verdicts,
    scored_detail,
)
from venire.judging.claims import claim_question, judge_claims
from venire.judging.convene import Hearing
from venire.judging.judge import PromptedJudge
from venire.judging.matter import together
from venire.judging.tie_break import decide
from venire.judging.verdicts import score
from venire.llm.protocol import LLM
from venire.methods.juryflow.draws import stream
from venire.methods.juryflow.method import JuryFlow
from venire.records import Call, ClaimJudgment, Instance, Outcome

_REEVALUATION = ("focal", "propagation", "rubric")


@dataclass(frozen=True, slots=True, kw_only=True)
class SameBudgetMajority(JuryFlow):
    """Majority over claims with as many more votes as JuryFlow takes calls for re-evaluation.

    On each instance JuryFlow itself is run first, to know what it takes there: its calls are in the
    store where it was run before with the same settings, seed and block, else they are paid. They are
    shown under stage `budget`. Then as many replicates of stage 1 judgments are asked for (stage
    `replicate`), without a rubric: judge by judge, either response in turn, in an order of judges that
    (seed, instance id) names; each one's verdicts are further votes on the claims. Replicates rule on
    the claims that the panel ruled on. A judgment of more than `claims_per_call` claims takes more than
    one call.

    Args:
        replicate_temperature: of the replicates; None: each judge's own. At temperature 0 most replicates
            repeat the first vote, and the control would be a straw man.

    Source: issue "JuryFlow", "Ablations" (self-consistency).
    """

    replicate_temperature: float | None = 0.7

    def __post_init__(self) -> None:
        JuryFlow.__post_init__(self)
        if self.replicate_temperature is not None and not 0 <= self.replicate_temperature <= 2:
            raise ConfigError(f"replicate_temperature: expected 0 to 2, got {self.replicate_temperature}")

    @property
    def name(self) -> str:
        """`same_budget_majority`."""
        return "same_budget_majority"

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        """The enlarged vote's outcome; the memory goes on as JuryFlow's does."""
        pilot = await JuryFlow.judge(self, instance, memory, llm)
        budget = sum(call.stage in _REEVALUATION for call in pilot.calls)
        heard = await hear_pair(self.convening, instance, llm)
        hearings, replicates = await self._again(heard, budget, llm)
        verdicts = [panel_verdicts(hearing, self.panel.strongest) for hearing in hearings]
        scores = (score(verdicts[0], self.reduction), score(verdicts[1], self.reduction))
        decision = await decide(
            instance,
            scores,
            self.panel.strongest_judge,
            llm,
            tie_break=self.tie_break,
            seed=self.seed,
            unscored=lacking(hearings),
        )
        shown = zip(hearings, verdicts, scores, strict=True)
        own = (*(call for hearing in heard for call in hearing.calls), *replicates, *decision.calls)
        return Outcome(
            instance_id=instance.id,
            prediction=decision.prediction,
            votes=judge_votes(heard, [judge.name for judge in self.judges], self.reduction),
            calls=(*own, *_budget_calls(pilot.calls, own)),
            detail={
                "unit": self.unit.value,
                "budget": budget,
                "responses": [scored_detail(*each) for each in shown],
                "scores": list(scores),
                **decision.detail,
            },
            additions=pilot.additions,
        )

    async def _again(
        self, heard: Sequence[Hearing], budget: int, llm: LLM
    ) -> tuple[list[Hearing], tuple[Call, ...]]:
        """The hearings with `budget` more judgments, and the calls they took."""
        turns = list(islice(self._turns(heard), budget))
        form = self.convening.form
        questions = [claim_question(hearing.matter, hearing.claims, form) for hearing in heard]
        ruled = await together(
            judge_claims(
                self._sampled(judge),
                questions[hearing.matter.response_index],
                llm,
                replicate=replicate,
            )
            for judge, hearing, replicate in turns
        )
        more: dict[int, dict[str, tuple[ClaimJudgment, ...]]] = {}
        for (judge, hearing, replicate), made in zip(turns, ruled, strict=True):
            votes = more.setdefault(hearing.matter.response_index, {})
            votes[f"{judge.name}, replicate {replicate}"] = made.judgments
        enlarged = [
            replace(hearing, judgments={**hearing.judgments, **more.get(index, {})})
            for index, hearing in enumerate(heard)
        ]
        return enlarged, tuple(replace(call, stage="replicate") for made in ruled for call in made.calls)

    def _turns(self, heard: Sequence[Hearing]) -> Iterator[tuple[PromptedJudge, Hearing, int]]:
        """Who is asked again about what, round after round, without end; nobody without claims."""
        open_to_vote = [hearing for hearing in heard if hearing.unscored is None and hearing.claims]
        if not open_to_vote:
            return
        instance_id = open_to_vote[0].matter.instance.id
        order = stream(self.seed, "replicates", instance_id).permutation(len(self.convening.judges))
        for replicate in count(1):
            for place in order:
                for hearing in open_to_vote:
                    yield self.convening.judges[place], hearing, replicate

    def _sampled(self, judge: PromptedJudge) -> PromptedJudge:
        if self.replicate_temperature is None:
            return judge
        return replace(judge, temperature=self.replicate_temperature)


def _budget_calls(pilot: Sequence[Call], own: Sequence[Call]) -> tuple[Call, ...]:
    """JuryFlow's calls that the control does not make itself; those for vectors keep their stage."""
    made = {call.key for call in own}
    return tuple(
        call if call.is_embedding else replace(call, stage="budget") for call in pilot if call.key not in made
    )
