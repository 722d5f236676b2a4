"""Whether runs are the shards of one run: all of them, each once, of the same settings, data and code."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from venire.data.shard import Shard
from venire.errors import RunError
from venire.provenance import SHARD, WHOLE, WHOLE_JOB
from venire.records import RunRecord, RunStatus
from venire.runs import read_record

_PART = (SHARD, WHOLE, WHOLE_JOB, "config_hash", "arm_hash", "job_hash", "data_fingerprint")
_RETURNED = ("models_returned", "fingerprints", "answered")
# What may differ without another result, and is warned of.
_WHERE = ("git_commit", "git_dirty", "python")


@dataclass(frozen=True, slots=True)
class Parts:
    """The shards of one run, first to last.

    Args:
        folders: theirs.
        records: what each says of itself.
        warnings: a sentence each.
    """

    folders: tuple[Path, ...]
    records: tuple[RunRecord, ...]
    warnings: tuple[str, ...] = ()

    @property
    def whole_job(self) -> str:
        """The job hash of the run that they are the parts of."""
        return self.records[0].tags[WHOLE_JOB]

    def tags(self, names: Sequence[str]) -> dict[str, str]:
        """Tags of the shards; where they differ, all that there are."""
        told = {name: _distinct(self.records, name) for name in names}
        return {name: ", ".join(values) for name, values in told.items() if values}


def matching(folders: Sequence[Path]) -> Parts:
    """The shards in `folders`, in whatever order they are given.

    Raises:
        RunError: says which run is none, which shard is missing, doubled or stopped, or what differs.
    """
    records = [read_record(folder) for folder in folders]
    shards = [_shard(record) for record in records]
    _check_complete(records, shards)
    order = sorted(range(len(folders)), key=lambda at: shards[at].index)
    records = [records[at] for at in order]
    _check_equal(records)
    for record in records:
        if record.status is RunStatus.INCOMPLETE:
            raise RunError(
                f"{record.run_id} is incomplete ({record.error}): run its command again, replies that are "
                "paid for are not paid again, and merge the run that it makes"
            )
    return Parts(tuple(folders[at] for at in order), tuple(records), tuple(_warnings(records)))


def _shard(record: RunRecord) -> Shard:
    if SHARD not in record.tags:
        raise RunError(f"{record.run_id}: expected a shard (a run with shard=i/n), got a run without")
    return Shard.read(record.tags[SHARD])


def _check_complete(records: Sequence[RunRecord], shards: Sequence[Shard]) -> None:
    by_shard: dict[Shard, str] = {}
    for record, shard in zip(records, shards, strict=True):
        if shard in by_shard:
            raise RunError(f"shard {shard} is there twice: {by_shard[shard]} and {record.run_id}; give one")
        by_shard[shard] = record.run_id
    counts = sorted({shard.count for shard in shards})
    if len(counts) != 1:
        raise RunError(f"expected shards of one n, got {', '.join(f'i/{count}' for count in counts)}")
    missing = [each for index in range(1, counts[0] + 1) if (each := Shard(index, counts[0])) not in by_shard]
    if missing:
        raise RunError(f"expected {counts[0]} shards, missing: {', '.join(map(str, missing))}")


def _check_equal(records: Sequence[RunRecord]) -> None:
    first = records[0]
    for record in records[1:]:
        if record.tags.get(WHOLE_JOB) != first.tags.get(WHOLE_JOB):
            told = "; ".join(_differences(first, record)) or "a setting that is no parameter, see config.yaml"
            raise RunError(f"{first.run_id} and {record.run_id} are not shards of one run: {told}")


def _differences(first: RunRecord, second: RunRecord) -> Iterator[str]:
    tags = (_own(first.tags), _own(second.tags))
    if first.tags.get(WHOLE) != second.tags.get(WHOLE):
        yield f"data: {str(first.tags.get(WHOLE))[:12]} and {str(second.tags.get(WHOLE))[:12]}"
    for kind, (one, other) in (("", (first.params, second.params)), ("tag ", tags)):
        for name in sorted(one.keys() | other.keys()):
            if name != SHARD and one.get(name) != other.get(name):
                yield f"{kind}{name}: {one.get(name, 'none')} and {other.get(name, 'none')}"


def _own(tags: Mapping[str, str]) -> dict[str, str]:
    left_out = {*_PART, *_RETURNED, *_WHERE}
    return {name: value for name, value in tags.items() if name not in left_out}


def _warnings(records: Sequence[RunRecord]) -> Iterator[str]:
    names = {name for record in records for name in record.tags if name.startswith("version.")}
    for name in (*_WHERE, *sorted(names)):
        values = _distinct(records, name)
        if len(values) > 1:
            yield f"the shards differ in {name}: {', '.join(values)}"


def _distinct(records: Sequence[RunRecord], name: str) -> list[str]:
    return list(dict.fromkeys(record.tags[name] for record in records if name in record.tags))
