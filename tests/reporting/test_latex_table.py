import shutil
import subprocess
from pathlib import Path

import pytest

from venire.reporting.table import Estimate, Format, PValue, Spread, Table, render_tables

AWKWARD = r"a|b & c_d 50% $x #1 {y} ~z ^w \q <i> *s* `t` --u"
ESCAPED = (
    r"a\textbar{}b \& c\_d 50\% \$x \#1 \{y\} \textasciitilde{}z \textasciicircum{}w \textbackslash{}q "
    r"\textless{}i\textgreater{} *s* `t` -{}-u"
)
SIGNS = 'Δ ρ τ κ χ² α β ± × ≤ ≥ → − – — … "é"'


def test_a_table_is_one_of_booktabs_with_caption_and_label() -> None:
    rows = (("single", Estimate(0.8112, 0.7711, 0.8458), "fine"), ("nothing", Estimate(float("nan")), ""))
    table = Table("A title: 3", ("run", "accuracy", "note"), rows, ("One sentence.", "Another."))
    assert table.render(Format.LATEX) == (
        "% needs \\usepackage{booktabs} and \\usepackage[T1]{fontenc}\n"
        "\\begin{table}\n"
        "\\centering\n"
        "\\caption{A title: 3}\n"
        "\\label{tab:a-title-3}\n"
        "\\begin{tabular}{lrl}\n"
        "\\toprule\n"
        "run & accuracy & note \\\\\n"
        "\\midrule\n"
        "single & 0.811 [0.771, 0.846] & fine \\\\\n"
        "nothing & -- &  \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
        "\\par\\raggedright\\footnotesize\n"
        "\\par One sentence.\n"
        "\\par Another.\n"
        "\\end{table}\n"
    )


def test_awkward_text_is_shown_as_it_stands() -> None:
    table = Table(AWKWARD, ("run", AWKWARD), ((AWKWARD, Estimate(0.5)),), (AWKWARD,))
    lines = table.render(Format.LATEX).splitlines()
    assert rf"\caption{{{ESCAPED}}}" in lines
    assert rf"run & {ESCAPED} \\" in lines
    assert rf"{ESCAPED} & 0.500 \\" in lines
    assert rf"\par {ESCAPED}" in lines


@pytest.mark.parametrize("name", ["[a]", "*a"])
def test_a_first_cell_is_not_read_as_an_option_of_the_line_before(name: str) -> None:
    assert rf"{{}}{name} & 1 \\" in Table("t", ("run", "n"), ((name, "1"),)).render(Format.LATEX)


def test_there_are_signs_for_minus_plus_minus_and_delta() -> None:
    rows = (("a-b", Estimate(-0.5)), ("c", Spread(0.5, 0.1)))
    rendered = Table("t", ("run", "Δ"), rows).render(Format.LATEX)
    assert r"run & $\Delta$ \\" in rendered
    assert r"a-b & $-$0.500 \\" in rendered
    assert r"c & 0.500 $\pm$ 0.100 \\" in rendered


def test_only_a_wide_table_is_scaled_to_the_page() -> None:
    narrow, wide = (Table("t", ("run", "x" * n), (("a", "b"),)).render(Format.LATEX) for n in (20, 100))
    assert "resizebox" not in narrow
    assert "graphicx" not in narrow
    assert r"\resizebox{\textwidth}{!}{%" in wide
    assert r"\end{tabular}}" in wide
    assert r"% needs \usepackage{booktabs,graphicx}" in wide


def test_letters_that_pdflatex_does_not_know_are_said() -> None:
    warning = "% holds letters that pdflatex does not know"
    assert warning in Table("t", ("판사",), ()).render(Format.LATEX)
    assert warning not in Table(SIGNS, ("run",), ()).render(Format.LATEX)


@pytest.mark.slow
def test_pdflatex_takes_every_table(tmp_path: Path) -> None:
    compiler = shutil.which("pdflatex")
    if compiler is None:
        pytest.skip("needs pdflatex on PATH")
    bold = Estimate(-0.1, -0.2, -0.05, significant=True)
    rows = ((AWKWARD, bold, PValue(1e-20)), ("[b]", Spread(0.5, 0.1), PValue(0.5)))
    tables = (
        Table(AWKWARD, ("", SIGNS, "p"), rows, (SIGNS, AWKWARD)),
        Table("wide", tuple("abcdefgh"), (("a cell of some length",) * 8,)),
        Table("without rows", ("a", "b"), ()),
    )
    document = (
        "\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\usepackage{booktabs,graphicx}\n"
        f"\\begin{{document}}\n{render_tables(tables, Format.LATEX)}\\end{{document}}\n"
    )
    (tmp_path / "paper.tex").write_text(document, encoding="utf-8")
    done = subprocess.run(
        [compiler, "-draftmode", "-halt-on-error", "-interaction=nonstopmode", "paper.tex"],
        cwd=tmp_path, capture_output=True, text=True, errors="replace",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
