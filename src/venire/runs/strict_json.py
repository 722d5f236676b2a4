"""JSON that every reader accepts: no NaN, no Infinity."""

import json
import math
from collections.abc import Mapping

from venire.errors import RunError


def dumps(value: object, *, indent: int | None = None) -> str:
    """`value` as JSON text with sorted keys; numbers that are not finite become null."""
    if indent is None:
        return _ENCODER.encode(_finite(value))
    return json.dumps(_finite(value), sort_keys=True, ensure_ascii=False, allow_nan=False, indent=indent)


# `json.dumps` makes one anew for each value; there are millions.
_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, allow_nan=False)
_AS_IT_IS = frozenset({str, int, bool, type(None)})


def _finite(value: object) -> object:
    if type(value) in _AS_IT_IS:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def loads_mapping(text: str, where: str) -> Mapping[str, object]:
    """The JSON object in `text`.

    Raises:
        RunError: it is none; says `where`.
    """
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise RunError(f"{where}: expected JSON, got {error}") from error
    if not isinstance(value, dict):
        raise RunError(f"{where}: expected a JSON object, got {type(value).__name__}")
    return value
