"""MAJ-EVAL's files in a run folder: `transcripts.jsonl` and `transcripts.html`."""

import json
from collections.abc import Sequence

from venire.records import BackendKind, Instance, Outcome
from venire.reporting.debate_page import debate_page
from venire.reporting.debate_view import DebateView, debates_of

TRANSCRIPTS_FILE, PAGE_FILE = "transcripts.jsonl", "transcripts.html"


def debate_files(
    instances: Sequence[Instance], outcomes: Sequence[Outcome], *, kind: BackendKind, title: str
) -> dict[str, str]:
    """File name to text, of a run whose outcomes hold debates; empty for any other.

    Args:
        instances: in the data set's order.
        outcomes: those that there are.
        kind: what answered; both files say so.
        title: of the page.
    """
    views = debates_of(instances, outcomes)
    if not views:
        return {}
    return {
        TRANSCRIPTS_FILE: transcripts_jsonl(views, kind),
        PAGE_FILE: debate_page(views, title=title, kind=kind),
    }


def transcripts_jsonl(views: Sequence[DebateView], kind: BackendKind) -> str:
    """A line an instance: every group's ratings before and after, every turn, and the synthesis."""
    return "".join(
        json.dumps(_line(view, kind), ensure_ascii=False, allow_nan=False) + "\n" for view in views
    )


def _line(view: DebateView, kind: BackendKind) -> dict[str, object]:
    return {
        "instance": view.instance.id,
        "subset": view.instance.subset,
        "kind": kind.value,
        "gold": dict(view.gold),
        "score": dict(view.score) or None,
        "unscored": view.unscored or None,
        "groups_before": view.before,
        "groups": view.after,
        "transcripts": list(view.transcripts),
        "synthesis": view.synthesis,
    }
