"""Parameters of simulated judges that rate: ranges, the default configuration, the hash."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from venire.build import build
from venire.errors import ConfigError
from venire.llm.simulated import (
    Attention,
    Exchange,
    PersonaDrafts,
    RatedMaterial,
    RatingBias,
    RatingFaults,
    RatingJudges,
    Simulation,
)

CONFIG = Path(__file__).parents[2] / "conf" / "simulation" / "default.yaml"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RatedMaterial(span=0), r"^span: expected 0\.01 to 50, got 0$"),
        (lambda: RatedMaterial(gold_sd=-1), "^gold_sd: expected 0 to 50, got -1$"),
        (lambda: RatedMaterial(points=0), "^points: expected 1 to 100, got 0$"),
        (lambda: RatedMaterial(spread=float("nan")), "^spread: expected 0 to 50, got nan$"),
        (lambda: Attention(base=99), "^base: expected -50 to 50, got 99$"),
        (lambda: Attention(lift=-1), "^lift: expected 0 to 50, got -1$"),
        (lambda: Attention(simple=2), "^simple: expected 0 to 1, got 2$"),
        (lambda: Attention(fields=0), "^fields: expected 1 to 100, got 0$"),
        (lambda: Attention(words=-1), "^words: expected 0 to 1000, got -1$"),
        (lambda: Attention(common=0.7, model=0.4), r"^common: .* got 1\.1$"),
        (lambda: RatingBias(group_lean=-1), "^group_lean: expected 0 to 50, got -1$"),
        (lambda: Exchange(persuasion=1.5), r"^persuasion: expected 0 to 1, got 1\.5$"),
        (lambda: Exchange(conformity=-0.1), r"^conformity: expected 0 to 1, got -0\.1$"),
        (lambda: Exchange(turn_points=0), "^turn_points: expected 1 to 1000, got 0$"),
        (lambda: Exchange(dispute=-1), "^dispute: expected 0 to 50, got -1$"),
        (lambda: RatingFaults(other_tokens=1), r"^other_tokens: expected 0 to 0\.99, got 1$"),
        (lambda: RatingFaults(off_scale=0.6, missing=0.5), r"^off_scale: .* got 1\.1$"),
        (lambda: RatingJudges(noise=-1), "^noise: expected 0 to 50, got -1$"),
        (lambda: PersonaDrafts(ungrounded=2), "^ungrounded: expected 0 to 1, got 2$"),
        (lambda: PersonaDrafts(dimensions=0), "^dimensions: expected 1 to 100, got 0$"),
        (lambda: PersonaDrafts({"pets": ()}), r"^stakeholders\.pets: expected words, got \[\]$"),
        (lambda: PersonaDrafts({"pets": (" ",)}), r"^stakeholders\.pets: expected words, got \[' '\]$"),
    ],
)
def test_a_parameter_out_of_range_is_refused_by_its_key(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make()


def test_shares_that_use_up_the_whole_variance_are_in_range() -> None:
    assert Attention(common=0.7, model=0.3).model == 0.3


def test_the_default_configuration_states_the_defaults_of_the_code() -> None:
    built = build(yaml.safe_load(CONFIG.read_text("utf-8")), "simulation")
    assert built.ratings == RatingJudges()
    assert built.personas == PersonaDrafts()


def test_a_bad_value_is_named_by_its_full_key() -> None:
    node = yaml.safe_load(CONFIG.read_text("utf-8"))
    node["ratings"]["exchange"]["conformity"] = 7
    key = r"^simulation\.ratings\.exchange\.conformity: expected 0 to 1, got 7"
    with pytest.raises(ConfigError, match=key):
        build(node, "simulation")


def test_every_parameter_of_ratings_is_in_the_hash() -> None:
    base = Simulation()
    others = [
        replace(base, ratings=RatingJudges(noise=0.4)),
        replace(base, ratings=RatingJudges(bias=None)),
        replace(base, ratings=RatingJudges(exchange=Exchange(conformity=0.4))),
        replace(base, personas=PersonaDrafts(ungrounded=0.2)),
    ]
    assert len({base.parameter_hash, *(other.parameter_hash for other in others)}) == 5
