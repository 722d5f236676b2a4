"""The commands about what responses are scored by, as argparse knows them: rubric.

Light, as `cli.py`: what a command does is imported when it is called.
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

_Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add_scoring(commands: _Commands) -> None:
    """Add the commands to the parser."""
    rubric = commands.add_parser("rubric", help="rubrics of criteria: generate, show, diff, validate")
    actions = rubric.add_subparsers(dest="action", required=True, metavar="ACTION")
    _add_generate(actions)
    show = actions.add_parser("show", help="a set of rubrics, or the list of them")
    show.add_argument("name", nargs="?", metavar="NAME|FILE", help="as in rubric=NAME, or a YAML file")
    diff = actions.add_parser("diff", help="what two sets differ in")
    diff.add_argument("old", metavar="OLD")
    diff.add_argument("new", metavar="NEW")
    validate = actions.add_parser("validate", help="what is wrong (status 1) or odd with a set")
    validate.add_argument("name", metavar="NAME|FILE")
    for action in (show, diff, validate):
        action.add_argument("--config-dir", type=Path, help="a folder of one's own with rubric/NAME.yaml")
    rubric.set_defaults(handler=_rubric)


def takes_overrides(arguments: argparse.Namespace, rest: Sequence[str]) -> bool:
    """Whether what argparse did not know may be KEY=VALUE."""
    is_override = all("=" in each and not each.startswith("-") for each in rest)
    return is_override and arguments.command == "rubric" and arguments.action == "generate"


def _add_generate(actions: _Commands) -> None:
    generate = actions.add_parser(
        "generate",
        help="the rubric of a criterion, or of every criterion of criteria=NAME, as a YAML file",
        epilog="KEY=VALUE: criteria, judge, backend, llm, budget and their keys, as `venire run` takes them.",
    )
    generate.add_argument("--criterion", metavar="NAME", help="what it is called")
    generate.add_argument("--description", metavar="TEXT", help="what it measures, in a sentence")
    generate.add_argument("--domain", default="", metavar="TEXT", help="whose language the rubric speaks")
    generate.add_argument("--strictness", choices=("lenient", "balanced", "strict"), default="balanced")
    generate.add_argument(
        "--scale", choices=("1-3", "1-5", "1-10", "pass/fail"), help="default: 1-5, or each criterion's own"
    )
    generate.add_argument(
        "--out", type=Path, metavar="FILE", help="default: VENIRE_HOME/config/rubric/NAME_STRICTNESS.yaml"
    )
    generate.add_argument("--dry-run", action="store_true", help="print the prompts; call nothing")
    generate.add_argument("--force", action="store_true", help="overwrite FILE")
    generate.add_argument("--config-dir", type=Path, help="a folder of configuration files of one's own")


def _rubric(arguments: argparse.Namespace) -> int:
    from venire.commands import rubric
    from venire.judging.rubric import GeneratedRubric, Strictness
    from venire.judging.scales import ScaleName

    home = Path(os.environ["VENIRE_HOME"])
    match arguments.action:
        case "show":
            return rubric.show(home, arguments.name, arguments.config_dir)
        case "diff":
            return rubric.diff(home, arguments.old, arguments.new, arguments.config_dir)
        case "validate":
            return rubric.validate(home, arguments.name, arguments.config_dir)
        case _:
            request = rubric.GenerateRequest(
                criterion=arguments.criterion,
                description=arguments.description,
                wanted=GeneratedRubric(Strictness(arguments.strictness), arguments.domain),
                scale=None if arguments.scale is None else ScaleName(arguments.scale),
                out=arguments.out,
                config_dir=arguments.config_dir,
                force=arguments.force,
                dry_run=arguments.dry_run,
            )
            return rubric.generate(home, request, arguments.rest)
