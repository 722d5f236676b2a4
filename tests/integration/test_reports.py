"""`venire compare`, `table` and `reproduce` on runs that the command made."""

import csv
import json
from pathlib import Path

import pytest
from tests.integration.command import UNTRACKED, Ran, Venire

GPT_4 = ("dataset=llmbar", "judge=recorded", "judge.model=GPT-4")


@pytest.fixture(scope="module")
def rules(recorded: Venire) -> tuple[Ran, Ran]:
    """GPT-4 without and with the rules in its prompt."""
    return (
        recorded.finished(*GPT_4, "judge.strategy=Vanilla_NoRules"),
        recorded.finished(*GPT_4, "judge.strategy=Vanilla"),
    )


def test_two_runs_are_compared_item_by_item(recorded: Venire, rules: tuple[Ran, Ran]) -> None:
    # Counted from the recordings: with the rules 33 more items are right and 5 fewer as given, 44 and 5
    # swapped, so the mean gains ((33 - 5) + (44 - 5)) / 2 / 419 = .0800; exact binomial p of 5 in 38 and
    # 5 in 49: 4.26e-6 and 7.60e-9.
    without, with_rules = rules
    ran = recorded("compare", str(without.folder), with_rules.folder.name, "--format", "json")
    assert ran.status == 0
    (paired,) = json.loads(ran.out)["paired"]
    assert paired["n"] == 419
    assert paired["left_out"] == 0
    assert paired["discordant"] == {"as_given": [5, 33], "swapped": [5, 44]}
    assert paired["mcnemar_exact_p"] == {
        "as_given": pytest.approx(4.26e-6, rel=1e-2),
        "swapped": pytest.approx(7.60e-9, rel=1e-2),
    }
    assert paired["accuracy_difference"] == pytest.approx(0.0800, abs=5e-5)
    # The interval; the bounds of 5,000 draws are known to about .001
    assert (paired["ci_low"], paired["ci_high"]) == pytest.approx((0.056, 0.106), abs=0.002)
    # Two tests of McNemar are a family: the smaller p doubled, the larger as it is
    assert paired["mcnemar_exact_p_adjusted"] == {
        "as_given": pytest.approx(4.26e-6, rel=1e-2),
        "swapped": pytest.approx(1.52e-8, rel=1e-2),
    }
    assert paired["p"] == paired["p_adjusted"] == pytest.approx(2.35e-10, rel=1e-2)
    assert paired["coverage"] == [1.0, 1.0]
    assert paired["kappa"]["difference"] == pytest.approx(0.160, abs=1e-3)


def test_a_comparison_shows_what_differs_and_is_silent_on_what_does_not(
    recorded: Venire, rules: tuple[Ran, Ran]
) -> None:
    ran = recorded("compare", *(str(run.folder) for run in rules))
    assert ran.status == 0
    assert ran.err == ""
    settings = ran.out[ran.out.index("settings that differ") :]
    assert "judge.strategy  Vanilla_NoRules" in settings
    assert "judge.model" not in settings


def test_runs_of_different_data_and_kinds_are_compared_only_with_a_warning(
    recorded: Venire, rules: tuple[Ran, Ran], panel_run: Ran
) -> None:
    ran = recorded("compare", str(rules[0].folder), str(panel_run.folder))
    assert ran.status == 1
    assert "no item in common" in ran.err


def test_one_run_or_an_unknown_one_is_refused(recorded: Venire, rules: tuple[Ran, Ran]) -> None:
    assert "at least two runs" in recorded("compare", str(rules[0].folder)).err
    unknown = recorded("compare", str(rules[0].folder), "nonsense")
    assert unknown.status == 1
    assert "nonsense" in unknown.err
    assert "Traceback" not in unknown.err


@pytest.fixture(scope="module")
def reproduced(tmp_path_factory: pytest.TempPathFactory) -> tuple[Venire, Ran]:
    """The bundled sweep, reproduced in a home of its own."""
    venire = Venire(tmp_path_factory.mktemp("reproduced") / "home")
    ran = venire("reproduce", "sample", UNTRACKED)
    assert ran.status == 0, ran.err
    return venire, ran


def test_reproduce_writes_the_table_and_says_where(reproduced: tuple[Venire, Ran]) -> None:
    venire, ran = reproduced
    assert Path(ran.last_line) == venire.home / "tables" / "simulated" / "sample.md"
    written = Path(ran.last_line).read_text(encoding="utf-8")
    assert "SIMULATED judges" in written
    assert len([line for line in written.splitlines() if line.startswith("| ")]) == 1 + 1 + 5  # with the rule
    folder = Path(ran.last_line).parent
    assert {path.name for path in folder.iterdir()} == {
        f"sample.{form}" for form in ("md", "csv", "tex", "html")
    }


def test_a_table_has_a_row_a_job_whose_numbers_are_those_of_the_summaries(
    reproduced: tuple[Venire, Ran],
) -> None:
    venire, _ = reproduced
    ran = venire("table", "sample", "--format", "csv")
    assert ran.status == 0
    rows = [row for row in csv.DictReader(ran.out.splitlines()) if not row["run"].startswith("#")]
    assert len(rows) == 5
    summaries = [
        json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(venire.home.glob("runs/*/summary.json"))
    ]
    assert [float(row["accuracy"]) for row in rows] == [summary["accuracy"] for summary in summaries]
    assert [float(row["USD"]) for row in rows] == [summary["cost_usd/total"] for summary in summaries]


def test_reproducing_again_runs_nothing(reproduced: tuple[Venire, Ran]) -> None:
    venire, first = reproduced
    runs = sorted(venire.home.glob("runs/*"))
    again = venire("reproduce", "sample", UNTRACKED)
    assert again.status == 0
    assert "5 skipped of 5 jobs" in again.out
    assert sorted(venire.home.glob("runs/*")) == runs
    assert again.last_line == first.last_line


def test_what_was_reproduced_with_further_overrides_is_what_its_table_shows(
    reproduced: tuple[Venire, Ran],
) -> None:
    venire, _ = reproduced
    ran = venire("reproduce", "sample", "dataset.limit=4", "--out", str(venire.home / "small"), UNTRACKED)
    assert ran.status == 0, ran.err
    table = (venire.home / "small" / "simulated" / "sample.csv").read_text(encoding="utf-8")
    rows = [row for row in csv.DictReader(table.splitlines()) if not row["run"].startswith("#")]
    assert [float(row["n"]) for row in rows] == [4.0] * 5


def test_a_table_of_nothing_says_how_to_fill_it(venire: Venire) -> None:
    ran = venire("table", "sample")
    assert ran.status == 1
    assert "venire reproduce sample" in ran.err
    unknown = venire("table", "no_such_table")
    assert unknown.status == 1
    assert "sample" in unknown.err


def test_a_recorded_spec_takes_no_other_backend(venire: Venire) -> None:
    ran = venire("reproduce", "recorded/llmbar", "backend=live")
    assert ran.status == 2
    assert "recorded" in ran.err


def test_the_specs_are_listed(venire: Venire) -> None:
    listed = venire("reproduce").out.split()
    assert listed == sorted(listed)
    assert {"juryflow/table2", "juryflow/table5", "recorded/llmbar", "recorded/panel", "sample"} <= {*listed}
