"""A command line that cannot be right: one line that says what to mend, exit status 2, nothing called."""

from pathlib import Path

import pytest
from tests.integration.command import Venire


def test_a_bad_override_is_wrong_usage_and_one_line(venire: Venire) -> None:
    for override, message in {
        "datset=sample": "ConfigError: datset: no such key; did you mean dataset?\n",
        "+datset=sample": "ConfigError: datset: unknown key, see docs/configuration.md",
        "panel=null": "ConfigError: panel: expected the name of an option (",
        "concurrency=0": "ConfigError: concurrency: expected at least 1, got 0\n",
    }.items():
        ran = venire.run(override)
        assert (ran.status, ran.out) == (2, "")
        assert ran.err.startswith(message)
        assert ran.err.count("\n") == 1
    assert not (venire.home / "runs").exists()


def test_a_bad_override_of_a_sweep_starts_no_job(venire: Venire) -> None:
    ran = venire.run("-m", "dataset=sample", "method=length,lenght", "backend=simulated")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("ConfigError: method: no option 'lenght' (")
    assert ran.err.endswith("; did you mean length?\n")
    assert not (venire.home / "runs").exists()


@pytest.mark.parametrize("dry", [(), ("--dry-run=1",)])
def test_a_data_error_is_one_line(venire: Venire, dry: tuple[str, ...]) -> None:
    ran = venire.run(*dry, "dataset=table", "dataset.path=/no/such/file.jsonl", "backend=simulated")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("DataError: ")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("place", ["a_file", "a_file/below", "/proc/venire"])
def test_a_home_that_cannot_be_written_is_named_with_the_variable(
    venire: Venire, tmp_path: Path, place: str
) -> None:
    (tmp_path / "a_file").touch()
    ran = venire.run("dataset=sample", "method=length", VENIRE_HOME=str(tmp_path / place))
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("ConfigError: VENIRE_HOME: expected a folder that can be written, got ")
    assert ran.err.count("\n") == 1
