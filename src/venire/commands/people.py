"""The commands about people's judgments, as argparse knows them: agreement, alt-test, review, advise.

Light, as `cli.py`: what a command does is imported when it is called.
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

_Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

_OF_DATA = "KEY=VALUE: dataset=NAME and its keys, metrics.draws, metrics.level, seed."


def add_people(commands: _Commands) -> None:
    """Add the commands to the parser."""
    _add_agreement(commands)
    _add_alt_test(commands)


def takes_overrides(arguments: argparse.Namespace, rest: Sequence[str]) -> bool:
    """Whether what argparse did not know may be KEY=VALUE of a data set."""
    return all("=" in each and not each.startswith("-") for each in rest) and (
        arguments.command in ("agreement", "alt-test")
    )


def _home() -> Path:
    return Path(os.environ["VENIRE_HOME"])


def _add_agreement(commands: _Commands) -> None:
    agreement = commands.add_parser(
        "agreement", help="how far the annotators of a data set agree", epilog=_OF_DATA
    )
    _add_common(agreement)
    agreement.set_defaults(handler=_agreement)


def _add_alt_test(commands: _Commands) -> None:
    test = commands.add_parser(
        "alt-test",
        help="whether a judge may replace a human annotator",
        epilog="RUN: its verdicts; or KEY=VALUE of a data set that was published with a model's verdicts.",
    )
    test.add_argument("run", nargs="?", metavar="RUN|dataset=NAME", help="whose verdicts")
    test.add_argument("--judge", help="which of the published models; default: each")
    test.add_argument("--group", help="which annotators, where the data set has groups (experts)")
    test.add_argument(
        "--epsilon",
        type=float,
        default=0.2,
        help="how much worse the judge may be; .2 beside experts (default), .15 skilled ones, .1 a crowd",
    )
    test.add_argument("--q", type=float, default=0.05, help="rate of false discoveries; default .05")
    test.add_argument(
        "--min-items", type=int, default=30, help="an annotator needs so many items; default 30"
    )
    _add_common(test)
    test.set_defaults(handler=_alt_test)


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="plain values for scripts")
    parser.add_argument("--config-dir", type=Path, help="a folder of configuration files of one's own")


def _agreement(arguments: argparse.Namespace) -> int:
    from venire.commands.agreement import agreement

    return agreement(arguments.rest, arguments.config_dir, as_json=arguments.json)


def _alt_test(arguments: argparse.Namespace) -> int:
    from venire.commands.alt_test import AltTestRequest, run_alt_test
    from venire.stats.alt_test import AltTestSettings

    is_override = arguments.run is not None and "=" in arguments.run
    request = AltTestRequest(
        run=None if is_override else arguments.run,
        overrides=(*((arguments.run,) if is_override else ()), *arguments.rest),
        config_dir=arguments.config_dir,
        judge=arguments.judge,
        group=arguments.group,
        settings=AltTestSettings(arguments.epsilon, arguments.q, arguments.min_items),
        as_json=arguments.json,
    )
    return run_alt_test(_home(), request)
