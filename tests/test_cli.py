import pytest

from venire.cli import main
from venire.commands.exits import status_of
from venire.errors import BackendError, ConfigError, DataError, MissingRecording, RunError, VenireError

COMMANDS = ("run", "plan", "ui", "compare", "table", "reproduce", "select", "personas", "sync", "doctor")


def test_the_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--help"])
    assert end.value.code == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line.startswith("    ")]
    assert [word for word in listed if word in COMMANDS] == list(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_own_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([command, "--help"])
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: venire {command} ")


@pytest.mark.parametrize("arguments", [[], ["juge"], ["compare"], ["table"], ["ui", "--port", "x"]])
def test_what_the_parser_refuses_ends_with_status_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert capsys.readouterr().out == ""


def test_arguments_that_only_a_run_takes_are_refused_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "judge=gpt_4o"]) == 2
    assert capsys.readouterr().err == "venire doctor: unknown arguments: judge=gpt_4o\n"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ConfigError("a setting"), 2),
        (DataError("a file"), 2),
        (MissingRecording("a verdict"), 2),
        (RunError("no such run"), 1),
        (BackendError("no server"), 1),
    ],
)
def test_what_cannot_be_right_ends_with_status_2_and_what_fails_with_1(
    error: VenireError, status: int
) -> None:
    assert status_of(error) == status
