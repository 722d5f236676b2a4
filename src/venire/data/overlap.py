"""What two data sets have in common: the same id, or the same prompt in other clothes."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from venire.records import Instance

_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Overlap:
    """Ids of the first set's instances that the second has, too: by id, and by normalised prompt."""

    by_id: tuple[str, ...]
    by_prompt: tuple[str, ...]

    @property
    def ids(self) -> frozenset[str]:
        """Either."""
        return frozenset((*self.by_id, *self.by_prompt))


def overlap(first: Sequence[Instance], second: Sequence[Instance]) -> Overlap:
    """The instances of `first` that share an id or a prompt with one of `second`, in their order."""
    ids = {instance.id for instance in second}
    prompts = {normalised(instance.prompt) for instance in second}
    return Overlap(
        tuple(instance.id for instance in first if instance.id in ids),
        tuple(instance.id for instance in first if normalised(instance.prompt) in prompts),
    )


def normalised(prompt: str) -> str:
    """Its words in lower case, one blank between them: neither layout nor punctuation tells prompts apart.

    A prompt without any word is itself, blanks aside.
    """
    folded = unicodedata.normalize("NFKC", prompt).casefold()
    return " ".join(_WORDS.findall(folded) or folded.split())
