"""How a cascade's thresholds are chosen."""

import numpy as np
import pytest

from venire.errors import ConfigError
from venire.judging.confidence import Source
from venire.judging.judge import PromptedJudge
from venire.judging.stage import Stage
from venire.judging.thresholds import Cheapest, Given, Guaranteed, Prefer
from venire.stats.guarantee import StageScores, Start

JUDGE = PromptedJudge("j", "m", "f")
STAGES = {"cheap": Stage(JUDGE), "strong": Stage(JUDGE)}


def scores(errors: tuple[int, int], n: int = 100, cost: tuple[float, float] = (1.0, 5.0)) -> StageScores:
    """Both stages are sure of everything; each is wrong on its first `errors` items."""
    right = np.array([[k >= wrong for wrong in errors] for k in range(n)])
    return StageScores(np.ones((n, 2)), right, np.array(cost))


def test_a_guarantee_opens_what_it_can_and_keeps_the_tests() -> None:
    chosen = Guaranteed(target=0.9, delta=0.1).choose(scores((30, 1)), STAGES)
    assert chosen.thresholds == (None, 1.0)
    assert [[(test.n, test.errors, test.certified) for test in tests] for tests in chosen.tests] == [
        [(100, 30, False)],
        [(100, 1, True)],
    ]


def test_a_split_that_is_too_small_says_how_many_would_do() -> None:
    # Stage strong has .1 / 2 / 2 = .025: .9^n <= .025 needs 36 (.9^35 = .02503). Were its agreement .95, 231:
    # the smallest n that certifies with probability .8 or more.
    with pytest.raises(ConfigError) as refused:
        Guaranteed(target=0.9, delta=0.1).check(20, STAGES)
    told = str(refused.value)
    assert told.startswith(
        "development: 20 instances are too few for an agreement of 0.9 with probability 0.9"
    )
    assert "stage strong (its part of delta is 0.025) would have to decide 36 of them" in told
    assert "Give at least 36 instances, and about 231 that each stage decides" in told
    Guaranteed(target=0.9, delta=0.1).check(36, STAGES)


def test_starting_anywhere_takes_a_larger_split() -> None:
    # six levels of a verbalised confidence: .1 / 6 = .0167 needs 39, .1 alone 22
    verbalised = {"only": Stage(JUDGE, confidence=Source.VERBALISED)}
    Guaranteed(target=0.9, delta=0.1).check(22, verbalised)
    anywhere = Guaranteed(target=0.9, delta=0.1, start=Start.ANY)
    with pytest.raises(ConfigError, match="Give at least 39 instances"):
        anywhere.check(38, verbalised)
    anywhere.check(39, verbalised)


def test_the_cheaper_of_what_is_certified_may_be_preferred() -> None:
    # closed, people take all: 2 an item; strong alone costs 5; cheap alone costs 1
    by_cost = Guaranteed(target=0.9, delta=0.1, prefer=Prefer.COST, people_cost_usd=2.0)
    assert by_cost.choose(scores((0, 0)), STAGES).thresholds == (1.0, None)
    assert by_cost.choose(scores((30, 0)), STAGES).thresholds == (None, None)


def test_least_cost_weighs_errors() -> None:
    # cheap: 1 + .3 * 10 = 4; strong: 5 + .01 * 10 = 5.1; people: 8
    assert Cheapest(people_cost_usd=8.0, error_cost_usd=10.0).choose(scores((30, 1)), STAGES).thresholds == (
        1.0,
        None,
    )
    # errors at 20: cheap 7, strong 5.2
    assert Cheapest(people_cost_usd=8.0, error_cost_usd=20.0).choose(scores((30, 1)), STAGES).thresholds == (
        None,
        1.0,
    )


def test_unknown_costs_cannot_be_weighed() -> None:
    unknown = scores((0, 0), cost=(1.0, float("nan")))
    with pytest.raises(ConfigError, match=r"^method.stages.strong.cost_usd: .* that of strong is not known"):
        Cheapest(people_cost_usd=1.0, error_cost_usd=1.0).choose(unknown, STAGES)


def test_too_many_combinations_are_refused() -> None:
    fine = Stage(JUDGE, levels=tuple(k / 100 for k in range(99, 0, -1)))
    with pytest.raises(ConfigError, match="levels: expected at most 200,000 combinations"):
        Cheapest(people_cost_usd=1.0, error_cost_usd=1.0).check(50, {"a": fine, "b": fine, "c": fine})


def test_given_thresholds_are_taken_in_the_stages_order() -> None:
    given = Given({"strong": None, "cheap": 0.8})
    assert given.chosen(("cheap", "strong")).thresholds == (0.8, None)
    with pytest.raises(ConfigError, match="expected a threshold for each of cheap, got strong, cheap"):
        given.chosen(("cheap",))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Guaranteed(target=1.0), "target: expected between 0 and 1, got 1"),
        (lambda: Guaranteed(delta=0.0), "delta: expected between 0 and 1, got 0"),
        (lambda: Guaranteed(prefer=Prefer.COST), "people_cost_usd: prefer=cost needs a cost"),
        (lambda: Cheapest(-1.0, 1.0), "people_cost_usd: choosing by cost needs a cost of at least 0, got -1"),
        (lambda: Given({"cheap": 1.5}), "by_stage.cheap: expected above 0, up to 1, or null, got 1.5"),
    ],
)
def test_settings_out_of_range_are_refused(make, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ConfigError, match=f"^{message}"):
        make()
