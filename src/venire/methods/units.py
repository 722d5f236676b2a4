"""What `single` and `majority` share: the unit of judgment, and the pair judged claim by claim."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from venire.errors import ConfigError
from venire.judging.claim_pairs import hear_pair, judge_votes, lacking, panel_verdicts, scored_detail
from venire.judging.claims import JUDGE_CLAIMS, ClaimForm
from venire.judging.convene import Convening, Decomposing
from venire.judging.decompose import DECOMPOSE
from venire.judging.orders import Orders
from venire.judging.panel import Panel
from venire.judging.tags import TagSet
from venire.judging.tie_break import TieBreak, decide
from venire.judging.unit import Unit
from venire.judging.verdicts import Reduction, score
from venire.llm.embedding import EmbeddingModel
from venire.llm.protocol import LLM
from venire.methods.comparing import Comparing, prompts_of
from venire.records import Instance, Outcome


@dataclass(frozen=True, slots=True)
class ByUnit(Comparing, ABC):
    """A method that puts the pair, or each claim of its responses, before judges of a panel.

    With `unit: claims` the judges are asked what JuryFlow's are asked in its stage 1, by the same
    requests; their verdicts are reduced to scores, and the higher one wins. A tie is put before the
    panel's strongest judge, in both orders, with `prompt` and `allow_tie`.

    Args:
        panel: whose judges are asked.
        unit: what judges rule on. What the other unit alone looks at must be left as it is.
        tags: claims only: the dimensions that judges tag claims with.
        embedding: claims only: used where judges decompose on their own.
        decomposition, alignment_threshold, claims_per_call, tokens_per_claim, reduction: claims only;
            see `JuryFlow`.
        orders: of the holistic unit only: `both`, `as_given`, or `seeded` (see `Comparing`).
        prompt, allow_tie, seed: see `Comparing`.

    Raises:
        ConfigError: settings that do not fit the unit.

    Source: spec, section 1, "Baselines".
    """

    panel: Panel
    unit: Unit = field(default=Unit.HOLISTIC, kw_only=True)
    tags: TagSet | None = field(default=None, kw_only=True)
    embedding: EmbeddingModel | None = field(default=None, kw_only=True)
    decomposition: Decomposing = field(default=Decomposing.SHARED, kw_only=True)
    alignment_threshold: float = field(default=0.85, kw_only=True)
    claims_per_call: int = field(default=40, kw_only=True)
    tokens_per_claim: int = field(default=96, kw_only=True)
    reduction: Reduction = field(default=Reduction.WEAKEST_LINK, kw_only=True)

    def __post_init__(self) -> None:
        Comparing.__post_init__(self)
        if self.unit is Unit.CLAIMS:
            refuse("orders", self.orders, Orders.BOTH, "claims are judged without an order")
            _ = self.convening  # checks the panel
        else:
            refuse("decomposition", self.decomposition, Decomposing.SHARED, "unit=holistic has no claims")
            refuse("reduction", self.reduction, Reduction.WEAKEST_LINK, "unit=holistic has no claims")

    @property
    @abstractmethod
    def tie_break(self) -> TieBreak | None:
        """How equal scores are decided."""

    @property
    def prompts(self) -> tuple[str, ...]:
        """Those of the unit."""
        claims = (DECOMPOSE, JUDGE_CLAIMS) if self.unit is Unit.CLAIMS else ()
        return prompts_of(self.judges, *claims, self.prompt)

    @property
    def embeddings(self) -> tuple[EmbeddingModel, ...]:
        """The one that aligns claims; none where nothing is aligned."""
        aligns = self.unit is Unit.CLAIMS and self.decomposition is Decomposing.PER_JUDGE
        return (self.embedding,) if aligns and self.embedding else ()

    @property
    def convening(self) -> Convening:
        """How the judges are asked about claims.

        Raises:
            ConfigError: no tags, or see `Convening`.
        """
        if self.tags is None:
            raise ConfigError("tags: unit=claims needs the dimensions that claims are tagged with, got null")
        return Convening(
            panel=Panel(self.judges, self.panel.strongest),
            form=ClaimForm(self.tags, self.claims_per_call, self.tokens_per_claim),
            decomposing=self.decomposition,
            alignment_threshold=self.alignment_threshold,
            embedding=self.embedding.model if self.embedding else None,
        )

    async def judge_claims(self, instance: Instance, llm: LLM) -> Outcome:
        """The outcome of the claims unit; `detail` has each response's claims, judgments and score."""
        hearings = await hear_pair(self.convening, instance, llm)
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
        return Outcome(
            instance_id=instance.id,
            prediction=decision.prediction,
            votes=judge_votes(hearings, [judge.name for judge in self.judges], self.reduction),
            calls=(*(call for hearing in hearings for call in hearing.calls), *decision.calls),
            detail={
                "unit": self.unit.value,
                "responses": [scored_detail(*each) for each in shown],
                "scores": list(scores),
                **decision.detail,
            },
        )


def refuse(key: str, given: object, default: object, why: str) -> None:
    """Nothing, where a setting that the unit does not look at is left at its default.

    Raises:
        ConfigError: it is not: it would be without effect.
    """
    if given is not default:
        raise ConfigError(f"{key}: {why}; expected {default}, got {given}")
