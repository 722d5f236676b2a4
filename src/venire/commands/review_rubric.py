"""`venire review rubric`: what people corrected in a run, as edge cases of a rubric."""

from dataclasses import dataclass
from pathlib import Path

import yaml

from venire.commands import exits
from venire.commands.data_sets import data_of_folder
from venire.commands.option_files import loaded
from venire.commands.review import labels_of
from venire.commands.rubric_sets import rubrics_of
from venire.commands.run_criteria import criteria_of_run
from venire.config import config_dir
from venire.errors import ConfigError
from venire.review.feedback import corrections
from venire.review.rubric import corrected_rubric
from venire.runs import find_run, read_judged, write_atomically


@dataclass(frozen=True, slots=True)
class RubricRequest:
    """The options of `venire review rubric`."""

    run: str
    rubric: str
    out: Path | None
    name: str | None
    criterion: str | None
    without_reason: bool
    force: bool


def correct_rubric(home: Path, request: RubricRequest) -> int:
    """Write a rubric with the corrections that people made of a run; returns the exit status.

    Raises:
        ConfigError: no such rubric, something is wrong with it, or the file to write is there already.
        DataError: the rubric's file is no YAML, or nothing can be added.
        RunError: there are no labels of the run's items.
    """
    path = _rubric_file(home, request.rubric)
    name = request.name or (request.out.stem if request.out else f"{path.stem}_corrected")
    out = request.out or home / "config" / "rubric" / f"{name}.yaml"
    if out.exists() and not request.force:
        raise ConfigError(f"--out: {out} is there already; name another file, or give --force")
    folder = find_run(home, request.run)
    data = data_of_folder(folder)
    labels = labels_of(home, data, folder)
    criteria = criteria_of_run(folder, data.loaded.instances)
    found = corrections(data.loaded.instances, read_judged(folder), labels, criteria)
    made = corrected_rubric(
        loaded(path),
        found,
        name=name,
        run_id=folder.name,
        criterion=request.criterion,
        without_reason=request.without_reason,
    )
    rubrics_of(made.content, str(path))  # a file that no run could take is not written
    out.parent.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(dict(made.content), sort_keys=False, allow_unicode=True, width=110)
    write_atomically(out, f"# {path.stem} with people's corrections of run {folder.name}.\n{text}")
    for key, count in made.added.items():
        print(f"{key}: {count} edge cases more")
    if made.left_out:
        print(f"{made.left_out} corrections left out: no comment, or of no criterion of the rubric")
    print(out)
    return exits.OK


def _rubric_file(home: Path, named: str) -> Path:
    """The file that a name (as in rubric=NAME) or a path means."""
    own = home / "config" / "rubric" / f"{named}.yaml"
    for path in (Path(named), own, config_dir() / "rubric" / f"{named}.yaml"):
        if path.is_file():
            return path
    raise ConfigError(
        f"--rubric: no such rubric: {named!r}; looked for the file, in {own.parent} and conf/rubric"
    )
