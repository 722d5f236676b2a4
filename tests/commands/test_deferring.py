"""Which overrides of a sweep are left to its jobs."""

import pytest

from venire.commands.deferring import deferred

OPTIONS = "method=single,majority"


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ("method.unit=claims", "method.unit=choice(claims)"),
        ("method.propagation.beta=0.25", "method.propagation.beta=choice(0.25)"),
        (
            "dataset.subsets=[Natural,Adversarial/Manual]",
            "dataset.subsets=choice([Natural,Adversarial/Manual])",
        ),
        ("judge.api_base=http://127.0.0.1:8000/v1", "judge.api_base=choice(http\\://127.0.0.1\\:8000/v1)"),
        ("judge.model='a, b'", "judge.model=choice('a, b')"),
        ("judge.price={input: 0, source: own}", "judge.price=choice({input:0,source:own})"),
    ],
)
def test_a_key_below_an_option_is_left_to_the_jobs_where_options_are_swept(given: str, left: str) -> None:
    assert deferred(["-m", OPTIONS, given]) == ["-m", OPTIONS, left]


@pytest.mark.parametrize(
    "given",
    [
        "seed=1",  # every composition has it
        "panel=mixed",
        "method.seed=0,1",  # swept itself: hydra leaves it to the jobs
        "+method.more=1",
        "~method.focal",
        "tags@method.tags=general",
        "hydra.launcher.n_jobs=2",
        "sweep.plots=false",  # read from the sweep's own composition
        "method.unit=",
        "method.focal=null",  # hydra has no choice of null
        "judge.model='1'",  # nor of a text that looks like a number
        "judge.model=a=b",  # hydra refuses it, and says so
        "--config-dir=folder.d",
    ],
)
def test_what_every_composition_has_or_hydra_must_see_stays(given: str) -> None:
    assert deferred(["-m", OPTIONS, given]) == ["-m", OPTIONS, given]


def test_without_a_swept_option_nothing_changes() -> None:
    fixed = ["method=single", "method.unit=claims"]
    for arguments in (fixed, ["-m", "method.seed=0,1", *fixed]):
        assert deferred(arguments) == arguments
