"""Verdicts and score: what the panel and the reviewer together say of a response. Pure."""

from collections.abc import Sequence

from venire.judging.claim_pairs import panel_verdicts
from venire.judging.convene import Hearing
from venire.methods.juryflow.review import Reevaluation
from venire.records import Verdict


def final_verdicts(
    hearing: Hearing, reevaluations: Sequence[Reevaluation], strongest: str
) -> tuple[Verdict | None, ...]:
    """Each claim's final verdict: the reviewer's where re-evaluated, else the panel's plurality.

    A re-evaluation without a verdict leaves the panel's. None where nobody ruled.
    Source: spec, section 1, "Verdicts and score".
    """
    revised = {each.claim: each.after for each in reevaluations if isinstance(each.after, Verdict)}
    panel = panel_verdicts(hearing, strongest)
    return tuple(revised.get(index, verdict) for index, verdict in enumerate(panel))
