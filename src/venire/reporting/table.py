"""A table of runs: typed cells, a footer that says where the numbers come from, four renderings."""

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from venire.errors import ConfigError


class Format(StrEnum):
    """How a table is written out."""

    MARKDOWN = "md"
    CSV = "csv"
    LATEX = "tex"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number as a table shows it: value, 95% interval where there is one, decimals."""

    value: float
    low: float = math.nan
    high: float = math.nan
    decimals: int = 3

    def text(self) -> str:
        """`.811 [.771, .846]`; a dash where the number is undefined."""
        if math.isnan(self.value):
            return "–"
        shown = f"{self.value:,.{self.decimals}f}"
        if math.isnan(self.low) or math.isnan(self.high):
            return shown
        return f"{shown} [{self.low:.{self.decimals}f}, {self.high:.{self.decimals}f}]"


Cell = str | Estimate


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under columns. `footer` holds whole sentences: n, kinds, data, intervals."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    footer: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ConfigError(f"{self.title}: expected {len(self.columns)} cells a row, got {len(row)}")

    def render(self, form: Format) -> str:
        """The table as text of `form`, with a newline at its end."""
        match form:
            case Format.MARKDOWN:
                return _markdown(self)
            case Format.CSV:
                return _csv(self)
            case Format.LATEX:
                return _latex(self)
            case Format.TEXT:
                return _plain(self)


def _shown(cell: Cell) -> str:
    return cell.text() if isinstance(cell, Estimate) else cell


def _markdown(table: Table) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"

    rows = [line([_shown(cell) for cell in row]) for row in table.rows]
    rule = "|" + "|".join(" --- " for _ in table.columns) + "|"
    footer = [f"\n{sentence}" for sentence in table.footer]
    return "\n".join([f"**{table.title}**\n", line(table.columns), rule, *rows, *footer]) + "\n"


def _csv(table: Table) -> str:
    """Numbers unrounded; an interval takes two more columns."""
    spread = [
        any(isinstance(row[i], Estimate) and not math.isnan(row[i].low) for row in table.rows)  # type: ignore[union-attr]
        for i in range(len(table.columns))
    ]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    header: list[str] = []
    for column, wide in zip(table.columns, spread, strict=True):
        header += [column, f"{column} low", f"{column} high"] if wide else [column]
    writer.writerow(header)
    for row in table.rows:
        flat: list[str] = []
        for cell, wide in zip(row, spread, strict=True):
            flat += _csv_cells(cell, wide)
        writer.writerow(flat)
    for sentence in table.footer:
        writer.writerow([f"# {sentence}"])
    return out.getvalue()


def _csv_cells(cell: Cell, wide: bool) -> list[str]:
    if isinstance(cell, str):
        return [cell, "", ""] if wide else [cell]
    values = [cell.value, cell.low, cell.high] if wide else [cell.value]
    return ["" if math.isnan(value) else repr(float(value)) for value in values]


def _latex(table: Table) -> str:
    body = [" & ".join(_tex(_shown(cell)) for cell in row) + r" \\" for row in table.rows]
    lines = [
        r"\begin{table}",
        rf"\caption{{{_tex(table.title)}}}",
        rf"\begin{{tabular}}{{l{'r' * (len(table.columns) - 1)}}}",
        r"\toprule",
        " & ".join(map(_tex, table.columns)) + r" \\",
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
        *[rf"\par\footnotesize {_tex(sentence)}" for sentence in table.footer],
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


_TEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "±": r"$\pm$",
}


def _tex(text: str) -> str:
    return "".join(_TEX.get(character, character) for character in text)


def _plain(table: Table) -> str:
    grid = [list(table.columns), *[[_shown(cell) for cell in row] for row in table.rows]]
    widths = [max(len(row[i]) for row in grid) for i in range(len(table.columns))]
    right = [any(isinstance(row[i], Estimate) for row in table.rows) for i in range(len(table.columns))]

    def line(cells: Sequence[str]) -> str:
        padded = [
            cell.rjust(width) if flush else cell.ljust(width)
            for cell, width, flush in zip(cells, widths, right, strict=True)
        ]
        return "  ".join(padded).rstrip()

    rule = "  ".join("-" * width for width in widths)
    head, *rows = grid
    lines = [
        table.title,
        "",
        line(head),
        rule,
        *[line(row) for row in rows],
        *(["", *table.footer] if table.footer else []),
    ]
    return "\n".join(lines) + "\n"
