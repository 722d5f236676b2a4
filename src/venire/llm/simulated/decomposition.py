"""From a response's text to claims: `{"claims"}`. A text operation; no truth is looked at.

1. Code in a fence is one claim.
2. Elsewhere a line ends a sentence; the mark of a list item or heading ("- ", "3. ") is dropped.
3. A sentence ends at . ! ? before a space, but not after an initial or an abbreviation; and at 。！？
4. A sentence of more than 30 words is split at "; " and before ", and", ", but", ", which",
   ", while", ", because" and ", so", where both sides have at least 5 words.
5. Pieces without a letter or digit are dropped, and of equal ones all but the first.
6. Beyond `max_claims`, neighbours are joined into that many claims of about equally many pieces.

A judge then leaves out a share `omitted` of them, though never all, and drops a leading connective
("However, ..."): in no more than this do the judges' own decompositions differ.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np

from venire.llm.simulated.candidates import claim_key, without_connective
from venire.llm.simulated.draws import uniform
from venire.llm.simulated.latent import Viewer, World
from venire.llm.simulated.questions import Question
from venire.records import Request

_FENCE = re.compile(r"(```.*?```)", re.DOTALL)
_LIST_MARK = re.compile(r"^\s*(?:[-*+•>]+|#+|\(?\d{1,3}[.)]|\(?[a-zA-Z]\))\s+")
_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+|(?<=[。！？])(?!$)")
_ABBREVIATED = re.compile(
    r"(?:^|[\s(])(?:[A-Z]|e\.g|i\.e|etc|vs|cf|Dr|Mr|Mrs|Ms|Prof|St|No|approx|Fig|Eq|U\.S|a\.m|p\.m"
    r"|Jan|Feb|Aug|Sept?|Oct|Nov|Dec)\.$"
)
_CLAUSE = re.compile(r";\s+|,\s+(?=(?:and|but|which|while|because|so)\s)")
_LONG_SENTENCE_WORDS = 30
_SHORT_CLAUSE_WORDS = 5


def decompose(
    here: World, request: Request, question: Question, viewer: Viewer, call: np.random.Generator
) -> dict[str, object]:
    """The response's claims as this judge lists them.

    Raises:
        BackendError: the response cannot be found, or is in no human preference.
    """
    candidate, response = here.candidates.of(request)
    rules = here.simulation.claims.splitting
    claims = split(response.text, rules.max_claims)
    place = (here.simulation.seed, "omitted", viewer.model, candidate.content)
    kept = [claim for claim in claims if uniform(*place, claim_key(claim)) >= rules.omitted]
    return {"claims": [without_connective(claim) for claim in kept or claims[:1]]}


@lru_cache(maxsize=4096)
def split(text: str, max_claims: int) -> tuple[str, ...]:
    """The claims of `text`, at most `max_claims`; none where it has no letter or digit."""
    pieces: dict[str, str] = {}
    for piece in _pieces(text):
        if any(character.isalnum() for character in piece):
            pieces.setdefault(claim_key(piece), piece)
    return tuple(_joined(list(pieces.values()), max_claims))


def _pieces(text: str) -> Iterator[str]:
    for part in _FENCE.split(text):
        if part.startswith("```"):
            yield part
            continue
        for line in part.splitlines():
            for sentence in _sentences(_LIST_MARK.sub("", line).strip()):
                yield from _clauses(sentence)


def _sentences(line: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(line):
        sentence = line[start : end.start()]
        if _ABBREVIATED.search(sentence):
            continue
        yield line[start : end.end()].strip()
        start = end.end()
    yield line[start:].strip()


def _clauses(sentence: str) -> Iterator[str]:
    if len(sentence.split()) <= _LONG_SENTENCE_WORDS:
        yield sentence
        return
    start = 0
    for cut in _CLAUSE.finditer(sentence):
        sides = (sentence[start : cut.start()], sentence[cut.end() :])
        if min(len(side.split()) for side in sides) >= _SHORT_CLAUSE_WORDS:
            yield sides[0]
            start = cut.end()
    yield sentence[start:]


def _joined(pieces: Sequence[str], at_most: int) -> Iterator[str]:
    if len(pieces) <= at_most:
        yield from pieces
        return
    bounds = [len(pieces) * k // at_most for k in range(at_most + 1)]
    for start, end in pairwise(bounds):
        yield " ".join(pieces[start:end])
