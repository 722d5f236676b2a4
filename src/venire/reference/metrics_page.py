"""`docs/reference/metrics.md`: every metric that a run can have, from the catalogue."""

import re
from itertools import groupby

from venire.metrics.catalogue import Explained, catalogue
from venire.metrics.headline import higher_is_better
from venire.reference.markdown import cell, code

HEAD = """\
# Metrics: every name

Made by `make docs` from `src/venire/metrics/catalogue.yaml`; edits here are lost. How numbers and intervals
are made, and what holds for all of them: [metrics.md](../metrics.md).

- `<judge>`, `<dimension>`, ... stand for any; `<order>` is `as_given` or `swapped`, `<coefficient>` is
  `spearman`, `kendall` or `pearson`.
- *unit*: a share is 0 to 1. *better*: higher or lower, empty where neither is.
- *interval*: where it says yes, `<name>/ci_low` and `<name>/ci_high` are there: Wilson's where a share is
  over items each of which counts once, else a BCa bootstrap over clusters; the run's `notes` say
  which it was. A name stands there where only that one has an interval.
- A value that is undefined is NaN (null in `summary.json`), and the run's `notes` say why.
"""


_BETTER = {True: "higher", False: "lower", None: ""}


def metrics_page() -> str:
    """The page."""
    lines = [HEAD]
    for title, entries in groupby(catalogue(), key=lambda entry: entry.section):
        rows = list(entries)
        more = f" More: [{rows[0].see}](../{rows[0].see})." if rows[0].see else ""
        lines += [f"## {title}\n", f"Of {rows[0].of}.{more}\n"]
        lines += ["| name | is | unit | better | interval | source |", "|---|---|---|---|---|---|"]
        lines += [_row(each) for each in rows]
        lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def _row(entry: Explained) -> str:
    names = ", ".join(code(name) for name in entry.names)
    directions = {higher_is_better(name.replace("<coefficient>", "spearman")) for name in entry.names}
    better = _BETTER[directions.pop()] if len(directions) == 1 else ""
    meaning = re.sub(r"\]\((?=\w+\.md)", "](../", entry.meaning)  # the catalogue's links are those of `docs/`
    cells = (names, meaning, entry.unit, better, entry.interval, entry.source)
    return f"| {' | '.join(cell(each) for each in cells)} |"
