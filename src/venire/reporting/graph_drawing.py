"""A disagreement graph as SVG: networkx lays it out, nothing is fetched, every text is escaped."""

import math
from collections.abc import Mapping, Sequence
from html import escape

from venire.reporting.juryflow_view import ClaimView, EdgeView, ResponseView

_WIDTH, _HEIGHT, _MARGIN = 460, 330, 44
_MOST_EDGES = 60  # drawn, the heaviest; `graphs.jsonl` has all

COLORS: Mapping[str | None, str] = {
    "accept": "#4b9b6e",
    "reject": "#c0504d",
    "uncertain": "#d9a441",
    None: "#b5b5b5",
}


def drawing(response: ResponseView) -> str:
    """The graph: radius by disagreement, colour by final verdict, width of an edge by its weight.

    The anchor has a double ring, other re-evaluated claims a ring; numbers are those of the claim list.
    """
    places = _places(response)
    edges = sorted(response.edges, key=lambda edge: (edge.weight, -edge.first, -edge.second))[-_MOST_EDGES:]
    anchor = next((claim.index for claim in response.claims if claim.is_anchor), None)
    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="disagreement graph of '
        f'{len(response.claims)} claims">'
    ]
    parts += [_edge(edge, places, anchor) for edge in edges]
    parts += [_node(claim, places[claim.index]) for claim in response.claims]
    return "".join([*parts, "</svg>"])


Place = tuple[float, float]


def _places(response: ResponseView) -> dict[int, Place]:
    """Where claims stand, by index: the same for the same graph."""
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(claim.index for claim in response.claims)
    graph.add_weighted_edges_from((edge.first, edge.second, edge.weight) for edge in response.edges)
    if len(graph) == 1:
        return {response.claims[0].index: (_WIDTH / 2, _HEIGHT / 2)}
    found = networkx.spring_layout(graph, seed=0, k=1.6 / math.sqrt(max(1, len(graph))), iterations=80)
    return _scaled({int(index): (float(x), float(y)) for index, (x, y) in found.items()})


def _scaled(places: Mapping[int, Place]) -> dict[int, Place]:
    """To the drawing's size, each axis on its own."""

    def scale(values: Sequence[float], size: float) -> list[float]:
        low, high = min(values), max(values)
        room = size - 2 * _MARGIN
        return [_MARGIN + room * ((value - low) / (high - low) if high > low else 0.5) for value in values]

    if not places:
        return {}
    xs = scale([x for x, _ in places.values()], _WIDTH)
    ys = scale([y for _, y in places.values()], _HEIGHT)
    return dict(zip(places, zip(xs, ys, strict=True), strict=True))


def _edge(edge: EdgeView, places: Mapping[int, Place], anchor: int | None) -> str:
    (x1, y1), (x2, y2) = places[edge.first], places[edge.second]
    is_anchors = anchor in (edge.first, edge.second)
    line = (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'class="{"anchored" if is_anchors else "edge"}" stroke-width="{0.5 + 5 * edge.weight:.2f}">'
        f"<title>claims {edge.first + 1} and {edge.second + 1}: w = {edge.weight:.3f}</title></line>"
    )
    if not is_anchors:
        return line
    middle = f'x="{(x1 + x2) / 2:.1f}" y="{(y1 + y2) / 2 - 3:.1f}"'
    return f'{line}<text {middle} class="weight">{edge.weight:.2f}</text>'


def _node(claim: ClaimView, place: Place) -> str:
    x, y = place
    radius = 11 + 11 * claim.disagreement
    rings = 0 if claim.review is None else 2 if claim.is_anchor else 1
    ring = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius + 3 + 4 * number:.1f}" class="ring"/>'
        for number in range(rings)
    )
    color = COLORS.get(claim.final, COLORS[None])
    told = escape(f"claim {claim.index + 1}: {claim.text}\nd = {claim.disagreement:.3f}, {claim.final}")
    return (
        f'<g>{ring}<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{color}" class="node"/>'
        f'<text x="{x:.1f}" y="{y + 4:.1f}" class="number">{claim.index + 1}</text>'
        f"<title>{told}</title></g>"
    )
