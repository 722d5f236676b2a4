"""Alignment: the claims of several judges' own decompositions -> one claim list. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from venire.records import Claim, ClaimJudgment, Unscored, Verdict

FloatArray = npt.NDArray[np.float64]
_ROUNDING = 1e-9  # vectors are float32: a cosine that equals the threshold counts as reaching it


@dataclass(frozen=True, slots=True)
class Aligned:
    """One claim list over several judges.

    Args:
        claims: each the text of one member: the strongest judge's first, else that of the first judge
            in panel order; in that order.
        members: for each claim, judge -> places in the judge's own list.
        rows: for each claim, the row of its vector.
    """

    claims: tuple[Claim, ...]
    members: tuple[Mapping[str, tuple[int, ...]], ...]
    rows: tuple[int, ...]


def align(
    own: Mapping[str, Sequence[Claim]], vectors: FloatArray, *, strongest: str, threshold: float
) -> Aligned:
    """Clusters of claims that say the same, one aligned claim each.

    Average-linkage clustering on cosine similarity: clusters are joined while the mean cosine between
    their members is at least `threshold`.

    Args:
        own: each judge's claims, in panel order; a judge may have none.
        vectors: unit rows, shape (all claims, dimensions), judge by judge.
        strongest: whose wording represents a cluster, where it has a member.
        threshold: mean cosine from which on claims are one.

    Source: spec, section 1, stage 1, `per_judge`.
    """
    places = [(judge, index) for judge, claims in own.items() for index in range(len(claims))]
    rank = {judge: (judge != strongest, number) for number, judge in enumerate(own)}
    rows_of: dict[int, list[int]] = {}
    for row, label in enumerate(_labels(vectors, threshold)):
        rows_of.setdefault(label, []).append(row)
    ordered = [
        sorted(rows, key=lambda row: (*rank[places[row][0]], places[row][1])) for rows in rows_of.values()
    ]
    ordered.sort(key=lambda rows: (*rank[places[rows[0]][0]], places[rows[0]][1]))
    claims, members = [], []
    for number, rows in enumerate(ordered):
        judge, index = places[rows[0]]
        claims.append(Claim(number, own[judge][index].text))
        members.append(_by_judge([places[row] for row in rows]))
    return Aligned(tuple(claims), tuple(members), tuple(rows[0] for rows in ordered))


def _labels(vectors: FloatArray, threshold: float) -> list[int]:
    if len(vectors) < 2:
        return list(range(len(vectors)))
    from scipy.cluster.hierarchy import fcluster, linkage

    above = np.triu_indices(len(vectors), k=1)
    distances = np.maximum(0.0, 1.0 - (vectors @ vectors.T)[above])
    tree = linkage(distances, method="average")
    return [int(label) for label in fcluster(tree, t=1.0 - threshold + _ROUNDING, criterion="distance")]


def _by_judge(places: Sequence[tuple[str, int]]) -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for judge, index in places:
        found[judge] = (*found.get(judge, ()), index)
    return found


def aligned_judgments(
    aligned: Aligned, judge: str, own: Sequence[ClaimJudgment], failure: Unscored | None
) -> tuple[ClaimJudgment, ...]:
    """The judge's judgments on the aligned claims; it abstains where it has no member.

    Several members of one claim: their common verdict, `uncertain` where they differ; rationales and
    tags together. `failure`: why the judge has no list of its own.
    """
    return tuple(
        _merged(judge, claim.index, [own[place] for place in members.get(judge, ())], failure)
        for claim, members in zip(aligned.claims, aligned.members, strict=True)
    )


def _merged(judge: str, index: int, own: Sequence[ClaimJudgment], failure: Unscored | None) -> ClaimJudgment:
    given = [each for each in own if each.verdict is not None]
    if not given:
        reason = next((each.reason for each in own if each.reason), failure)
        return ClaimJudgment(judge, index, None, reason=reason)
    verdicts = {each.verdict for each in given}
    verdict = verdicts.pop() if len(verdicts) == 1 else Verdict.UNCERTAIN
    rationale = "\n".join(each.rationale for each in given if each.rationale)
    tags = tuple(dict.fromkeys(tag for each in given for tag in each.tags))
    return ClaimJudgment(judge, index, verdict, rationale, tags)
