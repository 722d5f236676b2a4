"""The commands about what sways a judge, as argparse knows them: audit, disagreement.

Light, as `cli.py`: what a command does is imported when it is called.
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from venire.commands.overrides import is_override

_Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

_FORMATS = ("text", "md", "csv", "tex", "html", "json")


def add_biases(commands: _Commands) -> None:
    """Add the commands to the parser."""
    audit = commands.add_parser(
        "audit",
        help="probe a judge for biases; or what verdicts of finished runs say of them",
        epilog="KEY=VALUE: as `venire run method=audit` takes it; commas sweep (judge=a,b: one table over "
        "judges). RUN: finished runs of any method on pairs; nothing is called. See docs/bias.md.",
    )
    audit.add_argument("of", nargs="*", metavar="KEY=VALUE|RUN", help="what to audit, or which runs")
    _add_common(audit, "folder for audit.{md,csv,tex,html} and plots; default: the sweep's own")
    audit.add_argument("--config-dir", type=Path, help="a folder of configuration files of one's own")
    audit.set_defaults(handler=_audit)
    disagreement = commands.add_parser(
        "disagreement",
        help="in which direction a run's verdicts differ from the gold, by criterion and subset",
    )
    disagreement.add_argument("run", metavar="RUN")
    disagreement.add_argument("--items", type=int, default=10, help="most items of a worst cell; default 10")
    _add_common(disagreement, "folder for disagreement.{md,csv,tex,html,json}; default: none is written")
    disagreement.set_defaults(handler=_disagreement)


def takes_overrides(arguments: argparse.Namespace, rest: Sequence[str]) -> bool:
    """Whether what argparse did not know is KEY=VALUE for an audit: it stands behind an option."""
    if arguments.command != "audit" or not all("=" in each and not each.startswith("-") for each in rest):
        return False
    arguments.of += rest
    return True


def _add_common(parser: argparse.ArgumentParser, out: str) -> None:
    parser.add_argument("--format", choices=_FORMATS, default="text", help="of what is printed")
    parser.add_argument("--out", type=Path, metavar="DIR", help=out)


def _audit(arguments: argparse.Namespace) -> int:
    from venire.commands.audit import AuditRequest, audit

    request = AuditRequest(
        overrides=tuple(filter(is_override, arguments.of)),
        runs=tuple(each for each in arguments.of if not is_override(each)),
        form=arguments.format,
        out=arguments.out,
        config_dir=arguments.config_dir,
    )
    return audit(Path(os.environ["VENIRE_HOME"]), request)


def _disagreement(arguments: argparse.Namespace) -> int:
    from venire.commands.disagreement import disagreement

    home = Path(os.environ["VENIRE_HOME"])
    return disagreement(home, arguments.run, arguments.format, out=arguments.out, most=arguments.items)
