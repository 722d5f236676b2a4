"""What each job of a sweep over options is: keys that not all of them have, ablations over what is fixed."""

from pathlib import Path

import pytest
from omegaconf import DictConfig
from tests.commands.composed import jobs

from venire.commands.composing import look_at_each_job
from venire.errors import ConfigError

pytestmark = pytest.mark.usefixtures("own_home")


def test_a_key_that_the_default_lacks_reaches_every_option_that_is_swept() -> None:
    assert jobs(["method=single,majority", "method.unit=claims"], "method", "method.unit") == [
        ("single", "claims"),
        ("majority", "claims"),
    ]


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("method.unti=claims", "method.unti: no such key; did you mean method.unit?"),
        ("method.rule=absolute", "method.rule: no such key; the keys of method: alignment_threshold, "),
    ],
)
def test_a_key_that_one_of_them_lacks_is_refused_before_any_job(override: str, message: str) -> None:
    seen: list[DictConfig] = []
    with pytest.raises(ConfigError) as caught:
        look_at_each_job(seen.append, ["-m", "method=majority,single", override], command="venire run")
    assert str(caught.value).startswith(message)
    assert not seen


def test_swept_ablations_go_over_what_is_fixed() -> None:
    chosen = ["method=majority", "panel=mixed", "ablation=none,single_judge,small_panel"]
    assert jobs(chosen, "method", "panel", "overrides") == [
        ("majority", "mixed", "method=majority panel=mixed ablation=none backend=simulated dataset.limit=1"),
        ("single", "mixed", "panel=mixed ablation=single_judge backend=simulated dataset.limit=1"),
        ("majority", "poll_small", "method=majority ablation=small_panel backend=simulated dataset.limit=1"),
    ]


def test_a_fixed_setting_of_a_stage_stands_where_no_ablation_takes_the_stage_away() -> None:
    chosen = ["method=juryflow", "method.propagation.beta=0.3", "ablation=no_propagation,no_rubric"]
    assert jobs(chosen, "method.propagation.beta", "method.rubric.shown") == [(None, "12"), ("0.3", None)]


def test_one_ablation_does_not_go_over_what_is_fixed_beside_it_but_is_refused() -> None:
    """Nobody says which of the two is meant."""
    with pytest.raises(ConfigError, match=r"method: ablation=single_judge sets method=single, another"):
        jobs(["method=majority", "ablation=single_judge", "seed=0,1"], "method")


def test_a_swept_value_that_an_ablation_undoes_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"panel: ablation=small_panel sets panel=poll_small, another"):
        jobs(["method=majority", "panel=mixed,multi_model", "ablation=small_panel,none"], "panel")


def test_an_ablation_of_ones_own_goes_over_what_is_fixed_too(tmp_path: Path) -> None:
    own = tmp_path / "own" / "ablation" / "mine.yaml"
    own.parent.mkdir(parents=True)
    own.write_text("# @package _global_\nmethod:\n  orders: as_given\n", encoding="utf-8")
    arguments = [
        f"hydra.searchpath=[file://{tmp_path / 'own'}]",
        "method.orders=seeded",
        "ablation=none,mine",
    ]
    assert jobs(arguments, "method.orders") == [("seeded",), ("as_given",)]
