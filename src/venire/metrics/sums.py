"""Sums over what is known of calls; what is unknown makes them lower bounds, and nowhere known NaN."""

from collections.abc import Callable

import numpy as np

from venire.metrics.taken import Taken
from venire.records import Call
from venire.stats.estimate import NAN

Value = Callable[[Call], float | int | None]


def known_sum(calls: Taken, value: Value) -> tuple[float, str]:
    """The sum of what is known, and a note where that is not all; NaN where nothing is known."""
    if not len(calls):
        return 0.0, ""
    lacking = calls.count(lambda call: value(call) is None)
    if lacking == len(calls):
        return NAN, f"undefined: unknown for all {lacking} calls"
    note = f"lower bound: unknown for {lacking} of {len(calls)} calls" if lacking else ""
    return float(calls.sum([value(call) for call in calls.distinct])), note


def tokens_of(calls: Taken, value: Value) -> tuple[float, str]:
    """The sum of `value`, tokens of a call; a lower bound where a call does not say all of its own."""
    total, note = known_sum(calls, value)
    incomplete = calls.count(lambda call: not call.usage_complete)
    if incomplete and not np.isnan(total):
        note = f"lower bound: {incomplete} of {len(calls)} calls do not say all of theirs"
    return total, note


def cost_of(calls: Taken) -> tuple[float, str]:
    """US dollars of `calls` as they were recorded when they were paid."""
    total, note = known_sum(calls, lambda call: call.cost_usd)
    incomplete = calls.count(lambda call: not call.cost_complete)
    if incomplete and not np.isnan(total):
        note = f"lower bound: {incomplete} of {len(calls)} calls have attempts of unknown cost"
    return total, note
