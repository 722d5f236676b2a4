"""Tables whose spec names the columns."""

import csv
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from venire.errors import RunError
from venire.metrics.headline import Headline
from venire.records import BackendKind, Ratings, RatingsGold, RunRecord
from venire.reporting.column_table import column_table, groups_of
from venire.reporting.pairing import Run
from venire.reporting.spec_table import Measured
from venire.reporting.specs import Row, Spec
from venire.reporting.table import Format
from venire.runs import OutcomeRow

MakeRun = Callable[..., Run]
SPEC = Spec(
    name="t",
    title="Ratings",
    overrides=("experiment=x",),
    backend="simulated",
    rows=(
        Row("ours", {"method": "maj_eval", "judge": "claude"}),
        Row("other", {"method": "geval", "judge": "claude"}),
    ),
    columns=(Headline("spearman/fluency", "fluency"), Headline("tokens/per_group_instance", "tokens")),
    published={"ours": {"tokens/per_group_instance": 18_281.0}},
    source="a paper",
    notes=("A note.",),
)


@pytest.fixture
def make_run(make_record: Callable[..., RunRecord]) -> MakeRun:
    def make(method: str, metrics: Mapping[str, float], *, seed: int = 0) -> Run:
        record = make_record(
            method,
            arm=method,
            seed=seed,
            kind=BackendKind.SIMULATED,
            metrics=metrics,
            params={"method": method, "judge": "claude"},
        )
        return Run(record, {})

    return make


def as_csv(spec: Spec, runs: list[Run]) -> list[dict[str, str]]:
    lines = [line for line in column_table(spec, runs).render(Format.CSV).splitlines() if line[:1] != "#"]
    return list(csv.DictReader(lines))


def with_groups() -> Spec:
    fields = {name: getattr(SPEC, name) for name in SPEC.__dataclass_fields__}
    return Spec(**(fields | {"groups": ("ours",)}))


def test_a_row_has_the_named_columns_with_intervals_and_the_published_figures_beside_them(
    make_run: MakeRun,
) -> None:
    metrics = {"spearman/fluency": 0.5, "spearman/fluency/ci_low": 0.2, "spearman/fluency/ci_high": 0.7}
    ours, other = as_csv(SPEC, [make_run("maj_eval", {**metrics, "tokens/per_group_instance": 20_000.0}),
                                make_run("geval", {"spearman/fluency": -0.25})])  # fmt: skip
    assert (ours["fluency"], ours["fluency low"], ours["fluency high"]) == ("0.5", "0.2", "0.7")
    assert (ours["tokens"], ours["published tokens"]) == ("20000", "18281")
    assert (other["fluency"], other["tokens"], other["published tokens"]) == ("-0.25", "", "")
    assert "published fluency" not in ours  # nobody published one
    assert ours["n"] == "32"


def test_numbers_are_shown_as_their_metric_is(make_run: MakeRun) -> None:
    table = column_table(
        SPEC, [make_run("maj_eval", {"spearman/fluency": 0.5, "tokens/per_group_instance": 20_000.4})]
    )
    shown = [cell if isinstance(cell, str) else cell.text() for cell in table.rows[0]]
    assert shown == ["ours", "32", "0.500", "20,000", "18,281"]


def test_several_seeds_have_a_mean_and_a_standard_deviation(make_run: MakeRun) -> None:
    runs = [
        make_run("maj_eval", {"spearman/fluency": value}, seed=seed) for seed, value in enumerate((0.4, 0.6))
    ]
    ours, _ = as_csv(SPEC, runs)
    # sqrt((.1^2 + .1^2) / 1) = .1414
    assert (float(ours["fluency"]), float(ours["fluency sd"])) == (0.5, pytest.approx(0.141421, abs=1e-6))


def test_groups_stand_under_the_rows_that_the_spec_names(make_run: MakeRun) -> None:
    metrics = {
        "spearman/fluency": 0.5,
        "group/patients/spearman/fluency": 0.4,
        "group_before/patients/spearman/fluency": 0.6,
        "group_change/patients/spearman/fluency": -0.2,
        "group/clinicians/spearman/fluency": 0.3,
    }
    other = {"group/patients/spearman/fluency": 0.1}  # of a row that is not to show its groups
    rows = as_csv(
        with_groups(), [make_run("maj_eval", metrics), make_run("geval", {"spearman/fluency": 0.1, **other})]
    )
    assert [(row["row"], row["fluency"]) for row in rows] == [
        ("ours", "0.5"),
        ("ours: clinicians, before", ""),
        ("ours: clinicians, after", "0.3"),
        ("ours: clinicians, change", ""),
        ("ours: patients, before", "0.6"),
        ("ours: patients, after", "0.4"),
        ("ours: patients, change", "-0.2"),
        ("other", "0.1"),
    ]
    assert [row["published tokens"] for row in rows] == ["18281", "", "", "", "", "", "", ""]


def test_a_row_without_runs_has_no_groups() -> None:
    assert groups_of(Measured(SPEC.rows[0], ())) == []


def test_the_last_row_is_one_human_against_another_where_items_have_two(make_run: MakeRun) -> None:
    own = {"spearman/fluency": 0.5}
    humans = {"ceiling/n/fluency": 39.0, "ceiling/n/pio": 17.0, "ceiling/spearman/fluency": 0.6}
    *_, last = as_csv(SPEC, [make_run("maj_eval", own | humans)])
    assert (last["row"], last["n"], last["fluency"]) == ("one annotator against the other", "17/39", "0.6")
    assert (last["tokens"], last["published tokens"]) == ("", "")
    assert len(as_csv(SPEC, [make_run("maj_eval", own)])) == 2


def test_under_the_table_stands_where_the_numbers_come_from(make_run: MakeRun) -> None:
    table = column_table(SPEC, [make_run("maj_eval", {})])
    assert table.title == "Ratings [SIMULATED]"
    assert "No run yet: other." in table.footer
    assert "A note." in table.footer
    assert "Published figures: a paper." in table.footer
    unpublished = column_table(replace(SPEC, published={}), [make_run("maj_eval", {})])
    assert "Source: a paper." in unpublished.footer
    assert any(sentence.startswith("SIMULATED judges") for sentence in table.footer)


def test_blocks_have_a_column_of_their_own(make_run: MakeRun) -> None:
    fields = {name: getattr(SPEC, name) for name in SPEC.__dataclass_fields__}
    blocks = (Row("ours", SPEC.rows[0].match, "debate"), Row("other", SPEC.rows[1].match, "single"))
    table = column_table(Spec(**(fields | {"rows": blocks})), [make_run("geval", {})])
    assert [row[0] for row in table.rows] == ["debate", "single"]


def test_a_row_that_two_arms_match_is_refused(make_run: MakeRun) -> None:
    fields = {name: getattr(SPEC, name) for name in SPEC.__dataclass_fields__}
    loose = Spec(**(fields | {"rows": (Row("all", {"judge": "claude"}),), "published": {}}))
    with pytest.raises(RunError, match="expected the runs of one arm, 2 match"):
        column_table(loose, [make_run("maj_eval", {}), make_run("geval", {})])


RATED = {"a": 0.0, "b": 1.0, "c": 2.0, "d": 2.0}


def rated(run: Run, ratings: Mapping[str, float]) -> Run:
    """The run with these ratings of items whose gold is `RATED`."""
    rows = {
        item: OutcomeRow(item, "", item, RatingsGold({"fluency": RATED[item]}), Ratings({"fluency": rating}))
        for item, rating in ratings.items()
    }
    return Run(run.record, rows)


def test_the_difference_is_to_the_baseline_of_the_same_block(make_run: MakeRun) -> None:
    # Ranks of the gold 1, 2, 3.5, 3.5. Itself: rho 1; reversed: -1; the difference is -2.
    ours = rated(make_run("maj_eval", {}), RATED)
    other = rated(make_run("geval", {}), {item: 2.0 - value for item, value in RATED.items()})
    fields = {name: getattr(SPEC, name) for name in SPEC.__dataclass_fields__}
    table = column_table(Spec(**(fields | {"baseline": {"method": "maj_eval"}})), [ours, other])
    assert table.columns[-3:] == ("Δ mean ρ", "p", "p, Holm")
    first, second = (row[-3] for row in table.rows)
    assert first == ""
    assert not isinstance(second, str)
    assert second.text().startswith("-2.000")
    assert any("corrected for the 1 difference" in sentence for sentence in table.footer)


def test_without_a_run_of_the_baseline_or_on_other_items_there_is_no_difference(make_run: MakeRun) -> None:
    fields = {name: getattr(SPEC, name) for name in SPEC.__dataclass_fields__}
    spec = Spec(**(fields | {"baseline": {"method": "maj_eval"}}))
    other = rated(make_run("geval", {}), RATED)
    assert [row[-1] for row in column_table(spec, [other]).rows] == ["", ""]
    ours = rated(make_run("maj_eval", {}), {"a": 0.0, "b": 1.0})
    assert [row[-1] for row in column_table(spec, [ours, other]).rows] == ["", ""]
