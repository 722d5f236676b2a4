"""What the commands add to the arguments that hydra composes."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from omegaconf import DictConfig, OmegaConf

from venire.commands.composing import beside_the_first, home_config, look_at_each_job, overrides_of_job
from venire.records import command_of_job


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["-m", "a=1", "b=2"], ["-m", "x=9", "a=1", "b=2"]),
        (["a=1", "--config-dir", "folder"], ["x=9", "a=1", "--config-dir", "folder"]),
        (["~a", "--cfg", "job"], ["x=9", "~a", "--cfg", "job"]),
        (["--cfg=job"], ["--cfg=job", "x=9"]),
    ],
)
def test_further_overrides_stand_beside_those_that_are_there(
    arguments: list[str], expected: list[str]
) -> None:
    # Hydra's parser refuses overrides on both sides of a flag.
    assert beside_the_first(arguments, ["x=9"]) == expected


def test_the_config_folder_of_the_home_is_searched_where_it_is_there_and_no_path_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VENIRE_HOME", str(tmp_path))
    assert home_config(["a=1"]) == ()
    (tmp_path / "config").mkdir()
    assert home_config(["a=1"]) == (f"hydra.searchpath=['file://{tmp_path}/config']",)
    assert home_config(["a=1", "hydra.searchpath=[file:///elsewhere]"]) == ()


def composed(arguments: Sequence[str]) -> list[tuple[object, tuple[str, ...]]]:
    """Settings and overrides of each job."""
    seen: list[tuple[object, tuple[str, ...]]] = []

    def look(cfg: DictConfig) -> None:
        bare = OmegaConf.masked_copy(cfg, [str(key) for key in cfg if key != "hydra"])
        seen.append((OmegaConf.to_container(bare), overrides_of_job()))

    look_at_each_job(look, arguments, command="venire run")
    return seen


@pytest.mark.usefixtures("own_home")
@pytest.mark.parametrize(
    ("asked", "listed"),
    [
        ("judge.api_base=http://127.0.0.1:8000/v1", None),
        ("judge.model=a b", None),
        ("judge.model='3'", None),
        ("judge.model=null", None),
        ("+dataset.x=[a,'b,c',{d:e f}]", None),
        ('judge.model="it\'s $HOME"', None),
        (r"judge.model='C:\x'", r"judge.model=C:\x"),
        # without quotes these would be two values, a mistake, and another text
        (r"judge.model=a\,b", "judge.model='a,b'"),
        (r"judge.model=a\=b", "judge.model='a=b'"),
        (r"judge.model=\ a", "judge.model=' a'"),
    ],
)
def test_a_job_that_is_listed_is_that_job_where_it_is_pasted_into_a_shell(
    asked: str, listed: str | None
) -> None:
    jobs = composed(["-m", "seed=0,1", "judge=openai_compatible", asked])
    settings, overrides = jobs[-1]
    assert overrides[-1] == (listed or asked)
    line = command_of_job(overrides).replace("venire run", r"printf '%s\0'", 1)
    words = subprocess.run(["sh", "-c", line], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert composed(words.split("\0")[:-1]) == [(settings, overrides)]
