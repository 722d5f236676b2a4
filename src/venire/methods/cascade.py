"""`method=cascade`: cheap judges decide what they are sure of, stronger ones the rest, people the others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from venire.errors import ConfigError
from venire.judging.cascade import CascadeFit, Said, all_said, fit_cascade, is_cascade, said
from venire.judging.confidence import CASCADE, ELICITED, Source
from venire.judging.judge import Judge, PromptedJudge, RecordedJudge
from venire.judging.matter import together
from venire.judging.pairs import check_pairs
from venire.judging.stage import Answer, Stage, answer
from venire.judging.thresholds import Cheapest, Given, Guaranteed, Prefer
from venire.llm.protocol import LLM
from venire.methods.comparing import Independent, prompts_of
from venire.records import Instance, Outcome, Prediction, Preference, Reason, Unscored
from venire.stats.recalibration import Recalibration

# A stage's calls are counted under its name, beside these.
_TAKEN = frozenset(
    {"total", "distinct", "paid", "replayed", "failed", "unfinished", "uncertain", "attempts", "unusable"}
    | {"per_instance", "per_1000", "per_group_instance", "fixed", "development", "billed", "embedding"}
    | {"input", "output", "cached", "reasoning", "unknown_calls", "unpriced_calls", "people", "lost"}
)


@dataclass(frozen=True, slots=True)
class Cascade(Independent):
    """Stages in order; each decides what it is confident of and hands on the rest; what is left is escalated.

    Thresholds are chosen on a development split, of which every stage is asked about everything. A stage for
    which nothing is certified stays closed and is not asked. An escalated instance is
    `Unscored(Reason.ESCALATED)`, with what the stages say in `detail["escalated"]` for people to look at.

    Args:
        stages: by name, in order; null: there is none.
        thresholds: how they are chosen: `Guaranteed`, `Cheapest`, or `Given`.
        recalibration: of the confidence of what is decided, fitted on the development split; null: as the
            stage has it.
        seed: names the orders of stages whose orders are `seeded`.
        fit: what a development split made of the settings; set by `fitted`.

    Raises:
        ConfigError: no stage, a name that is taken, judges of one name that differ, unknown costs.

    Source: Jung, Brahman & Choi (2024), "Trust or Escalate"; papers/advanced-evaluation, "Scaling
    Evaluation".
    """

    stages: Mapping[str, Stage | None]
    thresholds: Guaranteed | Cheapest | Given
    recalibration: Recalibration | None = Recalibration.PLATT
    seed: int = 0
    fit: CascadeFit | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not self.open_stages:
            raise ConfigError("stages: expected at least one, got none")
        for name in self.open_stages:
            if name in _TAKEN or not name.isidentifier():
                raise ConfigError(
                    f"stages.{name}: expected a name of letters, digits and '_' that no count of calls has"
                )
        self._check_names()
        match self.thresholds:
            case Given() as given:
                given.chosen(tuple(self.open_stages))
            case Cheapest() | Guaranteed(prefer=Prefer.COST):
                self._check_costs()

    @property
    def open_stages(self) -> dict[str, Stage]:
        """Those that are not null."""
        return {name: stage for name, stage in self.stages.items() if stage is not None}

    @property
    def name(self) -> str:
        """`cascade`."""
        return "cascade"

    @property
    def judges(self) -> tuple[Judge, ...]:
        """Those of all stages, each once."""
        return tuple(dict.fromkeys(judge for stage in self.open_stages.values() for judge in stage.judges))

    @property
    def prompts(self) -> tuple[str, ...]:
        """Those of all stages."""
        own = dict.fromkeys(
            prompt
            for stage in self.open_stages.values()
            if any(isinstance(judge, PromptedJudge) for judge in stage.judges)
            for prompt in stage.prompts
        )
        return prompts_of(self.judges, *own)

    def check(self, instances: Sequence[Instance]) -> None:
        """Refuse what is no pair, or what a recorded judge has no verdict on.

        Raises:
            DataError, MissingRecording
        """
        check_pairs(self.judges, instances)

    def check_development(self, development: Sequence[Instance]) -> None:
        """Refuse a development split that is too small for what is asked, or one that is not looked at.

        Raises:
            ConfigError: says how many instances would do.
        """
        if isinstance(self.thresholds, Given):
            return
        if not development:
            raise ConfigError(
                "development: thresholds are chosen on a development split, got none; give development=half, "
                "or the thresholds themselves: thresholds@method.thresholds=given"
            )
        self.thresholds.check(len(development), self.open_stages)

    def fitted(self, development: Sequence[tuple[Instance, Outcome]]) -> "Cascade":
        """The cascade with the thresholds that its outcomes on a development split lead to."""
        if isinstance(self.thresholds, Given):
            return self
        made = fit_cascade(self.open_stages, self.thresholds, development, self.recalibration)
        return replace(self, fit=made)

    def replayed(self, outcome: Outcome) -> Outcome:
        """What it says under its thresholds, from what all stages said; calls and votes stay."""
        in_force = self.in_force
        if in_force is None or not is_cascade(outcome):
            return outcome
        heard: list[Said] = []
        for each in all_said(outcome):
            threshold = in_force.thresholds[each.stage]
            if threshold is None or any(before.decides for before in heard):
                heard.append(Said(each.stage, False, threshold=threshold))
            else:
                heard.append(replace(each, threshold=threshold))
        prediction = _prediction(heard, in_force)
        return replace(outcome, prediction=prediction, detail=self._detail(heard, prediction))

    @property
    def in_force(self) -> CascadeFit | None:
        """Its thresholds; None before they are chosen: then every stage is asked about everything."""
        if isinstance(self.thresholds, Given):
            names = tuple(self.open_stages)
            return CascadeFit(names, self.thresholds.chosen(names))
        return self.fit

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        """The verdict of the first stage that is sure of it; of all stages where there are no thresholds yet.

        `detail["cascade"]` has what each stage says.
        """
        in_force = self.in_force
        if in_force is None:
            return await self._audition(instance, llm)
        answers: list[Answer] = []
        heard: list[Said] = []
        for name, stage in self.open_stages.items():
            threshold = in_force.thresholds[name]
            if threshold is None:
                heard.append(Said(name, False, threshold=threshold))
                continue
            answers.append(await answer(stage, name, instance, llm, seed=self.seed))
            heard.append(said(name, answers[-1], threshold))
            if heard[-1].decides:
                break
        rest = list(self.open_stages)[len(heard) :]
        heard += [Said(name, False, threshold=in_force.thresholds[name]) for name in rest]
        return self._outcome(instance, answers, heard, _prediction(heard, in_force))

    async def _audition(self, instance: Instance, llm: LLM) -> Outcome:
        """Every stage's answer. The last one's verdict stands for the prediction."""
        stages = self.open_stages
        answers = await together(
            answer(stage, name, instance, llm, seed=self.seed) for name, stage in stages.items()
        )
        heard = [said(name, given, None) for name, given in zip(stages, answers, strict=True)]
        last = heard[-1]
        prediction: Prediction = Unscored(Reason.NO_MAJORITY, f"{last.stage} has no verdict")
        if last.winner is not None:
            prediction = Preference(last.winner, last.confidence)
        return self._outcome(instance, answers, heard, prediction)

    def _outcome(
        self, instance: Instance, answers: Sequence[Answer], heard: Sequence[Said], prediction: Prediction
    ) -> Outcome:
        return Outcome(
            instance_id=instance.id,
            prediction=prediction,
            votes=tuple(vote for given in answers for vote in given.votes),
            calls=tuple(call for given in answers for call in given.calls),
            detail=self._detail(heard, prediction),
        )

    def _detail(self, heard: Sequence[Said], prediction: Prediction) -> dict[str, object]:
        decided = next((each.stage for each in heard if each.decides), None)
        detail: dict[str, object] = {
            CASCADE: {"decided_by": decided, "stages": [each.detail for each in heard]}
        }
        if isinstance(prediction, Unscored) and prediction.reason is Reason.ESCALATED:
            detail["escalated"] = {"why": prediction.detail, "stages": [each.detail for each in heard]}
        if decided is not None and self.open_stages[decided].confidence is Source.LOGPROB:
            detail[ELICITED] = Source.LOGPROB.value
        return detail

    def _check_names(self) -> None:
        """One name, one prompted judge: calls and prices go by it. A recorded model may have strategies."""
        named: dict[str, Judge] = {}
        for judge in self.judges:
            first = named.setdefault(judge.name, judge)
            if first != judge and not isinstance(judge, RecordedJudge):
                raise ConfigError(
                    f"stages: two judges called {judge.name!r} differ in their settings; give one of them "
                    "another name (judge.name), or make them equal"
                )

    def _check_costs(self) -> None:
        """Before any call: what no price can tell."""
        for name, stage in self.open_stages.items():
            unpriced = [judge.name for judge in stage.judges if judge.route.price is None]
            if stage.cost_usd is None and unpriced:
                raise ConfigError(
                    f"stages.{name}.cost_usd: choosing by cost needs the cost of each stage, and "
                    f"{', '.join(unpriced)} has no price; give the cost of asking it about one instance"
                )


def _prediction(heard: Sequence[Said], in_force: CascadeFit) -> Prediction:
    for each in heard:
        if each.decides and each.winner is not None and each.confidence is not None:
            return Preference(each.winner, in_force.probability(each.stage, each.confidence))
    return Unscored(Reason.ESCALATED, "; ".join(map(str, heard)))
