"""`calls.jsonl.gz`: one line a call."""

import gzip
import io
from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace

from venire.metrics.spent import is_fixed, once
from venire.records import Call, Outcome
from venire.runs.redact import redact_tree
from venire.runs.strict_json import dumps

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
        [
            call if is_fixed(call) else replace(call, instance_id=outcome.instance_id)
            for outcome in outcomes
            for call in outcome.calls
        ]
    )
    parts: tuple[tuple[Sequence[Call], dict[str, object]], ...] = (
        (finished, {"unfinished": False}),
        (unfinished, {"unfinished": True}),
        (development, {"unfinished": False, "development": True}),
    )
    lines = [dumps(redact_tree(_plain(call) | marks, secrets)) for calls, marks in parts for call in calls]
    sink = io.BytesIO()
    # neither time nor file name in the header
    with gzip.GzipFile(filename="", fileobj=sink, mode="wb", mtime=0) as file:
        file.write("".join(line + "\n" for line in lines).encode())
    return sink.getvalue()


def _plain(call: Call) -> dict[str, object]:
    """As `dataclasses.asdict`, which would copy every value deeply: there are tens of thousands."""
    return {name: _value(getattr(call, name)) for name in _NAMES}


def _value(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: _value(getattr(value, each.name)) for each in fields(value)}
    return value


_NAMES = tuple(each.name for each in fields(Call))
