"""GPT-4's published verdicts on MT-Bench under audit: the one real judge with known generators."""

import json
from pathlib import Path

import numpy as np
import pytest

from venire.data.mt_bench import MTBench, Ties
from venire.metrics.audit.own_family import self_enhancement
from venire.metrics.audit.readings import plain_readings
from venire.metrics.estimators import Estimator
from venire.metrics.join import items_of, join
from venire.records import Instance, Order, Outcome, Preference, Winner
from venire.stats.intervals import Resampler

Pairs = list[tuple[Instance, Outcome | None]]


@pytest.fixture(scope="module")
def pairs(data_root: Path) -> Pairs:
    """Turn 1, ties kept; one published verdict a pair stands for both orders (GPT-4 was shown both)."""
    said = {}
    for line in (data_root / "mtbench" / "gpt4_pair_votes.jsonl").read_text(encoding="utf-8").splitlines():
        vote = json.loads(line)
        if vote["turn"] == 1:
            models = sorted((vote["model_a"], vote["model_b"]))
            picked = vote.get(vote["winner"])  # none of a tie
            winner = Winner.TIE if picked is None else (Winner.FIRST, Winner.SECOND)[models.index(picked)]
            said[vote["question_id"], *models] = Preference(winner)
    instances, outcomes = [], []
    for instance in MTBench(str(data_root), sample=None, ties=Ties.KEEP).load().instances:
        key = (int(instance.id.split("/")[0]), *(response.generator for response in instance.responses))
        if key in said:
            instances.append(instance)
            outcomes.append(Outcome(instance.id, said[key], dict.fromkeys(Order, said[key])))
    return join(instances, outcomes)


@pytest.mark.parametrize(
    ("family", "n", "own", "humans", "effect"),
    [
        ("openai", 237, 0.852, 0.810, 0.222),
        ("anthropic", 117, 0.709, 0.709, 0.095),
        ("meta", 270, 0.100, 0.137, -0.283),
    ],
)
def test_the_effect_follows_a_family_s_strength_whoever_judges(
    pairs: Pairs, family: str, n: int, own: float, humans: float, effect: float
) -> None:
    # Figures of docs/bias.md: what holds the gold even is no proof of self-enhancement.
    assert len(pairs) == 534
    items = items_of([instance for instance, _ in pairs], tuple(Winner))
    resampler = Resampler.draw(items.cluster, 200, np.random.default_rng(0))
    readings = plain_readings(pairs, judge_family=family)
    made = self_enhancement(readings, "plain", Estimator(items.gold, resampler, 0.95))
    assert made.effect.n == n
    assert round(made.facts["own_win_rate"], 3) == own
    assert round(made.facts["own_win_rate_by_humans"], 3) == humans
    assert made.effect.value == pytest.approx(effect, abs=5e-4)
    assert made.effect.low < effect < made.effect.high
