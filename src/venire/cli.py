"""The command line. Light on purpose: `venire --help` loads neither hydra nor mlflow nor litellm."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from venire import __version__
from venire.commands import biases, exits, scoring
from venire.commands.evidence import add_evidence
from venire.commands.people import add_people, takes_overrides
from venire.errors import VenireError

_EXAMPLES = """\
first steps:
  venire run experiment=sample                         the bundled sweep: simulated judges, no key, no network
  venire run method=majority backend=simulated         one run; drop backend=simulated to call real models
  venire run -m method=single,majority seed=0,1 ...    a sweep
  venire plan -m method=single,majority                what it would ask for and cost; nothing is sent
  venire ui                                            every run in the MLflow UI
  venire compare RUN RUN                               two runs on the same items
RUN is a run folder or the beginning of a run id or of an MLflow run id.
Settings: every KEY=VALUE of conf/ (docs/configuration.md). Keys come from the environment only.
"""


_FORMS = ("text", "md", "csv", "tex", "html")  # of `reporting.table.Format`


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command in `argv`; returns the exit status.

    0: done; 1: failed; 2: the command line, a setting or the data cannot be right, nothing was called; 3: a
    run or sweep stopped early and can be resumed; 130: any other command was interrupted.
    """
    arguments, rest = _parser().parse_known_args(argv)
    if arguments.command == "reproduce":  # argparse takes no KEY=VALUE behind an option
        arguments.names += [override for override in rest if not override.startswith("-")]
        rest = [flag for flag in rest if flag.startswith("-")]
    if rest and not _takes_overrides(arguments, rest):
        print(f"venire {arguments.command}: unknown arguments: {' '.join(rest)}", file=sys.stderr)
        return exits.USAGE
    arguments.rest = rest
    os.environ["VENIRE_HOME"] = str(home())
    try:
        return int(arguments.handler(arguments))
    except VenireError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return exits.status_of(error)
    except KeyboardInterrupt:
        if arguments.command not in ("run", "reproduce"):
            return exits.INTERRUPTED
        print(
            "interrupted: the same command goes on from here; what is paid is not paid again", file=sys.stderr
        )
        return exits.INCOMPLETE
    except BrokenPipeError:
        return exits.OK


def _takes_overrides(arguments: argparse.Namespace, rest: Sequence[str]) -> bool:
    """Whether what argparse did not know is for hydra: for a run, everything; for others, KEY=VALUE."""
    if biases.takes_overrides(arguments, rest) or scoring.takes_overrides(arguments, rest):
        return True
    if takes_overrides(arguments, rest) or (
        arguments.command == "personas" and arguments.action in ("build", "show")
    ):
        return all("=" in each and not each.startswith("-") for each in rest)
    return arguments.command in ("run", "plan")


def home() -> Path:
    """`VENIRE_HOME`, else `results/local/` of the checkout, else `./venire-home`; absolute."""
    named = os.environ.get("VENIRE_HOME")
    if named:
        return Path(named).expanduser().resolve()
    checkout = Path(__file__).parents[2]
    if (checkout / "pyproject.toml").is_file():
        return checkout / "results" / "local"
    return Path("venire-home").resolve()


_Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="venire",
        description="Judge data sets with LLM judges and panels; log, compare and tabulate the runs.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"venire {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_run(commands)
    _add_plan(commands)
    _add_ui(commands)
    _add_compare(commands)
    _add_table(commands)
    _add_reproduce(commands)
    _add_select(commands)
    _add_personas(commands)
    biases.add_biases(commands)
    scoring.add_scoring(commands)
    add_people(commands)
    add_evidence(commands)
    _add_sync(commands)
    _add_doctor(commands)
    return parser


def _add_run(commands: _Commands) -> None:
    run = commands.add_parser(
        "run",
        help="one run, or a sweep with -m",
        epilog="KEY=VALUE overrides any key of conf/; hydra's flags: -m, --cfg job, --config-dir DIR.",
    )
    run.add_argument(
        "--dry-run",
        type=int,
        metavar="N",
        help="print the prompts of the first N instances and their sizes; call nothing",
    )
    run.set_defaults(handler=_run)


def _add_plan(commands: _Commands) -> None:
    plan = commands.add_parser(
        "plan",
        help="calls, tokens and cost of a run or sweep, before money is spent",
        epilog="Takes what `venire run` takes: KEY=VALUE, -m, --config-dir DIR. Nothing is sent or written.",
    )
    plan.add_argument(
        "--simulate",
        action="store_true",
        help="estimate what depends on unknown replies, with simulated ones in their place",
    )
    plan.add_argument("--json", action="store_true", help="plain values for scripts")
    plan.add_argument(
        "--discordance",
        type=float,
        action="append",
        metavar="SHARE",
        help="power: share of items on which only one of two runs is right; may be repeated",
    )
    plan.add_argument(
        "--difference", type=float, metavar="D", help="power: how many items find this one; default 0.03"
    )
    plan.add_argument("--power", type=float, metavar="P", help="power: chance to find it; default 0.8")
    plan.set_defaults(handler=_plan)


def _add_ui(commands: _Commands) -> None:
    ui = commands.add_parser("ui", help="open the MLflow UI on the runs")
    ui.add_argument("--port", type=int, default=5000, help="default 5000; the next free one if it is taken")
    ui.add_argument("--no-browser", action="store_true", help="only print the address")
    ui.add_argument("--uri", help="another tracking server or database")
    ui.set_defaults(handler=_ui)


def _add_compare(commands: _Commands) -> None:
    compare = commands.add_parser(
        "compare", help="runs on the same items, side by side, with paired differences"
    )
    compare.add_argument("runs", nargs="+", metavar="RUN")
    compare.add_argument("--format", choices=(*_FORMS, "json"), default="text")
    _add_correction(compare, default="holm")
    compare.add_argument(
        "--margin",
        type=float,
        metavar="M",
        help="also test whether accuracies differ by less than M (0.02: two points): no loss at lower cost",
    )
    compare.add_argument("--out", type=Path, metavar="DIR", help="also write comparison.* and a forest plot")
    compare.set_defaults(handler=_compare)


def _add_correction(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    parser.add_argument(
        "--correction",
        choices=("holm", "bh", "none"),
        default=default,
        help="of p for how many tests there are: Holm (default), Benjamini-Hochberg, or none",
    )


def _add_table(commands: _Commands) -> None:
    table = commands.add_parser("table", help="a table of finished runs: a sweep, or a spec of experiments/")
    table.add_argument("name", metavar="NAME", help="a spec of experiments/, a sweep id, or 'all'")
    table.add_argument("--format", choices=_FORMS, default="text")
    table.add_argument("--partial", action="store_true", help="let runs in that stopped early (marked)")
    _add_correction(table)
    table.set_defaults(handler=_table)


def _add_reproduce(commands: _Commands) -> None:
    reproduce = commands.add_parser(
        "reproduce", help="the missing runs of specs of experiments/, then their tables and plots"
    )
    reproduce.add_argument(
        "names", metavar="NAME|KEY=VALUE", nargs="*", help="specs and overrides; without: list the specs"
    )
    reproduce.add_argument(
        "--out", type=Path, help="folder for KIND/NAME.{md,csv,tex,html} and plots; default under VENIRE_HOME"
    )
    reproduce.add_argument(
        "--jobs", type=int, metavar="N", help="specs at once; default: the cores, or 1 where models are live"
    )
    _add_correction(reproduce)
    reproduce.set_defaults(handler=_reproduce)


def _add_select(commands: _Commands) -> None:
    select = commands.add_parser(
        "select", help="the best settings of a finished grid, and the strongest judge, as a config file"
    )
    select.add_argument("sweep", metavar="SWEEP", help="a sweep id or the beginning of one")
    select.add_argument("--name", default="selected", help="of the file: selected=NAME chooses it")
    select.add_argument(
        "--judges",
        action="append",
        default=[],
        metavar="RUN",
        help="a run that measures a panel's strongest judge; once for each panel",
    )
    select.add_argument("--out", type=Path, help="a folder for --config-dir; default under VENIRE_HOME")
    select.set_defaults(handler=_select)


def _add_personas(commands: _Commands) -> None:
    personas = commands.add_parser(
        "personas", help="sets of personas: build from documents, show, diff, validate"
    )
    actions = personas.add_subparsers(dest="action", required=True, metavar="ACTION")
    _add_personas_build(actions)
    show = actions.add_parser("show", help="a set of personas, or the list of them")
    show.add_argument("name", nargs="?", metavar="NAME|FILE", help="as in persona=NAME, or a YAML file")
    diff = actions.add_parser("diff", help="what two sets differ in")
    diff.add_argument("old", metavar="OLD")
    diff.add_argument("new", metavar="NEW")
    validate = actions.add_parser(
        "validate", help="what is wrong or odd with a set; status 1 where it is wrong"
    )
    validate.add_argument("name", metavar="NAME|FILE")
    validate.add_argument("--documents", type=Path, help="look the set's quotes up again in this folder")
    for action in (show, diff, validate):
        action.add_argument("--config-dir", type=Path, help="a folder of one's own with persona/NAME.yaml")
    personas.set_defaults(handler=_personas)


def _add_personas_build(actions: _Commands) -> None:
    build = actions.add_parser(
        "build",
        help="a set from a folder of text, Markdown, HTML and PDF",
        epilog="KEY=VALUE: judge, backend, llm, budget and their keys, as `venire run` takes them.",
    )
    build.add_argument("--documents", type=Path, required=True, metavar="DIR", help="the folder")
    build.add_argument("--task", required=True, help="what will be judged, in a sentence")
    build.add_argument(
        "--out", type=Path, metavar="FILE", help="default: VENIRE_HOME/config/persona/DIR.yaml"
    )
    build.add_argument("--selection", default="", help="how the documents were selected; goes into the file")
    build.add_argument(
        "--part-tokens", type=int, default=6000, help="most tokens of a document in one call; default 6000"
    )
    build.add_argument(
        "--consolidate",
        choices=("model", "names"),
        default="model",
        help="who groups the views: the model, or equal names without a call",
    )
    build.add_argument("--dry-run", action="store_true", help="what would be read; call nothing")
    build.add_argument("--force", action="store_true", help="overwrite FILE")
    build.add_argument("--config-dir", type=Path, help="a folder of configuration files of one's own")


def _add_sync(commands: _Commands) -> None:
    sync = commands.add_parser("sync", help="upload runs that MLflow has not seen")
    sync.add_argument("--uri", help="another tracking server or database")
    sync.add_argument(
        "--all", action="store_true", help="look for every run, also where a lost or another store had it"
    )
    sync.set_defaults(handler=_sync)


def _add_doctor(commands: _Commands) -> None:
    doctor = commands.add_parser(
        "doctor", help="what is installed, which keys are present (never their values)"
    )
    doctor.add_argument(
        "--reconcile",
        action="store_true",
        help="calls, tokens and cost by day and model, to hold against an invoice",
    )
    doctor.add_argument("--store", help="the call store's SQLAlchemy URL; default: the one in VENIRE_HOME")
    doctor.set_defaults(handler=_doctor)


def _run(arguments: argparse.Namespace) -> int:
    from venire.commands.run import run

    return run(arguments.rest, dry_run=arguments.dry_run)


def _plan(arguments: argparse.Namespace) -> int:
    from venire.commands.plan import plan
    from venire.reporting.power_table import Wanted

    asked = {
        "discordance": tuple(arguments.discordance) if arguments.discordance else None,
        "difference": arguments.difference,
        "power": arguments.power,
    }
    wanted = Wanted(**{name: value for name, value in asked.items() if value is not None})
    return plan(arguments.rest, simulate=arguments.simulate, as_json=arguments.json, wanted=wanted)


def _ui(arguments: argparse.Namespace) -> int:
    from venire.commands.ui import ui

    return ui(home(), port=arguments.port, uri=arguments.uri, open_browser=not arguments.no_browser)


def _compare(arguments: argparse.Namespace) -> int:
    from venire.commands.compare import compare

    return compare(
        home(),
        arguments.runs,
        arguments.format,
        correction=arguments.correction,
        margin=arguments.margin,
        out=arguments.out,
    )


def _table(arguments: argparse.Namespace) -> int:
    from venire.commands.table import table

    return table(
        home(),
        arguments.name,
        arguments.format,
        partial=arguments.partial,
        correction=arguments.correction,
    )


def _reproduce(arguments: argparse.Namespace) -> int:
    from venire.commands.reproduce import reproduce

    names = [name for name in arguments.names if "=" not in name]
    overrides = [override for override in arguments.names if "=" in override]
    return reproduce(home(), names, overrides, arguments.out, arguments.jobs, arguments.correction)


def _select(arguments: argparse.Namespace) -> int:
    from venire.commands.select import select

    return select(home(), arguments.sweep, name=arguments.name, judges=arguments.judges, out=arguments.out)


def _personas(arguments: argparse.Namespace) -> int:
    from venire.commands import personas

    match arguments.action:
        case "show":
            return personas.show(home(), arguments.name, arguments.rest, arguments.config_dir)
        case "diff":
            return personas.diff(home(), arguments.old, arguments.new, arguments.config_dir)
        case "validate":
            return personas.validate(home(), arguments.name, arguments.documents, arguments.config_dir)
        case _:
            return personas.build(home(), personas.request_of(arguments), arguments.rest)


def _sync(arguments: argparse.Namespace) -> int:
    from venire.commands.sync import sync

    return sync(home(), arguments.uri, check_all=arguments.all)


def _doctor(arguments: argparse.Namespace) -> int:
    from venire.commands.doctor import doctor

    return doctor(home(), store=arguments.store, reconcile=arguments.reconcile)


if __name__ == "__main__":
    sys.exit(main())
