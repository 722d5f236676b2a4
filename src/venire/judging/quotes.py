"""Whether a quote stands in a text, white space, case and ways of writing quotation marks aside."""

import unicodedata

_MARKS = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "…": "..."})
_ELLIPSIS = "..."


def stands_in(quote: str, text: str, *, least: int = 1) -> bool:
    """Whether every part of `quote` (parts are what "..." divides) stands in `text`, in order.

    A quote of fewer than `least` letters and digits stands nowhere: it would stand everywhere. Of a text
    that has no more itself, it has to be the whole.
    """
    parts = [part for part in (_plain(each) for each in _marked(quote).split(_ELLIPSIS)) if part]
    within, at = _plain(_marked(text)), 0
    if sum(map(_letters, parts)) < max(1, min(least, _letters(within))):
        return False
    for part in parts:
        found = within.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True


def _marked(text: str) -> str:
    return unicodedata.normalize("NFKC", text).translate(_MARKS)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip("\"' ")


def _letters(text: str) -> int:
    return sum(character.isalnum() for character in text)
