"""`docs/recorded.md` lists what the file of recordings holds."""

import re
from pathlib import Path

from venire.llm.recordings import read_recordings

DOCUMENT = Path(__file__).parents[2] / "docs" / "recorded.md"


def test_the_table_of_recorded_runs_is_the_files(data_root: Path) -> None:
    lines = DOCUMENT.read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("| strategy | "))
    models = [cell.strip() for cell in lines[start].split("|")[2:-1]]
    table: dict[tuple[str, str], list[int]] = {}
    for line in lines[start + 2 : lines.index("", start)]:
        strategy, *cells = [cell.strip() for cell in line.split("|")[1:-1]]
        for model, cell in zip(models, cells, strict=True):
            if cell != "–":
                table[model, strategy] = [int(number) for number in re.findall(r"\d+", cell)]
    coverage = read_recordings(data_root, runs=()).coverage
    assert table == {
        run: [
            count
            for count in (
                sum(len(indices) for name, indices in subsets.items() if name != "MT-Bench"),
                len(subsets.get("MT-Bench", ())),
            )
            if count
        ]
        for run, subsets in coverage.items()
    }
