"""The graph as it is drawn: which part of it, where, how large, in which colours."""

import math

import numpy as np
import pytest
from tests.page.jury.questions import node, weights_of

from venire.page.jury.drawing import HEIGHT, WIDTH, Drawing, draw, fill_of, ink_on, luminance, width_of

SPLIT, LEANING, AGREED = (2, 2, 1), (3, 2, 0), (5, 0, 0)


def many(count: int) -> Drawing:
    """Every third claim is split, every third leaning; claims are related at random."""
    rng = np.random.default_rng(1)
    nodes = [node(index, (AGREED, LEANING, SPLIT)[index % 3]) for index in range(count)]
    weights = np.triu(rng.random((count, count)), k=1)
    return draw(nodes, weights + weights.T)


def test_a_small_graph_is_drawn_whole_most_related_claims_on_top() -> None:
    weights = weights_of(4, {(0, 1): 0.9, (1, 2): 0.2, (0, 3): 0.5})
    drawn = draw([node(0, SPLIT), node(1, LEANING), node(2, AGREED), node(3, (0, 0, 0))], weights)
    assert [dot.claim for dot in drawn.dots] == [0, 1, 2, 3]
    assert (drawn.claims, drawn.edges) == (4, 3)
    assert [(line.first, line.second, line.weight) for line in drawn.lines] == [
        *((1, 2, 0.2), (0, 3, 0.5), (0, 1, 0.9)),
    ]
    # radius 15 + 9 d: d = .960, .613, 0, and 0 where nobody ruled
    assert [dot.radius for dot in drawn.dots] == [23.6, 20.5, 15.0, 15.0]
    ends = {dot.claim: (dot.x, dot.y) for dot in drawn.dots}
    assert all((line.x1, line.y1) == ends[line.first] for line in drawn.lines)
    assert all((line.x2, line.y2) == ends[line.second] for line in drawn.lines)


def test_of_a_large_graph_the_most_disputed_claims_and_their_heaviest_edges_are_drawn() -> None:
    drawn = many(1000)
    # 333 claims are split; the first forty of them by index
    assert [dot.claim for dot in drawn.dots] == [2 + 3 * index for index in range(40)]
    assert (len(drawn.lines), drawn.claims, drawn.edges) == (90, 1000, 1000 * 999 // 2)
    assert drawn.between == 40 * 39 // 2
    weights = [line.weight for line in drawn.lines]
    assert weights == sorted(weights)
    assert weights[0] > 0.8  # 90 of 780 uniform weights: above 1 - 90/780 = .885, about


@pytest.mark.parametrize("count", [1, 2, 5, 17, 40, 200])
def test_claims_lie_within_the_drawing_and_apart(count: int) -> None:
    dots = many(count).dots
    for dot in dots:
        assert dot.x - dot.radius >= 0
        assert dot.x + dot.radius <= WIDTH
        assert dot.y - dot.radius >= 0
        assert dot.y + dot.radius <= HEIGHT
    for index, one in enumerate(dots):
        for other in dots[:index]:
            assert math.hypot(one.x - other.x, one.y - other.y) > one.radius + other.radius


def test_without_claims_nothing_is_drawn_and_one_stands_in_the_middle() -> None:
    assert draw([], np.zeros((0, 0))) == Drawing((), (), 0, 0, 0)
    (dot,) = draw([node(0, SPLIT)], np.zeros((1, 1))).dots
    assert (dot.x, dot.y) == (WIDTH / 2, HEIGHT / 2)


def test_the_same_graph_is_drawn_in_the_same_way() -> None:
    assert many(30) == many(30)


def test_disagreement_darkens_and_what_is_written_on_it_is_read() -> None:
    assert [fill_of(d) for d in (0.0, 0.5, 1.0)] == ["#fff3d9", "#f28e4c", "#7a162e"]
    fills = [fill_of(d / 100) for d in range(101)]
    lights = [luminance(fill) for fill in fills]
    assert lights == sorted(lights, reverse=True)
    for fill, light in zip(fills, lights, strict=True):
        ink = luminance(ink_on(fill))
        assert (max(light, ink) + 0.05) / (min(light, ink) + 0.05) >= 4.5


def test_a_heavier_edge_is_wider() -> None:
    assert [width_of(weight) for weight in (0.0, 0.5, 1.0)] == [0.6, 2.35, 7.6]
