"""Where an instance stands in the recordings: LLMBar's subset and index, and proof that its texts are."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import orjson

from venire.errors import MissingRecording
from venire.records import Instance

_PREFIX = re.compile(r"^(?:LLMBar|Processed)/")
_ID = re.compile(r"(?P<subset>\S+)/(?P<index>0|[1-9][0-9]*)")


@dataclass(frozen=True, slots=True)
class Place:
    """`subset` as the recordings spell it (`Natural`, `Adversarial/Manual`, `MT-Bench`), 0-based `index`."""

    subset: str
    index: int


def place_of(instance: Instance) -> Place:
    """The place that an LLMBar instance's id names (`Natural/12`; a prefix `LLMBar/` or `Processed/` is
    dropped).

    Raises:
        MissingRecording: the id has another form, or there are not two responses.
    """
    found = _ID.fullmatch(_PREFIX.sub("", instance.id))
    subset = _PREFIX.sub("", instance.subset)
    if found is None or not instance.is_pairwise or found["subset"] != subset:
        raise MissingRecording(
            f"recorded judges have verdicts on LLMBar's pairs only (ids such as Natural/12), not on "
            f"{instance.id!r} of subset {instance.subset!r}: use dataset=llmbar (its MT-Bench pairs are "
            "'dataset.subsets=[MT-Bench]')"
        )
    return Place(subset, int(found["index"]))


def text_digest(instance: Instance) -> str:
    """First 12 hex digits of the SHA-256 over prompt and responses, as a JSON list."""
    texts = [instance.prompt, *(response.text for response in instance.responses)]
    return hashlib.sha256(orjson.dumps(texts)).hexdigest()[:12]


def has_recorded_texts(instance: Instance, place: Place) -> bool:
    """Whether the instance's texts are those that the source's models judged at `place`.

    Known for the subsets of `recorded_texts.json`; of others nothing is known, and they pass.
    """
    digests = _recorded_texts().get(place.subset)
    if digests is None:
        return True
    return place.index < len(digests) and digests[place.index] == text_digest(instance)


@lru_cache(maxsize=1)
def _recorded_texts() -> Mapping[str, list[str]]:
    text = files("venire.judging").joinpath("recorded_texts.json").read_bytes()
    return dict(orjson.loads(text))
