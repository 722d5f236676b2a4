"""`venire rubric`: generate the rubric of a criterion, show one, compare two, check one."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from omegaconf import DictConfig

from venire.build import build
from venire.commands import exits
from venire.commands.building import called, model_of, placed, refuse_target, tell, write
from venire.commands.composing import one_job
from venire.commands.rubric_sets import GROUP, find_rubrics, listed_rubrics
from venire.config import calling_of, criteria_of
from venire.errors import ConfigError
from venire.generated.calling import Calling, check_calling
from venire.judging.criteria import CriteriaSet, Criterion
from venire.judging.rubric import GeneratedRubric, RubricSet
from venire.judging.scales import ScaleName, scale_of
from venire.judging.write_rubric import rubric_messages
from venire.personas.naming import key_of
from venire.rubrics.checks import findings
from venire.rubrics.generating import generate_rubrics
from venire.rubrics.record import file_of, header_of
from venire.rubrics.showing import differences, shown

_WHAT = "generating a rubric"


@dataclass(frozen=True, slots=True)
class GenerateRequest:
    """The options of `venire rubric generate`.

    Args:
        criterion, description: of the one criterion; None where `criteria=NAME` names a set.
        wanted: strictness and domain.
        scale: of all criteria; None: each its own.
        out, config_dir, force, dry_run: as they were given.
    """

    criterion: str | None
    description: str | None
    wanted: GeneratedRubric
    scale: ScaleName | None
    out: Path | None
    config_dir: Path | None
    force: bool
    dry_run: bool


def generate(home: Path, request: GenerateRequest, overrides: Sequence[str]) -> int:
    """Generate a rubric and write it; returns the exit status.

    Raises:
        ConfigError: an option that cannot be right.
        RunError: the model wrote no usable rubric.
    """
    calling, chosen = one_job(_looked_at, overrides, request.config_dir, command="venire rubric generate")
    criteria, default = _criteria(request, chosen)
    name, out = placed(home, GROUP, f"{default}_{request.wanted.strictness}", request.out)
    if request.dry_run:
        for criterion in criteria:
            for message in rubric_messages(criterion, request.wanted):
                print(f"--- {message.role}\n{message.content}")
        print(f"{len(criteria)} call(s); nothing was called")
        return exits.OK
    refuse_target(out, force=request.force)
    check_calling(calling, os.environ)
    generated = called(
        home,
        calling,
        f"rubric {name}",
        lambda llm: generate_rubrics(criteria, request.wanted, calling, llm),
    )
    if generated is None:
        return exits.INCOMPLETE
    content = file_of(name, request.wanted, calling, generated.result)
    made = build(content, GROUP)
    assert isinstance(made, RubricSet)
    write(out, content, header_of(content, model_of(calling, generated.result.calls)), calling)
    for warning in (*findings(made), *generated.summary.warnings):
        tell(str(warning) if not isinstance(warning, str) else f"warning: {warning}")
    print(shown(made))
    print(f"{generated.summary.paid} calls paid, {generated.summary.replayed} replayed")
    print(f"use it: venire run method=direct criteria=... rubric={name} ...")
    print(out)
    return exits.OK


def show(home: Path, name: str | None, config_dir: Path | None) -> int:
    """Print a set of rubrics, or list those that there are."""
    lines = (
        listed_rubrics(home, config_dir) if name is None else [shown(find_rubrics(home, name, config_dir))]
    )
    print("\n".join(lines))
    return exits.OK


def diff(home: Path, old: str, new: str, config_dir: Path | None) -> int:
    """Print what two sets differ in."""
    lines = differences(*(find_rubrics(home, each, config_dir) for each in (old, new)))
    print("\n".join(lines or ["no difference"]))
    return exits.OK


def validate(home: Path, name: str, config_dir: Path | None) -> int:
    """Print what is wrong or odd with a set; status 1 where something is wrong."""
    try:
        made = find_rubrics(home, name, config_dir)
    except ConfigError as error:
        print(f"error: {error}")
        return exits.FAILED
    found = findings(made)
    print("\n".join([*map(str, found), f"{made.name}: 0 errors, {len(found)} warnings"]))
    return exits.OK


def _looked_at(cfg: DictConfig, overrides: Sequence[str]) -> tuple[Calling, CriteriaSet | None]:
    return calling_of(cfg, overrides, what=_WHAT, also=("criteria",)), criteria_of(cfg)


def _criteria(request: GenerateRequest, chosen: CriteriaSet | None) -> tuple[list[Criterion], str]:
    """What rubrics are wanted of, and what the file is called by default."""
    if (request.criterion is None) == (chosen is None):
        raise ConfigError(
            "--criterion: expected one (with --description), or criteria=NAME for all of a set; "
            f"got {'neither' if chosen is None else 'both'}"
        )
    scale = None if request.scale is None else scale_of(request.scale)
    if chosen is not None:
        return [
            Criterion(each.key, each.name, each.description, each.weight, scale or each.scale)
            for each in chosen.criteria
        ], chosen.name
    if request.description is None:
        raise ConfigError("--description: missing; say what the criterion measures, in a sentence")
    name = str(request.criterion)
    if not name.strip() or not request.description.strip():
        raise ConfigError("--criterion, --description: expected a text, one of them is empty")
    key = key_of(name, "criterion")
    return [Criterion(key, name, request.description, 1.0, scale or scale_of(ScaleName.ONE_TO_FIVE))], key
