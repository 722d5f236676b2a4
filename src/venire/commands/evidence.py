"""The commands about what figures can show, as argparse knows them: check-claims.

Light, as `cli.py`: what a command does is imported when it is called.
"""

import argparse
from typing import TypeAlias

_Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add_evidence(commands: _Commands) -> None:
    """Add the commands to the parser."""
    _add_check_claims(commands)


def _add_check_claims(commands: _Commands) -> None:
    check = commands.add_parser(
        "check-claims",
        help="stated figures that cannot hold together; status 1 where some are impossible",
        epilog="The format is that of docs/claims.md. Nothing is called, no data are read.",
    )
    check.add_argument(
        "claims", nargs="?", metavar="FILE.yaml|NAME", help="or a bundled one; without: list these"
    )
    check.add_argument("--format", choices=("text", "md", "json"), default="text")
    check.set_defaults(handler=_check_claims)


def _check_claims(arguments: argparse.Namespace) -> int:
    from venire.commands.check_claims import run_check_claims

    return run_check_claims(arguments.claims, arguments.format)
