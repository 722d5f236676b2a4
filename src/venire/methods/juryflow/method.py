"""`method=juryflow`: disagreement among judges decides which claims are judged again."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from venire.errors import ConfigError, VenireError
from venire.judging.claim_pairs import judge_votes, lacking
from venire.judging.claims import JUDGE_CLAIMS, ClaimForm
from venire.judging.convene import Convening, Decomposing, convene
from venire.judging.decompose import DECOMPOSE
from venire.judging.induce import INDUCE
from venire.judging.judge import Judge
from venire.judging.matter import Matter, together
from venire.judging.pairs import check_pairs
from venire.judging.panel import Panel
from venire.judging.review import PROPAGATE, REEVALUATE
from venire.judging.tags import TagSet
from venire.judging.tie_break import TieBreak, decide
from venire.judging.unit import Unit
from venire.judging.verdicts import Reduction
from venire.llm.embedding import EmbeddingModel
from venire.llm.protocol import LLM
from venire.methods.comparing import prompts_of
from venire.methods.juryflow.choices import Choice, choices_behind, read_choices
from venire.methods.juryflow.draws import stream
from venire.methods.juryflow.graph import Graph, GraphSettings, disagreement_graph
from venire.methods.juryflow.induce import Lessons, induce_entries
from venire.methods.juryflow.memory import (
    Additions,
    Memory,
    Precedents,
    RubricSettings,
    RubricShelf,
    remember,
)
from venire.methods.juryflow.oracle import Supposed
from venire.methods.juryflow.people import AsksPerson, Change, HasChoices, ShowsWhatChanged
from venire.methods.juryflow.proceeding import Proceeding
from venire.methods.juryflow.propagate import CrossInstance, Propagation, propagate_from
from venire.methods.juryflow.reduce import final_verdicts
from venire.methods.juryflow.review import Reevaluation, Reviewing, review_focal
from venire.methods.juryflow.select import Focal, Focus, select_focal
from venire.methods.protocol import Sitting
from venire.records import Instance, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class JuryFlow:
    """The five stages on each response of a pair; the higher score wins.

    Each stage that is None is left out: `focal` (nothing is re-evaluated: the panel's majority over
    claims), `propagation` (stage 4 (b)), `rubric` (stage 5 and rubrics in prompts).

    Args:
        panel: who judges.
        tags: the dimensions that judges tag claims with.
        embedding: what makes claims comparable.
        unit: always `claims`; there so that one override serves all methods of a table.
        reviewer: the judge whose model re-evaluates, without its persona; None: the strongest.
        decomposition: whose claims are judged.
        alignment_threshold: with `per_judge`, mean cosine from which on claims are one.
        claims_per_call: a longer claim list is put to judges in chunks of this size.
        tokens_per_claim: least room of a reply for each claim.
        graph, focal, propagation, rubric: see their classes.
        reduction: how verdicts on claims become a response's score.
        tie_break: how equal scores are decided; None: the tie stands.
        seed: of drawn selections, shuffled edges and inconsistent tie-breaks; the runner's order of the
            instances hangs on the run's seed.

    Raises:
        ConfigError: settings that do not fit each other.

    Source: papers/juryflow; spec, section 1.
    """

    panel: Panel
    tags: TagSet
    embedding: EmbeddingModel
    unit: Unit = Unit.CLAIMS
    reviewer: str | None = None
    decomposition: Decomposing = Decomposing.SHARED
    alignment_threshold: float = 0.85
    claims_per_call: int = 40
    tokens_per_claim: int = 96
    graph: GraphSettings = field(default_factory=GraphSettings)
    focal: Focal | None = field(default_factory=Focal)
    propagation: Propagation | None = field(default_factory=Propagation)
    rubric: RubricSettings | None = field(default_factory=RubricSettings)
    reduction: Reduction = Reduction.WEAKEST_LINK
    tie_break: TieBreak | None = field(default_factory=TieBreak)
    seed: int = 0

    def __post_init__(self) -> None:
        if self.unit is not Unit.CLAIMS:
            raise ConfigError(f"unit: JuryFlow judges claims, got {self.unit}; choose method=majority")
        names = [judge.name for judge in self.panel.judges]
        if self.reviewer is not None and self.reviewer not in names:
            raise ConfigError(f"reviewer: {self.reviewer!r} is not on the panel ({', '.join(names)})")
        for stage in ("propagation", "rubric"):
            if self.focal is None and getattr(self, stage) is not None:
                raise ConfigError(f"{stage}: rests on focal re-evaluation; with focal=null, expected null")
        _ = self.convening  # checks the panel

    @property
    def name(self) -> str:
        """`juryflow`."""
        return "juryflow"

    @property
    def judges(self) -> tuple[Judge, ...]:
        """The panel; the reviewer is one of it."""
        return self.panel.judges

    @property
    def embeddings(self) -> tuple[EmbeddingModel, ...]:
        """The one."""
        return (self.embedding,)

    @property
    def prompts(self) -> tuple[str, ...]:
        """Those of the stages that are on."""
        stages = {REEVALUATE: self.focal, PROPAGATE: self.propagation, INDUCE: self.rubric}
        used = [name for name, stage in stages.items() if stage is not None]
        holistic = [self.tie_break.prompt] if self.tie_break else []
        return prompts_of(self.judges, DECOMPOSE, JUDGE_CLAIMS, *used, *holistic)

    @property
    def convening(self) -> Convening:
        """How stage 1 asks."""
        examples = self.rubric.examples if self.rubric else 0
        return Convening(
            panel=self.panel,
            form=ClaimForm(self.tags, self.claims_per_call, self.tokens_per_claim, examples),
            decomposing=self.decomposition,
            alignment_threshold=self.alignment_threshold,
            embedding=self.embedding.model,
        )

    @property
    def order_dependent(self) -> bool:
        """Whether a rubric or precedents of earlier instances are shown."""
        return self.rubric is not None or self._cross_instance

    @property
    def _cross_instance(self) -> bool:
        return self.propagation is not None and self.propagation.cross_instance is CrossInstance.PRECEDENT

    def check(self, instances: Sequence[Instance]) -> None:
        """Refuse what is no pair.

        Raises:
            DataError
        """
        check_pairs(self.judges, instances)

    @property
    def asks_people(self) -> bool:
        """Whether a human chooses the focal claims."""
        return self._person is not None

    def stop_asking(self, reason: VenireError) -> None:
        """Give up the open question; without a human there is none."""
        if self._person is not None:
            self._person.stop_asking(reason)

    def attended(self, sitting: Sitting) -> AbstractAsyncContextManager[None]:
        """Within it a human can be asked."""
        return nullcontext() if self._onlooker is None else self._onlooker.attended(sitting)

    def unattended(self) -> "JuryFlow":
        """The choices that are kept, and the most disputed claim where there is none."""
        if self.focal is None or self._person is None:
            return self
        return replace(self, focal=replace(self.focal, selector=Supposed(self._person.choices)))

    def choices(self, outcomes: Sequence[Outcome]) -> tuple[Choice, ...]:
        """The choices in the selector's file that `outcomes` rest on, in their order; none without a file.

        Raises:
            DataError: the file breaks its format.
        """
        selector = self.focal.selector if self.focal else None
        if not isinstance(selector, HasChoices) or not selector.choices:
            return ()
        return choices_behind(outcomes, read_choices(Path(selector.choices)))

    @property
    def _person(self) -> AsksPerson | None:
        selector = self.focal.selector if self.focal else None
        return selector if isinstance(selector, AsksPerson) else None

    @property
    def _onlooker(self) -> ShowsWhatChanged | None:
        return self._person if isinstance(self._person, ShowsWhatChanged) else None

    def initial_memory(self) -> Memory:
        """An empty one."""
        return Memory()

    def fold(self, memory: object, outcome: Outcome) -> Memory:
        """The memory with the rubric entries and corrections of `outcome`, the first response's first."""
        assert isinstance(memory, Memory)
        if not self.order_dependent or not isinstance(outcome.additions, Additions):
            return memory
        threshold = self.rubric.duplicate_threshold if self.rubric else 1.0
        return remember(memory, outcome.additions, threshold)

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        """Both responses on the same memory, then their scores compared.

        Each judge's vote is its own verdicts reduced to scores, a tie of them a vote for a tie; nothing
        was shown in an order, so `by_order` is empty (a tie-break's verdicts are in `detail`).
        """
        assert isinstance(memory, Memory)
        matters = [Matter(instance, index) for index in range(len(instance.responses))]
        made = await together(self._proceed(matter, memory, llm) for matter in matters)
        outcome = await self._outcome(instance, made, llm)
        if self._onlooker is not None:
            self._onlooker.decided(outcome)
        return outcome

    async def _proceed(self, matter: Matter, memory: Memory, llm: LLM) -> Proceeding:
        """One response through the stages."""
        reviewing = self._reviewing(memory)
        hearing = await convene(self.convening, matter, llm, shelf=reviewing.shelf, embed=True)
        if hearing.unscored is not None or not hearing.claims:
            return Proceeding(hearing)
        graph = disagreement_graph(hearing, self.graph, self.panel.strongest, self._rng("edges", matter))
        focus = await self._focus(matter, graph)
        focal = await review_focal(reviewing, graph, focus.claims, llm)
        spread = await self._spread(focal, graph, reviewing, memory, llm)
        lessons = await self._induce(focal, graph, reviewing, llm)
        verdicts = final_verdicts(hearing, (*focal, *spread), self.panel.strongest)
        selector = self.focal.selector.name if self.focal else ""
        proceeding = Proceeding(hearing, graph, selector, focus, (*focal, *spread), lessons, verdicts)
        if self._onlooker is not None:
            self._onlooker.resolved(Change(proceeding, self.reduction))
        return proceeding

    def _reviewing(self, memory: Memory) -> Reviewing:
        chosen = self.reviewer or self.panel.strongest
        judge = next(judge for judge in self.convening.judges if judge.name == chosen)
        # The judge's model without its persona: the reviewer is that model, not that seat.
        reviewer = replace(judge, persona=None)
        if self.rubric is None:
            return Reviewing(reviewer)
        return Reviewing(reviewer, RubricShelf(memory, self.rubric.shown), self.rubric.examples)

    def _rng(self, what: str, matter: Matter) -> np.random.Generator:
        return stream(self.seed, what, matter.instance.id, matter.response_index)

    async def _focus(self, matter: Matter, graph: Graph) -> Focus:
        if self.focal is None:
            return Focus()
        return await select_focal(graph, self.focal, self._rng("focal", matter))

    async def _spread(
        self,
        focal: Sequence[Reevaluation],
        graph: Graph,
        reviewing: Reviewing,
        memory: Memory,
        llm: LLM,
    ) -> tuple[Reevaluation, ...]:
        if self.propagation is None:
            return ()
        precedents = Precedents(
            memory if self._cross_instance else Memory(),
            self.graph.alpha,
            self.propagation.precedent_threshold,
            self.propagation.precedents,
        )
        return await propagate_from(
            focal, graph, reviewing, llm, settings=self.propagation, precedents=precedents
        )

    async def _induce(
        self, focal: Sequence[Reevaluation], graph: Graph, reviewing: Reviewing, llm: LLM
    ) -> Lessons:
        if self.rubric is None:
            return Lessons()
        return await induce_entries(reviewing, graph, focal, llm, embedding=self.embedding.model)

    async def _outcome(self, instance: Instance, made: Sequence[Proceeding], llm: LLM) -> Outcome:
        hearings = [each.hearing for each in made]
        scores = (made[0].score(self.reduction), made[1].score(self.reduction))
        decision = await decide(
            instance,
            scores,
            self.panel.strongest_judge,
            llm,
            tie_break=self.tie_break,
            seed=self.seed,
            unscored=lacking(hearings),
        )
        additions = Additions(
            tuple(learnt for each in made for learnt in each.additions.learnt),
            tuple(correction for each in made for correction in each.additions.corrections),
        )
        return Outcome(
            instance_id=instance.id,
            prediction=decision.prediction,
            votes=judge_votes(hearings, [judge.name for judge in self.judges], self.reduction),
            calls=(*(call for each in made for call in each.calls), *decision.calls),
            detail={
                "unit": self.unit.value,
                "responses": [each.detail(self.reduction) for each in made],
                "scores": list(scores),
                **decision.detail,
            },
            additions=additions if self.order_dependent else None,
        )
