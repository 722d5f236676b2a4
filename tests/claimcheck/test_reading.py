"""The format of docs/claims.md: what is read, and what is refused with which words."""

from fractions import Fraction
from pathlib import Path

import pytest

from venire.claimcheck.checking import check_claims
from venire.claimcheck.findings import Level
from venire.claimcheck.reading import bundled_claims, parse_claims, read_claims
from venire.errors import ConfigError

DOCS = Path(__file__).parents[2] / "docs" / "claims.md"
HEAD = "title: T\nsource: S\n"


def test_texts_keep_the_decimals_that_are_written() -> None:
    claims = parse_claims(
        HEAD + "figures: {a: .60, b: 419}\nchecks: [{check: reachable, title: t, figures: a, n: b}]", "f"
    )
    assert claims.figures["a"].decimals == 2
    assert claims.figures["b"].is_exact


def test_a_figure_may_say_more_of_itself() -> None:
    claims = parse_claims(
        HEAD
        + """
rounding: truncated
figures:
  a: .784
  b: {value: .784, rounding: nearest}
  c: {value: 2.8 points, within: 0.2 points, where: section 4, says: "2.8", derived: a less b}
  d: {value: "34,103", exact: "false"}
checks: [{check: order, title: t, figures: [a, b], shape: increasing}]
""",
        "f",
    )
    figures = claims.figures
    assert (figures["a"].low, figures["a"].high) == (Fraction("0.784"), Fraction("0.785"))
    assert (figures["b"].low, figures["b"].high) == (Fraction("0.7835"), Fraction("0.7845"))
    assert (figures["c"].low, figures["c"].high) == (Fraction("0.026"), Fraction("0.030"))
    assert not figures["d"].is_exact
    assert figures["c"].derived == "a less b"


def test_a_figure_without_a_source_is_a_finding_of_its_own() -> None:
    claims = parse_claims("title: T\nfigures: {a: {value: 15-25%, unsourced: nobody says}}", "f")
    (found,) = check_claims(claims)
    assert found.level is Level.UNSOURCED
    assert found.arithmetic == ("15-25%: nobody says.",)


def test_premises_and_notes_belong_to_a_check() -> None:
    claims = parse_claims(
        HEAD
        + "figures: {a: 1, b: 2}\nchecks:\n"
        + "  - {check: relation, title: t, holds: a == b, assuming: [p], note: n}\n",
        "f",
    )
    (found,) = check_claims(claims)
    assert found.level is Level.CONDITIONAL
    assert found.conditions == ("this does not hold: p",)
    assert found.note == "n"


FIGURES = "figures: {a: .784, b: .57, n: 419, m: 300}\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title: T", "f: figures: expected a mapping"),
        ("[1, 2]", "f: expected a mapping of keys"),
        ("title: [", "f: expected YAML"),
        (HEAD + "title: U\n" + FIGURES, "f: key 'title': twice"),
        (HEAD + "figures: {a: 1, a: 2}", "f: key 'a': twice"),
        ("source: S\n" + FIGURES, "f.title: missing"),
        ("title: T\nchecks: []\n" + FIGURES, "f: source: missing"),
        (HEAD + FIGURES, "f: checks: expected at least one"),
        (HEAD + "figures: {a: x}", "f: figures.a: expected a number"),
        (HEAD + "figures: {a b: 1}", "f: figures.a b: expected a name"),
        (
            HEAD + "figures: {a: {value: 1, wher: x}}",
            "f: figures.a.wher: unknown key; expected some of derived",
        ),
        (HEAD + "figures: {a: {value: 1, exact: yes}}", "f: figures.a.exact: expected one of true, false"),
        (HEAD + "figures: {a: {value: 1, exact: 'true', within: 1}}", "expected either this or exact"),
        (HEAD + "figures: {a: {value: 1, within: -1}}", "expected a distance of at least 0"),
        (HEAD + "figures: {a: {value: 1, unsourced: x, derived: y}}", "either unsourced or derived"),
        (HEAD + "rounding: up\n" + FIGURES, "f.rounding: expected one of nearest, truncated"),
        (HEAD + "chekcs: []\n" + FIGURES, "f.chekcs: unknown key"),
    ],
)
def test_a_wrong_file_is_refused_with_its_key(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_claims(text, "f")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("check", "said"),
    [
        ("{check: sum, title: t}", "checks[0].check: expected one of reachable, kappa, relation"),
        ("{check: order, figures: [a, b], shape: increasing}", "checks[0].title: missing"),
        ("{check: order, title: t, figures: [a], shape: increasing}", "expected 2 or more names that differ"),
        (
            "{check: order, title: t, figures: [a, z], shape: increasing}",
            "no figure 'z'; there are a, b, n, m",
        ),
        ("{check: order, title: t, figures: [a, b], shape: peak}", "expected one of the figures, for a peak"),
        ("{check: order, title: t, figures: [a, b], shape: increasing, at: a}", "for a peak or valley alone"),
        ("{check: reachable, title: t, figures: a, n: b}", "checks[0].n: b: expected a whole number"),
        ("{check: reachable, title: t, figures: a, n: 0}", "expected a whole number of at least 1"),
        ("{check: reachable, title: t, figures: a, n: n, runs: many}", "checks[0].runs: expected a whole"),
        (
            "{check: reachable, title: t, figures: a, n: n, halves: maybe}",
            "checks[0].halves: expected one of",
        ),
        ("{check: reachable, title: t, figures: a, n: n, sead: 3}", "checks[0].sead: unknown key"),
        ("{check: kappa, title: t, accuracy: a, kappa: b, n: n, gold: [200, 200]}", "2 counts that make 419"),
        ("{check: kappa, title: t, accuracy: a, kappa: b, n: n, labels: 3, gold: [200, 219]}", "3 counts"),
        ("{check: kappa, title: t, accuracy: a, kappa: b, n: n, labels: 1}", "at least 2"),
        ("{check: relation, title: t, holds: a + z == b}", "checks[0].holds: no figure 'z'"),
        (
            "{check: relation, title: t, holds: a == b, whole: {g: 1 to 3}}",
            "expected one name of the relation",
        ),
        ("{check: relation, title: t, holds: g*a == b, whole: {g: 3 to 1}}", "expected `1 to 20`"),
        ("{check: additive, title: t, base: a, total: b, effects: {x: a}}", "expected two parts"),
        ("{check: split, title: t, size: n, parts: {x: m}}", "expected two parts or more"),
        (
            "{check: cost, title: t, cost: a, tokens: n, price_input: n, price_output: m}",
            "expected more than",
        ),
    ],
)
def test_a_wrong_check_is_refused_with_its_key(check: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_claims(HEAD + FIGURES + f"checks: [{check}]", "f")
    assert said in str(caught.value)


def test_a_file_that_is_not_there_names_the_bundled_ones(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="judging_guide, juryflow, maj_eval"):
        read_claims(str(tmp_path / "none.yaml"))


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="UTF-8"):
        read_claims(str(tmp_path / "x.yaml"))


def test_the_page_documents_every_kind_of_check_and_key() -> None:
    page = DOCS.read_text(encoding="utf-8")
    words = """reachable kappa relation order additive split cost unsourced rounding within exact derived
        where says assuming note runs halves labels gold verdicts holds whole shape at base total effects
        effects_are exactly size parts tokens price_input price_output output"""
    assert [word for word in words.split() if f"`{word}`" not in page] == []


def test_the_example_of_the_page_is_read_and_finds_what_the_page_says() -> None:
    page = DOCS.read_text(encoding="utf-8")
    example = page.split("```yaml\n")[1].split("```")[0]
    levels = [finding.level for finding in check_claims(parse_claims(example, "example"))]
    assert levels == [
        Level.CONDITIONAL,
        Level.CONDITIONAL,
        Level.CONSISTENT,
        Level.IMPOSSIBLE,
        Level.UNSOURCED,
    ]


def test_three_files_are_bundled() -> None:
    assert bundled_claims() == ["judging_guide", "juryflow", "maj_eval"]
