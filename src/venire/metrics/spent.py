"""What a run's completions took by stage, by instance and by stakeholder group, input and output apart.

A call about no instance (G-Eval's evaluation steps) is *fixed*: it is paid once, however many instances
there are, so it counts once and is in no number per instance.

Source: spec, section 2, "Reported": tokens per (group, data point), cost and latency per task.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from venire.metrics.measurement import Collector, metric_name
from venire.metrics.sums import cost_of, known_sum, tokens_of
from venire.metrics.taken import Taken
from venire.records import BackendKind, Call, FinishReason, Price, Usage
from venire.stats.estimate import NAN, FloatArray

_TIMED = (BackendKind.LIVE, BackendKind.LOCAL)
_IN_OUT: Mapping[str, Callable[[Call], int | None]] = {
    "input": lambda call: call.usage.input_tokens,
    "output": lambda call: call.usage.output_tokens,
}


def is_fixed(call: Call) -> bool:
    """Whether it is a completion about no instance."""
    return not call.instance_id and not call.is_embedding


def once(calls: Taken) -> Taken:
    """`calls`, each fixed one once: that which was paid, else the first; unanswered ones all stay."""
    if not any(map(is_fixed, calls.distinct)):
        return calls
    made: dict[object, Call] = {}
    for place, call in enumerate(calls):
        shared = is_fixed(call) and call.finish is not FinishReason.ERROR
        name: object = call.key if shared else place
        if name not in made or (made[name].replayed and not call.replayed):
            made[name] = call
    return Taken.of(list(made.values()))


@dataclass(frozen=True, slots=True)
class Pooled:
    """What calls no longer tell that are told apart only by what they took (`metrics.compact`).

    Args:
        distinct: how many different requests there are among the run's completions.
        timed: seconds of each completion of a real model.
        timed_of_judged: of those, which are of judged instances, in seconds.
    """

    distinct: int
    timed: FloatArray
    timed_of_judged: FloatArray


def group_of(role: str) -> str:
    """The stakeholder group whose agent or coordinator is asked (`<group>/<agent>`); empty for none."""
    group, separator, _ = role.partition("/")
    return group if separator else ""


def spending_metrics(
    completions: Taken,
    asked: Taken,
    judged: int,
    prices: Mapping[str, Price | None],
    out: Collector,
    *,
    pooled: Pooled | None = None,
) -> None:
    """`tokens/*`, `cost_usd/*` and `latency_s/*` by stage, per instance and per (group, instance).

    Args:
        completions: all of the run, fixed ones once.
        asked: those of judged instances, without fixed ones.
        judged: how many instances are judged.
        prices: by model as asked, those of the run's judges.
        out: where the metrics go.
        pooled: see `Pooled`; None where each call tells its own.
    """
    _by_stage(completions, out)
    _in_and_out_dollars(completions, prices, out)
    fixed = completions.where(is_fixed)
    out.put("calls/fixed", len(fixed))
    _tokens("tokens/fixed", fixed, 1, out)
    out.put("cost_usd/fixed", *cost_of(fixed))
    _tokens("tokens/per_instance", asked, judged, out)
    _per_group(asked, out)
    _latency_per_instance(asked, judged, out, pooled)


def _by_stage(calls: Taken, out: Collector) -> None:
    for stage in sorted({call.stage for call in calls.distinct}):
        of_stage = calls.where(partial(_is_of, stage))
        _tokens(metric_name("tokens", stage), of_stage, 1, out)
        out.put(metric_name("cost_usd", stage), *cost_of(of_stage))


def _is_of(stage: str, call: Call) -> bool:
    return call.stage == stage


def _tokens(name: str, calls: Taken, share: int, out: Collector) -> None:
    """`<name>/input`, `<name>/output` and their sum, over `share`; NaN where that is 0."""
    both = {part: tokens_of(calls, tokens) for part, tokens in _IN_OUT.items()}
    total = sum(value for value, _ in both.values())
    notes = dict.fromkeys(note for _, note in both.values() if note)
    out.put(name, total / share if share else NAN, "; ".join(notes))
    for part, (value, note) in both.items():
        out.put(metric_name(name, part), value / share if share else NAN, note)


def _in_and_out_dollars(calls: Taken, prices: Mapping[str, Price | None], out: Collector) -> None:
    """`cost_usd/input` and `cost_usd/output`: tokens at the judges' prices of today.

    The totals are what was recorded when a call was paid; where a price has changed since, the two do not
    add up to it, and the note says so.
    """
    priced = {"input": _input_usd, "output": _output_usd}
    sums = {part: known_sum(calls, partial(usd, prices)) for part, usd in priced.items()}
    total, incomplete = cost_of(calls)
    parts = math.fsum(value for value, _ in sums.values())
    moved = not incomplete and abs(parts - total) > 1e-9 * max(1.0, abs(total))
    for part, (value, note) in sums.items():
        added = "at today's prices, which are not those of when it was paid" if moved else ""
        out.put(f"cost_usd/{part}", value, note or added)


def _input_usd(prices: Mapping[str, Price | None], call: Call) -> float | None:
    usage = call.usage
    return _priced(call, prices, Usage(usage.input_tokens, 0, usage.cached_tokens))


def _output_usd(prices: Mapping[str, Price | None], call: Call) -> float | None:
    return _priced(call, prices, Usage(0, call.usage.output_tokens))


def _priced(call: Call, prices: Mapping[str, Price | None], usage: Usage) -> float | None:
    """US dollars of a part of a call's usage; 0 of a call that cost nothing, whatever the price."""
    if call.cost_complete and call.cost_usd == 0:
        return 0.0
    price = prices.get(call.model_asked)
    return None if price is None else price.cost_usd(usage)


def _per_group(calls: Taken, out: Collector) -> None:
    """Of the calls of groups, for each (group, instance); nothing where there are no groups."""
    of_groups = calls.where(lambda call: bool(group_of(call.role)))
    pairs = {(group_of(call.role), call.instance_id) for call in of_groups}
    if not pairs:
        return
    _tokens("tokens/per_group_instance", of_groups, len(pairs), out)
    cost, note = cost_of(of_groups)
    out.put("cost_usd/per_group_instance", cost / len(pairs), note)


def is_timed(call: Call) -> bool:
    """Whether a real model answered: no other kind has a latency of its own."""
    return call.kind in _TIMED


def _latency_per_instance(calls: Taken, judged: int, out: Collector, pooled: Pooled | None) -> None:
    """Seconds of an instance's calls one after another, and with its groups at the same time.

    Raises:
        ValueError: calls of groups whose instances are not told apart.
    """
    names = ("latency_s/per_instance", "latency_s/per_instance/groups_at_once")
    timed = calls.where(is_timed)
    has_groups = any(group_of(call.role) for call in calls.distinct)
    if not len(timed) or not judged:
        out.missing(names[: 1 + has_groups], "no model answered" if len(calls) else "there is no call")
        return
    seconds = (call.latency_s for call in timed) if pooled is None else pooled.timed_of_judged.tolist()
    out.put(names[0], math.fsum(seconds) / judged)
    if has_groups and pooled is not None:
        raise ValueError("calls: expected no groups of judges, their instances are not told apart")
    if has_groups:
        out.put(names[1], math.fsum(_at_once(timed).values()) / judged)


def _at_once(calls: Taken) -> dict[str, float]:
    """By instance: the seconds of its slowest group, and of the calls of no group."""
    by_group: dict[str, dict[str, float]] = {}
    for call in calls:
        own, group = by_group.setdefault(call.instance_id, {}), group_of(call.role)
        own[group] = own.get(group, 0.0) + call.latency_s
    return {
        instance_id: max((s for group, s in own.items() if group), default=0.0) + own.get("", 0.0)
        for instance_id, own in by_group.items()
    }
