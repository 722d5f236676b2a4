"""Agents: a model in the seat of one persona of a stakeholder group."""

from dataclasses import dataclass, replace

from venire.judging.judge import PromptedJudge
from venire.judging.rating import OwnScale, own_dimension, tells_dimension
from venire.records import Dimension, Persona, PersonaLevel, StakeholderGroup

COORDINATOR = "coordinator"
AGGREGATOR = "aggregator"


@dataclass(frozen=True, slots=True)
class Agent:
    """One seat.

    Args:
        group, name: of the persona; `<group>/<name>` is the role in calls.
        shown_as: what the others call it: no more of the persona than its level tells.
        view: what it cares about, as the coordinator is told; empty where the level does not tell.
        judge: the model in person.
        dimensions: what it rates: those of the data set and, last, its own.
        own: the name of its own dimension; empty for none.
    """

    group: str
    name: str
    shown_as: str
    view: str
    judge: PromptedJudge
    dimensions: tuple[Dimension, ...]
    own: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """A stakeholder group's agents; `shown_as` and `description` tell no more than the personas' level."""

    name: str
    shown_as: str
    description: str
    agents: tuple[Agent, ...]


def group_of(
    stakeholders: StakeholderGroup,
    number: int,
    judge: PromptedJudge,
    dimensions: tuple[Dimension, ...],
    scale: OwnScale | None,
) -> Group:
    """The agents of `stakeholders`, the `number`-th group (from 1), in the order of its personas.

    Where the personas are not told (level `none`), agents are `Judge 1`, `Judge 2`, ... of `Group 1`; where
    only their role is (`simple`), they are numbered under the group's name.

    Args:
        judge: whose model all agents are.
        dimensions: of the data set, those that are asked.
        scale: of an agent's own dimension; None: it rates none.
    """
    agents = tuple(
        _agent(stakeholders, place, judge, dimensions, scale)
        for place in range(1, len(stakeholders.personas) + 1)
    )
    if all(persona.level is PersonaLevel.NONE for persona in stakeholders.personas):
        return Group(stakeholders.name, f"Group {number}", "", agents)
    return Group(stakeholders.name, _words(stakeholders.name), stakeholders.description, agents)


def _agent(
    stakeholders: StakeholderGroup,
    place: int,
    judge: PromptedJudge,
    dimensions: tuple[Dimension, ...],
    scale: OwnScale | None,
) -> Agent:
    persona = stakeholders.personas[place - 1]
    own = None if scale is None else own_dimension(persona, dimensions, scale)
    return Agent(
        group=stakeholders.name,
        name=persona.name,
        shown_as=_shown_as(stakeholders, persona, place),
        view=persona.dimension if tells_dimension(persona) else "",
        judge=in_seat(judge, f"{stakeholders.name}/{persona.name}", persona),
        dimensions=dimensions if own is None else (*dimensions, own),
        own="" if own is None else own.name,
    )


def _shown_as(stakeholders: StakeholderGroup, persona: Persona, place: int) -> str:
    match persona.level:
        case PersonaLevel.NONE:
            return f"Judge {place}"
        case PersonaLevel.SIMPLE:
            return f"{_words(stakeholders.name)} {place}"
        case _:
            return _words(persona.name)


def in_seat(judge: PromptedJudge, role: str, persona: Persona | None = None) -> PromptedJudge:
    """`judge` under the name `role`, as that persona or as nobody in particular."""
    return replace(judge, name=role, persona=persona)


def _words(name: str) -> str:
    return name.replace("_", " ")
