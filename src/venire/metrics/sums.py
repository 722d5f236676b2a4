"""Sums over what is known of calls; what is unknown makes them lower bounds, and nowhere known NaN."""

from collections.abc import Sequence

import numpy as np

from venire.records import Call
from venire.stats.estimate import NAN


def known_sum(values: Sequence[float | int | None]) -> tuple[float, str]:
    """The sum of what is known, and a note where that is not all; NaN where nothing is known."""
    known = [value for value in values if value is not None]
    if not values:
        return 0.0, ""
    if not known:
        return NAN, f"undefined: unknown for all {len(values)} calls"
    lacking = len(values) - len(known)
    note = f"lower bound: unknown for {lacking} of {len(values)} calls" if lacking else ""
    return float(sum(known)), note


def tokens_of(calls: Sequence[Call], values: Sequence[int | None]) -> tuple[float, str]:
    """The sum of `values`, tokens of each call; a lower bound where a call does not say all of its own."""
    value, note = known_sum(values)
    incomplete = sum(not call.usage_complete for call in calls)
    if incomplete and not np.isnan(value):
        note = f"lower bound: {incomplete} of {len(calls)} calls do not say all of theirs"
    return value, note


def cost_of(calls: Sequence[Call]) -> tuple[float, str]:
    """US dollars of `calls` as they were recorded when they were paid."""
    value, note = known_sum([call.cost_usd for call in calls])
    incomplete = sum(not call.cost_complete for call in calls)
    if incomplete and not np.isnan(value):
        note = f"lower bound: {incomplete} of {len(calls)} calls have attempts of unknown cost"
    return value, note
