"""`method=rating`: one judge's direct rating as an outcome."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from tests.judging.scripted import ScriptedLLM, replies

from venire.build import build
from venire.errors import ConfigError, DataError
from venire.judging.judge import PromptedJudge
from venire.methods.rating import Rating
from venire.records import (
    Dimension,
    FinishReason,
    Instance,
    Outcome,
    Persona,
    Ratings,
    RatingsGold,
    Reason,
    Response,
    Unscored,
)

CONF = Path(__file__).parents[2] / "conf" / "method" / "rating.yaml"
JUDGE = PromptedJudge("gpt", "openai/gpt", "openai", max_reasks=1)
ITEM = Instance(
    "a",
    "Summarise.",
    (Response("It helps."),),
    gold=RatingsGold({"fluency": 1.87}),
    dimensions=(
        Dimension("fluency", "Does it read well?", 0, 2),
        Dimension("pio", "Is it about the same?", 0, 6),
        Dimension("average", "", 0, 1, None, asked=False),
    ),
)


def outcome(llm: ScriptedLLM, judge: PromptedJudge = JUDGE) -> Outcome:
    return asyncio.run(Rating(judge).judge(ITEM, None, llm))


def says(**ratings: object) -> str:
    return json.dumps({"feedback": "So.", "ratings": ratings})


def test_the_prediction_has_each_dimension_asked_and_their_mean_rescaled() -> None:
    llm = replies(says(fluency=1, pio=6))
    made = outcome(llm)
    # overall (1/2 + 6/6)/2; `average` is not asked
    assert made.prediction == Ratings({"overall": 0.75, "fluency": 1, "pio": 6})
    (vote,) = made.votes
    assert (vote.judge, vote.prediction, vote.rationale) == ("gpt", made.prediction, "So.")
    assert len(made.calls) == len(llm.requests) == 1
    assert llm.requests[0].stage == "rate"
    assert "1.87" not in str(llm.requests)
    assert "average" not in str(llm.requests)


def test_a_persona_of_the_judge_is_told() -> None:
    llm = replies(says(fluency=1, pio=6))
    outcome(llm, replace(JUDGE, persona=Persona("nurse", "a nurse at a clinic")))
    assert "a nurse at a clinic" in llm.requests[0].messages[0].content


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (("", FinishReason.REFUSED), Reason.REFUSED),
        (says(fluency=9, pio=6), Reason.UNPARSED),
        (says(fluency="N/A", pio="N/A"), Reason.UNDEFINED),
    ],
)
def test_no_usable_rating_is_no_judgment(said: str, reason: Reason) -> None:
    made = outcome(replies(said, said))
    assert isinstance(made.prediction, Unscored)
    assert made.prediction.reason is reason


def test_pairs_are_refused_and_an_unknown_prompt_too() -> None:
    with pytest.raises(DataError, match="expected one response to rate, got 2"):
        Rating(JUDGE).check([replace(ITEM, responses=(Response("a"), Response("b")))])
    with pytest.raises(ConfigError, match=r"^prompt: expected one of"):
        Rating(JUDGE, "no_such_prompt")
    Rating(JUDGE).check([ITEM])
    assert set(Rating(JUDGE).prompts) == {"rate", "reask"}


def test_its_file_builds_it_and_shows_every_setting() -> None:
    node = yaml.safe_load(CONF.read_text(encoding="utf-8"))
    assert node["judged_by"] == "${judge}"
    assert build({**node, "judged_by": JUDGE}, "method") == Rating(JUDGE)
    assert set(node) - {"_target_"} == set(Rating.__dataclass_fields__)
