"""`venire alt-test`: whether a judge may replace a human annotator."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from venire.commands import exits
from venire.commands.data_sets import chosen_data, data_of_folder
from venire.data.annotations import annotations_of, units_in
from venire.errors import ConfigError, DataError
from venire.metrics.replacing import Replacement, replacement, verdicts_by_unit
from venire.records import Annotations, BackendKind
from venire.reporting.table import Cell, Estimate, Format, Table
from venire.runs import find_run, read_outcomes, read_record
from venire.stats.alt_test import AltTestSettings


@dataclass(frozen=True, slots=True)
class AltTestRequest:
    """The options of `venire alt-test`: a run, or a data set with verdicts that were published with it."""

    run: str | None
    overrides: tuple[str, ...]
    config_dir: Path | None
    judge: str | None
    group: str | None
    settings: AltTestSettings
    as_json: bool


def run_alt_test(home: Path, request: AltTestRequest) -> int:
    """Run the test and print it; returns the exit status.

    Raises:
        ConfigError: neither a run nor a data set is named, or both.
        DataError: no annotators to hold the judge against, or no verdicts on their scale.
    """
    if (request.run is None) == (not request.overrides):
        raise ConfigError(
            "alt-test: expected either a run (venire alt-test RUN) or a data set with published verdicts "
            "(venire alt-test dataset=mt_bench_votes)"
        )
    found = list(_of_run(home, request) if request.run is not None else _of_data(request))
    if not found:
        raise DataError(
            f"{request.run}: expected verdicts on what several annotators judged, the run has none (one "
            "score of the whole response is on no dimension's scale)"
        )
    if request.as_json:
        print(
            json.dumps(
                {"epsilon": request.settings.epsilon, "tests": [_json(each) for each in found]}, indent=1
            )
        )
        return exits.OK
    for each in found:
        print(_table(each, request.settings).render(Format.TEXT))
    return exits.OK


def _of_run(home: Path, request: AltTestRequest) -> Iterator[Replacement]:
    assert request.run is not None
    folder = find_run(home, request.run)
    record = read_record(folder)
    data = data_of_folder(folder)
    units = dict(
        zip((i.id for i in data.loaded.instances), units_in(data.dataset, data.loaded.instances), strict=True)
    )
    rows = read_outcomes(folder)
    judge = record.name if record.kind is BackendKind.LIVE else f"{record.name} [{record.kind}]"
    for annotations in _largest(annotations_of(data.dataset, data.loaded)):
        verdicts, notes = verdicts_by_unit(
            ((units[row.id], row.prediction) for row in rows), annotations.dimension
        )
        if not verdicts:  # a mean of dimensions, that nobody is asked for
            continue
        yield replacement(annotations, (judge, verdicts), request.settings, group=request.group, notes=notes)


def _of_data(request: AltTestRequest) -> Iterator[Replacement]:
    chosen = chosen_data(request.overrides, request.config_dir, command="alt-test")
    sets = _largest(annotations_of(chosen.dataset, chosen.dataset.load()))
    names = dict.fromkeys(name for each in sets for name in each.machines)
    if not names or (request.judge is not None and request.judge not in names):
        there = f"got those of {', '.join(names)} (--judge)" if names else "got none"
        wanted = "of a model" if request.judge is None else f"of {request.judge}"
        raise DataError(
            f"{chosen.dataset.name}: expected verdicts {wanted} that were published with the data, {there}; "
            "or name a run: venire alt-test RUN"
        )
    for annotations in sets:
        for name, verdicts in annotations.machines.items():
            if request.judge in (None, name):
                yield replacement(annotations, (name, verdicts), request.settings, group=request.group)


def _largest(sets: Sequence[Annotations]) -> list[Annotations]:
    """Of each question the publication with the most annotations; others are parts of it."""
    by_question: dict[str, Annotations] = {}
    for each in sets:
        known = by_question.get(each.question)
        if known is None or len(known.entries) < len(each.entries):
            by_question[each.question] = each
    return list(by_question.values())


def _table(each: Replacement, settings: AltTestSettings) -> Table:
    test = each.test
    rows: list[tuple[Cell, ...]] = [
        (
            one.annotator,
            str(one.items),
            Estimate(one.judge_ahead),
            Estimate(one.annotator_ahead),
            f"{one.p:.4f}",
            one.test,
            "yes" if one.won else "no",
        )
        for one in sorted(test.against, key=lambda one: one.annotator)
    ]
    if math.isnan(test.winning_rate):
        verdict = (
            f"No verdict: no annotator shares {settings.min_items} items with another one (--min-items)."
        )
    else:
        may = "may replace" if test.passes else "is not shown to be able to replace"
        verdict = (
            f"omega {test.winning_rate:.2f}, rho {test.advantage:.3f}: the judge {may} an annotator here "
            f"(epsilon {settings.epsilon:g}, q {settings.q:g}, passes from omega .5)."
        )
    footer = (
        verdict,
        f"{test.items} items; annotators: {each.group}.",
        "Ahead: share of items on which the judge (the annotator) is as close to the other annotators as the "
        "annotator (the judge), or closer.",
        *(f"Note: {note}." for note in each.notes),
    )
    columns = ("annotator set aside", "items", "judge ahead", "annotator ahead", "p", "test", "judge wins")
    return Table(f"alternative annotator test: {each.judge} on {each.question}", columns, tuple(rows), footer)


def _json(each: Replacement) -> Mapping[str, object]:
    test = each.test
    return {
        "question": each.question,
        "judge": each.judge,
        "annotators": each.group,
        "passes": test.passes if not math.isnan(test.winning_rate) else None,
        "winning_rate": _number(test.winning_rate),
        "advantage": _number(test.advantage),
        "items": test.items,
        "unjudged": test.unjudged,
        "left_out": dict(test.left_out),
        "against": [
            {
                "annotator": one.annotator,
                "items": one.items,
                "judge_ahead": one.judge_ahead,
                "annotator_ahead": one.annotator_ahead,
                "p": one.p,
                "test": one.test,
                "won": one.won,
            }
            for one in test.against
        ],
        "notes": list(each.notes),
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
