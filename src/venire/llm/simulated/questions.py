"""What a request asks for, read from its reply schema."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from venire.errors import BackendError
from venire.records import Request


@dataclass(frozen=True, slots=True)
class Question:
    """The fields of the reply, and for each the values it may take (none listed: any value).

    `fields` is empty where the prompt alone says what is asked (no schema, or just `object`). `within` has
    the names in a field that is an object, in their order, where the schema lists them.
    """

    fields: frozenset[str] = frozenset()
    choices: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    within: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def admits(self, name: str, value: object) -> bool:
        """Whether field `name` may be `value`, as far as the schema says."""
        return value in self.choices.get(name, (value,))


def question_of(request: Request) -> Question:
    """The question of `request`.

    Raises:
        BackendError: its schema is no JSON.
    """
    return Question() if request.schema is None else _read(request.schema)


@lru_cache(maxsize=256)
def _read(schema: str) -> Question:
    try:
        read: object = json.loads(schema)
    except json.JSONDecodeError as error:
        raise BackendError(f"simulation: Request.schema is no JSON: {error}") from None
    properties = read.get("properties") if isinstance(read, dict) else None
    if not isinstance(properties, dict):
        return Question()
    choices = {
        name: tuple(shape["enum"])
        for name, shape in properties.items()
        if isinstance(shape, dict) and isinstance(shape.get("enum"), list)
    }
    within = {name: names for name, shape in properties.items() if (names := _names_in(shape))}
    return Question(frozenset(properties), choices, within)


def _names_in(shape: object) -> tuple[str, ...]:
    """The properties of an object, also of one that may be null instead."""
    if not isinstance(shape, dict):
        return ()
    either = shape.get("anyOf")
    for each in (shape, *(either if isinstance(either, list) else ())):
        if isinstance(each, dict) and isinstance(each.get("properties"), dict):
            return tuple(each["properties"])
    return ()
