"""The commands about people's judgments, as argparse knows them: agreement, alt-test, review, advise.

Light, as `cli.py`: what a command does is imported when it is called.
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from venire.commands.overrides import is_override
from venire.errors import ConfigError

if TYPE_CHECKING:
    from venire.commands.review import ImportRequest
    from venire.review.queue import ReviewFilter
    from venire.review.sheets import Shown

_Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

_OF_DATA = "KEY=VALUE: dataset=NAME and its keys, metrics.draws, metrics.level, seed."


def add_people(commands: _Commands) -> None:
    """Add the commands to the parser."""
    _add_agreement(commands)
    _add_alt_test(commands)
    _add_review(commands)
    _add_advise(commands)


def takes_overrides(arguments: argparse.Namespace, rest: Sequence[str]) -> bool:
    """Whether what argparse did not know may be KEY=VALUE of a data set."""
    return all("=" in each and not each.startswith("-") for each in rest) and (
        arguments.command in ("agreement", "alt-test", "advise")
        or (arguments.command == "review" and arguments.action in ("import", "serve"))
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


def _add_review(commands: _Commands) -> None:
    review = commands.add_parser(
        "review",
        help="uncertain items out to people, their labels back",
        epilog="On a page in the browser: venire review serve (docs/page.md).",
    )
    actions = review.add_subparsers(dest="action", required=True, metavar="ACTION")
    _add_review_serve(actions)
    export = actions.add_parser("export", help="what a run left uncertain, as a file to fill in")
    export.add_argument("run", metavar="RUN")
    export.add_argument("--out", type=Path, required=True, metavar="FILE", help=".jsonl or .csv")
    _add_shown(export)
    export.add_argument("--force", action="store_true", help="overwrite FILE")
    take = actions.add_parser("import", help="labels from such a file", epilog=_OF_DATA)
    take.add_argument("file", type=Path, metavar="FILE")
    take.add_argument(
        "run", nargs="?", metavar="RUN", help="whose uncertainty they answer; it is measured again"
    )
    take.add_argument("--labels-for", metavar="DATASET", help="the data set that they are of, without a run")
    take.add_argument("--annotator", metavar="NAME", help="who labelled the rows that do not say")
    take.add_argument("--config-dir", type=Path, help="a folder of configuration files of one's own")
    measure = actions.add_parser("measure", help="a run once more, with all labels of its data set")
    measure.add_argument("run", metavar="RUN")
    _add_review_rubric(actions)
    dataset = actions.add_parser("dataset", help="labelled items as a data set: dataset=NAME")
    dataset.add_argument("run", metavar="RUN", help="whose items")
    dataset.add_argument("--name", required=True)
    dataset.add_argument("--force", action="store_true", help="overwrite it")
    labels = actions.add_parser("labels", help="what labels there are; with --out as a file")
    labels.add_argument("--out", type=Path, metavar="FILE", help=".jsonl or .csv; review import takes it")
    labels.add_argument("--dataset", metavar="NAME", help="of this data set")
    labels.add_argument("--study", metavar="NAME", help="of this study")
    labels.add_argument("--force", action="store_true", help="overwrite FILE")
    choices = actions.add_parser("choices", help="what people chose in JuryFlow's human mode, as a file")
    choices.add_argument("source", metavar="FILE|RUN", help="the run's choices=FILE, or the run")
    choices.add_argument("--out", type=Path, required=True, metavar="FILE", help=".jsonl or .csv")
    choices.add_argument("--force", action="store_true", help="overwrite FILE")
    review.set_defaults(handler=_review)


def _add_shown(parser: argparse.ArgumentParser) -> None:
    """Which items of a run, and what is told of them."""
    parser.add_argument(
        "--include",
        metavar="REASON,...",
        help="some of escalated, unscored, inconsistent, low_confidence, incomplete, not_run; default: "
        "all but not_run",
    )
    parser.add_argument("--below", type=float, default=0.7, help="a confidence below is low; default .7")
    parser.add_argument("--limit", type=int, metavar="N", help="the first N of them")
    parser.add_argument(
        "--names", action="store_true", help="tell ids of the data set, models and subsets: else handles"
    )
    parser.add_argument("--verdicts", action="store_true", help="tell what the run said: people follow it")


def _add_review_serve(actions: _Commands) -> None:
    serve = actions.add_parser(
        "serve",
        help="a page in the browser: review a run, or annotate data for a study",
        epilog=f"RUN: what it left uncertain; or --study NAME with {_OF_DATA[:-1]}, once. Keys and security: "
        "docs/page.md.",
    )
    serve.add_argument("run", nargs="?", metavar="RUN|dataset=NAME", help="whose items, or which data")
    serve.add_argument("--study", metavar="NAME", help="annotate data blindly, each in an order of one's own")
    _add_shown(serve)
    serve.add_argument("--rubric", metavar="NAME|FILE", help="beside the items; default: the run's")
    serve.add_argument("--annotators", metavar="ID,...", help="who may label; default: anybody, by any id")
    serve.add_argument("--port", type=int, metavar="N", help="default: the first free one from 8350 on")
    serve.add_argument(
        "--host", default="127.0.0.1", help="an address that others reach, too; a token is required then"
    )
    serve.add_argument(
        "--name", action="append", default=[], help="a host name by which browsers call the page; repeatable"
    )
    serve.add_argument("--config-dir", type=Path, help="a folder of configuration files of one's own")


def _add_review_rubric(actions: _Commands) -> None:
    rubric = actions.add_parser("rubric", help="a rubric with people's corrections of a run as edge cases")
    rubric.add_argument("run", metavar="RUN")
    rubric.add_argument("--rubric", required=True, metavar="NAME|FILE", help="the rubric that grows")
    rubric.add_argument(
        "--out", type=Path, metavar="FILE", help="default: VENIRE_HOME/config/rubric/NAME.yaml"
    )
    rubric.add_argument("--name", help="of the new rubric; default: the old one's, with _corrected")
    rubric.add_argument("--criterion", help="what corrections of pairs are taken to be of")
    rubric.add_argument("--without-reason", action="store_true", help="also corrections without a comment")
    rubric.add_argument("--force", action="store_true", help="overwrite FILE")


def _add_advise(commands: _Commands) -> None:
    advise = commands.add_parser(
        "advise", help="which method and metrics fit a data set, and why", epilog=_OF_DATA
    )
    advise.add_argument(
        "--objective",
        choices=("yes", "no"),
        help="whether a ground truth decides what is right, where the data does not tell",
    )
    _add_common(advise)
    advise.set_defaults(handler=_advise)


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="plain values for scripts")
    parser.add_argument("--config-dir", type=Path, help="a folder of configuration files of one's own")


def _agreement(arguments: argparse.Namespace) -> int:
    from venire.commands.agreement import agreement

    return agreement(arguments.rest, arguments.config_dir, as_json=arguments.json)


def _alt_test(arguments: argparse.Namespace) -> int:
    from venire.commands.alt_test import AltTestRequest, run_alt_test
    from venire.stats.alt_test import AltTestSettings

    named = arguments.run is not None and is_override(arguments.run)
    request = AltTestRequest(
        run=None if named else arguments.run,
        overrides=(*((arguments.run,) if named else ()), *arguments.rest),
        config_dir=arguments.config_dir,
        judge=arguments.judge,
        group=arguments.group,
        settings=AltTestSettings(arguments.epsilon, arguments.q, arguments.min_items),
        as_json=arguments.json,
    )
    return run_alt_test(_home(), request)


def _review(arguments: argparse.Namespace) -> int:
    from venire.commands import review

    match arguments.action:
        case "export":
            return _export(arguments)
        case "import":
            return review.import_labels(_home(), _import_request(arguments))
        case "rubric":
            from venire.commands.review_rubric import RubricRequest, correct_rubric

            request = RubricRequest(
                run=arguments.run,
                rubric=arguments.rubric,
                out=arguments.out,
                name=arguments.name,
                criterion=arguments.criterion,
                without_reason=arguments.without_reason,
                force=arguments.force,
            )
            return correct_rubric(_home(), request)
        case "dataset":
            from venire.commands.review_dataset import write_dataset

            return write_dataset(_home(), arguments.run, name=arguments.name, force=arguments.force)
        case "measure":
            return review.measure_labelled(_home(), arguments.run)
        case "serve":
            return _serve(arguments)
        case "choices":
            from venire.commands.review_choices import write_choices

            return write_choices(_home(), arguments.source, arguments.out, force=arguments.force)
        case _:
            return _labels(arguments)


def _labels(arguments: argparse.Namespace) -> int:
    from venire.commands import review
    from venire.commands.review_labels import write_labels

    if arguments.out is None:
        return review.list_labels(_home())
    return write_labels(
        _home(),
        arguments.out,
        dataset=arguments.dataset,
        study=arguments.study,
        force=arguments.force,
    )


def _serve(arguments: argparse.Namespace) -> int:
    from venire.commands.review_serve import Address, ServeRequest, serve_review

    named = arguments.run is not None and is_override(arguments.run)
    request = ServeRequest(
        run=None if named else arguments.run,
        study=arguments.study,
        overrides=(*((arguments.run,) if named else ()), *arguments.rest),
        config_dir=arguments.config_dir,
        chosen=_chosen(arguments),
        limit=_limit(arguments),
        shown=_shown(arguments),
        rubric=arguments.rubric,
        annotators=tuple(each.strip() for each in (arguments.annotators or "").split(",") if each.strip()),
        address=Address(arguments.host, arguments.port, tuple(arguments.name)),
    )
    return serve_review(_home(), request)


def _export(arguments: argparse.Namespace) -> int:
    from venire.commands import review

    return review.export(
        _home(),
        arguments.run,
        arguments.out,
        chosen=_chosen(arguments),
        shown=_shown(arguments),
        limit=_limit(arguments),
        force=arguments.force,
    )


def _chosen(arguments: argparse.Namespace) -> "ReviewFilter":
    from venire.commands.review import reasons_of
    from venire.review.queue import UNCERTAIN, ReviewFilter

    reasons = UNCERTAIN if arguments.include is None else reasons_of(arguments.include)
    return ReviewFilter(reasons, arguments.below)


def _shown(arguments: argparse.Namespace) -> "Shown":
    from venire.review.sheets import Shown

    return Shown(arguments.names, arguments.verdicts)


def _limit(arguments: argparse.Namespace) -> int | None:
    limit: int | None = arguments.limit
    if limit is not None and limit < 1:
        raise ConfigError(f"--limit: expected at least 1, got {limit}")
    return limit


def _import_request(arguments: argparse.Namespace) -> "ImportRequest":
    from venire.commands.review import ImportRequest

    named = arguments.run is not None and is_override(arguments.run)
    return ImportRequest(
        file=arguments.file,
        run=None if named else arguments.run,
        labels_for=arguments.labels_for,
        overrides=(*((arguments.run,) if named else ()), *arguments.rest),
        config_dir=arguments.config_dir,
        annotator=arguments.annotator,
    )


def _advise(arguments: argparse.Namespace) -> int:
    from venire.commands.advise import advise_on

    objective = None if arguments.objective is None else arguments.objective == "yes"
    return advise_on(arguments.rest, arguments.config_dir, objective=objective, as_json=arguments.json)
