import math

from venire.records import BackendKind, RunStatus
from venire.reporting.footer import SIMULATED
from venire.reporting.run_sheet import run_sheet
from venire.reporting.table import Format


def rows_of(record) -> dict[str, tuple[str, str]]:
    return {str(name): (str(value), str(note)) for name, value, note in run_sheet(record).rows}


def test_main_numbers_have_their_intervals_and_notes(make_record) -> None:
    record = make_record(notes={"accuracy": "95% Wilson interval over 32 items"})
    assert rows_of(record) == {
        "instances": ("32", ""),
        "accuracy, mean of the orders": ("0.750 [0.600, 0.900]", "95% Wilson interval over 32 items"),
        "coverage": ("1.000", ""),
    }


def test_the_title_says_the_kind_and_a_status_other_than_finished(make_record) -> None:
    assert run_sheet(make_record()).title == "majority multi_model sample [recorded]"
    stopped = run_sheet(make_record(status=RunStatus.INCOMPLETE))
    assert stopped.title == "majority multi_model sample [recorded] (incomplete)"
    assert "did not finish" in stopped.footer[-1]


def test_the_footer_says_where_the_numbers_come_from(make_record) -> None:
    assert run_sheet(make_record(seed=3, tags={"git_dirty": "true"})).footer == (
        f"Backend kind: recorded; n: 32; seeds: 3; data: {'d' * 12}; commit: 01234567 (dirty). "
        "All metrics: summary.json, docs/metrics.md.",
    )
    assert SIMULATED in run_sheet(make_record(kind=BackendKind.SIMULATED)).footer


def test_an_undefined_main_number_is_a_dash_with_its_reason(make_record) -> None:
    record = make_record(metrics={"kappa": math.nan}, notes={"kappa": "undefined: one label only"})
    assert rows_of(record)["Cohen's kappa, mean of the orders"] == ("–", "undefined: one label only")


def test_an_unknown_cost_is_shown_as_such(make_record) -> None:
    assert rows_of(make_record(metrics={"cost_usd/total": math.nan}))["USD, all calls"] == ("–", "")


def test_what_the_method_cannot_have_is_left_out(make_record) -> None:
    shown = rows_of(make_record(metrics={"accuracy/swapped": math.nan}))
    assert "accuracy, swapped" not in shown
    assert "kappa, swapped" not in shown


def test_bounds_are_shown_where_verdicts_are_missing(make_record) -> None:
    bounds = {"accuracy/worst": 0.7, "accuracy/best": 0.8}
    assert "accuracy if the missing were right" not in rows_of(make_record(metrics=bounds))
    missing = rows_of(make_record(metrics={**bounds, "coverage": 0.9}))
    assert missing["accuracy if the missing were wrong"] == ("0.700", "")
    assert missing["accuracy if the missing were right"] == ("0.800", "")


def test_doubtful_calls_are_shown_where_there_are_any(make_record) -> None:
    assert "calls uncertain" not in rows_of(make_record(metrics={"calls/uncertain": 0.0}))
    assert rows_of(make_record(metrics={"calls/uncertain": 2.0}))["calls uncertain"] == ("2", "")


def test_calls_without_a_reply_or_a_verdict_are_shown_where_there_are_any(make_record) -> None:
    shown = rows_of(make_record(metrics={"calls/failed": 3.0, "calls/unfinished": 5.0}))
    assert shown["calls without a reply"] == ("3", "")
    assert shown["calls of unfinished instances"] == ("5", "")
    assert "calls without a reply" not in rows_of(make_record(metrics={"calls/failed": 0.0}))


def test_counts_and_money_have_their_own_decimals(make_record) -> None:
    shown = rows_of(
        make_record(metrics={"calls/paid": 1234.0, "tokens/input": 1e6, "cost_usd/total": 0.12345})
    )
    assert shown["calls paid"][0] == "1,234"
    assert shown["tokens in"][0] == "1,000,000"
    assert shown["USD, all calls"][0] == "0.1235"


def test_it_renders_in_every_form(make_record) -> None:
    for form in Format:
        assert (
            "majority" in run_sheet(make_record(notes={"accuracy": "a|b"})).render(form) or form is Format.CSV
        )


def test_metrics_of_labels_are_shown_and_those_that_were_not_chosen_are_not(make_record) -> None:
    metrics = {"n/polite": 4.0, "f1/polite": 0.5, "kappa_quadratic/mean": 0.25, "multilabel/f1_macro": 0.75}
    shown = rows_of(make_record(metrics=metrics))
    assert shown["F1, polite"] == ("0.500", "")
    assert shown["quadratic kappa, mean"] == ("0.250", "")
    assert shown["F1, mean of the labels"] == ("0.750", "")
    assert not any("Spearman" in title for title in shown)


def test_what_a_development_split_mends_is_shown_before_and_after(make_record) -> None:
    metrics = {
        "confidence/margin/development_n": 20.0,
        "confidence/margin/ece": 0.23,
        "confidence/margin/ece/ci_low": 0.2,
        "confidence/margin/ece/ci_high": 0.27,
        "confidence/margin/isotonic/ece": 0.04,
        "confidence/final/ece": 0.5,  # without curves: not developed on
        "win_rate/measured": 0.445,
        "win_rate/corrected": math.nan,
    }
    shown = rows_of(make_record(metrics=metrics, notes={"win_rate/corrected": "undefined: tells nothing"}))
    new = {name: row for name, row in shown.items() if name.startswith(("ECE", "first response"))}
    assert new == {
        "ECE of margin": ("0.230 [0.200, 0.270]", ""),
        "ECE of margin, isotonic": ("0.040", ""),
        "first response wins, as judged": ("0.445", ""),
        "first response wins, corrected": ("–", "undefined: tells nothing"),
    }
    assert not [name for name in rows_of(make_record()) if name.startswith(("ECE", "first response"))]
