"""Tables that a spec lays out: which runs a row takes, what stands beside it."""

import csv
import math
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from venire.errors import RunError
from venire.records import BackendKind, Preference, PreferenceGold, RunRecord, Winner
from venire.reporting.pairing import Run
from venire.reporting.spec_table import REEVALUATION, measured_rows, spec_table, value_of
from venire.reporting.specs import Row, Spec
from venire.reporting.table import Format
from venire.runs import OutcomeRow

MakeRun = Callable[..., Run]
GOLD = Winner.FIRST
SPEC = Spec(
    name="t",
    title="Ablations",
    overrides=("experiment=x",),
    backend="simulated",
    published={"full": {"accuracy": 0.784, REEVALUATION: 3.6}},
    source="a paper",
    notes=("A note.",),
    rows=(Row("full", {"ablation": "none"}, "own"), Row("part", {"ablation": "part"}, "own")),
    baseline={"ablation": "none"},
)


def rows_of(right: str, items: str = "abcd") -> dict[str, OutcomeRow]:
    """Outcomes of `items`; those in `right` are right."""
    return {
        item: OutcomeRow(
            item, "", "", PreferenceGold(GOLD), Preference(GOLD if item in right else Winner.SECOND)
        )
        for item in items
    }


@pytest.fixture
def make_run(make_record: Callable[..., RunRecord]) -> MakeRun:
    def make(
        ablation: str,
        right: str,
        *,
        seed: int = 0,
        metrics: Mapping[str, float] | None = None,
        params: Mapping[str, str] | None = None,
        items: str = "abcd",
    ) -> Run:
        record = make_record(
            ablation,
            arm=ablation,
            seed=seed,
            kind=BackendKind.SIMULATED,
            metrics={"n": float(len(items)), "accuracy": len(right) / len(items), **(metrics or {})},
            params={"ablation": ablation, **(params or {})},
        )
        return Run(record, rows_of(right, items))

    return make


def as_csv(spec: Spec, runs: list[Run]) -> list[dict[str, str]]:
    lines = [line for line in spec_table(spec, runs).render(Format.CSV).splitlines() if line[:1] != "#"]
    return list(csv.DictReader(lines))


def test_rows_stand_in_the_order_of_the_spec_with_published_figures_beside_them(make_run: MakeRun) -> None:
    full, part = as_csv(SPEC, [make_run("part", "a"), make_run("none", "abc")])
    assert (full["row"], part["row"]) == ("full", "part")
    assert (full["accuracy"], part["accuracy"]) == ("0.75", "0.25")
    assert (full["published accuracy"], part["published accuracy"]) == ("0.784", "")
    assert full["published re-evaluation calls"] == "3.6"
    assert "published kappa" not in full  # nobody published one here


def test_the_difference_is_paired_and_over_the_means_of_the_seeds(make_run: MakeRun) -> None:
    # none: right on abc and ab, item means 1, 1, .5, 0; part: right on ac and c, means .5, 0, 1, 0;
    # differences -.5, -1, +.5, 0, mean -.25.
    runs = [make_run("none", "abc"), make_run("none", "ab", seed=1)]
    runs += [make_run("part", "ac"), make_run("part", "c", seed=1)]
    full, part = as_csv(SPEC, runs)
    assert full["Δ accuracy"] == ""
    assert float(part["Δ accuracy"]) == pytest.approx(-0.25)
    assert (full["seeds"], part["seeds"]) == ("2", "2")
    # mean of .75 and .5, sample standard deviation .25 / sqrt(2)
    assert float(full["accuracy"]) == pytest.approx(0.625)
    assert float(full["accuracy sd"]) == pytest.approx(0.25 / math.sqrt(2))


def test_calls_are_per_instance_and_absent_stages_are_none_made(make_run: MakeRun) -> None:
    run = make_run("none", "a", metrics={"calls/focal": 6.0, "calls/rubric": 2.0})
    assert value_of(run.record, "calls/focal/per_instance") == 1.5
    assert value_of(run.record, "calls/propagation/per_instance") == 0.0
    assert value_of(run.record, REEVALUATION) == 2.0
    assert math.isnan(value_of(run.record, "kappa"))


def test_tokens_and_further_votes_are_columns_only_where_a_row_has_some(make_run: MakeRun) -> None:
    part = make_run("part", "a", metrics={"tokens/per_instance": 5700.25})
    full, other = as_csv(SPEC, [make_run("none", "a"), part])
    assert (full["tokens"], other["tokens"]) == ("", "5700.25")
    assert "further votes" not in full
    (shown, _) = as_csv(SPEC, [make_run("none", "a")])
    assert "tokens" not in shown


def test_a_row_without_a_run_is_shown_empty_and_named_under_the_table(make_run: MakeRun) -> None:
    table = spec_table(SPEC, [make_run("none", "a")])
    assert [row[0] for row in table.rows] == ["full", "part"]
    assert "No run yet: part." in table.footer
    assert "A note." in table.footer
    assert "Published figures: a paper." in table.footer


def test_a_row_that_two_arms_match_is_refused(make_run: MakeRun) -> None:
    runs = [make_run("none", "a"), make_run("none", "ab")]
    runs[1] = replace(
        runs[1], record=replace(runs[1].record, run_id="other", tags={**runs[1].record.tags, "arm_hash": "b"})
    )
    with pytest.raises(RunError, match=r"^rows.full: expected the runs of one arm, 2 match"):
        measured_rows(SPEC, runs)


def test_params_match_as_numbers_too(make_run: MakeRun) -> None:
    spec = replace(SPEC, rows=(Row("zero", {"beta": "0.0"}),), published={}, baseline={})
    (row,) = measured_rows(spec, [make_run("none", "a", params={"beta": "0"})])
    assert len(row.runs) == 1
    (row,) = measured_rows(spec, [make_run("none", "a", params={"beta": "null"})])
    assert row.runs == ()


def test_differences_are_within_a_data_set_and_two_of_them_are_no_fault(make_run: MakeRun) -> None:
    spec = replace(
        SPEC,
        published={},
        rows=tuple(
            Row(f"{name} {ablation}", {"dataset": name, "ablation": ablation}, name)
            for name in ("one", "two")
            for ablation in ("none", "part")
        ),
    )
    runs = []
    for name, items in (("one", "abcd"), ("two", "wxyz")):
        for ablation in ("none", "part"):
            run = make_run(ablation, items[:1], params={"dataset": name}, items=items)
            tags = {**run.record.tags, "data_fingerprint": name, "arm_hash": name + ablation}
            runs.append(replace(run, record=replace(run.record, tags=tags, run_id=name + ablation)))
    rows = as_csv(spec, runs)
    assert [row["Δ accuracy"] for row in rows] == ["", "0.0", "", "0.0"]
    assert not any("not on the same data" in line for line in spec_table(spec, runs).footer)


def test_the_kind_of_the_judges_stands_in_the_title(make_run: MakeRun) -> None:
    assert spec_table(SPEC, [make_run("none", "a")]).title == "Ablations [SIMULATED]"
