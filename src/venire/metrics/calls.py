"""What a run took: calls by stage, tokens, cost, latency. All are sums over the run's calls.

A replayed call counts with the tokens, cost and latency of when it was paid, so everything but
`ACCOUNTING` is equal between a run and its repetition from the store. Vectors are counted apart
(`embeddings/*`), by text; only their dollars enter a sum of all.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from venire.metrics.measurement import Collector, metric_name
from venire.metrics.spent import Pooled, is_fixed, is_timed, once, spending_metrics
from venire.metrics.sums import cost_of, known_sum, tokens_of
from venire.metrics.taken import Taken, joined
from venire.records import BackendKind, Call, FinishReason, Price
from venire.stats.estimate import NAN

# What is true of this run only, with the same counts of each stage; `duration_s` is added by the runner.
ACCOUNTING = (
    *("calls/paid", "calls/replayed", "calls/failed", "calls/unfinished", "calls/uncertain"),
    *("cost_usd/billed", "duration_s"),
    *("embeddings/calls", "embeddings/paid", "embeddings/replayed"),
)

_TOKENS: dict[str, Callable[[Call], int | None]] = {
    "tokens/input": lambda call: call.usage.input_tokens,
    "tokens/output": lambda call: call.usage.output_tokens,
    "tokens/cached": lambda call: call.usage.cached_tokens,
    "tokens/reasoning": lambda call: call.usage.reasoning_tokens,
}


def call_metrics(
    calls: Sequence[Call] | Taken,
    judged: int,
    out: Collector,
    *,
    unfinished: Sequence[Call] | Taken = (),
    prices: Mapping[str, Price | None] | None = None,
    development: Sequence[Call] = (),
    pooled: Pooled | None = None,
) -> None:
    """`calls/*`, `tokens/*`, `cost_usd/*`, `latency_s/*` of a run that judged `judged` instances.

    Where it asked for vectors, `embeddings/*` and `cost_usd/embedding`, too. `unfinished` are the calls of
    instances that the run stopped before: they were paid like any, and count in every sum, but say nothing
    of what an instance takes; so do those of a `development` split. A call about no instance counts once,
    and in no number per instance. `prices` of the run's models, by which input and output are priced apart.
    `pooled` is what the calls themselves do not tell, where they are interned.
    """
    finished, left, fitting = Taken.of(calls), Taken.of(unfinished), Taken.of(development)
    taken = once(joined(finished, left, fitting))
    own = once(finished).where(lambda call: not is_fixed(call))
    completions = taken.where(_is_completion)
    _counts(completions, out, pooled)
    out.put("calls/unfinished", left.count(_is_completion))
    if len(fitting):
        out.put("calls/development", fitting.count(_is_completion))
        out.put("cost_usd/development", *_cost_with_vectors(fitting))
    asked = own.where(_is_completion)
    out.put("calls/per_instance", len(asked) / judged if judged else NAN)
    _tokens(completions, out)
    _cost(taken, out)
    _cost_per_instance(own, judged, out)
    _latency(completions, out, pooled)
    out.put("cost_usd/unpriced_calls", completions.count(lambda call: not call.cost_complete))
    spending_metrics(completions, asked, judged, prices or {}, out, pooled=pooled)
    if len(completions) < len(taken):
        _embeddings(list(taken.where(lambda call: call.is_embedding)), out)


def is_accounting(metric: str) -> bool:
    """Whether a metric is true of this run only, and so may differ in its repetition from the store."""
    return metric in ACCOUNTING or (metric.startswith("calls/") and metric.endswith(("/paid", "/replayed")))


def _is_completion(call: Call) -> bool:
    return not call.is_embedding


def _latency(calls: Taken, out: Collector, pooled: Pooled | None) -> None:
    """Percentiles over the calls of real models: no other kind has a latency of its own."""
    names = {f"latency_s/p{percent}": percent for percent in (50, 95)}
    own = (call.latency_s for call in calls if is_timed(call))
    timed = np.fromiter(own, dtype=np.float64) if pooled is None else pooled.timed
    if not len(timed):
        out.missing(names, "no model answered" if len(calls) else "there is no call")
        return
    for name, percent in names.items():
        out.put(name, float(np.percentile(timed, percent)))


def _counts(calls: Taken, out: Collector, pooled: Pooled | None) -> None:
    paid = calls.where(lambda call: _answered(call) and not call.replayed)
    replayed = calls.where(lambda call: _answered(call) and call.replayed)
    out.put("calls/total", len(calls))
    out.put("calls/distinct", pooled.distinct if pooled else len({call.key for call in calls}))
    out.put("calls/paid", len(paid))
    out.put("calls/replayed", len(replayed))
    out.put("calls/failed", len(calls) - len(paid) - len(replayed))
    uncertain = calls.count(lambda call: call.uncertain)
    note = "in flight when an earlier process died or was aborted: perhaps billed twice" if uncertain else ""
    out.put("calls/uncertain", uncertain, note)
    out.put("calls/attempts", calls.sum([call.attempts for call in calls.distinct]))
    out.put("calls/unusable", calls.count(_is_unusable))
    lost = calls.where(lambda call: call.lost)
    out.put("calls/lost", len(lost))
    by_stage, paid_by, replayed_by, lost_by = (
        each.count_by(lambda call: call.stage) for each in (calls, paid, replayed, lost)
    )
    for stage, count in sorted(by_stage.items()):
        out.put(metric_name("calls", stage), count)
        out.put(metric_name("calls", stage, "paid"), paid_by[stage])
        out.put(metric_name("calls", stage, "replayed"), replayed_by[stage])
        out.put(metric_name("calls", stage, "lost"), lost_by[stage])


def _is_unusable(call: Call) -> bool:
    return bool(call.unusable) or call.finish is not FinishReason.STOP


def lost_replies(calls: Sequence[Call] | Taken) -> tuple[str, ...]:
    """What to say of questions that stayed without a usable reply: a sentence for each stage."""
    without = Taken.of(calls).where(lambda call: call.lost)
    lost = without.count_by(lambda call: (call.stage, call.role, call.unusable))
    stages = dict.fromkeys(stage for stage, _, _ in sorted(lost))
    return tuple(_lost_of_stage(stage, lost) for stage in stages)


def _lost_of_stage(stage: str, lost: Mapping[tuple[str, str, str], int]) -> str:
    by_role = {(role, why): count for (each, role, why), count in sorted(lost.items()) if each == stage}
    named = ", ".join(f"{role} {count} ({why})" for (role, why), count in by_role.items())
    count = sum(by_role.values())
    questions = "1 question has" if count == 1 else f"{count} questions have"
    return f"stage {stage}: {questions} no usable reply, re-asks included: {named}; see calls/{stage}/lost"


def _answered(call: Call) -> bool:
    return call.finish is not FinishReason.ERROR


def _tokens(calls: Taken, out: Collector) -> None:
    for name, tokens in _TOKENS.items():
        whole = name in ("tokens/input", "tokens/output")
        out.put(name, *(tokens_of if whole else known_sum)(calls, tokens))
    out.put("tokens/unknown_calls", calls.count(lambda call: not call.usage_complete))


def _embeddings(calls: Sequence[Call], out: Collector) -> None:
    paid = [call for call in calls if _answered(call) and not call.replayed]
    texts = sum(call.texts for call in calls)
    uncertain = sum(call.uncertain for call in calls)
    note = f"{uncertain} were in flight when an earlier process died or was aborted: perhaps billed twice"
    out.put("embeddings/calls", len(paid), note if uncertain else "")
    out.put("embeddings/texts", texts)
    out.put("embeddings/paid", sum(call.texts for call in paid))
    out.put("embeddings/replayed", texts - sum(call.texts for call in paid))
    known = [call.usage.input_tokens for call in calls if call.usage.input_tokens is not None]
    complete = all(call.usage_complete for call in calls)
    lacking = "lower bound: not all providers' replies say their tokens" if known else "undefined: unknown"
    out.put("embeddings/tokens", sum(known) if known else NAN, "" if complete else lacking)
    out.put("cost_usd/embedding", *_cost_of_vectors(calls))


def _cost(calls: Taken, out: Collector) -> None:
    billed = calls.where(lambda call: not call.replayed and call.kind is BackendKind.LIVE)
    out.put("cost_usd/total", *_cost_with_vectors(calls))
    out.put("cost_usd/billed", *_cost_with_vectors(billed))


def _cost_per_instance(calls: Taken, judged: int, out: Collector) -> None:
    total, note = _cost_with_vectors(calls)
    out.put("cost_usd/per_instance", total / judged if judged else NAN, note)
    out.put("cost_usd/per_1000", 1000 * total / judged if judged else NAN, note)


def _cost_with_vectors(calls: Taken) -> tuple[float, str]:
    """The two are summed apart: only so the sum is the same however texts were grouped into requests."""
    value, note = cost_of(calls.where(_is_completion))
    vectors, vectors_note = _cost_of_vectors(list(calls.where(lambda call: call.is_embedding)))
    if np.isnan(vectors):
        return value, note or "lower bound: no vector has a known cost"
    return value + vectors, "; ".join(part for part in (note, vectors_note) if part)


def _cost_of_vectors(calls: Sequence[Call]) -> tuple[float, str]:
    """Exact however texts were grouped into requests (`llm.embedding_shares`), and so is its note."""
    known = [call.cost_usd for call in calls if call.cost_usd is not None]
    if all(call.cost_complete for call in calls):
        return float(sum(known)), ""
    return (float(sum(known)), "lower bound: vectors of unknown cost") if known else (NAN, "unknown")
