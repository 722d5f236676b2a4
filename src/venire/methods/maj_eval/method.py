"""`method=maj_eval`: independent ratings, debate within stakeholder groups, aggregation. One file a phase."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from venire.errors import ConfigError
from venire.judging.agent import AGGREGATOR, COORDINATOR, Group, group_of, in_seat
from venire.judging.judge import Judge, PromptedJudge
from venire.judging.matter import Matter, together
from venire.judging.persona import PERSONA
from venire.judging.rating import (
    RATE,
    OwnScale,
    asked_dimensions,
    check_rated,
    prediction_of,
    ratings_detail,
)
from venire.judging.synthesis import AGGREGATE, Synthesised, synthesise
from venire.llm.protocol import LLM
from venire.methods.comparing import Independent, prompts_of
from venire.methods.maj_eval.aggregate import Synthesis, Variant, group_scores, scores
from venire.methods.maj_eval.debate import Debating, FreeDebate
from venire.methods.maj_eval.rate import rate_independently
from venire.methods.maj_eval.record import failures, synthesis_detail, transcript_detail
from venire.methods.maj_eval.talk import Opened, Talk, final_opinions, unchanged
from venire.prompts.render import require_prompt
from venire.records import (
    Dimension,
    Instance,
    Outcome,
    Part,
    PersonaLevel,
    PersonaSet,
    Ratings,
    Transcript,
    Vote,
)


@dataclass(frozen=True, slots=True)
class MajEval(Independent):
    """Persona agents in stakeholder groups rate a response, debate it within their group, and rate again.

    Groups proceed at the same time and know nothing of each other.

    Args:
        judged_by: whose model all agents are; with personas of its own it is refused.
        personas: the stakeholder groups, and how much of themselves the agents are told.
        debate: phase 2; None: the first ratings are final.
        synthesis: the words of phase 3; None: scores only. It moves no score.
        score: which of the two means is the prediction; both are in the record.
        own: the scale of each agent's own dimension; None: agents rate the data set's dimensions only.
        prompt: the prompt file of phase 1, without `.jinja`.
        minimum_groups: fewer stakeholder groups are refused.

    Source: MAJ-EVAL, step 2; spec, section 2, step 2. docs/maj_eval.md has the choices made here.
    """

    judged_by: Judge
    personas: PersonaSet
    debate: Debating | None = field(default_factory=FreeDebate)
    synthesis: Synthesis | None = field(default_factory=Synthesis)
    score: Variant = Variant.MEAN_OF_GROUPS
    own: OwnScale | None = field(default_factory=OwnScale)
    prompt: str = RATE
    minimum_groups: int = 2

    def __post_init__(self) -> None:
        require_prompt(self.prompt, like=RATE)
        if isinstance(self.judged_by, PromptedJudge) and self.judged_by.persona is not None:
            raise ConfigError(
                f"judged_by.persona: expected none, got {self.judged_by.persona.name}; the agents' personas "
                "are those of persona=NAME"
            )
        for group in self.personas.groups:
            _check_names(group.name, [persona.name for persona in group.personas])

    @property
    def name(self) -> str:
        """`maj_eval`."""
        return "maj_eval"

    @property
    def judges(self) -> tuple[Judge, ...]:
        """The agents' model, then those of coordinator and aggregator where they are others."""
        more = [] if self.debate is None else list(self.debate.judges)
        if self.synthesis is not None and self.synthesis.aggregator is not None:
            more.append(self.synthesis.aggregator)
        return tuple(dict.fromkeys((self.judged_by, *more)))

    @property
    def prompts(self) -> tuple[str, ...]:
        """Those of the phases that are on."""
        debate = () if self.debate is None else self.debate.prompts
        synthesis = () if self.synthesis is None else (AGGREGATE,)
        told = self.personas.level is not PersonaLevel.NONE
        return prompts_of(self.judges, self.prompt, *debate, *synthesis, *((PERSONA,) if told else ()))

    def check(self, instances: Sequence[Instance]) -> None:
        """Refuse what is not one response with dimensions to rate, and a set with too few groups.

        Raises:
            DataError, ConfigError
        """
        check_rated(self.judges, instances)
        if len(self.personas.groups) < self.minimum_groups:
            raise ConfigError(
                f"method.minimum_groups: expected at least {self.minimum_groups} stakeholder groups, got "
                f"{len(self.personas.groups)} in persona {self.personas.name}; with one there is nothing to "
                "bring together: add groups, or set method.minimum_groups=1"
            )

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        """The three phases; votes are the agents' final ratings, group by group."""
        dimensions = asked_dimensions(instance)
        groups = self._groups(dimensions)
        opened = await rate_independently(groups, Matter(instance, 0), llm, prompt=self.prompt)
        talks = await together(self._talk(each, llm) for each in opened)
        synthesis = await self._synthesise(opened, talks, dimensions, llm)
        return self._outcome(instance, opened, talks, synthesis)

    def _groups(self, dimensions: tuple[Dimension, ...]) -> tuple[Group, ...]:
        assert isinstance(self.judged_by, PromptedJudge)
        return tuple(
            group_of(stakeholders, number, self.judged_by, dimensions, self.own)
            for number, stakeholders in enumerate(self.personas.groups, 1)
        )

    async def _talk(self, opened: Opened, llm: LLM) -> Talk:
        if self.debate is None:
            return Talk(Transcript(opened.group.name, unchanged(opened)))
        assert isinstance(self.judged_by, PromptedJudge)
        return await self.debate.hold(opened, self.judged_by, llm)

    async def _synthesise(
        self, opened: Sequence[Opened], talks: Sequence[Talk], dimensions: Sequence[Dimension], llm: LLM
    ) -> Synthesised | None:
        """The aggregator's words; none where nobody rated anything: there is nothing to bring together."""
        assert isinstance(self.judged_by, PromptedJudge)
        held = [final_opinions(talk.transcript.parts) for talk in talks]
        rated = any(isinstance(opinion.ratings, Ratings) for each in held for opinion in each)
        if self.synthesis is None or not rated:
            return None
        aggregator = in_seat(self.synthesis.aggregator or self.judged_by, AGGREGATOR)
        shown = [(each.group, opinions) for each, opinions in zip(opened, held, strict=True)]
        return await synthesise(aggregator, opened[0].matter, shown, dimensions, llm)

    def _outcome(
        self,
        instance: Instance,
        opened: Sequence[Opened],
        talks: Sequence[Talk],
        synthesis: Synthesised | None,
    ) -> Outcome:
        dimensions = asked_dimensions(instance)
        transcripts = [talk.transcript for talk in talks]
        variants = scores([final_opinions(each.parts) for each in transcripts], dimensions)
        phases = [call for one in opened for call in one.calls] + [
            call for talk in talks for call in talk.calls
        ]
        return Outcome(
            instance_id=instance.id,
            prediction=variants[self.score],
            votes=tuple(_vote(each.group, part, dimensions) for each in transcripts for part in each.parts),
            calls=(*phases, *(synthesis.calls if synthesis else ())),
            detail={
                "score": self.score.value,
                "groups": group_scores(transcripts, dimensions, final=True),
                "groups_before": group_scores(transcripts, dimensions, final=False),
                "variants": {variant.value: ratings_detail(made) for variant, made in variants.items()},
                "transcripts": [transcript_detail(each) for each in transcripts],
                "synthesis": synthesis_detail(synthesis),
                "debate": failures(transcripts),
            },
        )


def _vote(group: str, part: Part, dimensions: Sequence[Dimension]) -> Vote:
    """An agent's final ratings as its vote; its own dimension is in the transcript only."""
    prediction = prediction_of(part.final.ratings, dimensions)
    return Vote(f"{group}/{part.agent}", None, prediction, part.final.feedback)


def _check_names(group: str, names: Sequence[str]) -> None:
    """Roles are `<group>/<agent>`, and the coordinator gives the floor by name."""
    for name in (group, *names):
        if "/" in name:
            raise ConfigError(f"personas: a name must not have a slash, got {name!r}")
    plain = [" ".join(name.replace("_", " ").split()).casefold() for name in names]
    if COORDINATOR in plain:
        raise ConfigError(f"personas: in group {group} an agent is called {COORDINATOR}, which the chair is")
    if len(set(plain)) < len(plain):
        raise ConfigError(f"personas: names in group {group} must differ in letters, got {', '.join(names)}")
