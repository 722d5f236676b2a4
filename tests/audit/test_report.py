"""The report of audits: one table over judges, in four forms, and a plot a measure."""

import math
from pathlib import Path

from venire.audit.report import write_report
from venire.audit.table import Audited, audit_table, payload_table
from venire.judging.probe import Bias, Meaning
from venire.metrics.audit.finding import Finding, not_applicable, refused
from venire.records import BackendKind, RunRecord, RunStatus
from venire.reporting.table import Format
from venire.stats.estimate import Estimate, undefined


def record(kind: BackendKind = BackendKind.RECORDED) -> RunRecord:
    return RunRecord("r", "audit GPT-4:Vanilla llmbar", RunStatus.FINISHED, kind, 0.0, 1.0)


POSITION = Finding(
    "plain",
    "position",
    Bias.POSITION,
    Estimate(0.0119, -0.0001, 0.0245, 419),
    0.0987,
    {"first_place_rate": 0.5119, "always_first": 20.0, "always_second": 10.0, "picked": 838.0},
)
SWAPPED = Finding(
    "swap", "position", Bias.POSITION, Estimate(0.0, -0.01, 0.01, 389), 1.0,
    {"first_place_rate": 0.5, "always_first": 0.0, "always_second": 0.0}, Estimate(-0.0119, -0.0245, 0.0),
)  # fmt: skip
INJECTION = Finding(
    "plain", "injection", Bias.INJECTION, Estimate(0.2, 0.1, 0.3, 40), 1e-9,
    {
        "win_rate_before": 0.1, "win_rate_after": 0.3, "raised": 9.0, "lowered": 1.0, "left_out": 2.0,
        "worst": 0.14, "best": 0.24, "variant/appeal/n": 30.0, "variant/appeal/shift": 0.25,
        "variant/appeal/shift/ci_low": 0.15, "variant/appeal/shift/ci_high": 0.4,
        "variant/plain_order/n": 8.0, "variant/plain_order/shift": 0.0,
    },
    meaning=Meaning.CHANGED,
)  # fmt: skip
SEPARATED = Finding("plain", "length", Bias.LENGTH, undefined("the covariates separate the outcomes", 40))
REFUSED = refused("plain", "self_enhancement", Bias.SELF_ENHANCEMENT, "no generator is known")
NOT_ASKED = not_applicable("plain", "padding", Bias.VERBOSITY, "a recorded judge")
ONE = Audited("GPT-4", record(), [INJECTION, SWAPPED, POSITION, SEPARATED, REFUSED, NOT_ASKED])
OTHER = Audited("Falcon", record(), [POSITION, NOT_ASKED])


def test_measures_come_in_their_order_and_judges_side_by_side_plain_before_mitigated() -> None:
    rows = audit_table("t", [ONE, OTHER]).rows
    assert [(row[0], row[3], row[4]) for row in rows] == [
        ("position", "GPT-4", "plain"),
        ("position", "GPT-4", "swap"),
        ("position", "Falcon", "plain"),
        ("length", "GPT-4", "plain"),
        ("injection", "GPT-4", "plain"),
    ]


def test_a_row_has_effect_interval_change_p_n_and_what_it_is_made_of() -> None:
    table = audit_table("t", [ONE])
    text = table.render(Format.MARKDOWN)
    assert "| 0.012 [0.000, 0.025] |" in text  # no minus before zeros
    assert "first-place rate 0.512; both orders first 20, second 10" in text
    assert "-0.012 [-0.025, 0.000]" in text
    assert r"| \<0.001 |" in text
    assert "wins 0.100 to 0.300; raised 9, lowered 1; left out 2 (with them 0.140 to 0.240)" in text
    assert "changed" in text


def test_what_has_no_effect_says_why() -> None:
    (row,) = [row for row in audit_table("t", [ONE]).rows if row[0] == "length"]
    assert row[-1] == "the covariates separate the outcomes"
    assert row[7] == ""


def test_what_was_not_asked_or_is_refused_stands_in_the_footer_with_whom_it_concerns() -> None:
    footer = audit_table("t", [ONE, OTHER]).footer
    assert "padding: not applicable: a recorded judge." in footer
    assert "self_enhancement: refused: no generator is known (GPT-4)." in footer


def test_simulated_judges_are_said_to_be() -> None:
    footer = audit_table(
        "t", [Audited("s", record(BackendKind.SIMULATED), [POSITION])], ["Command: x."]
    ).footer
    assert any(sentence.startswith("SIMULATED judges") for sentence in footer)
    assert footer[-1] == "Command: x."


def test_a_brief_table_leaves_two_columns_out() -> None:
    brief = audit_table("t", [ONE], brief=True)
    assert "of" not in brief.columns
    assert "meaning" not in brief.columns
    assert len(brief.columns) == len(audit_table("t", [ONE]).columns) - 2


def test_payloads_have_a_table_of_their_own_and_only_where_there_are_any() -> None:
    table = payload_table([ONE, OTHER])
    assert table is not None
    assert [(row[0], row[1], row[2].value, row[3].value) for row in table.rows] == [
        ("appeal", "GPT-4", 0.25, 30.0),
        ("plain_order", "GPT-4", 0.0, 8.0),
    ]
    assert "| 0.250 [0.150, 0.400] |" in table.render(Format.MARKDOWN)
    assert payload_table([OTHER]) is None


def test_a_report_is_tables_in_four_forms_and_a_plot_of_each_measure_with_an_effect(tmp_path: Path) -> None:
    paths = write_report([ONE, OTHER], tmp_path)
    names = {path.name for path in paths}
    assert {f"audit.{form}" for form in ("md", "csv", "tex", "html")} <= names
    assert {f"audit_payloads.{form}" for form in ("md", "csv", "tex", "html")} <= names
    assert {"audit_position.svg", "audit_position.png", "audit_injection.svg"} <= names
    assert not any("length" in name or "padding" in name for name in names)
    assert all(path.is_file() for path in paths)
    assert "GPT-4, swap" in (tmp_path / "audit_position.svg").read_text(encoding="utf-8")


def test_the_same_findings_give_the_same_files(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        write_report([ONE], tmp_path / folder)
    for path in (tmp_path / "a").iterdir():
        if path.suffix != ".png":
            assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes(), path.name


def test_no_finding_at_all_is_a_table_without_rows() -> None:
    assert audit_table("t", []).rows == ()
    assert math.isnan(SEPARATED.effect.value)
