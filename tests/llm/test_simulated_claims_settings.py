"""Parameters of the simulated judges of claims: ranges, the default configuration, the hash."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from venire.build import build
from venire.errors import ConfigError
from venire.llm.simulated import (
    ClaimBlindSpots,
    Claims,
    Guidance,
    Material,
    Review,
    Simulation,
    Splitting,
    Tagging,
    Transfer,
)

CONFIG = Path(__file__).parents[2] / "conf" / "simulation" / "default.yaml"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Material(false_rate=0), r"^false_rate: expected 0\.001 to 0\.999, got 0$"),
        (lambda: Material(separation=-1), "^separation: expected 0 to 50, got -1$"),
        (lambda: Material(lightness=1.5), r"^lightness: expected 0 to 1, got 1\.5$"),
        (lambda: Material(clarity_sd=float("nan")), "^clarity_sd: expected 0 to 5, got nan$"),
        (lambda: Material(causes=0), "^causes: expected 1 to 1000, got 0$"),
        (lambda: Splitting(max_claims=0), "^max_claims: expected 1 to 1000, got 0$"),
        (lambda: Splitting(omitted=2), "^omitted: expected 0 to 1, got 2$"),
        (lambda: ClaimBlindSpots(rate=-0.1), r"^rate: expected 0 to 1, got -0\.1$"),
        (lambda: ClaimBlindSpots(size=51), "^size: expected 0 to 50, got 51$"),
        (lambda: ClaimBlindSpots(common=0.5, pattern=0.5, response=0.1), r"^common: .* got 1\.1$"),
        (lambda: Tagging(accuracy=2), "^accuracy: expected 0 to 1, got 2$"),
        (lambda: Review(heed=2), "^heed: expected 0 to 1, got 2$"),
        (lambda: Review(conviction=-1), "^conviction: expected 0 to 50, got -1$"),
        (lambda: Transfer(lift=-1), "^lift: expected 0 to 1, got -1$"),
        (lambda: Transfer(distraction=99), "^distraction: expected 0 to 50, got 99$"),
        (lambda: Guidance(clutter=2), "^clutter: expected 0 to 1, got 2$"),
        (lambda: Claims(noise=-1), "^noise: expected 0 to 50, got -1$"),
        (lambda: Claims(uncertain_width=-1), "^uncertain_width: expected 0 to 50, got -1$"),
        (lambda: Claims(rationale_words=-1), "^rationale_words: expected 0 to 10000, got -1$"),
    ],
)
def test_a_parameter_of_claims_out_of_range_is_refused_by_its_key(
    make: Callable[[], object], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        make()


def test_shares_that_use_up_the_whole_variance_are_in_range() -> None:
    """.1 + .2 + .7 is 1 in decimals and a hair less in binary; .6 + .3 + .1 likewise."""
    assert ClaimBlindSpots(common=0.1, pattern=0.2, response=0.7).response == 0.7
    assert ClaimBlindSpots(common=0.6, pattern=0.3, response=0.1).common == 0.6


def test_the_default_configuration_states_the_defaults_of_the_code() -> None:
    """But for the families' skills, position bias and subsets, which only the file names."""
    built = build(yaml.safe_load(CONFIG.read_text("utf-8")), "simulation")
    assert built.claims == Claims()


def test_a_bad_value_is_named_by_its_full_key() -> None:
    node = yaml.safe_load(CONFIG.read_text("utf-8"))
    node["claims"]["review"]["heed"] = 7
    with pytest.raises(ConfigError, match=r"^simulation\.claims\.review\.heed: expected 0 to 1, got 7"):
        build(node, "simulation")


def test_every_parameter_of_claims_is_in_the_hash() -> None:
    base = Simulation()
    others = [Claims(noise=0.4), Claims(blind_spots=None), Claims(review=Review(heed=0.4))]
    hashes = {replace(base, claims=claims).parameter_hash for claims in others}
    assert len({base.parameter_hash, *hashes}) == 4
