"""`transcripts.html`: the debates that moved most, to be read; one page that works offline.

It has no script, and its policy forbids any: responses and what agents say hold HTML of their own.
"""

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from venire.records import OVERALL, BackendKind
from venire.reporting.debate_view import (
    AgentDetail,
    DebateView,
    OpinionDetail,
    SynthesisDetail,
    TranscriptDetail,
    TurnDetail,
    Why,
)
from venire.reporting.footer import SIMULATED

MOST = 40  # instances on the page

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_ENDINGS = {
    "all_ended": "all have ended their part",
    "turn_limit": "the group's turns ran out",
    "one_agent": "one agent, nobody to debate with: the first ratings stand",
    "no_ratings": "no first rating could be used: there was no debate",
    "off": "no debate: the first ratings stand",
    "read_only": "no debate: the others' first ratings were read once",
}
_STANDINGS = {
    "open": "",
    "closed": "ended its part",
    "turn_limit": "had all its turns",
    "repeated": "repeated itself",
    "failed": "failed its turn",
}
_CHOICES = {
    "coordinator": "",
    "only_one": "nobody else may speak",
    "unknown": "the coordinator named nobody of this group; the rule chose",
    "closed": "the coordinator named one who had ended; the rule chose",
    "failed": "the coordinator gave no usable reply; the rule chose",
}


def debate_page(views: Sequence[DebateView], *, title: str, kind: BackendKind, most: int = MOST) -> str:
    """The page; `most` instances, those first whose groups the debates moved most, then by id."""
    ranked = sorted(views, key=lambda view: (-view.moved, view.instance.id))[:most]
    simulated = f'<p class="simulated">{escape(SIMULATED)}</p>' if kind is BackendKind.SIMULATED else ""
    contents = "".join(
        f'<li><a href="#i{number}">{escape(view.instance.id)}</a> moved {view.moved:.3f}</li>'
        for number, view in enumerate(ranked, 1)
    )
    shown = (
        f"The {len(ranked)} of {len(views)} instances whose groups moved most (mean absolute change of "
        "overall, 0 to 1); all are in transcripts.jsonl."
    )
    body = "".join(_instance(number, view) for number, view in enumerate(ranked, 1))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>{escape(title)}</title><style>{_CSS}</style></head><body>"
        f"<h1>{escape(title)}</h1>{simulated}<p>Replies: {escape(kind.value)}. {shown}</p>"
        f"<details><summary>Contents</summary><ol>{contents}</ol></details>{body}</body></html>\n"
    )


def _instance(number: int, view: DebateView) -> str:
    instance = view.instance
    texts = {"Request": instance.prompt, "Context": instance.context, "Reference": instance.reference}
    material = "".join(
        f"<details><summary>{name}</summary><pre>{escape(text)}</pre></details>"
        for name, text in texts.items()
        if text
    )
    groups = "".join(_group(each) for each in view.transcripts)
    return (
        f'<section id="i{number}"><h2>{escape(instance.id)}</h2>{material}'
        f"<h3>Response</h3><pre>{escape(instance.responses[0].text)}</pre>"
        f"{_scores(view)}{groups}{_synthesis(view.synthesis)}</section>"
    )


def _scores(view: DebateView) -> str:
    """Each group's means before and after, the score, and the gold that nobody was shown."""
    names = [each.name for each in view.instance.dimensions if each.asked]
    columns = [*names, OVERALL] if OVERALL not in names else names
    rows = [
        _row(
            escape(each["group"]),
            [
                _change(view.before.get(each["group"], {}), view.after.get(each["group"], {}), c)
                for c in columns
            ],
        )
        for each in view.transcripts
    ]
    if view.unscored:
        rows.append(f'<tr><th>score</th><td colspan="{len(columns)}">none: {escape(view.unscored)}</td></tr>')
    else:
        rows.append(_row("score", [_number(view.score.get(column)) for column in columns]))
    rows.append(_row("humans", [_number(view.gold.get(column)) for column in columns]))
    return _table(["group", *map(escape, columns)], rows)


def _group(transcript: TranscriptDetail) -> str:
    names = list(
        dict.fromkeys(
            name
            for agent in transcript["agents"]
            for opinion in (agent["opening"], agent["final"])
            for name in opinion["ratings"] or {}
            if name != agent["dimension"]
        )
    )
    agents = _table(
        ["agent", *map(escape, names), "own dimension", "part"],
        [_agent(agent, names) for agent in transcript["agents"]],
    )
    shown_as = {agent["agent"]: agent["shown_as"] for agent in transcript["agents"]}
    openings = "".join(_opening(agent) for agent in transcript["agents"])
    turns = "".join(_turn(turn, shown_as) for turn in transcript["turns"])
    finals = "".join(_final(agent) for agent in transcript["agents"] if agent["asked_again"])
    cut = (
        f" Turns that somebody was no longer shown: {_listed(transcript['cut'])}."
        if transcript["cut"]
        else ""
    )
    return (
        f'<div class="group"><h3>{escape(transcript["group"])}</h3>{agents}'
        f"<details><summary>First ratings</summary>{openings}</details>{turns}"
        f'<p class="note">{_ENDINGS.get(transcript["ending"], escape(transcript["ending"]))}.{cut}</p>'
        f"{finals}</div>"
    )


def _agent(agent: AgentDetail, names: Sequence[str]) -> str:
    first, last = agent["opening"]["ratings"], agent["final"]["ratings"]
    own = agent["dimension"]
    cells = [_change(first or {}, last or {}, name) for name in names]
    cells.append(f"{escape(own)}: {_change(first or {}, last or {}, own)}" if own else "–")
    failed = agent["final"]["unscored"]
    part = [_STANDINGS.get(agent["standing"], agent["standing"])]
    part += [f"no final rating: {failed['reason']}"] if failed else []
    return _row(_name(agent), [*cells, escape("; ".join(filter(None, part)) or "–")])


def _name(agent: AgentDetail) -> str:
    """The agent's name, and what the others call it where this is another."""
    plain = agent["agent"].replace("_", " ")
    shown = f" (shown as {escape(agent['shown_as'])})" if agent["shown_as"] != plain else ""
    return f"{escape(plain)}{shown}"


def _opening(agent: AgentDetail) -> str:
    return _said(escape(agent["shown_as"]), _ratings(agent["opening"]), agent["opening"]["feedback"])


def _final(agent: AgentDetail) -> str:
    who = f"{escape(agent['shown_as'])}, final ratings"
    return _said(who, _ratings(agent["final"]), agent["final"]["feedback"], kind="final")


def _turn(turn: TurnDetail, shown_as: Mapping[str, str]) -> str:
    who = f"{turn['turn']}. {escape(shown_as.get(turn['speaker'], turn['speaker']))}"
    chosen = ""
    if turn["named"]:
        chosen = f'<p class="chair">{escape(turn["reason"])} → {escape(turn["named"])}</p>'
    notes = [_CHOICES.get(turn["choice"], escape(turn["choice"]))]
    if turn["failed"] is not None:
        notes.append(f"said nothing: {_why(turn['failed'])}")
        return chosen + _said(who, "; ".join(filter(None, notes)), "", kind="failed")
    notes += [f"repeats turn {turn['repeats']}"] if turn["repeats"] is not None else []
    notes += ["ends its part"] if turn["closing"] else []
    notes += [f"was not shown turns {_listed(turn['cut'])}"] if turn["cut"] else []
    notes.append(_pairs(turn["ratings"]))
    more = f'<p class="feedback">{escape(turn["feedback"])}</p>' if turn["feedback"] else ""
    return chosen + _said(who, "; ".join(filter(None, notes)), turn["message"] or "", more)


def _said(who: str, note: str, text: str, more: str = "", *, kind: str = "") -> str:
    shown = f"<p>{escape(text)}</p>" if text else ""
    noted = f' <span class="note">{note}</span>' if note else ""
    return f'<div class="turn {kind}"><b>{who}</b>{noted}{shown}{more}</div>'


def _synthesis(made: SynthesisDetail | None) -> str:
    if made is None:
        return ""
    if made["unscored"] is not None:
        return f'<h3>Synthesis</h3><p class="note">none: {_why(made["unscored"])}</p>'
    lists = "".join(
        f"<h4>{name}</h4><ul>{''.join(f'<li>{escape(text)}</li>' for text in texts)}</ul>"
        for name, texts in (("Agreements", made["agreements"]), ("Disputes", made["disputes"]))
        if texts
    )
    return f"<h3>Synthesis</h3>{lists}<h4>Reading</h4><p>{escape(made['reading'])}</p>"


def _ratings(opinion: OpinionDetail) -> str:
    if opinion["unscored"] is not None:
        return f"no usable rating: {_why(opinion['unscored'])}"
    return _pairs(opinion["ratings"])


def _pairs(ratings: Mapping[str, float] | None) -> str:
    return ", ".join(f"{escape(name)} {_number(value)}" for name, value in (ratings or {}).items())


def _change(before: Mapping[str, float], after: Mapping[str, float], name: str) -> str:
    """`1.5 → 2`, or the one number where nothing changed."""
    first, last = _number(before.get(name)), _number(after.get(name))
    return first if first == last else f"<b>{first} → {last}</b>"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"


def _why(why: Why) -> str:
    return escape(": ".join(filter(None, (why["reason"], why["detail"]))))


def _listed(turns: Iterable[int]) -> str:
    return ", ".join(map(str, turns))


def _table(head: Sequence[str], rows: Sequence[str]) -> str:
    cells = "".join(f"<th>{name}</th>" for name in head)
    return f'<div class="wide"><table><tr>{cells}</tr>{"".join(rows)}</table></div>'


def _row(name: str, cells: Sequence[str]) -> str:
    return f"<tr><th>{name}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


_CSS = """
body{font:14px/1.45 system-ui,sans-serif;color:#222;max-width:960px;margin:1.5rem auto;padding:0 1rem}
h1{font-size:1.3rem}h2{font-size:1.15rem;border-top:2px solid #999;padding-top:1rem;margin-top:2rem}
h3{font-size:1rem;margin:1rem 0 .3rem}h4{font-size:.9rem;margin:.6rem 0 .2rem}
.simulated{color:#b00020;font-weight:bold}.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:12px;margin:.4rem 0}
td,th{border:1px solid #ddd;padding:.25rem .5rem;text-align:left;vertical-align:top}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f6f6f6;padding:.6rem;max-height:22rem;overflow:auto}
.group{border-left:3px solid #ccd6e0;padding-left:.9rem;margin:1rem 0}
.turn{background:#f4f7fa;border-radius:6px;padding:.4rem .7rem;margin:.4rem 0}
.turn p{margin:.25rem 0 0;white-space:pre-wrap;overflow-wrap:anywhere}
.turn.final{background:#eef6ee}.turn.failed{background:#fbecec}
.note,.chair{color:#666;font-size:12px}.chair{margin:.6rem 0 0 .7rem;overflow-wrap:anywhere}
.feedback{color:#444;font-style:italic}
""".replace("\n", "")
