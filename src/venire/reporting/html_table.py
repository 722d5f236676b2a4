"""Tables as one page: a file of its own without scripts, made for readers of screens and of paper."""

import html
from collections.abc import Sequence

from venire.reporting.table import Cell, Table, is_significant, numeric, one_line, shown

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_CSS = (
    "body{font:14px/1.4 sans-serif;margin:2em;color:#222;background:#fff}"
    "section{margin-bottom:2.5em}.wide{overflow-x:auto}table{border-collapse:collapse}"
    "caption{font-weight:bold;text-align:left;padding:.4em 0}"
    "th,td{border-bottom:1px solid #ccc;padding:.25em .6em;text-align:left;vertical-align:top}"
    "thead th{border-bottom:2px solid #222}tbody th{font-weight:normal}"
    ".n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}"
    "p{margin:.3em 0;font-size:12px;color:#555;max-width:70em}"
)


def page(tables: Sequence[Table]) -> str:
    """Every text is shown as it is, whatever HTML would make of it; the first title is the page's."""
    title = _plain(tables[0].title if tables else "no table")
    lines = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f"<title>{title}</title><style>{_CSS}</style></head><body><main>",
        *[line for place, table in enumerate(tables) for line in _section(table, f"t{place + 1}")],
        "</main></body></html>",
    ]
    return "\n".join(lines) + "\n"


def _section(table: Table, name: str) -> list[str]:
    """A wide table scrolls in a region of its own, which the keyboard reaches and the caption names."""
    right, label = numeric(table), _labels(table)
    head = "".join(
        # a header without a text would be read as an empty one
        f'<th scope="col"{_flush(flush)}>{_plain(column)}</th>' if column.strip() else "<td></td>"
        for column, flush in zip(table.columns, right, strict=True)
    )
    body = []
    for row in table.rows:
        cells = [
            f'<th scope="row">{_cell(cell)}</th>'
            if place == label
            else f"<td{_flush(flush)}>{_cell(cell)}</td>"
            for place, (cell, flush) in enumerate(zip(row, right, strict=True))
        ]
        body.append(f"<tr>{''.join(cells)}</tr>")
    return [
        f'<section><div class="wide" role="region" aria-labelledby="{name}" tabindex="0"><table>',
        f'<caption id="{name}">{_plain(table.title)}</caption>',
        f"<thead><tr>{head}</tr></thead>",
        "<tbody>",
        *body,
        "</tbody></table></div>",
        *[f"<p>{_plain(sentence)}</p>" for sentence in table.footer],
        "</section>",
    ]


def _labels(table: Table) -> int:
    """The column that names the rows: the first of texts that all differ, else the first."""
    for place, is_number in enumerate(numeric(table)):
        texts = [shown(row[place]) for row in table.rows]
        if not is_number and all(texts) and len(set(texts)) == len(texts):
            return place
    return 0


def _flush(right: bool) -> str:
    return ' class="n"' if right else ""


def _plain(text: str) -> str:
    return html.escape(one_line(text))


def _cell(cell: Cell) -> str:
    text = _plain(shown(cell))
    return f"<strong>{text}</strong>" if is_significant(cell) else text
