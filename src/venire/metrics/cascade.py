"""What became of a cascade's instances: coverage, agreement and cost of each stage, and its guarantee."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from venire.judging.cascade import CascadeFit, Said, all_said, is_cascade
from venire.metrics.estimators import Estimator
from venire.metrics.measurement import Collector, Measurement, metric_name
from venire.metrics.sums import cost_of
from venire.metrics.taken import Taken
from venire.records import Instance, Outcome, PreferenceGold
from venire.stats.estimate import NAN, BoolArray
from venire.stats.guarantee import p_violated

Judged = Sequence[tuple[Instance, Outcome | None]]


def cascade_metrics(judged: Judged, estimator: Estimator, out: Collector) -> None:
    """`cascade/*`; nothing where no outcome is a cascade's.

    Shares are of all instances; an instance that was not judged was decided by nobody.
    """
    heard = _heard(judged)
    if not any(heard):
        return
    everything = np.full(len(judged), True)
    against = _Against(estimator, out, all(isinstance(each.gold, PreferenceGold) for each, _ in judged))
    right = np.array([_is_right(each, said) for (each, _), said in zip(judged, heard, strict=True)])
    decided = np.array([_decider(said) is not None for said in heard])
    escalated = np.array([bool(said) for said in heard]) & ~decided
    out.estimate("cascade/coverage", estimator.share_of(decided, everything))
    against.gold("cascade/agreement", right, decided)
    out.put("cascade/escalated", int(escalated.sum()))
    against.gold("cascade/with_people/accuracy", right | escalated, everything)
    for stage in dict.fromkeys(each.stage for said in heard for each in said):
        _stage(stage, judged, heard, right, against)


def _stage(
    stage: str,
    judged: Judged,
    heard: Sequence[Sequence[Said]],
    right: BoolArray,
    against: "_Against",
) -> None:
    estimator, out = against.estimator, against.out
    prefix = metric_name("cascade/stage", stage)
    own = [next((each for each in said if each.stage == stage), None) for said in heard]
    asked = np.array([each is not None and each.asked for each in own])
    decided = np.array([_decider(said) == stage for said in heard])
    thresholds = [each.threshold for each in own if each is not None]
    closed = all(threshold is None for threshold in thresholds)
    threshold = NAN if closed else next(each for each in thresholds if each is not None)
    out.put(f"{prefix}/threshold", threshold, "undefined: the stage stays closed" if closed else "")
    out.put(f"{prefix}/reached", int(asked.sum()))
    out.put(f"{prefix}/decided", int(decided.sum()))
    out.estimate(f"{prefix}/coverage", estimator.share_of(decided, np.full(len(judged), True)))
    against.gold(f"{prefix}/agreement", right, decided)
    calls = [call for _, outcome in judged if outcome for call in outcome.calls if call.stage == stage]
    n = sum(bool(said) for said in heard)
    out.put(f"{prefix}/calls_per_instance", len(calls) / n)
    cost, note = cost_of(Taken.of(calls))
    out.put(f"{prefix}/cost_usd_per_1000", 1000 * cost / n, note)


@dataclass(frozen=True, slots=True)
class _Against:
    """Shares of right verdicts, where every instance has gold to hold them against."""

    estimator: Estimator
    out: Collector
    has_gold: bool

    def gold(self, name: str, right: BoolArray, among: BoolArray) -> None:
        if self.has_gold:
            self.out.estimate(name, self.estimator.share_of(right, among))
        else:
            self.out.missing([name], NO_GOLD)


NO_GOLD = "the evaluated instances have no human preference to agree with"


def guarantee_metrics(
    fit: CascadeFit | None, instances: Sequence[Instance], outcomes: Sequence[Outcome]
) -> Measurement:
    """`cascade/guarantee/*` and `cascade/development/*` of what a cascade's thresholds rest on.

    Held-out items violate the guarantee where their agreement is below the target; `p` is the probability of
    so many errors, or more, among the decided, were the agreement exactly the target.
    """
    out = Collector()
    if fit is None:
        return out.result()
    if fit.development is not None:
        found = fit.development
        decided = sum(found.decided)
        out.put("cascade/development/n", found.n)
        out.put("cascade/development/coverage", decided / found.n if found.n else NAN)
        agreement = 1 - sum(found.errors) / decided if decided else NAN
        out.put(
            "cascade/development/agreement", agreement, "" if decided else "undefined: nothing is decided"
        )
        _configured_costs(fit, outcomes, out)
    if fit.guarantee is not None:
        _held_out(fit, instances, outcomes, out)
    return out.result()


def _held_out(
    fit: CascadeFit, instances: Sequence[Instance], outcomes: Sequence[Outcome], out: Collector
) -> None:
    assert fit.guarantee is not None
    by_id = {outcome.instance_id: outcome for outcome in outcomes}
    pairs = [(each, by_id.get(each.id)) for each in instances]
    heard = _heard(pairs)
    n = sum(_decider(said) is not None for said in heard)
    errors = n - sum(_is_right(each, said) for each, said in zip(instances, heard, strict=True))
    target = fit.guarantee.target
    out.put("cascade/guarantee/target", target, fit.dependence)
    out.put("cascade/guarantee/delta", fit.guarantee.delta)
    names = ("cascade/guarantee/held", "cascade/guarantee/p")
    if not all(isinstance(each.gold, PreferenceGold) for each in instances):
        out.missing(names, NO_GOLD)
        return
    if n == 0:
        out.missing(names, "nothing is decided: the guarantee is kept by abstaining")
        return
    out.put(
        names[0], float(errors <= (1 - target) * n + 1e-9), "1: held-out agreement is at least the target"
    )
    out.put(names[1], p_violated(errors, n, 1 - target))


def _configured_costs(fit: CascadeFit, outcomes: Sequence[Outcome], out: Collector) -> None:
    """The mean cost an instance by what a stage costs on the development split, or as it is given."""
    asked = {
        name: sum(each.asked for outcome in outcomes for each in all_said(outcome) if each.stage == name)
        for name in fit.names
    }
    if not outcomes:
        out.missing(["cascade/cost_usd_per_1000"], "no instance was judged")
        return
    total = sum(asked[name] * cost for name, cost in zip(fit.names, fit.cost_usd, strict=True) if asked[name])
    note = "" if not np.isnan(total) else "undefined: what a stage costs is not known; give its cost_usd"
    out.put("cascade/cost_usd_per_1000", 1000 * total / len(outcomes), note)


def _decider(heard: Sequence[Said]) -> str | None:
    return next((each.stage for each in heard if each.decides), None)


def _heard(judged: Judged) -> list[tuple[Said, ...]]:
    """What the stages say of each instance; nothing where it was not judged."""
    return [all_said(outcome) if outcome and is_cascade(outcome) else () for _, outcome in judged]


def _is_right(instance: Instance, heard: Sequence[Said]) -> bool:
    """Whether what a stage decided agrees with gold; nobody's decision does not."""
    winner = next((each.winner for each in heard if each.decides), None)
    return isinstance(instance.gold, PreferenceGold) and winner is instance.gold.winner
