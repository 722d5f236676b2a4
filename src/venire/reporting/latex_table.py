"""Tables for a LaTeX manuscript: booktabs, with caption, label, and the footer under the rules."""

import re
from collections.abc import Sequence

from venire.reporting.table import Cell, Table, is_significant, numeric, one_line, shown

# A row of more characters than this is wider than a page, and is scaled down to the page's width.
_PAGE = 88
_LABEL = 40  # characters

_SIGNS = {
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
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "−": "$-$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≠": r"$\neq$",
    "→": r"$\rightarrow$",
    "²": "$^2$",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "δ": r"$\delta$",
    "Δ": r"$\Delta$",
    "κ": r"$\kappa$",
    "ρ": r"$\rho$",
    "σ": r"$\sigma$",
    "τ": r"$\tau$",
    "χ": r"$\chi$",
}
_LATIN = "\u024f"  # the last character that LaTeX's usual fonts have


def latex(tables: Sequence[Table]) -> str:
    """A `table` each, under comments that say which packages they need."""
    bodies = [_table(table) for table in tables]
    text = "\n".join(bodies)
    packages = "booktabs" + (",graphicx" if r"\resizebox" in text else "")
    needs = [rf"% needs \usepackage{{{packages}}} and \usepackage[T1]{{fontenc}}"]
    if any(character > _LATIN for character in text):
        needs.append("% holds letters that pdflatex does not know: use lualatex or xelatex")
    return "\n".join([*needs, text])


def _table(table: Table) -> str:
    wide = _characters(table) > _PAGE
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_text(table.title)}}}",
        rf"\label{{tab:{_label(table.title)}}}",
        *([r"\resizebox{\textwidth}{!}{%"] if wide else []),
        rf"\begin{{tabular}}{{{''.join('r' if flush else 'l' for flush in numeric(table))}}}",
        r"\toprule",
        _row([_text(column) for column in table.columns]),
        r"\midrule",
        *[_row([_cell(cell) for cell in row]) for row in table.rows],
        r"\bottomrule",
        r"\end{tabular}" + ("}" if wide else ""),
        *([r"\par\raggedright\footnotesize"] if table.footer else []),
        *[rf"\par {_text(sentence)}" for sentence in table.footer],
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _characters(table: Table) -> int:
    """Of the widest row that there could be, two between columns."""
    rows = [table.columns, *[[shown(cell) for cell in row] for row in table.rows]]
    return sum(max(map(len, column)) + 2 for column in zip(*rows, strict=True))


def _label(title: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    return words[:_LABEL].rstrip("-") or "table"


def _text(text: str) -> str:
    """`text` as it stands, whatever LaTeX would make of it."""
    escaped = "".join(_SIGNS.get(character, character) for character in one_line(text).replace("--", "-\0-"))
    return escaped.replace("\0", "{}")


def _cell(cell: Cell) -> str:
    text = _text(cell if isinstance(cell, str) else cell.text().replace("-", "−"))
    return rf"\textbf{{\boldmath {text}}}" if is_significant(cell) else text


def _row(cells: Sequence[str]) -> str:
    """One line; after the one before it, a bracket or star would be read as an option of its end."""
    line = " & ".join(cells) + r" \\"
    return f"{{}}{line}" if line[0] in "[*" else line
