"""The files of a comparison; what stands in the tables is tested in test_compare_tables.py."""

import json
from pathlib import Path

from tests.reporting.test_compare import rows

from venire.records import BackendKind
from venire.reporting.compare import compare
from venire.reporting.compare_files import write_comparison
from venire.reporting.pairing import Run


def test_tables_values_and_forest_are_written_in_every_form(make_record, tmp_path: Path) -> None:
    # In both orders the second is right where the first is, and on four of six items more: p 2 / 2 ** 4
    first = Run(make_record("base", run_id="1", kind=BackendKind.SIMULATED), rows("RRWWWW", "RRWWWW"))
    second = Run(make_record("other", run_id="2", kind=BackendKind.SIMULATED), rows("RRRRRR", "RRRRRR"))
    comparison = compare([first, second])
    paths = write_comparison(comparison, [first.record, second.record], tmp_path / "new")
    assert sorted(path.name for path in paths) == sorted(
        [f"comparison.{form}" for form in ("md", "csv", "tex", "html", "json")]
        + [f"comparison_forest.{form}" for form in ("svg", "pdf", "png")]
    )
    assert all(path.parent == tmp_path / "new" and path.stat().st_size for path in paths)
    (paired,) = json.loads((tmp_path / "new" / "comparison.json").read_text(encoding="utf-8"))["paired"]
    assert (paired["accuracy_difference"], paired["p"]) == (4 / 6, 0.125)
    drawn = (tmp_path / "new" / "comparison_forest.svg").read_text(encoding="utf-8")
    for told in ("SIMULATED judges", "B: other", "accuracy less that of A: base", "n = 6 common items"):
        assert told in drawn
