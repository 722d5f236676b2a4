"""What the commands add to the arguments that hydra composes."""

from pathlib import Path

import pytest

from venire.commands.composing import beside_the_first, home_config


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
