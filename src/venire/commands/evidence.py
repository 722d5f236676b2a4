"""The commands about what figures can show, as argparse knows them: check-claims, independence.

Light, as `cli.py`: what a command does is imported when it is called.
"""

import argparse
import os
from pathlib import Path
from typing import TypeAlias

_Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add_evidence(commands: _Commands) -> None:
    """Add the commands to the parser."""
    _add_check_claims(commands)
    _add_independence(commands)


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


def _add_independence(commands: _Commands) -> None:
    independence = commands.add_parser(
        "independence",
        help="how far the judges of a run's panel err independently: effective votes, error correlations",
        epilog="RUN: of a panel on pairs (method=majority, juryflow). Nothing is called.",
    )
    independence.add_argument("run", metavar="RUN")
    independence.add_argument(
        "--format", choices=("text", "md", "csv", "tex", "html", "json"), default="text"
    )
    independence.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="folder for independence.{md,csv,tex,html,json} and heat maps; default: none is written",
    )
    independence.set_defaults(handler=_independence)


def _check_claims(arguments: argparse.Namespace) -> int:
    from venire.commands.check_claims import run_check_claims

    return run_check_claims(arguments.claims, arguments.format)


def _independence(arguments: argparse.Namespace) -> int:
    from venire.commands.independence import independence

    home = Path(os.environ["VENIRE_HOME"])
    return independence(home, arguments.run, arguments.format, out=arguments.out)
