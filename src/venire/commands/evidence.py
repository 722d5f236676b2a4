"""The commands about what figures can show, as argparse knows them: claims, variance, panels, bundles.

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
    _add_variance(commands)
    _add_independence(commands)
    _add_bundle(commands)
    _add_replay(commands)
    _add_merge(commands)


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


def _add_variance(commands: _Commands) -> None:
    variance = commands.add_parser(
        "variance", help="from where a sweep's accuracies vary: items, order of the responses, asking again"
    )
    variance.add_argument("name", metavar="NAME", help="a spec of experiments/, a sweep id, or 'all'")
    variance.add_argument("--format", choices=("text", "md", "csv", "tex", "html"), default="text")
    variance.add_argument("--partial", action="store_true", help="let runs in that stopped early (marked)")
    variance.set_defaults(handler=_variance)


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


def _add_bundle(commands: _Commands) -> None:
    bundle = commands.add_parser(
        "bundle",
        help="runs or a sweep in one archive, from which `venire replay` derives every number again",
        epilog="No secrets are in it. The data that was judged has to be at hand. See docs/bundles.md.",
    )
    bundle.add_argument("names", nargs="+", metavar="RUN|SWEEP", help="runs; or one sweep, or a spec's name")
    bundle.add_argument("--out", type=Path, metavar="FILE", help="default: bundles/NAME.zip of VENIRE_HOME")
    bundle.add_argument(
        "--without-texts",
        action="store_true",
        help="leave out data, prompts and replies; numbers can then still be derived, judgments not",
    )
    bundle.add_argument("--store", metavar="URL", help="the call store; default: that of each run")
    bundle.set_defaults(handler=_bundle)


def _add_replay(commands: _Commands) -> None:
    replay = commands.add_parser(
        "replay",
        help="every run and table of a bundle derived again, offline; status 1 where something differs",
    )
    replay.add_argument("bundle", type=Path, metavar="BUNDLE")
    replay.add_argument("--out", type=Path, metavar="FOLDER", help="keep runs/ and tables/ in a new folder")
    replay.set_defaults(handler=_replay)


def _add_merge(commands: _Commands) -> None:
    merge = commands.add_parser(
        "merge",
        help="the shards of one run (shard=i/n), joined into that run and measured over all",
        epilog="All n shards, of the same settings, data and version; see docs/scale.md. Nothing is called.",
    )
    merge.add_argument("runs", nargs="+", metavar="RUN")
    merge.set_defaults(handler=_merge)


def _check_claims(arguments: argparse.Namespace) -> int:
    from venire.commands.check_claims import run_check_claims

    return run_check_claims(arguments.claims, arguments.format)


def _variance(arguments: argparse.Namespace) -> int:
    from venire.commands.variance import variance

    return variance(
        Path(os.environ["VENIRE_HOME"]), arguments.name, arguments.format, partial=arguments.partial
    )


def _independence(arguments: argparse.Namespace) -> int:
    from venire.commands.independence import independence

    home = Path(os.environ["VENIRE_HOME"])
    return independence(home, arguments.run, arguments.format, out=arguments.out)


def _bundle(arguments: argparse.Namespace) -> int:
    from venire.commands.bundle import Wanted, bundle

    names = tuple(arguments.names)
    wanted = Wanted(names, arguments.out, texts=not arguments.without_texts, store=arguments.store)
    return bundle(Path(os.environ["VENIRE_HOME"]), wanted)


def _replay(arguments: argparse.Namespace) -> int:
    from venire.commands.bundle import replay

    return replay(arguments.bundle, arguments.out)


def _merge(arguments: argparse.Namespace) -> int:
    from venire.commands.merge import merge

    return merge(Path(os.environ["VENIRE_HOME"]), arguments.runs)
