"""Roles that discuss a response: a named list of personas, hand-written, one file a set."""

from collections.abc import Mapping
from dataclasses import dataclass

from venire.errors import ConfigError
from venire.records import Persona


@dataclass(frozen=True, slots=True)
class RoleSet:
    """Roles in the order in which they speak; the keys are handles for overrides and nothing else.

    Args:
        name: that of the file, as in `roles@method.roles=NAME`.
        members: two or more personas with distinct names; a member that is null is left out.
    """

    name: str
    members: Mapping[str, Persona | None]

    def __post_init__(self) -> None:
        names = [role.name for role in self.roles]
        if len(names) < 2:
            raise ConfigError(f"members: expected at least two roles, got {len(names)}")
        if len(set(names)) < len(names):
            raise ConfigError(f"members: names must differ, got {', '.join(names)}")

    @property
    def roles(self) -> tuple[Persona, ...]:
        """In their order."""
        return tuple(role for role in self.members.values() if role is not None)
