"""A loaded data set as a member of a bundle, and back; without its texts where those must not travel."""

import re
from collections.abc import Mapping
from dataclasses import replace

from pydantic import TypeAdapter, ValidationError

from venire.data.fingerprint import fingerprint
from venire.data.protocol import Loaded
from venire.errors import BundleError
from venire.records import Instance

_LOADED: TypeAdapter[Loaded] = TypeAdapter(Loaded)
# What may stand in a bundle without texts: names, numbers, words of a closed set.
_NAME = re.compile(r"[A-Za-z0-9_./:+=@-]{0,64}")


def loaded_to_json(loaded: Loaded) -> bytes:
    """`loaded` as JSON, without its warnings: they were said when it was read."""
    held = replace(loaded, instances=tuple(loaded.instances), warnings=())
    return _LOADED.dump_json(held, indent=1) + b"\n"


def loaded_from_json(content: bytes, where: str, *, texts: bool) -> Loaded:
    """The data set that `loaded_to_json` wrote.

    Raises:
        BundleError: it is none; or, with `texts`, its texts are not those that its fingerprint names.
    """
    try:
        loaded = _LOADED.validate_json(content)
    except ValidationError as error:
        raise BundleError(f"{where}: not the instances of a data set: {error}") from error
    loaded = replace(loaded, instances=tuple(loaded.instances))
    if texts and fingerprint(loaded.instances) != loaded.fingerprint:
        raise BundleError(
            f"{where}: expected the data with fingerprint {loaded.fingerprint[:12]}, got other texts or gold "
            f"({fingerprint(loaded.instances)[:12]})"
        )
    return loaded


def without_texts(loaded: Loaded) -> Loaded:
    """`loaded` with ids, subsets, clusters, gold and scales only."""
    return replace(
        loaded,
        instances=tuple(map(_bare, loaded.instances)),
        doubly_rated=tuple(map(_bare, loaded.doubly_rated)),
    )


def _bare(instance: Instance) -> Instance:
    return replace(
        instance,
        prompt="",
        context=None,
        reference=None,
        responses=tuple(replace(each, text="") for each in instance.responses),
        metadata={key: value for key, value in instance.metadata.items() if is_name(value)},
    )


def is_name(text: str) -> bool:
    """Whether it is a name or a word of a closed set, no text: short, ASCII, without blanks."""
    return _NAME.fullmatch(text) is not None


def only_names(value: object) -> object:
    """`value` (JSON-ready) with every text that is no name left empty; keys that are none are numbered."""
    if isinstance(value, str):
        return value if is_name(value) else ""
    if isinstance(value, Mapping):
        return {
            str(key) if is_name(str(key)) else f"text_{place}": only_names(item)
            for place, (key, item) in enumerate(value.items())
        }
    return [only_names(item) for item in value] if isinstance(value, list | tuple) else value
