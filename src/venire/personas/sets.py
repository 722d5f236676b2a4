"""From a file of `conf/persona/` to a `PersonaSet`; and the placebo that is made of two."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from venire.build import TARGET, build
from venire.errors import ConfigError
from venire.records import Persona, PersonaLevel, PersonaOrigin, PersonaSet, StakeholderGroup


def persona_set(
    name: str,
    task: str,
    groups: Mapping[str, object],
    level: PersonaLevel = PersonaLevel.DETAILED,
    origin: PersonaOrigin = PersonaOrigin.HAND_WRITTEN,
    provenance: Mapping[str, object] | None = None,
) -> PersonaSet:
    """The set that a file describes; every persona is told as much of itself as `level` says.

    Args:
        name, task, level, origin, provenance: see `PersonaSet`.
        groups: key to `description` and `personas`, which map keys to a persona's parts. The keys are the
            names, so that `persona.groups.<group>.personas.<persona>.<part>=...` overrides a part and
            `~persona.groups.<group>` leaves a group out.

    Raises:
        ConfigError: an unknown or missing key, a wrong type, an empty group, a name twice; names the key.
    """
    if not groups:
        raise ConfigError("groups: expected at least one stakeholder group, got none")
    made = tuple(_group(key, node, level) for key, node in groups.items())
    _refuse_a_name_twice(made)
    return PersonaSet(name, task, made, level, origin, provenance or {})


def shuffled(own: PersonaSet, other: PersonaSet, level: PersonaLevel = PersonaLevel.DETAILED) -> PersonaSet:
    """`own`'s groups and seats, filled with the personas of `other`: a placebo of equal size.

    As many groups with as many personas each as in `own`, so that agents, turns and calls are alike. The
    personas of `other` are dealt out over its groups in turn, first persona of each, then second, and so
    on: a group of the placebo mixes groups of `other`. A group takes the description of nobody.

    Args:
        own: the set whose groups and seats are filled.
        other: the set of another task, with at least as many personas.
        level: how much of themselves they are told.

    Raises:
        ConfigError: `other` has fewer personas than `own`, or is of the same task.
    """
    if own.task == other.task:
        raise ConfigError(f"other: expected personas of another domain, {other.name} is of own's task")
    needed = len(own.personas)
    dealt = _dealt(other)
    if len(dealt) < needed:
        raise ConfigError(
            f"other: expected at least {needed} personas as in own, {other.name} has {len(dealt)}"
        )
    seats = iter(dealt)
    groups = tuple(
        StakeholderGroup(
            f"shuffled_{number}",
            f"People from another field: {other.task}",
            tuple(replace(next(seats), level=level) for _ in group.personas),
        )
        for number, group in enumerate(own.groups, 1)
    )
    provenance = {"own": own.name, "other": other.name}
    return PersonaSet(f"shuffled_{own.name}", own.task, groups, level, PersonaOrigin.SHUFFLED, provenance)


def _dealt(other: PersonaSet) -> list[Persona]:
    """The first persona of each group, then the second of each, and so on."""
    longest = max(len(group.personas) for group in other.groups)
    return [
        group.personas[place]
        for place in range(longest)
        for group in other.groups
        if place < len(group.personas)
    ]


def _refuse_a_name_twice(groups: Sequence[StakeholderGroup]) -> None:
    """Calls are told apart by the persona's name."""
    seen: dict[str, str] = {}
    for group in groups:
        for persona in group.personas:
            if (other := seen.setdefault(persona.name, group.name)) != group.name:
                raise ConfigError(
                    f"groups.{group.name}.personas.{persona.name}: a name twice, groups.{other} has it, too"
                )


def _group(key: str, node: object, level: PersonaLevel) -> StakeholderGroup:
    path = f"groups.{key}"
    parts = _mapping(node, path)
    for part in parts:
        if part not in ("description", "personas"):
            raise ConfigError(f"{path}.{part}: unknown key; a group takes description, personas")
    people = _mapping(parts.get("personas"), f"{path}.personas")
    personas = tuple(_persona(name, each, f"{path}.personas.{name}", level) for name, each in people.items())
    whole = {TARGET: "venire.records.StakeholderGroup", "name": key, "personas": personas}
    group = build({**whole, **{k: v for k, v in parts.items() if k == "description"}}, path)
    assert isinstance(group, StakeholderGroup)
    return group


def _persona(key: str, node: object, path: str, level: PersonaLevel) -> Persona:
    parts = dict(_mapping(node, path))
    for part in ("name", "level"):
        if part in parts:
            raise ConfigError(f"{path}.{part}: unknown key; the key is the name, the set has the level")
    evidence = parts.pop("evidence", None) or []
    if not isinstance(evidence, list | tuple):
        raise ConfigError(f"{path}.evidence: expected a list, got {evidence!r}")
    targeted = [
        {TARGET: "venire.records.Evidence", **_mapping(each, f"{path}.evidence[{i}]")}
        for i, each in enumerate(evidence)
    ]
    whole = {TARGET: "venire.records.Persona", "name": key, "level": level, "evidence": targeted, **parts}
    persona = build(whole, path)
    assert isinstance(persona, Persona)
    return persona


def _mapping(node: object, path: str) -> Mapping[str, object]:
    if not isinstance(node, Mapping) or not node:
        raise ConfigError(f"{path}: expected a mapping with entries, got {node!r}")
    return {str(key): value for key, value in node.items()}
