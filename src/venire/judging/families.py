"""Which family a generator belongs to, by how its name begins; nothing is guessed."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from venire.records import Instance


@cache
def known_families() -> Mapping[str, str]:
    """Beginnings of generators' names and their families (`families.json`)."""
    made: dict[str, str] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    return made


def family_of(generator: str | None, more: Mapping[str, str] | None = None) -> str | None:
    """The family of the longest beginning of `generator` that is known; None where none is.

    Of a fine-tuned model it is that of its base model. Case is set aside, and so is what stands before a
    slash (`openai/gpt-4o`).

    Args:
        generator: the model's name.
        more: further beginnings; of equal ones these count.
    """
    if generator is None:
        return None
    families = {start.casefold(): family for start, family in {**known_families(), **(more or {})}.items()}
    name = generator.rpartition("/")[2].casefold()
    known = [start for start in families if name.startswith(start)]
    return families[max(known, key=len)] if known else None


def families_of(instance: Instance, more: Mapping[str, str] | None = None) -> tuple[str | None, ...]:
    """The families of the responses' generators, in the data set's order."""
    return tuple(family_of(response.generator, more) for response in instance.responses)
