"""`graphs.html`: the disagreement graphs of the most disputed instances, one page that works offline.

It has no script, and its policy forbids any: responses and rationales hold HTML and scripts of their own.
"""

from collections.abc import Sequence
from html import escape

from venire.records import BackendKind
from venire.reporting.footer import SIMULATED
from venire.reporting.graph_drawing import COLORS, drawing
from venire.reporting.juryflow_view import ClaimView, InstanceView, ResponseView

MOST = 12  # instances on the page

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def graph_page(views: Sequence[InstanceView], *, title: str, kind: BackendKind, most: int = MOST) -> str:
    """The page; `most` instances, by highest disagreement, then by its sum over claims, then by id."""
    ranked = sorted(views, key=lambda view: (-view.dispute[0], -view.dispute[1], view.instance.id))[:most]
    simulated = f'<p class="simulated">{escape(SIMULATED)}</p>' if kind is BackendKind.SIMULATED else ""
    contents = "".join(
        f'<li><a href="#i{number}">{escape(view.instance.id)}</a> d = {view.dispute[0]:.3f}</li>'
        for number, view in enumerate(ranked, 1)
    )
    shown = f"The {len(ranked)} most disputed of {len(views)} instances; all are in graphs.jsonl."
    legend = "".join(
        f'<span class="key"><i style="background:{color}"></i>{verdict or "no verdict"}</span>'
        for verdict, color in COLORS.items()
    )
    how = (
        "A node is a claim, its size the judges' disagreement d, its colour the final verdict. A ring: "
        "re-evaluated; two rings: the focal claim that anchors propagation. Numbers on edges are weights w."
    )
    body = "".join(_instance(number, view) for number, view in enumerate(ranked, 1))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>{escape(title)}</title><style>{_CSS}</style></head><body>"
        f"<h1>{escape(title)}</h1>{simulated}<p>Replies: {escape(kind.value)}. {shown}</p><p>{how}</p>"
        f"<p>{legend}</p><ol>{contents}</ol>{body}</body></html>\n"
    )


def _instance(number: int, view: InstanceView) -> str:
    right = "right" if view.prediction == view.gold else "wrong"
    graphs = "".join(
        _response(place, response, view.instance.responses[place].text)
        for place, response in enumerate(view.responses)
    )
    return (
        f'<section id="i{number}"><h2>{escape(view.instance.id)}</h2>'
        f"<p>Gold: {escape(view.gold)}. Final: {escape(view.prediction)} ({right}).</p>"
        f"<details><summary>Prompt</summary><pre>{escape(view.instance.prompt)}</pre></details>"
        f'<div class="pair">{graphs}</div></section>'
    )


def _response(place: int, response: ResponseView, text: str) -> str:
    score = "undefined" if response.score is None else f"{response.score:.3f}"
    if not response.claims:
        graph = f"<p>No graph: {escape(response.unscored or 'a response without claims')}.</p>"
    else:
        graph = drawing(response) + _claims(response)
    learnt = "".join(f"<li>{escape(criterion)}</li>" for criterion in response.rubric_added.values())
    rubric = f"<p>Rubric entries induced:</p><ul>{learnt}</ul>" if learnt else ""
    return (
        f'<div class="response"><h3>Response {place + 1}, score {score}</h3>'
        f"<details><summary>Text</summary><pre>{escape(text)}</pre></details>{graph}{rubric}</div>"
    )


def _claims(response: ResponseView) -> str:
    rows = "".join(_claim(claim) for claim in response.claims)
    head = "<tr><th>#</th><th>claim</th><th>d</th><th>panel → final</th></tr>"
    return f"<table>{head}{rows}</table>"


def _claim(claim: ClaimView) -> str:
    votes = ", ".join(f"{judge}: {verdict or '–'}" for judge, verdict in claim.votes.items())
    rationales = "".join(
        f"<li><b>{escape(judge)}</b> ({escape(claim.votes[judge] or 'none')}): {escape(text)}</li>"
        for judge, text in claim.rationales.items()
        if text
    )
    review = claim.review
    reviewed = ""
    if review is not None:
        outcome = review.after or f"no verdict ({review.reason})"
        reviewed = (
            f'<p class="why">{escape(claim.why)}. {escape(review.before or "none")} → {escape(outcome)}: '
            f"{escape(review.rationale)}</p>"
        )
    said = f"<details><summary>rationales</summary><ul>{rationales}</ul></details>" if rationales else ""
    return (
        f'<tr><td>{claim.index + 1}</td><td>{escape(claim.text)}<p class="votes">{escape(votes)}. '
        f"Tags: {escape(', '.join(claim.tags) or 'none')}.</p>{reviewed}{said}</td>"
        f"<td>{claim.disagreement:.3f}</td>"
        f"<td>{escape(claim.panel or '–')} → {escape(claim.final or '–')}</td></tr>"
    )


_CSS = """
body{font:14px/1.45 system-ui,sans-serif;color:#222;max-width:1180px;margin:1.5rem auto;padding:0 1rem}
h1{font-size:1.3rem}h2{font-size:1.1rem;border-top:1px solid #ccc;padding-top:1rem}
h3{font-size:1rem;margin:.3rem 0}
.simulated{color:#b00020;font-weight:bold}.pair{display:grid;grid-template-columns:1fr 1fr;gap:1.5rem}
.response{min-width:0}@media(max-width:900px){.pair{grid-template-columns:1fr}}
svg{width:100%;height:auto;background:#fafafa;border:1px solid #e4e4e4}
.edge{stroke:#bbb;stroke-opacity:.55}.anchored{stroke:#1f5fa8;stroke-opacity:.7}
.node{stroke:#222;stroke-width:1}.ring{fill:none;stroke:#1f5fa8;stroke-width:1.6}
.number{font-size:12px;text-anchor:middle;fill:#fff;font-weight:bold}
.weight{font-size:10px;text-anchor:middle;fill:#1f5fa8}
table{border-collapse:collapse;width:100%;font-size:12px;table-layout:auto}
td,th{border:1px solid #ddd;padding:.25rem .4rem;vertical-align:top;text-align:left;overflow-wrap:anywhere}
td:first-child,td:nth-child(n+3),th{white-space:nowrap;overflow-wrap:normal}.votes{color:#666;margin:.2rem 0}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f6f6f6;padding:.6rem;max-height:22rem;overflow:auto}
.why{color:#1f5fa8;margin:.3rem 0}.key{margin-right:1rem}
.key i{display:inline-block;width:.8em;height:.8em;border-radius:50%;margin-right:.3em}
""".replace("\n", "")
