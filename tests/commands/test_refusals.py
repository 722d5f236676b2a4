import pytest
from hydra import compose, initialize_config_dir
from hydra.errors import HydraException, MissingConfigException

from venire.commands.refusals import refusal
from venire.config import config_dir


def refused(*overrides: str) -> str:
    """What is said of overrides that hydra refuses."""
    try:
        with initialize_config_dir(version_base="1.3", config_dir=str(config_dir())):
            compose("config", list(overrides))
    except (HydraException, ValueError) as error:
        return str(refusal(error, overrides))
    raise AssertionError("hydra takes it")


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("datset=sample", "datset: no such key; did you mean dataset?"),
        ("method.ordrs=both", "method.ordrs: no such key; did you mean method.orders?"),
        ("judge.limts.retries=1", "judge.limts: no such key; did you mean judge.limits?"),
        (
            "judge.price.zzz=3",
            "judge.price.zzz: no such key; the keys of judge.price: as_of, cached_per_mtok, ",
        ),
        ("seed.x=1", "seed.x: no such key"),
    ],
)
def test_an_unknown_key_is_named_in_full_with_the_one_that_was_meant(override: str, message: str) -> None:
    said = refused(override)
    assert said.startswith(message)
    assert "+" not in said  # hydra's own advice leads to the next refusal


def test_a_key_of_what_an_ablation_takes_away_says_that_it_is_null() -> None:
    said = refused("method=juryflow", "ablation=no_propagation", "method.propagation.beta=0.3")
    assert said == (
        "method.propagation.beta: no such key: method.propagation is null here, by its own file, an ablation "
        "or another override"
    )


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("method=pairwse", "method: no option 'pairwse' ("),
        ("experiment=recorded/lmbar", "experiment: no option 'recorded/lmbar' ("),
        ("panel=null", "panel: expected the name of an option (mixed, multi_model, "),
        ("panel=3", "panel: expected the name of an option ("),
        ("ablation=true", "ablation: expected the name of an option ("),
    ],
)
def test_an_option_that_is_none_is_refused_with_those_that_there_are(override: str, message: str) -> None:
    assert refused("seed=1", override).startswith(message)


def test_what_was_given_is_shown_and_what_was_meant_is_guessed() -> None:
    assert refused("method=pairwse").endswith("; did you mean pairwise?")
    assert refused("experiment=recorded/lmbar").endswith("; did you mean recorded/llmbar?")
    assert refused("panel=null").endswith(", got null")
    assert refused("panel=3").endswith(", got 3")


@pytest.mark.parametrize(
    ("plugin", "install"),
    [
        ("joblib", "pip install 'venire[joblib]'"),
        ("ray", "make ray, in a checkout"),
        ("submitit_slurm", "pip install 'venire[slurm]'"),
    ],
)
def test_a_launcher_without_its_plugin_says_how_to_install_it(plugin: str, install: str) -> None:
    missing = MissingConfigException("as where it is not installed", f"hydra/launcher/{plugin}", ["basic"])
    assert str(refusal(missing, ["hydra/launcher=venire_x"])) == (
        f"hydra/launcher: the plugin that {plugin!r} needs is not installed: {install} (docs/scale.md)"
    )


@pytest.mark.parametrize("override", ["foo", "dataset=[a", "a=b=c"])
def test_what_is_no_override_is_shown_with_how_to_quote(override: str) -> None:
    said = refused(override)
    assert said.startswith(f"{override}: expected KEY=VALUE (")
    assert "quotes" in said
    assert "http" not in said


@pytest.mark.parametrize("override", ["+seed=1", "~nothing", "seed=1,2", "judge@panel.members.nobody=gpt_4"])
def test_what_else_hydra_says_is_one_line(override: str) -> None:
    said = refused(override)
    assert override.lstrip("+~").partition("=")[0] in said
    assert "\n" not in said
