"""`venire variance`: from where the accuracies of a sweep vary."""

from pathlib import Path

from venire.commands.table import runs_named
from venire.reporting.table import Format
from venire.reporting.variance_table import variance_table


def variance(home: Path, name: str, form: str, *, partial: bool) -> int:
    """Print the variance components of the runs of a spec's sweep, or of a sweep."""
    runs = runs_named(home, name, partial=partial)
    print(variance_table(f"variance of accuracy: {name}", runs).render(Format(form)), end="")
    return 0
