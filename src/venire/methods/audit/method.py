"""`method=audit`: the plain comparison in both orders, and beside it everything that must not sway it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from venire.errors import ConfigError
from venire.judging.ballot import Ballot
from venire.judging.families import families_of
from venire.judging.judge import Judge, PromptedJudge
from venire.judging.matter import together
from venire.judging.mitigating.stage import Prompted, Stage, reads_prompts
from venire.judging.pairs import check_pairs, pair_outcome
from venire.judging.panel import Panel
from venire.judging.perturbing.rewriting import Rewrite
from venire.judging.probe import AUDIT, DRIFT, OTHER_FAMILIES, PLAIN, SWAP, Bias, Reading
from venire.llm.protocol import LLM
from venire.methods.audit.asking import Arm, Asked, ask_again, ask_arm, ask_others
from venire.methods.audit.changes import Changes, change_all
from venire.methods.audit.settings import Drift, Mitigations, Probes, Target
from venire.methods.comparing import Independent, prompts_of
from venire.prompts.render import require_prompt
from venire.records import Instance, Order, Outcome

_RECORDED = "a recorded judge has its published verdicts and no others"
_NO_SCORES = "this recorded judge compared the outputs and scored none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit(Independent):
    """A judge under audit. Its prediction, votes and orders are those of the plain comparison.

    Everything else stands in `Outcome.detail["audit"]`; `metrics.audit` makes findings of it.

    Args:
        judged_by: the judge.
        plain_prompt: of the plain comparison, without `.jinja`; by default the one without any guidance,
            to which each mitigation adds one thing.
        allow_tie: whether the judge may call a tie.
        probes, mitigations, drift: see there; null leaves one out.
        substitutes: a panel of which the first judge of another family than the generators' takes over
            where the audited one is of a generator's family (the mitigation `other_families`); null: off.
        rewriter: who rewrites responses, where probes ask for it; null: the judge itself.
        target: which responses probes change.
        families: beginnings of generators' names to families, beside those that are known.
        seed: of what is drawn.

    Source: papers/advanced-evaluation, "The Bias Landscape"; docs/bias.md has the measures.
    """

    judged_by: Judge
    plain_prompt: str = "pairwise_vanilla"
    allow_tie: bool = True
    probes: Probes = field(default_factory=Probes)
    mitigations: Mitigations = field(default_factory=Mitigations)
    drift: Drift | None = field(default_factory=Drift)
    substitutes: Panel | None = None
    rewriter: Judge | None = None
    target: Target = Target.WORSE
    families: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0

    def __post_init__(self) -> None:
        require_prompt(self.plain_prompt, like="pairwise")
        by_name: dict[str, Judge] = {}
        for judge in self._all_judges:
            if by_name.setdefault(judge.name, judge) != judge:
                raise ConfigError(
                    f"substitutes: two different judges are called {judge.name!r}; expected names that differ"
                )
        if self._rewrites and isinstance(self.judged_by, PromptedJudge) and self._rewriter is None:
            raise ConfigError("rewriter: expected a judge that reads prompts, a recorded one cannot rewrite")

    @property
    def name(self) -> str:
        """`audit`."""
        return "audit"

    @property
    def judges(self) -> tuple[Judge, ...]:
        """The audited judge, then the rewriter where one is asked, then the substitutes."""
        return tuple({judge.name: judge for judge in self._all_judges}.values())

    @property
    def prompts(self) -> tuple[str, ...]:
        """The plain prompt, those of mitigations and rewrites, and what any of them may need."""
        if not reads_prompts(self.judged_by):
            return ()
        stages = [prompt for stage in self.mitigations.stages.values() for prompt in stage.prompts]
        rewrites = [probe.prompt for probe in self._rewrites.values()]
        return prompts_of(self.judges, *dict.fromkeys([self.plain_prompt, *stages, *rewrites]))

    def check(self, instances: Sequence[Instance]) -> None:
        """Refuse, before any call, what is no pair or what a recorded judge has no verdict on.

        Raises:
            DataError, MissingRecording
        """
        check_pairs(self.judges, instances)

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        """The plain verdicts, and in `detail` every reading of the audit."""
        changes = await self._changes(instance, llm)
        plain_arm = Arm(PLAIN, Prompted(self.plain_prompt), self.judged_by, self.allow_tie)
        arms = [Arm(name, stage, self.judged_by, self.allow_tie) for name, stage in self._stages.items()]
        tasks = [ask_arm(arm, instance, changes.made, llm) for arm in (plain_arm, *arms)]
        if self.drift is not None and reads_prompts(self.judged_by):
            tasks.append(ask_again(plain_arm, instance, self.drift, llm))
        plain, *others = await together(tasks)
        if self.substitutes is not None:
            families = families_of(instance, self.families)
            others.append(await ask_others(plain_arm, instance, plain, families, self.substitutes, llm))
        asked = [plain, *others]
        calls = (*changes.calls, *(call for each in asked for call in each.calls))
        return replace(self._outcome(instance, asked), calls=calls)

    def _outcome(self, instance: Instance, asked: Sequence[Asked]) -> Outcome:
        votes = [answer.vote for answer in asked[0].answers]
        ballots = {order: (Ballot(vote, ()),) for order, vote in zip(Order, votes, strict=True) if vote}
        by_order = {order: ballot.vote.prediction for order, (ballot,) in ballots.items()}
        readings = [reading for each in asked for reading in each.readings]
        return pair_outcome(instance, by_order, ballots, {AUDIT: self._detail(instance, readings)})

    def _detail(self, instance: Instance, readings: Sequence[Reading]) -> dict[str, object]:
        """JSON-ready: the readings, and what it takes to make sense of them."""
        asked = self.drift is not None and reads_prompts(self.judged_by)
        return {
            "readings": [reading.as_json() for reading in readings],
            "judge_family": self.judged_by.family,
            "families": list(families_of(instance, self.families)),
            "probes": {
                name: {"bias": probe.bias.value, "meaning": probe.meaning.value}
                for name, probe in self.probes.named.items()
            },
            "against": {name: [bias.value for bias in biases] for name, biases in self._against.items()},
            "before": self._before,
            "replicates": self.drift.replicates if self.drift is not None and asked else None,
            "not_applicable": self._not_applicable,
        }

    @property
    def _against(self) -> Mapping[str, Sequence[Bias]]:
        """Every arm beside the plain one that has verdicts, and what it is meant to lessen."""
        against = {arm: stage.against for name, stage in self._stages.items() for arm in stage.names(name)}
        swap = {SWAP: self.mitigations.swap.against} if self.mitigations.swap else {}
        others = {OTHER_FAMILIES: (Bias.SELF_ENHANCEMENT,)} if self.substitutes else {}
        return swap | against | others

    @property
    def _before(self) -> Mapping[str, str]:
        """Arms that are compared with another arm of the same replies, not with the plain one."""
        names = [stage.names(name) for name, stage in self._stages.items()]
        return {arm: first for first, *others in names for arm in others}

    @property
    def _not_applicable(self) -> dict[str, str]:
        """What is set and cannot be asked of this judge, and why."""
        if reads_prompts(self.judged_by):
            return {}
        names = [*self.probes.named, *([DRIFT] if self.drift else []), *self.mitigations.stages]
        left_out = [name for name in names if name not in self._stages]
        return {name: _NO_SCORES if name == "length_normalised" else _RECORDED for name in left_out}

    @property
    def _stages(self) -> Mapping[str, Stage]:
        """The mitigations that can be asked of this judge."""
        stages = self.mitigations.stages.items()
        return {name: stage for name, stage in stages if stage.can_ask(self.judged_by)}

    async def _changes(self, instance: Instance, llm: LLM) -> Changes:
        """Every changed response; none where the judge cannot be shown any."""
        if not isinstance(self.judged_by, PromptedJudge):
            return Changes(())
        return await change_all(
            instance,
            self.probes.named,
            self.target.of(instance, self.seed),
            llm,
            rewriter=self._rewriter or self.judged_by,
            seed=self.seed,
        )

    @property
    def _rewriter(self) -> PromptedJudge | None:
        chosen = self.rewriter or self.judged_by
        return chosen if isinstance(chosen, PromptedJudge) else None

    @property
    def _rewrites(self) -> Mapping[str, Rewrite]:
        return {name: probe for name, probe in self.probes.named.items() if isinstance(probe, Rewrite)}

    @property
    def _all_judges(self) -> list[Judge]:
        rewriter = [self.rewriter] if self.rewriter and self._rewrites else []
        return [self.judged_by, *rewriter, *(self.substitutes.judges if self.substitutes else ())]
