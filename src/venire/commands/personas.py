"""`venire personas`: build a set from documents, show one, compare two, check one."""

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from venire.build import build as built_from
from venire.commands import exits
from venire.commands.building import called, model_of, placed, refuse_target, tell, write
from venire.commands.composing import one_job
from venire.commands.persona_sets import GROUP, find_set, listed_sets
from venire.config import calling_of
from venire.generated.calling import Calling, check_calling
from venire.personas.building import build_personas, part_tokens
from venire.personas.built import Brief, ConsolidateBy
from venire.personas.checks import findings
from venire.personas.comparing import differences
from venire.personas.naming import key_of
from venire.personas.parts import estimated_tokens, parts_of
from venire.personas.reading import Documents, read_documents
from venire.personas.record import file_of, header_of, warnings_of
from venire.personas.showing import provenance_lines, shown


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
    calling = one_job(calling_of, overrides, request.config_dir, command="venire personas build")
    if request.dry_run:
        _print(_plan(brief, documents, calling))
        return exits.OK
    check_calling(calling, os.environ)
    built = called(
        home,
        calling,
        f"personas {brief.name}",
        lambda llm: build_personas(brief, documents, calling, llm, say=tell),
    )
    if built is None:
        return exits.INCOMPLETE
    content = file_of(brief, documents, calling, built.result)
    made = built_from(content, "persona")
    write(out, content, header_of(content, model_of(calling, built.result.calls)), calling)
    for warning in (*warnings_of(documents, built.result), *built.summary.warnings):
        tell(f"warning: {warning}")
    counts = f"{built.summary.paid} calls paid, {built.summary.replayed} replayed"
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
    default = key_of(request.documents.resolve().name, "personas")
    name, out = placed(home, GROUP, default, request.out)
    refuse_target(out, force=request.force)
    return replace(request.brief, name=name), out


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


def _how_to_use(home: Path, out: Path) -> list[str]:
    name, folder = out.stem, out.resolve().parent
    if folder == (home / "config" / "persona").resolve():
        return [f"use it: venire run method=maj_eval persona={name} ..."]
    if folder.name == "persona":
        return [f"use it: venire run method=maj_eval persona={name} --config-dir {folder.parent} ..."]
    return [f"to use it, put it into DIR/persona and give --config-dir DIR persona={name}"]


def _print(lines: Sequence[str]) -> None:
    print("\n".join(lines))
