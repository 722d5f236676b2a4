"""Keys that only some of a sweep's jobs have: each job is asked for them, not the sweep as a whole."""

from collections.abc import Sequence

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException

# Read from the sweep's own composition: hydra's, and how the sweep is shown.
_OF_THE_SWEEP = ("hydra", "sweep")


def deferred(arguments: Sequence[str]) -> list[str]:
    """`arguments`, with `method.unit=claims` left to the jobs of `method=single,majority`.

    Hydra composes a sweep as a whole first, with the default in the place of every swept option, and would
    refuse the key because that default does not have it. A choice of one value is left to the jobs; there a
    key that an option does not have is refused, before any of them runs. Where no option is swept, nothing
    changes.
    """
    parsed = {argument: _parsed(argument) for argument in arguments}
    if not any(each is not None and _sweeps_an_option(each) for each in parsed.values()):
        return list(arguments)
    return [_left_to_jobs(argument, parsed[argument]) for argument in arguments]


def _parsed(argument: str) -> Override | None:
    """The override that an argument is; None for a flag, and for what hydra will refuse."""
    if argument.startswith("-") or "=" not in argument:
        return None
    try:
        return OverridesParser.create().parse_override(argument)
    except HydraException:
        return None


def _sweeps_an_option(override: Override) -> bool:
    return override.is_sweep_override() and "." not in override.key_or_group


def _left_to_jobs(argument: str, override: Override | None) -> str:
    plain = override is not None and not (
        override.is_sweep_override() or override.is_add() or override.is_delete() or override.is_force_add()
    )
    if override is None or not plain or "." not in override.key_or_group:
        return argument
    if override.package is not None or override.key_or_group.partition(".")[0] in _OF_THE_SWEEP:
        return argument
    asked = f"{override.key_or_group}=choice({override.get_value_element_as_str()})"
    return asked if _same(override, _parsed(asked)) else argument


def _same(override: Override, choice: Override | None) -> bool:
    """Whether the jobs of `choice` get the value of `override`: not of null, nor of a number in quotes."""
    if choice is None or not choice.is_sweep_override():
        return False
    values = [_parsed(f"{override.key_or_group}={text}") for text in choice.sweep_string_iterator()]
    made = [each.value() for each in values if each is not None]
    return made == [override.value()] and type(made[0]) is type(override.value())
