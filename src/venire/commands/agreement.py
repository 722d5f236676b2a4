"""`venire agreement`: how far the annotators of a data set agree, and published models with them."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from venire.commands import exits
from venire.commands.data_sets import chosen_data
from venire.data.annotations import Annotated, annotations_of
from venire.metrics.annotators import AgreementSettings, agreements
from venire.reporting.agreement_table import agreement_json, agreement_table
from venire.reporting.table import Format


def agreement(overrides: Sequence[str], config_dir: Path | None, *, as_json: bool) -> int:
    """Print the agreement of the data set that `overrides` name; returns the exit status.

    Raises:
        DataError: the data has no item with two annotations.
    """
    chosen = chosen_data(overrides, config_dir, command="agreement")
    loaded = chosen.dataset.load()
    settings = AgreementSettings(chosen.metrics.draws, chosen.metrics.level, chosen.seed)
    sets = annotations_of(chosen.dataset, loaded)
    found = [row for each in sets for row in agreements(each, settings)]
    notes = dict.fromkeys(note for each in sets for note in each.notes)
    if as_json:
        content = {
            "dataset": chosen.dataset.name,
            "source": loaded.source,
            "notes": list(notes),
            "agreement": agreement_json(found),
        }
        print(json.dumps(content, indent=1))
        return exits.OK
    title = f"agreement of annotators: {chosen.dataset.name}"
    print(agreement_table(title, found, list(notes)).render(Format.TEXT))
    if not isinstance(chosen.dataset, Annotated):  # else more is counted than instances are made of
        for warning in loaded.warnings:
            print(f"note: {warning}", file=sys.stderr)
    return exits.OK
