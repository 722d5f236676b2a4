"""One run of its shards: their outcomes and calls in the order of the data, measured over all."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from venire.bundles.deriving import as_filed, with_calls
from venire.data.streamed import Streamed
from venire.ending import Ending, ending_of
from venire.errors import RunError
from venire.experiment import Experiment
from venire.launch import (
    DURATION,
    Door,
    files_of_run,
    lost_in,
    measured_of,
    prices_of,
    secrets_of,
    upload,
)
from venire.merging.matching import Parts
from venire.metrics.compact import Pair
from venire.metrics.measurement import Measurement
from venire.metrics.spent import is_fixed
from venire.provenance import hashes_of, returned_models, tags_of
from venire.records import Call, Instance, Outcome, RunRecord
from venire.runner import Judged
from venire.runs import (
    GrowingFiles,
    PairReader,
    complete_run,
    iterate_calls,
    new_run_id,
    read_calls,
    read_record,
    start_run,
    write_run,
)
from venire.streaming import found_in

SUM = "the sum of the shards' own"


@dataclass(frozen=True, slots=True)
class Merged:
    """The run that shards were joined to.

    Args:
        folder: where it lies.
        record: its `run.json`.
        warnings: a sentence each.
    """

    folder: Path
    record: RunRecord
    warnings: tuple[str, ...]


def merge(parts: Parts, experiment: Experiment, door: Door) -> Merged:
    """Write the run of `experiment`, which is that of the shards without `shard`; upload it.

    Every metric is measured over all instances; accounting is over all shards' calls.

    Raises:
        RunError: data, prompts, judges or version are here not those that the shards had.
        DataError: as `measure`.
    """
    hashes = hashes_of(experiment)
    if hashes["job_hash"] != parts.whole_job:
        raise RunError(
            "the data, prompts, judges or version of venire are here not those that the shards had; merge "
            "where they ran (VENIRE_DATA, the same installation)"
        )
    run_id = new_run_id(door.now(), experiment.identity.name)
    join = _Join(parts, experiment, door.home / "runs" / run_id, secrets_of(experiment, door.environ))
    start_run(join.folder, pid=os.getpid(), overrides=experiment.identity.overrides, started_at=door.now())
    streams = isinstance(experiment.loaded.instances, Streamed)
    warnings = join.stream(hashes) if streams else join.hold(hashes)
    said = (*parts.warnings, *warnings, *upload(experiment, door, join.folder))
    return Merged(join.folder, read_record(join.folder), said)


@dataclass(frozen=True, slots=True)
class _Join:
    parts: Parts
    experiment: Experiment
    folder: Path
    secrets: Sequence[str]

    def hold(self, hashes: Mapping[str, str]) -> tuple[str, ...]:
        """Join outcomes that are held."""
        experiment = self.experiment
        lines = [read_calls(folder) for folder in self.parts.folders]
        shards = [as_filed(folder).outcomes for folder in self.parts.folders]
        pairs = zip(shards, lines, strict=True)
        made = [with_calls(outcomes, each.finished) for outcomes, each in pairs]
        unfinished = tuple(call for each in lines for call in each.unfinished)
        judged = Judged(_in_order(experiment.loaded.instances, made), None, unfinished)
        measured = measured_of(experiment, judged)
        ending = ending_of(experiment, judged, measured)
        record = self._record(measured, ending, {**hashes, **returned_models(judged.outcomes)})
        write_run(
            self.folder,
            record,
            config_yaml=experiment.identity.config_yaml,
            instances=experiment.loaded.instances,
            outcomes=judged.outcomes,
            secrets=self.secrets,
            more=files_of_run(experiment, judged, record),
            unfinished=unfinished,
        )
        return (*lost_in(judged), *_paid_twice(each.finished for each in lines))

    def stream(self, hashes: Mapping[str, str]) -> tuple[str, ...]:
        """Join outcomes one after another."""
        experiment = self.experiment
        unfinished = [
            call
            for folder in self.parts.folders
            for part, call in iterate_calls(folder)
            if part == "unfinished"
        ]
        with GrowingFiles(self.folder, self.secrets) as files:
            kept = _kept(files, _pairs_of(self.parts.folders, experiment.loaded.instances))
            found = found_in(experiment, kept, Judged((), None, tuple(unfinished)), prices_of(experiment))
            files.close(unfinished)
        record = self._record(found.measured, found.ending, {**hashes, **found.returned})
        complete_run(self.folder, record, config_yaml=experiment.identity.config_yaml, secrets=self.secrets)
        return found.lost

    def _record(self, measured: Measurement, ending: Ending, tags: Mapping[str, str]) -> RunRecord:
        records, identity = self.parts.records, self.experiment.identity
        here = tags_of(self.experiment)
        there = self.parts.tags([name for name in here if name in records[0].tags and not _of_data(name)])
        sweeps = {record.sweep_id for record in records}
        return RunRecord(
            run_id=self.folder.name,
            name=identity.name,
            status=ending.status,
            kind=self.experiment.kind,
            started_at=min(record.started_at for record in records),
            ended_at=max(record.ended_at for record in records),
            metrics={**measured.metrics, DURATION: sum(each.metrics[DURATION] for each in records)},
            notes={**measured.notes, DURATION: SUM},
            params={**identity.params, "backend": str(self.experiment.kind)},
            tags={**here, **there, **tags, "merged": ", ".join(record.run_id for record in records)},
            sweep_id=sweeps.pop() if len(sweeps) == 1 else None,
            overrides=identity.overrides,
            error=ending.error,
        )


def _of_data(tag: str) -> bool:
    return tag in ("data_fingerprint", "dimensions")


def _in_order(instances: Sequence[Instance], shards: Sequence[Sequence[Outcome]]) -> tuple[Outcome, ...]:
    """The outcomes of all shards in the order of the instances.

    Raises:
        RunError: an outcome of an instance that another shard has, or that is none of the data.
    """
    by_id: dict[str, Outcome] = {}
    for number, outcomes in enumerate(shards, start=1):
        own = {instance.id for instance in instances[number - 1 :: len(shards)]}
        for outcome in outcomes:
            if outcome.instance_id not in own:
                raise RunError(
                    f"shard {number}/{len(shards)}: {outcome.instance_id!r} is no instance of it; its files "
                    "are of another run"
                )
            by_id[outcome.instance_id] = outcome
    return tuple(by_id[instance.id] for instance in instances if instance.id in by_id)


def _pairs_of(folders: Sequence[Path], instances: Iterable[Instance]) -> Iterator[Pair]:
    """Each instance with its outcome, out of the files of the shard that has it."""
    with ExitStack() as stack:
        readers = [stack.enter_context(PairReader(folder)) for folder in folders]
        for at, instance in enumerate(instances):
            yield instance, readers[at % len(readers)].outcome_of(instance)
        for reader in readers:
            reader.check_end()


def _kept(files: GrowingFiles, pairs: Iterator[Pair]) -> Iterator[Pair]:
    for instance, outcome in pairs:
        files.add(instance, outcome)
        yield instance, outcome


def _paid_twice(shards: Iterable[Sequence[Call]]) -> Iterator[str]:
    """Of calls about no instance that more than one shard has paid: the merged run counts them once."""
    paid = [{call.key for call in calls if is_fixed(call) and not call.replayed} for calls in shards]
    seen = set[str]()
    doubled = 0
    for keys in paid:
        doubled += len(seen & keys)
        seen |= keys
    if doubled:
        yield (
            f"{doubled} calls about no instance were paid by several shards and count once here; shards that "
            "share a call store pay for them once"
        )
