"""How the debates of a run went, as metrics."""

from venire.metrics.debate import debate_metrics
from venire.metrics.measurement import Collector
from venire.records import Outcome, Reason, Unscored

NOTHING = Unscored(Reason.NO_VOTES)


def metrics_of(*outcomes: Outcome | None) -> dict[str, float]:
    out = Collector()
    debate_metrics(outcomes, out)
    return dict(out.result().metrics)


def test_counts_are_sums_over_instances_zeros_included() -> None:
    first = Outcome("a", NOTHING, detail={"debate": {"turns": 6, "failed_turns": 0}})
    second = Outcome("b", NOTHING, detail={"debate": {"turns": 4, "failed_turns": 0}})
    assert metrics_of(first, None, second) == {"debate/failed_turns": 0, "debate/turns": 10}


def test_methods_without_debates_have_none() -> None:
    assert metrics_of(Outcome("a", NOTHING), None) == {}
    assert metrics_of() == {}
