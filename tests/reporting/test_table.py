import csv
import io
import math

import pytest

from venire.errors import ConfigError
from venire.reporting.table import Estimate, Format, PValue, Spread, Table, rounded

AWKWARD = r"a|b & c_d 50% $x #1 {y} ~z ^w \q <i> *s* `t`"
TABLE = Table(
    "a title",
    ("run", "accuracy", "note"),
    (
        ("single", Estimate(0.8112, 0.7711, 0.8458), "fine"),
        ("length", Estimate(0.5), ""),
        ("nothing", Estimate(math.nan), "undefined"),
    ),
    ("One sentence.", "Another, with a comma."),
)


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (0.8115, 3, "0.811"),  # Python rounds the nearest double, which lies below
        (1234.5, 0, "1,234"),
        (1234567.891, 2, "1,234,567.89"),
        (-0.0004, 3, "0.000"),
        (-0.0006, 3, "-0.001"),
        (0.0, 3, "0.000"),
        (math.nan, 3, "–"),
    ],
)
def test_a_number_is_rounded_and_undefined_is_a_dash(value: float, decimals: int, text: str) -> None:
    assert rounded(value, decimals) == text


def test_an_estimate_shows_its_interval_where_it_has_one() -> None:
    assert Estimate(0.8112, 0.7711, 0.8458).text() == "0.811 [0.771, 0.846]"
    assert Estimate(-0.0123, -0.05, 0.02).text() == "-0.012 [-0.050, 0.020]"
    assert Estimate(0.5).text() == "0.500"
    assert Estimate(0.5, 0.4).text() == "0.500"
    assert Estimate(1234.5, 1200.0, 1300.0, decimals=1).text() == "1,234.5 [1,200.0, 1,300.0]"
    assert Estimate(math.nan, 0.1, 0.2).text() == "–"


def test_a_spread_is_no_interval() -> None:
    assert Spread(0.811, 0.0123).text() == "0.811 ± 0.012"
    assert Spread(math.nan, math.nan).text() == "–"


def test_a_row_has_a_cell_for_every_column() -> None:
    with pytest.raises(ConfigError, match=r"^t: expected 2 cells a row, got 1$"):
        Table("t", ("a", "b"), (("x",),))


def test_text_aligns_numbers_to_the_right() -> None:
    assert TABLE.render(Format.TEXT) == (
        "a title\n"
        "\n"
        "run                  accuracy  note\n"
        "-------  --------------------  ---------\n"
        "single   0.811 [0.771, 0.846]  fine\n"
        "length                  0.500\n"
        "nothing                     –  undefined\n"
        "\n"
        "One sentence.\n"
        "Another, with a comma.\n"
    )


def test_markdown_is_one_line_a_row() -> None:
    assert TABLE.render(Format.MARKDOWN) == (
        "**a title**\n"
        "\n"
        "| run | accuracy | note |\n"
        "| --- | ---: | --- |\n"
        "| single | 0.811 [0.771, 0.846] | fine |\n"
        "| length | 0.500 |  |\n"
        "| nothing | – | undefined |\n"
        "\n"
        "One sentence.\n"
        "\n"
        "Another, with a comma.\n"
    )


def test_csv_has_numbers_in_full_and_bounds_in_columns_of_their_own() -> None:
    assert TABLE.render(Format.CSV) == (
        "run,accuracy,accuracy low,accuracy high,note\n"
        "single,0.8112,0.7711,0.8458,fine\n"
        "length,0.5,,,\n"
        "nothing,,,,undefined\n"
        "# One sentence.\n"
        "# Another, with a comma.\n"
    )


def test_csv_has_counts_without_a_point() -> None:
    rows = (
        ("one seed", Estimate(320.0, decimals=0), Estimate(1.0)),
        ("two seeds", Spread(320.5, 0.7, decimals=0), Estimate(0.5)),
        ("none", Estimate(math.nan, decimals=0), Estimate(0.0)),
    )
    assert Table("t", ("run", "calls", "accuracy"), rows).render(Format.CSV) == (
        "run,calls,calls sd,accuracy\none seed,320,,1.0\ntwo seeds,320.5,0.7,0.5\nnone,,,0.0\n"
    )


def test_csv_keeps_means_and_deviations_as_numbers() -> None:
    rows = (("three seeds", Spread(0.81, 0.0123)), ("one seed", Estimate(0.8, 0.7, 0.9)))
    assert Table("t", ("run", "accuracy"), rows).render(Format.CSV) == (
        "run,accuracy,accuracy low,accuracy high,accuracy sd\n"
        "three seeds,0.81,,,0.0123\n"
        "one seed,0.8,0.7,0.9,\n"
    )


def awkward(form: Format) -> str:
    return Table(AWKWARD, ("run", AWKWARD), ((AWKWARD, Estimate(0.5)),), (AWKWARD,)).render(form)


def test_markdown_shows_awkward_text_as_it_stands() -> None:
    escaped = r"a\|b & c_d 50% $x #1 {y} ~z ^w \\q \<i> \*s\* \`t\`"
    lines = awkward(Format.MARKDOWN).splitlines()
    assert lines[0] == f"**{escaped}**"
    assert lines[2] == f"| run | {escaped} |"
    assert lines[4] == f"| {escaped} | 0.500 |"


def test_csv_is_read_back_with_commas_quotes_and_newlines() -> None:
    awkward_text = 'a, "b"\nc'
    rendered = Table("t", ("run", awkward_text), ((awkward_text, Estimate(0.25)),)).render(Format.CSV)
    assert list(csv.reader(io.StringIO(rendered))) == [["run", awkward_text], [awkward_text, "0.25"]]


@pytest.mark.parametrize("form", [Format.MARKDOWN, Format.LATEX, Format.TEXT])
def test_a_newline_breaks_no_row_and_no_sentence(form: Format) -> None:
    rendered = Table("t", ("run", "n"), (("a\nb", "1"),), ("one\ntwo",)).render(form)
    assert "a b" in rendered
    if form is not Format.TEXT:
        assert "one two" in rendered


@pytest.mark.parametrize("form", list(Format))
def test_a_table_without_rows_has_its_head(form: Format) -> None:
    rendered = Table("t", ("run", "accuracy"), ()).render(form)
    assert "run" in rendered
    assert "accuracy" in rendered
    assert rendered.endswith("\n")


def test_what_a_corrected_test_found_is_bold_and_nothing_else() -> None:
    rows = (
        ("a", Estimate(0.1, 0.05, 0.15, significant=True), PValue(0.0123)),
        ("b", Estimate(0.1, 0.05, 0.15), PValue(0.2)),
    )
    table = Table("t", ("run", "Δ", "p"), rows)
    markdown, latex, page = (table.render(each) for each in (Format.MARKDOWN, Format.LATEX, Format.HTML))
    assert "| a | **0.100 [0.050, 0.150]** | 0.012 |" in markdown
    assert "| b | 0.100 [0.050, 0.150] | 0.200 |" in markdown
    assert r"a & \textbf{\boldmath 0.100 [0.050, 0.150]} & 0.012 \\" in latex
    assert r"b & 0.100 [0.050, 0.150] & 0.200 \\" in latex
    assert page.count("<strong>") == 1
    assert table.render(Format.TEXT).splitlines()[4:] == [
        "a    0.100 [0.050, 0.150]*  0.012",
        "b     0.100 [0.050, 0.150]  0.200",
    ]
    assert table.render(Format.CSV).splitlines()[1:] == ["a,0.1,0.05,0.15,0.0123", "b,0.1,0.05,0.15,0.2"]
