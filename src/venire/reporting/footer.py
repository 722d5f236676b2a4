"""What every table of runs says under it: where its numbers come from, and what speaks against them."""

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence

from venire.metrics.headline import dimensions_of
from venire.records import RunRecord, RunStatus

_SHORT = 12
_LEVEL = re.compile(r"\d+(\.\d+)?%")  # how the note of an interval begins

SIMULATED = "SIMULATED judges: a statistical model answered, no LLM. These are no findings about models."


def provenance(records: Sequence[RunRecord]) -> str:
    """One sentence: kinds, numbers of instances, seeds, data, commits."""
    kinds = _distinct(records, lambda record: str(record.kind))
    counts = sorted({record.metrics["n"] for record in records if "n" in record.metrics})
    n = f"n: {', '.join(f'{count:,.0f}' for count in counts)}; " if counts else ""
    seeds = sorted({record.params.get("seed", "?") for record in records}, key=_seed_order)
    data = _distinct(records, lambda record: record.tags.get("data_fingerprint", "?")[:_SHORT])
    commits = _distinct(records, _commit)
    return (
        f"Backend kind: {', '.join(kinds)}; {n}seeds: {', '.join(seeds)}; data: {', '.join(data)}; "
        f"commit: {', '.join(commits)}."
    )


def interval_told(records: Sequence[RunRecord]) -> str:
    """How a table's intervals are to be read: `x [low, high]: 95% interval over items`."""
    return f"x [low, high]: {interval_level(records)} interval over items"


def interval_level(records: Sequence[RunRecord]) -> str:
    """The confidence level of the runs' intervals, as their metrics' notes say it; `95%` where none does."""
    said = (_LEVEL.match(note) for record in records for note in record.notes.values())
    levels = sorted({found.group() for found in said if found})
    return " or ".join(levels) or "95%"


def ceiling_sentence(records: Sequence[RunRecord]) -> tuple[str, ...]:
    """How one human's ratings go with another's, of the first run that tells; nothing where none does."""
    for record in records:
        told = [
            f"{name} {record.metrics[metric]:.3f}{_bounds(record, metric)} (n {record.metrics[count]:.0f})"
            for name in dimensions_of(record)
            for metric, count in ((f"ceiling/spearman/{name}", f"ceiling/n/{name}"),)
            if not math.isnan(record.metrics.get(metric, math.nan))
        ]
        if told:
            return (f"Ceiling, one human against another (Spearman): {', '.join(told)}.",)
    return ()


def _bounds(record: RunRecord, name: str) -> str:
    low, high = (record.metrics.get(f"{name}/ci_{end}", math.nan) for end in ("low", "high"))
    return "" if math.isnan(low) else f" [{low:.3f}, {high:.3f}]"


def cautions(records: Sequence[RunRecord]) -> Iterator[str]:
    """What must be known of numbers of these runs side by side, a sentence each."""
    yield from differences(records)
    yield from missing(records)
    if any(record.status is not RunStatus.FINISHED for record in records):
        yield "WARNING: marked runs did not finish; their unjudged instances count as not correct."


_MOST_LACKING = 8  # named in a sentence


def missing(records: Sequence[RunRecord]) -> Iterator[str]:
    """Where verdicts or ratings are missing: the coverage of each such run, and what they may do to it."""
    told = [f"{record.name}: {_span(record)}" for record in records if _coverage(record) < 1.0]
    if not told:
        return
    more = f"; and {len(told) - _MOST_LACKING} more" if len(told) > _MOST_LACKING else ""
    yield (
        "Missing verdicts or ratings, and between which values what leads would lie with all of them wrong "
        f"or right: {'; '.join(told[:_MOST_LACKING])}{more}."
    )


def _coverage(record: RunRecord) -> float:
    return record.metrics.get("coverage", 1.0)


def _span(record: RunRecord) -> str:
    leading = {f"spearman/{name}": f"rho {name}" for name in dimensions_of(record)} or {
        "accuracy": "accuracy"
    }
    ends = {
        title: [record.metrics.get(f"{metric}/{end}", math.nan) for end in ("worst", "best")]
        for metric, title in leading.items()
    }
    shown = [f"{title} [{low:.3f}, {high:.3f}]" for title, (low, high) in ends.items() if not math.isnan(low)]
    return ", ".join((f"coverage {_coverage(record):.3f}", *shown))


def differences(records: Sequence[RunRecord]) -> Iterator[str]:
    """What judges, data, prompts or versions of these runs do not have in common, a sentence each."""
    kinds = {str(record.kind) for record in records}
    if "simulated" in kinds:
        yield SIMULATED
    if len(kinds - {"none"}) > 1:
        mixed = ", ".join(sorted(kinds))
        yield f"WARNING: the backend kinds differ ({mixed}): these judges are not one population."
    if len({record.tags.get("data_fingerprint") for record in records}) > 1:
        yield "WARNING: the runs are not on the same data."
    for prompt in sorted({tag for record in records for tag in record.tags if tag.startswith("prompt.")}):
        if len({record.tags[prompt] for record in records if prompt in record.tags}) > 1:
            yield f"WARNING: the prompt {prompt.removeprefix('prompt.')!r} has different texts in these runs."
    if len({record.tags.get("version.venire") for record in records}) > 1:
        yield "WARNING: the runs were made by different versions of venire."
    yield from _changed_models(records)


def _changed_models(records: Sequence[RunRecord]) -> Iterator[str]:
    """The same model asked, another answered: the provider has changed what is behind a name."""
    answered: dict[str, set[str]] = {}
    for record in records:
        for asked, models in json.loads(record.tags.get("answered", "{}")).items():
            answered.setdefault(asked, set()).add(models)
    for asked, models in answered.items():
        if len(models) > 1:
            yield f"WARNING: asked for {asked}, the provider answered with {' / '.join(sorted(models))}."


def _distinct(records: Sequence[RunRecord], of: Callable[[RunRecord], str]) -> list[str]:
    return sorted({of(record) for record in records})


def _seed_order(seed: str) -> tuple[int, str]:
    return (int(seed), seed) if seed.isdecimal() else (-1, seed)


def _commit(record: RunRecord) -> str:
    commit = record.tags.get("git_commit", "unknown")[:8]
    return f"{commit} (dirty)" if record.tags.get("git_dirty") == "true" else commit
