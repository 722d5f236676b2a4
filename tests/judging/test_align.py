"""Alignment of several judges' own claims."""

import numpy as np
import pytest
from tests.methods.juryflow.court import unit

from venire.judging.align import Aligned, align, aligned_judgments
from venire.records import Claim, ClaimJudgment, Reason, Unscored, Verdict


def own(**texts: str) -> dict[str, tuple[Claim, ...]]:
    """`own(j0="ab")`: judge j0 has the claims "a" and "b"."""
    return {judge: tuple(Claim(i, letter) for i, letter in enumerate(each)) for judge, each in texts.items()}


def aligned(
    claims: dict[str, tuple[Claim, ...]], vectors: list[tuple[float, ...]], **given: object
) -> Aligned:
    rows = np.array(vectors, dtype=np.float64).reshape(len(vectors), 2)
    settings = {"strongest": "j1", "threshold": 0.85, **given}
    return align(claims, rows, **settings)  # type: ignore[arg-type]


X, Y = (1.0, 0.0), (0.0, 1.0)


def test_equal_claims_are_one_and_the_strongest_judge_s_words_and_order_lead() -> None:
    made = aligned(own(j0="ab", j1="BA", j2="c"), [X, Y, Y, X, (-1.0, 0.0)])
    assert [claim.text for claim in made.claims] == ["B", "A", "c"]
    assert made.members == ({"j0": (1,), "j1": (0,)}, {"j0": (0,), "j1": (1,)}, {"j2": (0,)})
    assert made.rows == (2, 3, 4)
    assert [claim.index for claim in made.claims] == [0, 1, 2]


@pytest.mark.parametrize(("cosine", "claims"), [(0.8499, 2), (0.85, 1), (0.8501, 1)])
def test_claims_are_one_from_the_threshold_on(cosine: float, claims: int) -> None:
    other = (cosine, (1 - cosine**2) ** 0.5)
    rounded = [tuple(map(float, np.float32(row))) for row in (X, other)]
    assert len(aligned(own(j0="a", j1="b"), rounded).claims) == claims


def test_linkage_is_by_the_average() -> None:
    # Angles 0, 25 and 50 degrees: neighbours .906, ends .643. The first two join; the third's mean
    # cosine to them is (.906 + .643) / 2 = .774 < .85, where single linkage would join all three.
    angles = np.deg2rad([0, 25, 50])
    rows = [(float(np.cos(a)), float(np.sin(a))) for a in angles]
    assert len(aligned(own(j0="a", j1="b", j2="c"), rows).claims) == 2
    assert len(aligned(own(j0="a", j1="b", j2="c"), rows, threshold=0.77).claims) == 1


@pytest.mark.parametrize(
    ("claims", "vectors", "count"), [(own(j0="", j1=""), [], 0), (own(j0="a", j1=""), [X], 1)]
)
def test_none_and_one_claim_need_no_clustering(
    claims: dict[str, tuple[Claim, ...]], vectors: list[tuple[float, ...]], count: int
) -> None:
    assert len(aligned(claims, vectors).claims) == count


def test_a_judge_abstains_where_it_has_no_member_and_merges_several() -> None:
    made = aligned(own(j0="abc", j1="d"), [X, unit(1.0, 0.1), Y, X])
    rulings = (
        ClaimJudgment("j0", 0, Verdict.ACCEPT, "ra", ("t1",)),
        ClaimJudgment("j0", 1, Verdict.REJECT, "rb", ("t2", "t1")),
        ClaimJudgment("j0", 2, Verdict.REJECT, "rc"),
    )
    # "d" leads (j1 is the strongest); "a" and "b" are its members of j0 and differ.
    assert aligned_judgments(made, "j0", rulings, None) == (
        ClaimJudgment("j0", 0, Verdict.UNCERTAIN, "ra\nrb", ("t1", "t2")),
        ClaimJudgment("j0", 1, Verdict.REJECT, "rc"),
    )
    assert aligned_judgments(made, "j1", (ClaimJudgment("j1", 0, Verdict.ACCEPT, "rd"),), None) == (
        ClaimJudgment("j1", 0, Verdict.ACCEPT, "rd"),
        ClaimJudgment("j1", 1, None),
    )


def test_a_judge_that_did_not_decompose_abstains_with_its_reason() -> None:
    made = aligned(own(j0="a", j1=""), [X])
    lost = Unscored(Reason.REFUSED)
    assert aligned_judgments(made, "j1", (), lost) == (ClaimJudgment("j1", 0, None, reason=lost),)
