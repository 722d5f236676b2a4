"""What stands beside a finding's numbers in a table: the facts behind the effect, in one short sentence."""

from collections.abc import Callable, Mapping

from venire.judging.probe import DRIFT, Bias
from venire.metrics.audit.finding import ACCURACY, Finding
from venire.reporting.table import DASH, rounded

Facts = Mapping[str, float]
_NAN = float("nan")

# What an effect is measured in, where a table or a plot names it.
UNITS: Mapping[str, str] = {
    ACCURACY: "accuracy",
    Bias.POSITION: "first-place rate - .5",
    Bias.LENGTH: "log odds for twice the length",
    Bias.SELF_ENHANCEMENT: "own family's win rate, gold even, - .5",
    DRIFT: "disagreement between - within epochs",
}
OF_A_PROBE = "change of the win rate"


def unit_of(finding: Finding) -> str:
    """What the finding's effect is measured in."""
    return UNITS.get(finding.name, OF_A_PROBE)


def told(finding: Finding) -> str:
    """The facts; where there is no effect, why; over how many items a change is, where over others."""
    if not finding.effect.is_defined:
        reason = finding.effect.note.removeprefix("undefined: ")
        noise = _drift(finding.facts) if finding.name == DRIFT and finding.facts else ""
        return "; ".join(part for part in (noise, reason) if part)
    facts = (
        _length(finding) if finding.name == Bias.LENGTH else _TOLD.get(finding.name, _probe)(finding.facts)
    )
    change = finding.change
    return facts if change is None or change.n == finding.effect.n else f"{facts}; change over {change.n}"


def _position(facts: Facts) -> str:
    rate = f"first-place rate {_of(facts, 'first_place_rate')}"
    if "always_first" not in facts:
        return f"{rate}; one order only"
    return (
        f"{rate}; both orders first {_count(facts, 'always_first')}, second {_count(facts, 'always_second')}"
    )


def _length(finding: Finding) -> str:
    facts, why = finding.facts, finding.reasons
    parts = [f"odds ×{_of(facts, 'odds_ratio')}"]
    if "within_subsets" in facts:
        parts.append(f"within subsets {_with_interval(facts, 'within_subsets', why)}")
    parts.append(f"longer picked {_of(facts, 'longer_rate')} (gold {_of(facts, 'longer_rate_of_gold')})")
    if "better/win_rate" in facts:
        parts.append(
            f"better wins {_with_interval(facts, 'better/win_rate')}, "
            f"at equal length {_with_interval(facts, 'better/win_rate_at_equal_length', why)}, "
            f"of {_count(facts, 'better/n')}"
        )
    return "; ".join(parts)


def _own_family(facts: Facts) -> str:
    return (
        f"own wins {_of(facts, 'own_win_rate')} (humans {_of(facts, 'own_win_rate_by_humans')}): "
        f"{_of(facts, 'own_win_rate_where_better')} where better, "
        f"{_of(facts, 'own_win_rate_where_worse')} where worse; excess {_with_interval(facts, 'excess')}"
    )


def _drift(facts: Facts) -> str:
    noise = f"noise {_with_interval(facts, 'noise')} over {_count(facts, 'anchors')} anchors"
    between = f", between epochs {_of(facts, 'between_epochs')}" if "between_epochs" in facts else ""
    return noise + between


def _accuracy(facts: Facts) -> str:
    return f"ties {_of(facts, 'ties')}, no verdict {_of(facts, 'unscored')}"


def _probe(facts: Facts) -> str:
    moved = f"raised {_count(facts, 'raised')}, lowered {_count(facts, 'lowered')}"
    wins = f"wins {_of(facts, 'win_rate_before')} to {_of(facts, 'win_rate_after')}"
    if not facts.get("left_out", 0.0):
        return f"{wins}; {moved}"
    return (
        f"{wins}; {moved}; left out {_count(facts, 'left_out')} "
        f"(with them {_of(facts, 'worst')} to {_of(facts, 'best')})"
    )


_TOLD: Mapping[str, Callable[[Facts], str]] = {
    ACCURACY: _accuracy,
    Bias.POSITION: _position,
    Bias.SELF_ENHANCEMENT: _own_family,
    DRIFT: _drift,
}


def _of(facts: Facts, name: str) -> str:
    return rounded(facts.get(name, _NAN), 3)


def _with_interval(facts: Facts, name: str, reasons: Mapping[str, str] | None = None) -> str:
    """`0.845 [0.810, 0.876]`; the value alone without an interval; without a value why, where it is known."""
    if reasons and name in reasons:
        return f"{DASH} ({reasons[name].removeprefix('undefined: ')})"
    value, low, high = (_of(facts, each) for each in (name, f"{name}/ci_low", f"{name}/ci_high"))
    return value if DASH in (low, high) else f"{value} [{low}, {high}]"


def _count(facts: Facts, name: str) -> str:
    return rounded(facts.get(name, _NAN), 0)
