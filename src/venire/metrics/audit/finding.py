"""What an audit found on one bias under one way of asking, and how it goes among a run's metrics."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from venire.judging.probe import Bias, Meaning
from venire.metrics.measurement import Collector, metric_name
from venire.stats.estimate import NAN, Estimate

ROOT = "audit"
EFFECT, CHANGE, P = "effect", "change", "p"
# How the note of an effect begins that was not measured.
NOT_APPLICABLE, REFUSED = "not applicable", "undefined: refused"
ACCURACY = "accuracy"  # not a bias: what a mitigation costs or gains
_MARK = re.compile(r"bias: (?P<bias>\w+)(?:; meaning: (?P<meaning>\w+))?")
_PART = re.compile(rf"{ROOT}/(?P<arm>[^/]+)/(?P<name>[^/]+)/(?P<field>.+)")


@dataclass(frozen=True, slots=True)
class Finding:
    """An effect, and what belongs to it.

    Args:
        arm: the way of asking (`plain`, or a mitigation).
        name: what was measured: a bias of verdicts, or a probe.
        bias: what it is a measure of; None of the accuracy.
        effect: 0 where there is no bias (of the accuracy: itself); its note says why there is none.
        p: of the test that the effect is 0; NaN where there is no test.
        facts: further numbers, by name (slashes group them).
        change: effect minus that without the mitigation, with an n of its own; None without a mitigation.
        meaning: what the probe does to the meaning; None where nothing is changed.
        reasons: why facts have no value, by their name.
    """

    arm: str
    name: str
    bias: Bias | None
    effect: Estimate
    p: float = NAN
    facts: Mapping[str, float] = field(default_factory=dict)
    change: Estimate | None = None
    meaning: Meaning | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)

    def put(self, out: Collector) -> None:
        """Among the metrics, as `audit/<arm>/<name>/...`; `n` carries what is no number as its note."""
        root = metric_name(ROOT, self.arm, self.name)
        out.put(metric_name(root, "n"), self.effect.n, self._mark)
        out.estimate(metric_name(root, EFFECT), self.effect)
        out.put(metric_name(root, P), self.p)
        if self.change is not None:
            out.estimate(metric_name(root, CHANGE), self.change)
            out.put(metric_name(root, CHANGE, "n"), self.change.n)
        for name, value in self.facts.items():
            out.put(metric_name(root, name), value, self.reasons.get(name, ""))

    @property
    def _mark(self) -> str:
        bias = f"bias: {self.bias.value}" if self.bias else ""
        return f"{bias}; meaning: {self.meaning.value}" if self.meaning else bias


def not_applicable(arm: str, name: str, bias: Bias | None, reason: str) -> Finding:
    """A finding without an effect, and why it was not even asked."""
    return Finding(arm, name, bias, Estimate(NAN, note=f"{NOT_APPLICABLE}: {reason}"))


def findings_in(metrics: Mapping[str, float], notes: Mapping[str, str]) -> list[Finding]:
    """The findings that `Finding.put` wrote among a run's metrics, in their order."""
    parts: dict[tuple[str, str], dict[str, float]] = {}
    for name, value in metrics.items():
        found = _PART.fullmatch(name)
        if found is not None:
            parts.setdefault((found["arm"], found["name"]), {})[found["field"]] = value
    return [_read(arm, name, fields, notes) for (arm, name), fields in parts.items()]


def _read(arm: str, name: str, fields: Mapping[str, float], notes: Mapping[str, str]) -> Finding:
    root = metric_name(ROOT, arm, name)
    mark = _MARK.search(notes.get(f"{root}/n", ""))
    meaning = mark["meaning"] if mark else None
    own = {"n", P, *_fields_of(EFFECT), *_fields_of(CHANGE), f"{CHANGE}/n"}
    facts = {key: value for key, value in fields.items() if key not in own}
    return Finding(
        arm,
        name,
        Bias(mark["bias"]) if mark else None,
        _estimate(EFFECT, "n", fields, notes.get(f"{root}/{EFFECT}", "")),
        fields.get(P, NAN),
        facts,
        _estimate(CHANGE, f"{CHANGE}/n", fields, notes.get(f"{root}/{CHANGE}", ""))
        if CHANGE in fields
        else None,
        Meaning(meaning) if meaning else None,
        {key: note for key in facts if (note := notes.get(f"{root}/{key}", ""))},
    )


def _fields_of(name: str) -> Iterator[str]:
    yield from (name, f"{name}/ci_low", f"{name}/ci_high")


def _estimate(name: str, count: str, fields: Mapping[str, float], note: str) -> Estimate:
    value, low, high = (fields.get(each, NAN) for each in _fields_of(name))
    return Estimate(value, low, high, int(fields.get(count, 0)), note)


def with_interval(name: str, estimate: Estimate) -> dict[str, float]:
    """An estimate as facts: `<name>`, `<name>/ci_low`, `<name>/ci_high`."""
    values = (estimate.value, estimate.low, estimate.high)
    return dict(zip(_fields_of(name), values, strict=True))


def reasons_in(estimates: Mapping[str, Estimate]) -> dict[str, str]:
    """Why those without a value have none, by name."""
    return {name: each.note for name, each in estimates.items() if not each.is_defined}


def refused(arm: str, name: str, bias: Bias, reason: str) -> Finding:
    """A finding that the data do not allow."""
    return Finding(arm, name, bias, Estimate(NAN, note=f"{REFUSED}: {reason}"))
