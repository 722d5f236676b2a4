"""The criteria that a run compared pairs on, for people to compare them on, too."""

from collections.abc import Sequence
from pathlib import Path

from venire.config import guides_of_run
from venire.judging.criteria import Criterion, criteria_for
from venire.records import Instance
from venire.runs.folder import CONFIG_FILE


def config_of(folder: Path) -> str:
    """The text of a run's `config.yaml`."""
    return (folder / CONFIG_FILE).read_text(encoding="utf-8")


def criteria_of_run(folder: Path, instances: Sequence[Instance]) -> tuple[Criterion, ...]:
    """The criteria of a run's pairs; none where it has none, or where its responses are rated."""
    pair = next((each for each in instances if each.is_pairwise and not each.dimensions), None)
    if pair is None:
        return ()
    criteria, _ = guides_of_run(config_of(folder))
    return () if criteria is None else criteria_for(criteria, pair)
