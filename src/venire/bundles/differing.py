"""What two versions of a run do not have in common, a sentence each."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from venire.metrics.spent import is_fixed
from venire.records import Call, Outcome, RunRecord
from venire.runs import outcome_cells

SHOWN = 5
_LONG = 60  # characters of a value


def run_differences(bundled: Path, derived: Path) -> Iterator[str]:
    """Of the files of a run: first what differs in its outcomes, then in its numbers, then in bytes."""
    told = [*_cells(bundled, derived), *_numbers(bundled, derived)]
    yield from told
    for name in ("outcomes.parquet", "summary.json", "run.json"):
        if not told and (bundled / name).read_bytes() != (derived / name).read_bytes():
            yield f"{name}: other bytes for the same values (another version of what writes it?)"


def _cells(bundled: Path, derived: Path) -> Iterator[str]:
    first, second = ({str(row["id"]): row for row in outcome_cells(each)} for each in (bundled, derived))
    if first.keys() != second.keys():
        yield f"outcomes.parquet: {len(first.keys() ^ second.keys())} instances are in only one of the two"
    changed = [key for key in first if key in second and not _same(first[key], second[key])]
    for key in changed[:SHOWN]:
        columns = [name for name in first[key] if not _same(first[key][name], second[key].get(name))]
        values = "; ".join(
            f"{name} bundled {_short(first[key][name])}, derived {_short(second[key].get(name))}"
            for name in columns[:SHOWN]
        )
        yield f"outcomes.parquet: instance {key}: {values}"
    if len(changed) > SHOWN:
        yield f"outcomes.parquet: {len(changed)} of {len(first)} instances differ, the first {SHOWN} are told"


def _numbers(bundled: Path, derived: Path) -> Iterator[str]:
    first, second = (
        json.loads((each / "summary.json").read_text(encoding="utf-8")) for each in (bundled, derived)
    )
    names = sorted(name for name in first if name in second and not _same(first[name], second[name]))
    for name in names[:SHOWN]:
        yield f"summary.json: {name}: bundled {first[name]}, derived {second[name]}"
    if len(names) > SHOWN:
        yield f"summary.json: {len(names)} of {len(first)} numbers differ, the first {SHOWN} are told"
    for gone, what in ((first.keys() - second.keys(), "derived"), (second.keys() - first.keys(), "bundled")):
        if gone:
            yield f"summary.json: {len(gone)} numbers were not {what}: {_some(sorted(gone))}"


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")


def _same(one: object, two: object) -> bool:
    return repr(one) == repr(two)  # NaN is itself here, and 1 is not 1.0


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= _LONG else f"{shown[:_LONG]}..."


def call_differences(
    calls: Sequence[Call], outcomes: Sequence[Outcome], keys: Mapping[str, str]
) -> Iterator[str]:
    """Where the calls that judging again took are not those that a run's file lists.

    Whether a call was paid or replayed is left out: it is true of one run only. Of vectors the number of
    texts counts, however they were grouped into requests.

    Args:
        calls: as the file lists them.
        outcomes: of judging again.
        keys: the run's own key of a stored reply, where that is another.
    """
    listed = _by_instance(calls, {})
    made = _by_instance(
        [
            replace(call, instance_id=each.instance_id)
            for each in outcomes
            for call in each.calls
            if not is_fixed(call)
        ],
        keys,
    )
    changed = [key for key in sorted({*listed, *made}) if listed.get(key) != made.get(key)]
    for key in changed[:SHOWN]:
        yield f"calls.jsonl.gz: instance {key}: other calls than those that its judgment takes"
    if len(changed) > SHOWN:
        yield f"calls.jsonl.gz: those of {len(changed)} instances differ, the first {SHOWN} are told"


def _by_instance(calls: Sequence[Call], keys: Mapping[str, str]) -> dict[str, tuple[list[str], int]]:
    found: dict[str, tuple[list[str], int]] = {}
    for call in calls:
        if is_fixed(call):
            continue
        told, texts = found.get(call.instance_id, ([], 0))
        if not call.is_embedding:
            same = replace(call, key=keys.get(call.key, call.key), replayed=False, uncertain=False)
            told = [*told, repr(same)]
        found[call.instance_id] = (told, texts + call.texts)
    return found


def record_differences(bundled: RunRecord, derived: RunRecord) -> Iterator[str]:
    """Notes that differ; metrics are told by `run_differences`."""
    names = sorted(
        name
        for name in {*bundled.notes, *derived.notes}
        if bundled.notes.get(name) != derived.notes.get(name)
    )
    if names:
        first, second = (_short(each.notes.get(names[0])) for each in (bundled, derived))
        told = f"{_some(names)}; the first bundled {first}, derived {second}"
        yield f"run.json: {len(names)} notes differ: {told}"
