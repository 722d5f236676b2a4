"""A study's folder, `VENIRE_HOME/studies/<name>/`: which data it annotates, with which seed; its labels."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from venire.errors import ConfigError, DataError
from venire.runs import write_atomically

FOLDER = "studies"
STUDY_FILE, LABELS_FILE = "study.json", "labels.jsonl"


@dataclass(frozen=True, slots=True)
class Study:
    """What stays the same as long as a study lasts.

    Args:
        name: of its folder.
        overrides: KEY=VALUE of its data set, as they were typed.
        config_dir: a folder of one's own configuration files, or None.
        dataset: the data set's name.
        fingerprint: of the data: other data are another study.
        items: how many.
        seed: of each annotator's order, and of the sides on which responses stand.
        rubric: that stands beside the items, by its name or file; None for none.
        annotators: who may label where nothing else is said; empty: anybody.
        created_at: ISO 8601.
    """

    name: str
    overrides: tuple[str, ...]
    config_dir: str | None
    dataset: str
    fingerprint: str
    items: int
    seed: int
    rubric: str | None
    annotators: tuple[str, ...]
    created_at: str


def study_folder(home: Path, name: str) -> Path:
    """Where the study `name` lies."""
    return home / FOLDER / name


def find_study(home: Path, name: str) -> Study | None:
    """The study `name`; None where there is none yet.

    Raises:
        DataError: its file is damaged.
    """
    path = study_folder(home, name) / STUDY_FILE
    if not path.is_file():
        return None
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        lists = {part: tuple(fields[part]) for part in ("overrides", "annotators")}
        return Study(**{**fields, **lists})
    except (ValueError, TypeError, KeyError) as error:
        raise DataError(f"{path}: expected a study, got something else ({error})") from None


def keep_study(home: Path, study: Study) -> None:
    """Write down a new study, or check that an old one is the same.

    Raises:
        ConfigError: the study is of other data, or has another seed or rubric: labels would not fit together.
    """
    known = find_study(home, study.name)
    if known is None:
        folder = study_folder(home, study.name)
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / STUDY_FILE, json.dumps(asdict(study), ensure_ascii=False, indent=1) + "\n")
        return
    for part in ("fingerprint", "seed", "rubric"):
        was, now = getattr(known, part), getattr(study, part)
        if was != now:
            raise ConfigError(
                f"--study: {study.name} began with {part} {_short(was)} of {known.dataset}, got "
                f"{_short(now)} of {study.dataset}; give --study {study.name} alone, or another name"
            )


def _short(value: object) -> str:
    return str(value)[:12]


def list_studies(home: Path) -> Sequence[Path]:
    """The folders of all studies, by name."""
    return sorted(path.parent for path in (home / FOLDER).glob(f"*/{STUDY_FILE}"))
