"""What `venire personas build` and `venire rubric generate` have in common: the file, the calls, the stop."""

import os
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from venire.commands.option_files import shipped_options
from venire.ending import AGAIN, advice_after
from venire.errors import ConfigError
from venire.generated.calling import Called, Calling, Door, secrets_of, with_llm
from venire.generated.record import who_answered, yaml_of
from venire.generated.replies import LostReply
from venire.llm.protocol import LLM
from venire.personas.naming import is_option_name
from venire.records import Call
from venire.runner import STOPS
from venire.runs import redact, write_atomically

T = TypeVar("T")


def placed(home: Path, group: str, default: str, out: Path | None) -> tuple[str, Path]:
    """The name of what is made, and the file that it goes to: `out`, or the one that `group=default` finds.

    Raises:
        ConfigError: no option can have that name, or one of venire's own has it.
    """
    name = out.stem if out else default
    out = out or home / "config" / group / f"{name}.yaml"
    if out.suffix not in (".yaml", ".yml") or not is_option_name(name):
        raise ConfigError(
            f"--out: expected a .yaml file whose name has letters, digits, '-' and '_' only, got {out.name}"
        )
    if name in shipped_options(group):
        raise ConfigError(f"--out: {group}={name} is a file of venire's own; take another name")
    return name, out


def refuse_target(out: Path, *, force: bool) -> None:
    """Nothing, where `out` can be written: better said before the calls are paid than after.

    Raises:
        ConfigError: it is there already (unless `force`), or cannot be written.
    """
    if out.exists() and not force:
        raise ConfigError(f"--out: {out} is there already; name another file, or give --force")
    there = next(folder for folder in out.absolute().parents if folder.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise ConfigError(
            f"--out: expected a file that can be written, {there} is no folder that one can write to"
        )


def called(home: Path, calling: Calling, name: str, work: Callable[[LLM], Awaitable[T]]) -> Called[T] | None:
    """What `work` makes of the model; None where it stopped, which is said with what to do."""
    door = Door(home, os.environ, time.time, tell)
    try:
        return with_llm(calling, door, name, work)
    except (*STOPS, LostReply) as stopped:
        advice = AGAIN if isinstance(stopped, LostReply) else advice_after(stopped)
        tell(f"stopped: {stopped}" + (f"\n{advice}" if advice else ""))
        return None


def model_of(calling: Calling, calls: Sequence[Call]) -> str:
    """Who answered, and what kind of backend that is."""
    return f"{', '.join(who_answered(calls))} ({calling.kind})"


def write(out: Path, content: Mapping[str, object], header: Sequence[str], calling: Calling) -> None:
    """Write the file, without secrets."""
    out.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(out, redact(yaml_of(content, header), secrets_of(calling, os.environ)))


def tell(line: str) -> None:
    """Say it on standard error, at once."""
    print(line, file=sys.stderr, flush=True)
