"""A disagreement graph as places, sizes and colours; a template makes SVG of them. Pure.

Only the most disputed claims are drawn (`MOST_CLAIMS`), and of their edges the heaviest (`MOST_EDGES`): the
table beside the drawing has all claims. What a colour says is also said by a size and in the table.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from venire.judging.align import FloatArray
from venire.methods.juryflow.graph import Node

WIDTH, HEIGHT = 560, 420
MOST_CLAIMS = 40
MOST_EDGES = 90

_MARGIN = 34
_SMALLEST, _LARGEST = 15.0, 24.0  # radii, at d = 0 and 1
_GAP = 14.0  # between nodes
_SEED = 0  # of the layout: the same graph is drawn in the same way

# d = 0, .5, 1; sequential in lightness, and told apart by people who see no red or no green.
_RAMP = ((0xFF, 0xF3, 0xD9), (0xF2, 0x8E, 0x4C), (0x7A, 0x16, 0x2E))
_BLACK, _WHITE = "#000000", "#ffffff"


@dataclass(frozen=True, slots=True)
class Dot:
    """A claim: its index and place, radius, fill by disagreement, and the ink that is read on it."""

    claim: int
    x: float
    y: float
    radius: float
    fill: str
    ink: str


@dataclass(frozen=True, slots=True)
class Line:
    """An edge: the claims' indices, ends, weight w, and how wide and how faint it is."""

    first: int
    second: int
    x1: float
    y1: float
    x2: float
    y2: float
    weight: float
    width: float
    opacity: float


@dataclass(frozen=True, slots=True)
class Drawing:
    """The drawn part of a graph.

    `claims` and `edges` count all there are, `between` the edges between drawn claims; `lines` come lightest
    first, so that heavy ones lie on top.
    """

    dots: tuple[Dot, ...]
    lines: tuple[Line, ...]
    claims: int
    edges: int
    between: int


def draw(nodes: Sequence[Node], weights: FloatArray, *, most: int = MOST_CLAIMS) -> Drawing:
    """The graph's most disputed claims (ties: lower index) and their heaviest edges.

    Args:
        nodes: all claims.
        weights: w_ij, symmetric, shape (claims, claims).
        most: how many claims are drawn.
    """
    ranked = sorted(range(len(nodes)), key=lambda index: (-nodes[index].disagreement, index))[:most]
    drawn = sorted(ranked)
    part = weights[np.ix_(drawn, drawn)]
    radii = np.array([_radius(nodes[index].disagreement) for index in drawn])
    places = _apart(_layout(part), radii)
    dots = tuple(
        Dot(index, round(float(x), 1), round(float(y), 1), round(float(radius), 1), *_colours(nodes[index]))
        for index, (x, y), radius in zip(drawn, places, radii, strict=True)
    )
    edges, between = (int(np.count_nonzero(np.triu(each, k=1))) for each in (weights, part))
    return Drawing(dots, _lines(dots, part), len(nodes), edges, between)


def _lines(dots: Sequence[Dot], weights: FloatArray) -> tuple[Line, ...]:
    rows, columns = np.nonzero(np.triu(weights, k=1))
    heaviest = sorted(
        zip(rows.tolist(), columns.tolist(), strict=True), key=lambda edge: (-weights[edge], edge)
    )[:MOST_EDGES]
    return tuple(
        Line(
            dots[i].claim,
            dots[j].claim,
            *(dots[i].x, dots[i].y, dots[j].x, dots[j].y),
            weight=float(weights[i, j]),
            width=width_of(float(weights[i, j])),
            opacity=round(0.25 + 0.6 * float(weights[i, j]), 2),
        )
        for i, j in reversed(heaviest)
    )


def width_of(weight: float) -> float:
    """How wide an edge is, in pixels of the drawing: by its weight's square, so that heavy ones stand out."""
    return round(0.6 + 7.0 * weight * weight, 2)


def fill_of(disagreement: float) -> str:
    """The colour of a claim: light where judges agree, dark where they do not."""
    place = 2 * min(1.0, max(0.0, disagreement))
    low, high = (_RAMP[0], _RAMP[1]) if place <= 1 else (_RAMP[1], _RAMP[2])
    share = place if place <= 1 else place - 1
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in zip(low, high, strict=True))


def ink_on(fill: str) -> str:
    """Black or white, whichever contrasts more; 4.5 to 1 is always reached."""
    light = luminance(fill)
    return _BLACK if (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) else _WHITE


def luminance(colour: str) -> float:
    """Relative luminance of `#rrggbb`, in [0, 1]. Source: WCAG 2.2, "relative luminance"."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = [
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts
    ]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _colours(node: Node) -> tuple[str, str]:
    fill = fill_of(node.disagreement)
    return fill, ink_on(fill)


def _radius(disagreement: float) -> float:
    return _SMALLEST + (_LARGEST - _SMALLEST) * disagreement


def _layout(weights: FloatArray) -> FloatArray:
    """Where claims stand, shape (claims, 2), within the drawing."""
    import networkx

    count = len(weights)
    if count < 2:
        return np.full((count, 2), (WIDTH / 2, HEIGHT / 2))
    graph = networkx.from_numpy_array(weights)
    found = networkx.spring_layout(graph, seed=_SEED, k=1.8 / math.sqrt(count), iterations=100)
    places = np.array([found[index] for index in range(count)], dtype=np.float64)
    low, high = places.min(axis=0), places.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    # Few claims are not driven to the corners: three take half of the room, from nine on they take all of it.
    used = min(1.0, 0.25 + count / 12)
    room = used * np.array([WIDTH - 2 * _MARGIN, HEIGHT - 2 * _MARGIN], dtype=np.float64)
    share = np.where(high > low, (places - low) / span, 0.5) - 0.5
    return np.asarray((WIDTH / 2, HEIGHT / 2) + share * room)


def _apart(places: FloatArray, radii: FloatArray, rounds: int = 120) -> FloatArray:
    """The places, with nodes that overlap pushed away from each other."""
    moved = places.copy()
    least = radii[:, None] + radii[None, :] + _GAP
    low = np.array([_MARGIN, _MARGIN], dtype=np.float64)
    high = np.array([WIDTH - _MARGIN, HEIGHT - _MARGIN], dtype=np.float64)
    for _ in range(rounds):
        between = moved[:, None, :] - moved[None, :, :]
        distance = np.sqrt((between**2).sum(axis=2))
        np.fill_diagonal(distance, np.inf)
        short = np.maximum(0.0, least - distance)
        if not short.any():
            break
        direction = between / np.maximum(distance, 1e-9)[:, :, None]
        moved = np.clip(moved + 0.5 * (short[:, :, None] * direction).sum(axis=1), low, high)
    return np.asarray(moved)
