"""`calls.jsonl.gz`: one line a call."""

import gzip
import io
import zlib
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from venire.errors import RunError
from venire.metrics.spent import is_fixed, once
from venire.metrics.taken import Taken
from venire.records import BackendKind, Call, FinishReason, Outcome, Usage
from venire.runs.redact import redact_tree
from venire.runs.strict_json import dumps, loads_mapping

CALLS_FILE = "calls.jsonl.gz"


def calls_to_gzip(
    outcomes: Sequence[Outcome],
    secrets: Sequence[str] = (),
    *,
    unfinished: Sequence[Call] = (),
    development: Sequence[Call] = (),
) -> bytes:
    """The calls of `outcomes` in their order, then the `unfinished` ones, a JSON object a line.

    `unfinished` says of each line whether its instance was left unjudged; a call that is no instance's
    has an empty `instance_id`, and stands there once. Those of a `development` split come last, and are the
    only ones with a field of that name. Equal calls give equal bytes.
    """
    finished = once(
        Taken.of(
            [
                call if is_fixed(call) else replace(call, instance_id=outcome.instance_id)
                for outcome in outcomes
                for call in outcome.calls
            ]
        )
    )
    parts: tuple[tuple[Iterable[Call], dict[str, object]], ...] = (
        (finished, {"unfinished": False}),
        (unfinished, {"unfinished": True}),
        (development, {"unfinished": False, "development": True}),
    )
    lines = [call_line(call, marks, secrets) for calls, marks in parts for call in calls]
    sink = io.BytesIO()
    # neither time nor file name in the header
    with gzip.GzipFile(filename="", fileobj=sink, mode="wb", mtime=0) as file:
        file.write("".join(line + "\n" for line in lines).encode())
    return sink.getvalue()


def call_line(call: Call, marks: Mapping[str, object], secrets: Sequence[str] = ()) -> str:
    """A call as a line of the file; `marks` says which part of the run it is of."""
    return dumps(redact_tree({**_plain(call), **marks}, secrets))


@dataclass(frozen=True, slots=True)
class CallLines:
    """The calls of a run as its file has them: of judged instances, unjudged ones, the development split."""

    finished: tuple[Call, ...]
    unfinished: tuple[Call, ...]
    development: tuple[Call, ...]


def read_calls(folder: Path) -> CallLines:
    """The lines of a run's `calls.jsonl.gz`, in their order.

    Raises:
        RunError: there is no such file, or it is not what `write_run` writes.
    """
    parts: dict[str, list[Call]] = {"finished": [], "unfinished": [], "development": []}
    for part, call in iterate_calls(folder):
        parts[part].append(call)
    return CallLines(*(tuple(parts[name]) for name in ("finished", "unfinished", "development")))


def iterate_calls(folder: Path) -> Generator[tuple[str, Call], None, None]:
    """Each line, one after another: `finished`, `unfinished` or `development`, and the call.

    Raises:
        RunError: as `read_calls`.
    """
    path = folder / CALLS_FILE
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                values = dict(loads_mapping(line, str(path)))
                unfinished, development = values.pop("unfinished"), values.pop("development", False)
                part = "development" if development else "unfinished" if unfinished else "finished"
                yield part, _call(values)
    except FileNotFoundError:
        raise RunError(f"{path}: expected a run's calls, found no such file") from None
    except (OSError, EOFError, zlib.error, KeyError, TypeError, ValueError) as error:
        raise RunError(f"{path}: not the calls of a run: {error!r}") from error


def _call(values: dict[str, Any]) -> Call:
    usage, kind, finish = (
        Usage(**values["usage"]),
        BackendKind(values["kind"]),
        FinishReason(values["finish"]),
    )
    return Call(**{**values, "usage": usage, "kind": kind, "finish": finish})


def _plain(call: Call) -> dict[str, object]:
    """As `dataclasses.asdict`, which would copy every value deeply: there are tens of thousands."""
    return {name: _value(getattr(call, name)) for name in _NAMES}


def _value(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: _value(getattr(value, each.name)) for each in fields(value)}
    return value


_NAMES = tuple(each.name for each in fields(Call))
