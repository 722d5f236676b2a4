"""`method=geval`."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from tests.judging.scripted import Script, Told
from tests.methods.panels import PAIR
from tests.methods.rated import FLUENCY, ITEM, JUDGE, STRENGTH, run

from venire.build import build
from venire.errors import ConfigError, DataError
from venire.judging.geval import ScoringMode
from venire.judging.judge import RecordedJudge
from venire.methods.geval import GEval
from venire.records import OVERALL, Dimension, FinishReason, Ratings, Reason, Request, Unscored

CONF = Path(__file__).parents[2] / "conf"
STEPS = json.dumps({"steps": ["Read."]})
SAMPLES = GEval(JUDGE, scoring=ScoringMode.SAMPLES, samples=2)


def told(**ratings: str) -> Script:
    """The rating that each dimension's answer has all the probability on; empty for a refusal."""

    def script(request: Request) -> str | tuple[str, FinishReason] | Told:
        if request.stage == "steps":
            return STEPS
        assert request.subject is not None
        rating = ratings[request.subject.dimension]
        return (
            Told(rating, ({rating: math.log(0.9), "The": math.log(0.1)},))
            if rating
            else ("", FinishReason.REFUSED)
        )

    return script


def test_each_asked_dimension_is_scored_and_overall_is_the_mean_of_the_rescaled_scores() -> None:
    # 2 on 0-2 and 1 on 0-3: (2/2 + 1/3) / 2 = 2/3.
    outcome, llm = run(GEval(JUDGE), told(fluency="2", strength="1"))
    assert outcome.prediction == Ratings({OVERALL: pytest.approx(2 / 3), "fluency": 2.0, "strength": 1.0})
    assert sorted(request.stage for request in llm.requests) == ["score", "score", "steps", "steps"]
    assert len(outcome.calls) == 4
    (vote,) = outcome.votes
    assert (vote.judge, vote.prediction) == ("gpt", outcome.prediction)


def test_the_detail_says_which_scoring_was_used_and_how_much_it_covered() -> None:
    outcome, _ = run(GEval(JUDGE), told(fluency="2", strength="1"))
    assert outcome.detail["scoring"] == "logprobs"
    assert outcome.detail["covered"] == {"fluency": pytest.approx(0.9), "strength": pytest.approx(0.9)}
    assert outcome.detail["weights"] == {"fluency": {"2": 1.0}, "strength": {"1": 1.0}}
    assert outcome.detail["steps"] == {"fluency": ["Read."], "strength": ["Read."]}
    assert outcome.detail["unscored"] == {}


def test_samples_are_logged_as_samples() -> None:
    outcome, llm = run(SAMPLES, lambda request: STEPS if request.stage == "steps" else '{"score": 1}')
    assert outcome.prediction == Ratings({OVERALL: pytest.approx(5 / 12), "fluency": 1.0, "strength": 1.0})
    assert outcome.detail["scoring"] == "samples"
    assert len(llm.requests) == 2 + 2 * 2


def test_a_dimension_that_failed_is_absent_with_its_reason_and_there_is_no_overall() -> None:
    outcome, _ = run(GEval(JUDGE), told(fluency="2", strength=""))
    assert outcome.prediction == Ratings({"fluency": 2.0})
    assert outcome.detail["unscored"] == {"strength": {"reason": "refused", "detail": ""}}
    assert set(outcome.detail["covered"]) == {"fluency"}  # type: ignore[call-overload]


def test_an_instance_without_any_score_is_unscored() -> None:
    outcome, _ = run(GEval(JUDGE), told(fluency="", strength=""))
    assert outcome.prediction == Unscored(Reason.REFUSED, "")


def test_only_rated_data_are_admitted() -> None:
    with pytest.raises(DataError, match="expected one response to rate, got 2"):
        GEval(JUDGE).check([PAIR])
    with pytest.raises(ConfigError, match="is recorded and has no ratings"):
        GEval(RecordedJudge("GPT-4", "Vanilla")).check([ITEM])


def test_log_probabilities_are_refused_before_any_call_where_nobody_tells_them() -> None:
    silent = replace(JUDGE, name="claude", top_logprobs=0)
    with pytest.raises(ConfigError, match=r"^method\.scoring: .*claude tells none .*method\.scoring=samples"):
        GEval(silent).check([ITEM])
    GEval(silent, scoring=ScoringMode.SAMPLES).check([ITEM])


def test_a_dimension_that_is_not_asked_may_have_any_scale() -> None:
    long = Dimension("long", "", 0, 100)
    GEval(JUDGE).check([replace(ITEM, dimensions=(FLUENCY, replace(long, asked=False)))])
    with pytest.raises(ConfigError, match="long has 101 points"):
        GEval(JUDGE).check([replace(ITEM, dimensions=(FLUENCY, STRENGTH, long))])


def test_settings_are_checked_when_the_method_is_built() -> None:
    with pytest.raises(ConfigError, match=r"^samples: expected 1 to 100, got 0"):
        GEval(JUDGE, scoring=ScoringMode.SAMPLES, samples=0)


def test_the_method_s_file_builds_it_with_its_defaults_and_shows_every_setting() -> None:
    file = yaml.safe_load((CONF / "method" / "geval.yaml").read_text(encoding="utf-8"))
    assert file["judged_by"] == "${judge}"
    assert build({**file, "judged_by": JUDGE}, "method") == GEval(JUDGE)
    assert set(file) - {"_target_"} == set(GEval.__dataclass_fields__)


def test_a_bad_setting_is_named_by_its_full_key() -> None:
    file = yaml.safe_load((CONF / "method" / "geval.yaml").read_text(encoding="utf-8"))
    for change, fault in (
        ({"scoring": "guess"}, "scoring: expected"),
        ({"samples": 0}, "samples: expected 1 to 100"),
    ):
        with pytest.raises(ConfigError, match=rf"^method\.{fault}"):
            build({**file, "judged_by": JUDGE, **change}, "method")
