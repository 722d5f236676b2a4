"""Personas from documents: read in parts, checked quotes, groups, people.

build -> extract each part -> check each quote -> consolidate the views -> write each persona.
Source: MAJ-EVAL, step 1.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from venire.errors import ConfigError, RunError
from venire.generated.calling import Calling
from venire.generated.replies import LostReply, refuse_rejected, together, why
from venire.judging.consolidate import GroupReply, MergedReply, consolidate
from venire.judging.stakeholders import EXTRACT, Extracted, extract_stakeholders
from venire.judging.write_persona import Seat, WrittenPersona, write_persona
from venire.llm.protocol import LLM
from venire.personas.blocks import Document
from venire.personas.built import (
    LEAST_PART,
    Brief,
    Built,
    ConsolidateBy,
    Drafted,
    DraftedGroup,
    UnreadPart,
    UnwrittenPersona,
)
from venire.personas.grounding import Source
from venire.personas.parts import Part, estimated_tokens, parts_of
from venire.personas.reading import Documents
from venire.personas.views import Checked, GroundedView, all_of, check_views
from venire.prompts.render import render
from venire.records import Call, Reason, Unscored

_SPARE = 0.9  # of a small context: tokens are estimated by characters


@dataclass(frozen=True, slots=True)
class _Read:
    """A part and what became of it."""

    document: Document
    part: Part
    extracted: Extracted


async def build_personas(
    brief: Brief, documents: Documents, calling: Calling, llm: LLM, *, say: Callable[[str], None]
) -> Built:
    """Groups of personas for `brief.task`, all of them with evidence in `documents`.

    Raises:
        RunError: no stakeholder with evidence, no usable consolidation, too many failures.
        LostReply: a call was not answered.
        STOPS: see `venire.runner`.
    """
    size = part_tokens(brief, calling)
    parts = [(document, part) for document in documents.read for part in parts_of(document, size)]
    say(f"reading {len(documents.read)} documents in {len(parts)} parts")
    read = await together(_read(brief, calling, llm, document, part) for document, part in parts)
    unread = _unread(read, calling.max_unscored)
    checked = {document.name: _checked(document, read) for document in documents.read}
    views = all_of(checked).views
    _refuse_without_views(checked)
    say(f"grouping {len(views)} views")
    groups, grouping = await _grouped(brief, calling, llm, views)
    seats = [(group, merged) for group in groups for merged in group.dimensions]
    say(f"writing {len(seats)} personas in {len(groups)} groups")
    written = await together(_write(brief, calling, llm, views, *seat) for seat in seats)
    unwritten = _unwritten(seats, written, calling.max_unscored)
    return Built(
        groups=_drafted(groups, views, seats, written),
        parts={document.name: sum(each.document is document for each in read) for document in documents.read},
        part_tokens=size,
        checked=checked,
        unread=unread,
        unwritten=unwritten,
        calls=(
            *(call for each in read for call in each.extracted.calls),
            *grouping,
            *(call for each in written for call in each.calls),
        ),
    )


def part_tokens(brief: Brief, calling: Calling) -> int:
    """How many tokens of a document one call may be shown.

    Raises:
        ConfigError: the model's context leaves no room for a part.
    """
    context = calling.context_tokens
    if context is None:
        return brief.part_tokens
    asked = render(EXTRACT, task=brief.task, paragraphs="")
    overhead = sum(estimated_tokens(message.content) for message in asked)
    room = int(_SPARE * (context - overhead - min(calling.judge.max_tokens, context // 3)))
    if room < LEAST_PART:
        raise ConfigError(
            f"local.n_ctx: {context} tokens leave {max(room, 0)} for a part of a document, expected at least "
            f"{LEAST_PART}; raise it"
        )
    return min(brief.part_tokens, room)


async def _read(brief: Brief, calling: Calling, llm: LLM, document: Document, part: Part) -> _Read:
    shown = [(paragraph.number, paragraph.text) for paragraph in part]
    extracted = await extract_stakeholders(calling.judge, brief.task, shown, llm, document=document.name)
    return _Read(document, part, extracted)


def _unread(read: Sequence[_Read], most: float) -> tuple[UnreadPart, ...]:
    unread = [
        UnreadPart(each.document.name, each.part[0].number, each.part[-1].number, reason)
        for each in read
        if isinstance(reason := each.extracted.stakeholders, Unscored)
    ]
    _refuse_failures("parts", [part.reason for part in unread], len(read), most)
    return tuple(unread)


def _refuse_failures(what: str, reasons: Sequence[Unscored], n: int, most: float) -> None:
    """Stop where a call was lost, or where more than the share `most` of a stage failed."""
    _refuse_lost(what, reasons, n)
    if len(reasons) > most * n:
        raise RunError(
            f"{what}: {len(reasons)} of {n} without a usable reply, more than max_unscored={most}; for "
            f"example {why(reasons[0])}"
        )


def _refuse_lost(what: str, reasons: Sequence[Unscored], n: int) -> None:
    for reason in reasons:
        if reason.reason is Reason.PROVIDER_ERROR:
            refuse_rejected(what, reason)
            raise LostReply(f"{what}: no reply on {len(reasons)} of {n}: {reason.detail}")


def _checked(document: Document, read: Sequence[_Read]) -> Checked:
    source = Source(document.paragraphs)
    stakeholders = [
        stakeholder
        for each in read
        if each.document is document and not isinstance(each.extracted.stakeholders, Unscored)
        for stakeholder in each.extracted.stakeholders
    ]
    return check_views(document.name, source, stakeholders)


def _refuse_without_views(checked: dict[str, Checked]) -> None:
    everything = all_of(checked)
    if everything.views:
        return
    if not everything.dropped:
        raise RunError(
            f"no stakeholder of the task in {', '.join(checked)}: give documents in which people say what "
            "they want of it, or another --task"
        )
    first = everything.dropped[0]
    raise RunError(
        f"none of {len(everything.dropped)} views is grounded in {', '.join(checked)}, for example "
        f"{first.stakeholder!r} by {first.quote[:120]!r} ({first.fault}, best match {first.match}); "
        "take a stronger model"
    )


async def _grouped(
    brief: Brief, calling: Calling, llm: LLM, views: Sequence[GroundedView]
) -> tuple[tuple[GroupReply, ...], tuple[Call, ...]]:
    if brief.consolidate_by is ConsolidateBy.NAMES:
        return by_names(views), ()
    seen = [each.view for each in views]
    made = await consolidate(calling.judge, brief.task, seen, llm, subject=brief.name)
    if isinstance(made.groups, Unscored):
        _refuse_lost("consolidation", [made.groups], 1)
        raise RunError(
            f"the model put {len(views)} views into no usable groups in {len(made.calls)} tries "
            f"({why(made.groups)}); take a stronger model, or --consolidate names, which asks none"
        )
    return made.groups, made.calls


def by_names(views: Sequence[GroundedView]) -> tuple[GroupReply, ...]:
    """A group for each name of a stakeholder, a dimension for each name of one; case aside."""
    groups: defaultdict[str, defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for number, each in enumerate(views, 1):
        groups[each.view.stakeholder.casefold()][each.view.dimension.casefold()].append(number)
    made = []
    for dimensions in groups.values():
        first = views[next(iter(dimensions.values()))[0] - 1].view
        merged = [
            MergedReply(dimension=views[numbers[0] - 1].view.dimension, views=numbers)
            for numbers in dimensions.values()
        ]
        made.append(GroupReply(name=first.stakeholder, description=first.description, dimensions=merged))
    return tuple(made)


async def _write(
    brief: Brief,
    calling: Calling,
    llm: LLM,
    views: Sequence[GroundedView],
    group: GroupReply,
    merged: MergedReply,
) -> WrittenPersona:
    own = [views[number - 1] for number in merged.views]
    seat = Seat(
        group=group.name,
        description=group.description,
        dimension=merged.dimension,
        perspectives=list(dict.fromkeys(each.view.perspective for each in own)),
        quotes=list(dict.fromkeys(each.evidence.quote for each in own)),
        others=[other.dimension for other in group.dimensions if other is not merged],
    )
    return await write_persona(calling.judge, brief.task, seat, llm, subject=brief.name)


def _unwritten(
    seats: Sequence[tuple[GroupReply, MergedReply]], written: Sequence[WrittenPersona], most: float
) -> tuple[UnwrittenPersona, ...]:
    unwritten = [
        UnwrittenPersona(group.name, merged.dimension, reason)
        for (group, merged), each in zip(seats, written, strict=True)
        if isinstance(reason := each.parts, Unscored)
    ]
    _refuse_failures("personas", [each.reason for each in unwritten], len(seats), most)
    return tuple(unwritten)


def _drafted(
    groups: Sequence[GroupReply],
    views: Sequence[GroundedView],
    seats: Sequence[tuple[GroupReply, MergedReply]],
    written: Sequence[WrittenPersona],
) -> tuple[DraftedGroup, ...]:
    made = []
    for group in groups:
        personas = tuple(
            Drafted(
                merged.dimension, each.parts, tuple(views[number - 1].evidence for number in merged.views)
            )
            for (owner, merged), each in zip(seats, written, strict=True)
            if owner is group and not isinstance(each.parts, Unscored)
        )
        if personas:
            made.append(DraftedGroup(group.name, group.description, personas))
    return tuple(made)
