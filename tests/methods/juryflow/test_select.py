"""Stage 3: focal order, and the selectors without a human."""

import asyncio

import numpy as np
import pytest
from tests.methods.juryflow.court import pair

from venire.errors import ConfigError
from venire.judging.convene import Hearing
from venire.judging.matter import Matter
from venire.methods.juryflow.graph import Graph, Node
from venire.methods.juryflow.select import Auto, Focal, Focus, Random, ranked_claims, select_focal

MATTER = Matter(pair("x", "y"), 0)


def nodes(*disagreements: float) -> list[Node]:
    return [Node(index, f"c{index}", {}, d, (), None) for index, d in enumerate(disagreements)]


def selected(focal: Focal, *disagreements: float, seed: int = 0) -> Focus:
    graph = Graph(Hearing(MATTER), tuple(nodes(*disagreements)), np.zeros((len(disagreements),) * 2))
    return asyncio.run(select_focal(graph, focal, np.random.default_rng(seed)))


@pytest.mark.parametrize(
    ("disagreements", "threshold", "expected"),
    [
        ((0.1, 0.865, 0.613, 0.865), 0.5, (1, 3, 2)),  # a tie: the lower index first
        ((0.613, 0.613), 0.613, ()),  # above, not at
        ((0.613, 0.613), 0.612, (0, 1)),
        ((0.0, 0.1), 0.0, (1,)),
        ((1.0,), 1.0, ()),
        ((), 0.5, ()),
    ],
)
def test_candidates_are_above_tau_most_disputed_first(
    disagreements: tuple[float, ...], threshold: float, expected: tuple[int, ...]
) -> None:
    assert ranked_claims(disagreements, threshold) == expected


@pytest.mark.parametrize(("budget", "expected"), [(1, (1,)), (2, (1, 3)), (3, (1, 3, 2)), (9, (1, 3, 2))])
def test_auto_takes_the_top_m_and_the_most_disputed_anchors(budget: int, expected: tuple[int, ...]) -> None:
    focus = selected(Focal(0.5, budget, Auto()), 0.1, 0.865, 0.613, 0.865)
    assert focus.claims == expected
    assert focus.anchor == 1


def test_without_a_candidate_nothing_is_selected_and_nobody_asked() -> None:
    for selector in (Auto(), Random()):
        focus = selected(Focal(0.5, 2, selector), 0.4, 0.5)
        assert (focus, focus.anchor) == (Focus(), None)


def test_random_draws_as_many_claims_as_auto_takes_from_all_claims() -> None:
    drawn = [
        selected(Focal(0.5, 2, Random()), 0.1, 0.9, 0.9, 0.9, 0.2, seed=seed).claims for seed in range(40)
    ]
    assert all(len(set(each)) == 2 for each in drawn)
    assert {index for each in drawn for index in each} == {0, 1, 2, 3, 4}
    # One candidate: one claim.
    assert len(selected(Focal(0.5, 2, Random()), 0.1, 0.9, 0.1).claims) == 1


def test_random_hangs_on_the_seed() -> None:
    focal = Focal(0.5, 2, Random())
    again = [selected(focal, *[0.9] * 8, seed=1).claims for _ in range(2)]
    assert again[0] == again[1]
    assert len({selected(focal, *[0.9] * 8, seed=seed).claims for seed in range(10)}) > 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"threshold": 1.5}, "threshold: expected 0 to 1, got 1.5"),
        ({"threshold": -0.1}, "threshold: expected 0 to 1, got -0.1"),
        ({"budget": 0}, "budget: expected at least 1, got 0"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, float], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Focal(**settings)  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)
