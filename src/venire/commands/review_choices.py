"""`venire review choices`: what people chose in JuryFlow's human mode, as a file."""

from pathlib import Path

from venire.commands import exits
from venire.errors import ConfigError
from venire.methods.juryflow.choices import Choice, choice_line, latest_choices, read_choices
from venire.review.sheets import SheetFormat, csv_text
from venire.runs import find_run, write_atomically

CHOICES_FILE = "choices.jsonl"


def write_choices(home: Path, source: str, out: Path, *, force: bool) -> int:
    """Write the latest choice on each response to a file; returns the exit status.

    Args:
        source: the file that a run's `method.focal.selector.choices` names, or the run.
        out: `.jsonl` (which `selector=recorded` takes) or `.csv`.

    Raises:
        ConfigError: there are no choices, `out` is there already, or has another ending.
        DataError: the choices' file is damaged.
        RunError: there is neither such a file nor such a run.
    """
    form = SheetFormat.of(out)
    if out.exists() and not force:
        raise ConfigError(f"--out: {out} is there already; name another file, or --force")
    path = Path(source)
    if not path.is_file():
        path = find_run(home, source) / CHOICES_FILE
    choices = list(latest_choices(read_choices(path)).values())
    if not choices:
        raise ConfigError(f"review choices: expected choices in {path}, found none")
    out.parent.mkdir(parents=True, exist_ok=True)
    if form is SheetFormat.CSV:
        text = csv_text([_row(each) for each in choices])
    else:
        text = "".join(map(choice_line, choices))
    write_atomically(out, text)
    people = len({each.annotator for each in choices})
    print(f"{len(choices)} choices of {people} annotators")
    print(out)
    return exits.OK


def _row(choice: Choice) -> dict[str, str]:
    """Claims by their index from 0, as in JSON lines; no claim, and a time that is not known, are empty."""
    return {
        "instance_id": choice.instance_id,
        "response_index": str(choice.response_index),
        "claim": "" if choice.claim is None else str(choice.claim),
        "text": choice.text,
        "offered": " ".join(map(str, choice.offered)),
        "seconds": "" if choice.seconds is None else f"{choice.seconds:g}",
        "annotator": choice.annotator,
        "chosen_at": choice.chosen_at,
        "selector": choice.selector,
    }
