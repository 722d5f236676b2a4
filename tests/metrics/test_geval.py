"""What a run of G-Eval says of its scores."""

import pytest

from venire.metrics.geval import geval_metrics
from venire.metrics.measurement import Collector
from venire.records import Outcome, Ratings, Reason, Unscored


def measured(*details: dict[str, object] | None) -> dict[str, float]:
    out = Collector()
    outcomes = [None if each is None else Outcome("i", Ratings({}), detail=each) for each in details]
    geval_metrics(outcomes, out)
    return dict(out.result().metrics)


def test_the_scoring_is_counted_and_what_was_on_the_scale_averaged_by_dimension() -> None:
    one = {"scoring": "logprobs", "covered": {"fluency": 0.9, "pio": 0.6}, "unscored": {}}
    two = {
        "scoring": "logprobs",
        "covered": {"fluency": 0.7, "pio": 0.3},
        "unscored": {"pio": {"reason": "unparsed"}},
    }
    assert measured(one, two, None) == {
        "geval/logprobs": 2.0,
        "geval/covered/fluency": pytest.approx(0.8),
        "geval/covered/pio": pytest.approx(0.45),
        "geval/covered/least": 0.3,
        "geval/unscored/pio": 1.0,
    }


def test_where_no_step_was_written_nothing_was_covered_and_all_is_unscored() -> None:
    failed = {"scoring": "samples", "covered": {}, "unscored": {"pio": {"reason": "unparsed"}}}
    assert measured(failed) == {"geval/samples": 1.0, "geval/unscored/pio": 1.0}


def test_other_methods_say_nothing() -> None:
    assert measured({"groups": {}}, None) == {}
    out = Collector()
    geval_metrics([Outcome("i", Unscored(Reason.NOT_RUN))], out)
    assert out.result().metrics == {}
