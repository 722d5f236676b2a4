"""`venire disagreement`: in which direction a run's verdicts differ from the gold."""

import json
from pathlib import Path

from venire.audit.disagreement import ALL, disagreements, winners_on_criteria
from venire.audit.disagreement_table import as_json, confusion_table, items_table, symmetry_table
from venire.commands import exits
from venire.commands.data_sets import data_of_folder
from venire.errors import ConfigError
from venire.reporting.table import TABLE_FORMS, Format, Table, render_tables
from venire.runs import find_run, read_judged, read_record, write_atomically


def disagreement(home: Path, reference: str, form: str, *, out: Path | None, most: int) -> int:
    """Print tests, confusion tables and items of the run that `reference` names; returns the exit status.

    Raises:
        ConfigError: `most` is negative.
        RunError: no such run, other data than it judged, or nothing to compare.
    """
    if most < 0:
        raise ConfigError(f"--items: expected at least 0, got {most}")
    folder = find_run(home, reference)
    record = read_record(folder)
    loaded = data_of_folder(folder).loaded
    judged = read_judged(folder)
    found = disagreements(
        loaded.instances,
        {outcome.instance_id: outcome.prediction for outcome in judged},
        winners_on_criteria(judged),
    )
    tables: list[Table] = [
        symmetry_table(record, found),
        *(confusion_table(each) for each in found if each.subset == ALL),
        items_table(found, most),
    ]
    plain = json.dumps(as_json(record, found), indent=1)
    if form == "json":
        print(plain)
    else:
        print(render_tables(tables, Format(form)), end="")
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        for kind in TABLE_FORMS:
            write_atomically(out / f"disagreement.{kind}", render_tables(tables, kind))
        write_atomically(out / "disagreement.json", plain + "\n")
        print(out / f"disagreement.{Format.MARKDOWN}")
    return exits.OK
