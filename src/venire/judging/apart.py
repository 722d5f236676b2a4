"""What is known of a pair whose responses were scored apart: how far apart the scores are, and the quotes."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite

from venire.records import Outcome, Vote, Winner

# Keys of `Outcome.detail`: of `method=direct` a mapping for each response, of methods on claims two numbers.
_DIRECT, _SCORES = "direct", "scores"
_MOST = 10  # recorded judges rate from 0 to 10


def margin(outcome: Outcome, votes: Sequence[Vote], winner: Winner) -> float | None:
    """(1 + the winner's mean lead) / 2, scores in [0, 1]; .5 for a tie, None where nothing was scored apart.

    Of `method=direct` the totals, of methods on claims the scores, of recorded ratings those of each vote.
    That half of the lead is added to .5 is ours: it orders, and a curve makes a probability of it.
    """
    pairs = [pair] if (pair := _scores(outcome.detail)) else [*filter(None, map(_rated, votes))]
    if not pairs:
        return None
    sign = {Winner.FIRST: 1, Winner.SECOND: -1, Winner.TIE: 0}[winner]
    return (1 + sign * sum(first - second for first, second in pairs) / len(pairs)) / 2


def quotes_by_response(outcome: Outcome) -> Iterator[tuple[int, str]]:
    """What a judge that scored each response lists as evidence, each with the place of its response."""
    for place, scored in enumerate(_direct(outcome.detail)):
        criteria = scored.get("criteria")
        for each in criteria if isinstance(criteria, list) else ():
            for quote in each["evidence"]:
                if quote.strip():
                    yield place, quote.strip()


def read_score(text: str) -> int | None:
    """The integer 0 to 10 that is the whole text; None where it is not."""
    found = re.fullmatch(r"\s*([0-9]{1,2})\s*", text)
    score = int(found[1]) if found else None
    return score if score is not None and score <= _MOST else None


def _scores(detail: Mapping[str, object]) -> tuple[float, float] | None:
    """The two scores in [0, 1]; None where one is undefined, or the method makes none."""
    made = [each.get("total") for each in _direct(detail)] or detail.get(_SCORES)
    match made:
        case [int() | float() as first, int() | float() as second] if isfinite(first + second):
            return float(first), float(second)
    return None


def _direct(detail: Mapping[str, object]) -> list[Mapping[str, object]]:
    made = detail.get(_DIRECT)
    return [each for each in made if isinstance(each, Mapping)] if isinstance(made, list) else []


def _rated(vote: Vote) -> tuple[float, float] | None:
    """The two ratings that a recorded judge gave; its vote keeps them as `["6", "1"]`."""
    if not vote.raw.startswith('["'):
        return None
    try:
        made: object = json.loads(vote.raw)
    except json.JSONDecodeError:
        return None  # a text of another kind
    match made:
        case [str() as first, str() as second]:
            one, other = read_score(first), read_score(second)
            return None if one is None or other is None else (one / _MOST, other / _MOST)
    return None
