"""Whether a quote stands in a document, and where.

Words are compared without case, punctuation, markup and ways of writing (NFKC): `"Don’t"` is `dont`. A
quote is grounded where the best passage of the document has at least `THRESHOLD` of its letters in common
with it, in order: `ratio = 2 * matching / (letters of quote + letters of passage)` (difflib), both as their
words with single blanks. One slip in ten letters passes; other words do not.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from venire.personas.blocks import Paragraph

THRESHOLD = 0.9
# A quote of fewer words stands in any document.
LEAST_WORDS = 4
# Chinese and Japanese are written without blanks: there, a character counts as a word.
_LETTERS = r"[^\W_\u3040-\u30ff\u3400-\u9fff]+"
_WORD = re.compile(rf"[\u3040-\u30ff\u3400-\u9fff]|{_LETTERS}(?:['’]{_LETTERS})*")
_CANDIDATES = 5


@dataclass(frozen=True, slots=True)
class Match:
    """The passage that fits a quote best.

    Args:
        ratio: 0 to 1; 1 where every word is the same.
        paragraph: where it begins.
        text: the passage as the document has it; empty where no word of the quote is in the document.
    """

    ratio: float
    paragraph: int
    text: str

    @property
    def is_grounded(self) -> bool:
        """Whether it counts as evidence."""
        return self.ratio >= THRESHOLD


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    paragraph: int  # index into the paragraphs
    start: int  # place in the paragraph's text
    end: int


class Source:
    """The words of a document, indexed for many quotes."""

    def __init__(self, paragraphs: Sequence[Paragraph]) -> None:
        self._paragraphs = paragraphs
        self._words = [
            _Word(word, index, start, end)
            for index, paragraph in enumerate(paragraphs)
            for word, start, end in _words(paragraph.text)
        ]
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        for place, word in enumerate(self._words):
            self._places[word.text].append(place)

    def find(self, quote: str) -> Match:
        """The best match of `quote`; ratio 0 where it has fewer than `LEAST_WORDS` words."""
        wanted = [word for word, _, _ in _words(quote)]
        if len(wanted) < LEAST_WORDS:
            return Match(0.0, 0, "")
        best = Match(0.0, 0, "")
        for offset in self._offsets(wanted):
            match = self._match(wanted, offset)
            best = max(best, match, key=lambda each: each.ratio)
        return best

    def _offsets(self, wanted: Sequence[str]) -> list[int]:
        """Where the quote may begin: the places that most of its words agree on."""
        votes: Counter[int] = Counter()
        for index, word in enumerate(wanted):
            for place in self._places.get(word, ()):
                votes[place - index] += 1
        # By place where votes are even, so that the answer hangs on nothing but the texts.
        return sorted(votes, key=lambda offset: (-votes[offset], offset))[:_CANDIDATES]

    def _match(self, wanted: Sequence[str], offset: int) -> Match:
        slack = 2 + len(wanted) // 10
        low, high = max(0, offset - slack), min(len(self._words), offset + len(wanted) + slack)
        around = [word.text for word in self._words[low:high]]
        blocks = SequenceMatcher(None, wanted, around, autojunk=False).get_matching_blocks()[:-1]
        if not blocks:
            return Match(0.0, 0, "")
        first, last = blocks[0], blocks[-1]
        start = max(0, first.b - first.a)
        end = min(len(around), last.b + len(wanted) - last.a)
        letters = SequenceMatcher(None, " ".join(wanted), " ".join(around[start:end]), autojunk=False)
        passage = self._words[low + start : low + end]
        return Match(letters.ratio(), self._paragraphs[passage[0].paragraph].number, self._text(passage))

    def _text(self, passage: Sequence[_Word]) -> str:
        """The passage as it stands; with the mark that ends its sentence, where one follows."""
        first, last = passage[0], passage[-1]
        texts = [paragraph.text for paragraph in self._paragraphs[first.paragraph : last.paragraph + 1]]
        end = last.end + len(texts[-1][last.end :]) - len(texts[-1][last.end :].lstrip(".!?"))
        texts[-1] = texts[-1][:end]
        texts[0] = texts[0][first.start :]
        return " ".join(texts)


def _words(text: str) -> list[tuple[str, int, int]]:
    """Each word as it is compared, and where it stands."""
    return [(_compared(found.group()), found.start(), found.end()) for found in _WORD.finditer(text)]


def _compared(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold().replace("'", "").replace("’", "")
