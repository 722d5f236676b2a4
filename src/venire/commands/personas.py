"""`venire personas`: build a set from documents, show one, compare two, check one."""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig

from venire.build import build as built_from
from venire.commands import exits
from venire.commands.building import refuse_unwritable
from venire.commands.composing import look_at_each_job
from venire.commands.persona_sets import find_set, listed_sets, shipped
from venire.config import calling_of
from venire.ending import AGAIN, advice_after
from venire.errors import ConfigError
from venire.generated.calling import Calling, Door, check_calling, secrets_of, with_llm
from venire.generated.record import yaml_of
from venire.generated.replies import LostReply
from venire.personas.building import build_personas, part_tokens
from venire.personas.built import Brief, Built, ConsolidateBy
from venire.personas.checks import findings
from venire.personas.comparing import differences
from venire.personas.naming import is_option_name, key_of
from venire.personas.parts import estimated_tokens, parts_of
from venire.personas.reading import Documents, read_documents
from venire.personas.record import file_of, header_of, warnings_of
from venire.personas.showing import provenance_lines, shown
from venire.runner import STOPS
from venire.runs import redact, write_atomically


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """The options of `venire personas build`; `brief` has no name yet where `--out` gives none."""

    documents: Path
    brief: Brief
    selection: str
    out: Path | None
    config_dir: Path | None
    force: bool
    dry_run: bool


def request_of(arguments: argparse.Namespace) -> BuildRequest:
    """The options, as the parser read them."""
    by = ConsolidateBy(arguments.consolidate)
    return BuildRequest(
        documents=arguments.documents,
        brief=Brief("", arguments.task, arguments.part_tokens, by),
        selection=arguments.selection,
        out=arguments.out,
        config_dir=arguments.config_dir,
        force=arguments.force,
        dry_run=arguments.dry_run,
    )


def build(home: Path, request: BuildRequest, overrides: Sequence[str]) -> int:
    """Build a set of personas and write it; returns the exit status.

    Args:
        home: `VENIRE_HOME`.
        request: what to build from what.
        overrides: hydra's (judge, backend, llm, budget, ...).

    Raises:
        ConfigError, DataError, RunError: see `Brief`, `read_documents`, `build_personas`.
    """
    brief, out = _placed(home, request)
    documents = read_documents(request.documents, selection=request.selection)
    calling = _composed(overrides, request.config_dir)
    if request.dry_run:
        _print(_plan(brief, documents, calling))
        return exits.OK
    check_calling(calling, os.environ)
    door = Door(home, os.environ, time.time, _tell)

    try:
        called = with_llm(
            calling,
            door,
            f"personas {brief.name}",
            lambda llm: build_personas(brief, documents, calling, llm, say=_tell),
        )
    except (*STOPS, LostReply) as stopped:
        advice = AGAIN if isinstance(stopped, LostReply) else advice_after(stopped)
        _tell(f"stopped: {stopped}" + (f"\n{advice}" if advice else ""))
        return exits.INCOMPLETE
    content = file_of(brief, documents, calling, called.result)
    made = built_from(content, "persona")
    out.parent.mkdir(parents=True, exist_ok=True)
    text = yaml_of(content, header_of(content, _model(calling, called.result)))
    write_atomically(out, redact(text, secrets_of(calling, os.environ)))
    for warning in (*warnings_of(documents, called.result), *called.summary.warnings):
        _tell(f"warning: {warning}")
    counts = f"{called.summary.paid} calls paid, {called.summary.replayed} replayed"
    groups = [f"{group.name}: {', '.join(p.name for p in group.personas)}" for group in made.groups]
    _print([*groups, *provenance_lines(made.provenance), counts, *_how_to_use(home, out), str(out)])
    return exits.OK


def show(home: Path, name: str | None, overrides: Sequence[str], config_dir: Path | None) -> int:
    """Print a set, or list those that there are."""
    if name is None:
        _print(listed_sets(home, config_dir))
    else:
        _print([shown(find_set(home, name, overrides, config_dir))])
    return exits.OK


def diff(home: Path, old: str, new: str, config_dir: Path | None) -> int:
    """Print what two sets differ in."""
    lines = differences(*(find_set(home, each, (), config_dir) for each in (old, new)))
    _print(lines or ["no difference"])
    return exits.OK


def validate(home: Path, name: str, documents: Path | None, config_dir: Path | None) -> int:
    """Print what is wrong or odd with a set; status 1 where something is wrong."""
    made = find_set(home, name, (), config_dir)
    found = findings(made, read_documents(documents) if documents else None)
    errors = sum(each.is_error for each in found)
    _print([*map(str, found), f"{made.name}: {errors} errors, {len(found) - errors} warnings"])
    return exits.FAILED if errors else exits.OK


def _placed(home: Path, request: BuildRequest) -> tuple[Brief, Path]:
    """The brief with the set's name, and the file that it goes to."""
    name = request.out.stem if request.out else key_of(request.documents.resolve().name, "personas")
    out = request.out or home / "config" / "persona" / f"{name}.yaml"
    if out.suffix not in (".yaml", ".yml") or not is_option_name(name):
        raise ConfigError(
            f"--out: expected a .yaml file whose name has letters, digits, '-' and '_' only, got {out.name}"
        )
    if name in shipped():
        raise ConfigError(f"--out: persona={name} is a file of venire's own; take another name")
    if out.exists() and not request.force:
        raise ConfigError(f"--out: {out} is there already; name another file, or give --force")
    refuse_unwritable(out)
    return replace(request.brief, name=name), out


def _composed(overrides: Sequence[str], config_dir: Path | None) -> Calling:
    made: list[Calling] = []

    def job(cfg: DictConfig) -> None:
        hydra_cfg = HydraConfig.get()
        made.append(calling_of(cfg, [str(each) for each in hydra_cfg.overrides.task]))

    more = ["--config-dir", str(config_dir)] if config_dir else []
    look_at_each_job(job, [*overrides, *more], command="venire personas build")
    return made[0]


def _plan(brief: Brief, documents: Documents, calling: Calling) -> list[str]:
    """What would be read, in how many calls; nothing is sent."""
    size = part_tokens(brief, calling)
    lines, total = [], 0
    for document in documents.read:
        parts = parts_of(document, size)
        tokens = sum(estimated_tokens(paragraph.text) for part in parts for paragraph in part)
        total += tokens
        lines.append(
            f"{document.name}: {document.form}, {len(document.paragraphs)} paragraphs, "
            f"about {tokens} tokens in {len(parts)} calls (at most {size} tokens of it each)"
        )
        lines += [
            f"  left out: {each.heading} (paragraphs {each.first} to {each.last})"
            for each in document.left_out
        ]
        lines += [f"  note: {note}" for note in document.notes]
    lines += [f"{each.name}: the text of {each.same_as}, left out" for each in documents.duplicates]
    lines.append(f"about {total} tokens to read; then one call to group, one a persona. Nothing was called.")
    return lines


def _model(calling: Calling, built: Built) -> str:
    answered = sorted({call.model_returned for call in built.calls})
    return f"{', '.join(answered)} ({calling.kind})"


def _how_to_use(home: Path, out: Path) -> list[str]:
    name, folder = out.stem, out.resolve().parent
    if folder == (home / "config" / "persona").resolve():
        return [f"use it: venire run method=maj_eval persona={name} ..."]
    if folder.name == "persona":
        return [f"use it: venire run method=maj_eval persona={name} --config-dir {folder.parent} ..."]
    return [f"to use it, put it into DIR/persona and give --config-dir DIR persona={name}"]


def _print(lines: Sequence[str]) -> None:
    print("\n".join(lines))


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
