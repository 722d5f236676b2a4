"""When a speaker has said that it has nothing more to say, and when it only says the same again."""

import re
from collections.abc import Sequence

NO_MORE = "NO MORE COMMENTS"

_PHRASE = re.compile(r"(?<![^\W_])(?<!-)NO\s+MORE\s+COMMENTS(?![^\W_]|-\w)")
_SENTENCE = re.compile(r"[^.!?;\n]+[.!?;\n]*")
_QUOTES = "\"'`“”‘’«»„"
_MARKUP = "*_~#>-–— \t:,()[]" + _QUOTES
_NEGATION = re.compile(
    r"\b(?:not|never|cannot|nor|neither|without|unless|until|before|refuse\w*)\b|n['’]t\b", re.I
)


def says_no_more(message: str) -> bool:
    """Whether `message` says NO MORE COMMENTS and means it.

    The three words count in capital letters only ("no more comments on grammar" is prose), with any white
    space between them, as a whole: not inside a longer word. They do not count

    - in a question ("NO MORE COMMENTS?"),
    - after a negation in the same sentence ("I would not say NO MORE COMMENTS yet"),
    - in quotation marks within a longer sentence ('Who says "NO MORE COMMENTS" must be sure').

    Quotation marks and markup around a sentence that is nothing else are no quotation.
    Source: MAJ-EVAL, phase 2; what is to count is a choice.
    """
    in_one_line = _PHRASE.sub(NO_MORE, message)
    return any(_closes(sentence) for sentence in _SENTENCE.findall(in_one_line))


def _closes(sentence: str) -> bool:
    found = _PHRASE.search(sentence)
    if found is None or sentence.rstrip().rstrip(_QUOTES + "*_)").endswith("?"):
        return False
    if " ".join(sentence.strip(_MARKUP + ".!;\n").split()) == NO_MORE:
        return True
    if _NEGATION.search(sentence[: found.start()]):
        return False
    before, after = sentence[: found.start()].rstrip("*_")[-1:], sentence[found.end() :].lstrip("*_.,!;")[:1]
    return not (before and after and before in _QUOTES and after in _QUOTES)


def repeated(message: str, earlier: Sequence[tuple[int, str]], threshold: float) -> int | None:
    """The first of the `earlier` turns (number, message) that says the same as `message`, or None.

    Two messages say the same where the share of common three-word sequences among all of either is at
    least `threshold` (Jaccard; case, punctuation and NO MORE COMMENTS aside; fewer than three words count
    as one sequence).
    """
    said = _sequences(message)
    for turn, other in earlier:
        old = _sequences(other)
        if len(said & old) >= threshold * len(said | old):
            return turn
    return None


def _sequences(message: str) -> frozenset[tuple[str, ...]]:
    words = re.findall(r"\w+", _PHRASE.sub(" ", message).casefold())
    if len(words) < _LENGTH:
        return frozenset({tuple(words)})
    return frozenset(tuple(words[at : at + _LENGTH]) for at in range(len(words) - _LENGTH + 1))


_LENGTH = 3
