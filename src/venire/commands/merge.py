"""`venire merge`: the shards of one run joined into it."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from venire.bundles.sources import Sources
from venire.commands import exits
from venire.config import experiment_of_run, without_shard
from venire.console import print_run
from venire.launch import Door, Written
from venire.merging import matching
from venire.merging import merge as merge_parts
from venire.runs import find_run
from venire.runs.folder import CONFIG_FILE


def merge(home: Path, runs: Sequence[str]) -> int:
    """Join runs, write the run that they are the shards of, and print it; returns its exit status.

    Raises:
        RunError: they are not the shards of one run, or their data is not at hand.
        ConfigError, DataError: the settings or the data cannot be read any more.
    """
    parts = matching([find_run(home, run) for run in runs])
    first = parts.records[0]
    config_yaml = without_shard((parts.folders[0] / CONFIG_FILE).read_text(encoding="utf-8"))
    overrides = tuple(each for each in first.overrides if not each.lstrip("+").startswith("shard="))
    experiment = experiment_of_run(config_yaml, replace(first, overrides=overrides), Sources())
    merged = merge_parts(parts, experiment, Door(home, os.environ))
    print_run(Written(merged.folder, merged.record, merged.warnings))
    return exits.of_run(merged.record.status)
