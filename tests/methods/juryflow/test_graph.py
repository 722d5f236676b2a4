"""Stage 2: entropy, tags and edge weights, against values worked by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.methods.juryflow.court import PANEL, pair, unit

from venire.errors import ConfigError
from venire.judging.convene import Hearing
from venire.judging.matter import Matter
from venire.methods.juryflow.graph import (
    Edges,
    GraphSettings,
    TagRule,
    claim_tags,
    disagreement,
    disagreement_graph,
    edge_weights,
    jaccard,
    shuffled,
    weight,
)
from venire.records import Claim, ClaimJudgment, Verdict


# With five judges. H / log 3, natural logarithms, log 3 = 1.098612:
# 4:1    (.8 * .223144 + .2 * 1.609438) / 1.098612 = .500402 / 1.098612
# 3:2    (.6 * .510826 + .4 * .916291) / 1.098612 = .673012 / 1.098612
# 3:1:1  (.6 * .510826 + .4 * 1.609438) / 1.098612 = .950271 / 1.098612
# 2:2:1  (.8 * .916291 + .2 * 1.609438) / 1.098612 = 1.054920 / 1.098612
@pytest.mark.parametrize(
    ("votes", "expected"),
    [([5], 0.0), ([4, 1], 0.4555), ([3, 2], 0.6126), ([3, 1, 1], 0.8650), ([2, 2, 1], 0.9602)],
)
def test_the_five_values_that_a_panel_of_five_can_take(votes: list[int], expected: float) -> None:
    assert disagreement(votes) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(
    ("votes", "expected"),
    # Four judges, one having failed: 2:2 is log 2 / log 3 = .6309; three ways even: 1.
    [([], 0.0), ([0, 0, 0], 0.0), ([1], 0.0), ([2, 2], 0.6309), ([1, 1, 1], 1.0), ([4], 0.0)],
)
def test_disagreement_at_its_edges(votes: list[int], expected: float) -> None:
    assert disagreement(votes) == pytest.approx(expected, abs=5e-5)
    assert math.copysign(1.0, disagreement(votes)) == 1.0


@given(st.permutations([3, 1, 1, 0]), st.permutations([2, 2, 1]))
def test_which_verdict_has_the_votes_changes_not_one_bit(one: list[int], other: list[int]) -> None:
    assert disagreement(one) == disagreement([3, 1, 1])
    assert disagreement(other) == disagreement([2, 2, 1])


def tagged(*tags: str) -> list[ClaimJudgment]:
    """One judge a text: `"fc"` gives tags f and c, "" none."""
    return [ClaimJudgment(f"j{seat}", 0, Verdict.ACCEPT, tags=tuple(each)) for seat, each in enumerate(tags)]


@pytest.mark.parametrize(
    ("given_", "half", "union"),
    [
        (("f", "f", "c", "c", "s"), "cfs", "cfs"),  # at most 2 of 5: no tag reaches half, so all
        (("f", "f", "f", "c", "s"), "f", "cfs"),  # 3 of 5
        (("f", "fc", "c", "s"), "cf", "cfs"),  # 2 of 4 is half
        (("f", "", "", "", ""), "f", "f"),  # half of those that tagged it: 1 of 1
        (("f", "c", "", "", ""), "cf", "cf"),  # 1 of 2
        (("", "", ""), "", ""),
        ((), "", ""),
    ],
)
def test_a_claim_s_tags_under_either_rule(given_: tuple[str, ...], half: str, union: str) -> None:
    assert claim_tags(tagged(*given_), TagRule.HALF) == tuple(half)
    assert claim_tags(tagged(*given_), TagRule.UNION) == tuple(union)


def test_edge_weights_worked_by_hand() -> None:
    # cos(e0, e1) = .6, cos(e0, e2) = -1 (counts 0), cos(e1, e2) = -.6 (counts 0).
    vectors = np.array([(1.0, 0.0), (0.6, 0.8), (-1.0, 0.0)])
    tags = [("clear", "factual"), ("factual",), ("clear", "factual", "safe")]
    # Jaccard: 1/2, 2/3, 1/3.
    expected = {
        0.5: (0.5 * 0.6 + 0.5 / 2, 0.5 * 2 / 3, 0.5 / 3),  # .55, .3333, .1667
        1.0: (0.6, 0.0, 0.0),
        0.0: (1 / 2, 2 / 3, 1 / 3),
    }
    for alpha, (w01, w02, w12) in expected.items():
        weights = edge_weights(vectors, tags, alpha)
        assert weights == pytest.approx(np.array([(0, w01, w02), (w01, 0, w12), (w02, w12, 0)]), abs=1e-6)


def test_claims_without_tags_share_none() -> None:
    assert jaccard((), ()) == 0.0
    assert jaccard(("a",), ()) == 0.0
    assert edge_weights(np.array([(1.0, 0.0)] * 2), [(), ()], 0.5)[0, 1] == 0.5


def test_weights_of_none_and_one_claim() -> None:
    assert edge_weights(np.zeros((0, 0)), [], 0.5).shape == (0, 0)
    assert edge_weights(np.array([(1.0, 0.0)]), [("a",)], 0.5).tolist() == [[0.0]]


def test_a_weight_across_responses_is_that_of_an_edge() -> None:
    vectors, tags = np.array([(1.0, 0.0), (0.6, 0.8)]), [("a", "b"), ("b",)]
    assert weight(0.6, tags[0], tags[1], 0.3) == edge_weights(vectors, tags, 0.3)[0, 1]
    assert weight(-0.6, ("a",), ("b",), 0.5) == 0.0


@given(arrays(float, (6, 6), elements=st.floats(0, 1)), st.integers(0, 9))
def test_shuffled_weights_are_the_same_weights_on_other_edges(raw: np.ndarray, seed: int) -> None:
    weights = np.triu(raw, 1) + np.triu(raw, 1).T
    made = shuffled(weights, np.random.default_rng(seed))
    above = np.triu_indices(6, 1)
    assert sorted(made[above]) == sorted(weights[above])
    assert (made == made.T).all()
    assert not made.diagonal().any()


def test_shuffling_hangs_on_the_generator() -> None:
    weights = np.triu(np.arange(1.0, 26.0).reshape(5, 5), 1)
    weights += weights.T
    one, same, other = (shuffled(weights, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()
    assert (one != weights).any()


def hearing() -> Hearing:
    """Four claims of which the third is disputed 2:2 and one judge failed; vectors 0, 1 alike."""
    letters = {"j0": "aara", "j1": "aara", "j2": "aaaa", "j3": "aaar", "j4": "----"}
    verdict = {"a": Verdict.ACCEPT, "r": Verdict.REJECT, "-": None}
    judgments = {
        judge: tuple(
            ClaimJudgment(judge, index, verdict[letter], tags=("clear",) if letter != "-" else ())
            for index, letter in enumerate(word)
        )
        for judge, word in letters.items()
    }
    vectors = np.array([unit(1.0, 0.0), unit(1.0, 0.0), unit(0.0, 1.0), unit(1.0, 1.0)])
    claims = tuple(Claim(index, f"c{index}") for index in range(4))
    return Hearing(Matter(pair("x", "y"), 0), claims, judgments, vectors=vectors)


def test_a_graph_s_nodes_and_edges() -> None:
    graph = disagreement_graph(hearing(), GraphSettings(), PANEL.strongest, np.random.default_rng(0))
    # Valid votes 4:0, 4:0, 2:2, 3:1. H(3:1)/log 3 = (.75 * .287682 + .25 * 1.386294)/1.098612 = .5119
    assert [round(node.disagreement, 4) for node in graph.nodes] == [0.0, 0.0, 0.6309, 0.5119]
    # The tie 2:2 is the strongest judge's: j2 said accept.
    assert [node.verdict for node in graph.nodes] == [Verdict.ACCEPT] * 4
    assert graph.nodes[2].votes == {Verdict.ACCEPT: 2, Verdict.REJECT: 2}
    # All share their one tag (.5); cosines 1, 0, .7071.
    assert graph.edges == [
        [0, 1, 1.0],
        [0, 2, 0.5],
        [0, 3, 0.8536],
        [1, 2, 0.5],
        [1, 3, 0.8536],
        [2, 3, 0.8536],
    ]


def test_a_shuffled_graph_keeps_its_nodes() -> None:
    plain, mixed = (
        disagreement_graph(hearing(), GraphSettings(edges=edges), PANEL.strongest, np.random.default_rng(3))
        for edges in Edges
    )
    assert mixed.nodes == plain.nodes
    assert sorted(edge[2] for edge in mixed.edges) == sorted(edge[2] for edge in plain.edges)
    assert mixed.edges != plain.edges


@pytest.mark.parametrize("alpha", [-0.1, 1.1])
def test_alpha_is_a_share(alpha: float) -> None:
    with pytest.raises(ConfigError, match=f"^alpha: expected 0 to 1, got {alpha}"):
        GraphSettings(alpha=alpha)
