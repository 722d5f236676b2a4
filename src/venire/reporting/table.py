"""A table of runs: typed cells, a footer that says where the numbers come from, four renderings."""

import csv
import io
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from venire.errors import ConfigError
from venire.stats import estimate


class Format(StrEnum):
    """How a table is written out."""

    MARKDOWN = "md"
    CSV = "csv"
    LATEX = "tex"
    HTML = "html"
    TEXT = "text"


TABLE_FORMS = (Format.MARKDOWN, Format.CSV, Format.LATEX, Format.HTML)  # of which a file is written
DASH = "–"  # where a number is undefined


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number as a table shows it: value, 95% interval where there is one, decimals.

    `significant` where a test that is corrected for its family says so; such a number stands in bold.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    decimals: int = 3
    significant: bool = False

    @classmethod
    def of(cls, measured: estimate.Estimate) -> "Estimate":
        """What was measured, with its interval."""
        return cls(measured.value, measured.low, measured.high)

    @classmethod
    def among(cls, metrics: Mapping[str, float], name: str, decimals: int = 3) -> "Estimate":
        """The metric called `name` with its interval; undefined where there is none."""
        value, low, high = (metrics.get(f"{name}{part}", math.nan) for part in ("", "/ci_low", "/ci_high"))
        return cls(value, low, high, decimals)

    @property
    def has_interval(self) -> bool:
        """Whether both bounds are there."""
        return not (math.isnan(self.low) or math.isnan(self.high))

    def text(self) -> str:
        """`0.811 [0.771, 0.846]`; a dash where the number is undefined."""
        shown = rounded(self.value, self.decimals)
        if math.isnan(self.value) or not self.has_interval:
            return shown
        return f"{shown} [{rounded(self.low, self.decimals)}, {rounded(self.high, self.decimals)}]"


@dataclass(frozen=True, slots=True)
class Spread:
    """A mean over seeds with their standard deviation (n - 1), which is no interval over items."""

    mean: float
    sd: float
    decimals: int = 3

    @classmethod
    def over(cls, values: Sequence[float], decimals: int) -> "Spread":
        """Of two seeds or more."""
        mean = math.fsum(values) / len(values)
        sd = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))
        return cls(mean, sd, decimals)

    def text(self) -> str:
        """`0.811 ± 0.012`; a dash where the mean is undefined."""
        if math.isnan(self.mean):
            return DASH
        return f"{rounded(self.mean, self.decimals)} ± {rounded(self.sd, self.decimals)}"


@dataclass(frozen=True, slots=True)
class PValue:
    """The p of a test; NaN where there is none."""

    value: float

    def text(self) -> str:
        """`0.043`, `0.00021`, `<1e-16`; a dash where it is undefined."""
        if math.isnan(self.value):
            return DASH
        if self.value < _TINY:
            return f"<{_TINY:.0e}"
        return f"{self.value:.3f}" if self.value >= _SMALL else f"{self.value:.2g}"


_SMALL = 0.001
_TINY = 1e-16  # of floating point nothing is left below

Number = Estimate | Spread | PValue
Cell = str | Estimate | Spread | PValue


def rounded(value: float, decimals: int) -> str:
    """`1,234.500`; no minus before zeros, a dash where undefined."""
    return DASH if math.isnan(value) else f"{value:z,.{decimals}f}"


def or_null(value: float) -> float | None:
    """`value` as JSON has it: null where it is undefined."""
    return None if math.isnan(value) else value


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
        return render_tables((self,), form)


def render_tables(tables: Sequence[Table], form: Format) -> str:
    """Tables one below the other as one text of `form`: of HTML one page, of CSV each under its title."""
    match form:
        case Format.MARKDOWN:
            return "\n".join(map(_markdown, tables))
        case Format.CSV:
            several = len(tables) > 1
            return "\n".join((f"# {one_line(t.title)}\n" if several else "") + _csv(t) for t in tables)
        case Format.LATEX:
            from venire.reporting.latex_table import latex

            return latex(tables)
        case Format.HTML:
            from venire.reporting.html_table import page

            return page(tables)
        case Format.TEXT:
            return "\n".join(map(_plain, tables))


def shown(cell: Cell) -> str:
    """The cell's text in every form but CSV."""
    return cell if isinstance(cell, str) else cell.text()


def _markdown(table: Table) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(map(_md, cells)) + " |"

    rows = ["| " + " | ".join(map(_md_cell, row)) + " |" for row in table.rows]
    right = numeric(table)
    rule = "|" + "|".join(" ---: " if flush else " --- " for flush in right) + "|"
    footer = [f"\n{one_line(sentence)}" for sentence in table.footer]
    return "\n".join([f"**{_md(table.title)}**\n", line(table.columns), rule, *rows, *footer]) + "\n"


def _md_cell(cell: Cell) -> str:
    text = _md(shown(cell))
    return f"**{text}**" if is_significant(cell) else text


def is_significant(cell: Cell) -> bool:
    """Whether the cell stands in bold: a corrected test says that its number is no chance."""
    return isinstance(cell, Estimate) and cell.significant


def _md(text: str) -> str:
    """`text` as it stands, whatever Markdown would make of it inside a cell."""
    return re.sub(r"([\\|<*`])", r"\\\1", one_line(text))


def one_line(text: str) -> str:
    """`text` without line breaks: a row stays a row."""
    return " ".join(text.splitlines())


def numeric(table: Table) -> list[bool]:
    """Which columns hold numbers."""
    return [any(not isinstance(row[i], str) for row in table.rows) for i in range(len(table.columns))]


def _csv(table: Table) -> str:
    """Numbers unrounded; intervals and spreads take columns of their own; the footer is comments."""
    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.columns)
    intervals = [any(isinstance(cell, Estimate) and cell.has_interval for cell in cells) for cells in columns]
    spreads = [any(isinstance(cell, Spread) for cell in cells) for cells in columns]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    header: list[str] = []
    for column, interval, spread in zip(table.columns, intervals, spreads, strict=True):
        header += [column, *([f"{column} low", f"{column} high"] if interval else [])]
        header += [f"{column} sd"] if spread else []
    writer.writerow(header)
    for row in table.rows:
        flat: list[str] = []
        for cell, interval, spread in zip(row, intervals, spreads, strict=True):
            flat += _csv_cells(cell, interval=interval, spread=spread)
        writer.writerow(flat)
    return out.getvalue() + "".join(f"# {one_line(sentence)}\n" for sentence in table.footer)


def _csv_cells(cell: Cell, *, interval: bool, spread: bool) -> list[str]:
    match cell:
        case PValue(value):
            first, bounds, sd = _exact(value), ["", ""], ""
        case Estimate(value, low, high, decimals):
            first, bounds, sd = _exact(value, decimals), [_exact(low), _exact(high)], ""
        case Spread(mean, deviation, decimals):
            first, bounds, sd = _exact(mean, decimals), ["", ""], _exact(deviation)
        case _:
            first, bounds, sd = cell, ["", ""], ""
    return [first, *(bounds if interval else []), *([sd] if spread else [])]


def _exact(value: float, decimals: int = 1) -> str:
    """All digits; without a point where it is a count (`decimals` 0), unless a mean of counts needs one."""
    if math.isnan(value):
        return ""
    return str(int(value)) if decimals == 0 and float(value).is_integer() else repr(float(value))


def _plain(table: Table) -> str:
    grid = [[one_line(cell) for cell in row] for row in (table.columns, *map(_plain_row, table.rows))]
    widths = [max(len(row[i]) for row in grid) for i in range(len(table.columns))]
    right = numeric(table)

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


def _plain_row(row: Sequence[Cell]) -> list[str]:
    """Text has no bold: a star stands in its place."""
    return [f"{shown(cell)}*" if is_significant(cell) else shown(cell) for cell in row]
