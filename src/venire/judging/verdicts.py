"""Pure reduction: verdicts on claims to a panel's verdict, a response's score, a pair's winner."""

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

from venire.records import ClaimJudgment, Verdict, Winner


class Reduction(StrEnum):
    """How the verdicts on a response's claims become its score. Source: spec, section 1."""

    WEAKEST_LINK = "weakest_link"  # 1 - (rejected + uncertain / 2) / claims
    STRICT = "strict"  # the worst verdict: 1, .5 or 0


_WORTH = {Verdict.ACCEPT: 1.0, Verdict.UNCERTAIN: 0.5, Verdict.REJECT: 0.0}


def plurality(judgments: Sequence[ClaimJudgment], strongest: str) -> Verdict | None:
    """The panel's verdict on one claim; None where nobody gave one.

    A tie is the strongest judge's verdict if that is among the tied ones, else `uncertain`.
    Source: spec, section 1, "Verdicts and score".
    """
    given = [each for each in judgments if each.verdict is not None]
    counts = Counter(each.verdict for each in given)
    if not counts:
        return None
    most = max(counts.values())
    tied = [verdict for verdict, votes in counts.items() if votes == most]
    if len(tied) == 1:
        return tied[0]
    own = next((each.verdict for each in given if each.judge == strongest), None)
    return own if own in tied else Verdict.UNCERTAIN


def score(verdicts: Sequence[Verdict | None], reduction: Reduction) -> float | None:
    """A response's score in [0, 1]; None where it has no claim with a verdict.

    A claim on which nobody ruled (None) is no part of it. Source: spec, section 1.
    """
    worth = [_WORTH[verdict] for verdict in verdicts if verdict is not None]
    if not worth:
        return None
    match reduction:
        case Reduction.WEAKEST_LINK:
            # One correctly rounded division: equal shares give equal scores, whatever the counts.
            return 1.0 - (len(worth) - sum(worth)) / len(worth)
        case Reduction.STRICT:
            return min(worth)


def higher(first: float | None, second: float | None) -> Winner:
    """The response with the higher score; a tie where they are equal, or one is undefined."""
    if first is None or second is None or first == second:
        return Winner.TIE
    return Winner.FIRST if first > second else Winner.SECOND
