"""How a plan is shown: numbers, what is said under them, and the line that scripts read."""

from dataclasses import replace

import pytest

from venire.llm.settings import Mode
from venire.planning.plan import Plan
from venire.planning.records import PlannedCall, PlannedText
from venire.records import BackendKind, Persona, PersonaOrigin, PersonaSet, Price, StakeholderGroup, Usage
from venire.reporting.plan_table import (
    PlannedJob,
    job_sheet,
    jobs_table,
    last_line,
    plan_json,
    scaling_table,
)
from venire.reporting.table import Format

CALL = PlannedCall("a", "judge", "m", False, 200, 100, Usage(50, 20), False, Price(1.0, 2.0))
PLAN = Plan("a run", BackendKind.LIVE, Mode.LIVE, 3, {"a": CALL}, {}, stuck=0, skipped=0)


def plan(*calls: PlannedCall, **changes: object) -> Plan:
    return replace(PLAN, calls={call.key: call for call in calls}, **changes)  # type: ignore[arg-type]


def sheet(*plans: Plan, estimate: Plan | None = None) -> str:
    jobs = [PlannedJob((), each, estimate) for each in plans]
    return "\n".join(table.render(Format.TEXT) for table in job_sheet(jobs))


def test_the_numbers_of_a_stage_are_in_its_row() -> None:
    stored = replace(CALL, key="b", stored=True)
    text = sheet(plan(CALL, stored))
    (row,) = [line.split() for line in text.splitlines() if line.startswith("judge")]
    # expected (50 * 1 + 20 * 2) / 1e6, at most (200 * 1 + 100 * 2) / 1e6 USD
    assert row == ["judge", "m", "1", "1", "50", "20", "0.0001", "0.0004"]


def test_a_lower_bound_says_so_and_how_to_go_on() -> None:
    text = sheet(plan(CALL, stuck=2, skipped=5))
    assert "AT LEAST" in text
    assert "5 instances are not counted at all" in text
    assert "--simulate" in text
    assert "AT LEAST" not in sheet(plan(CALL))


def test_dollars_of_a_lower_bound_are_said_to_be_of_the_counted_calls_alone() -> None:
    low, whole = plan(CALL, stuck=1), plan(CALL)
    for text in (sheet(low), jobs_table([PlannedJob((), low), PlannedJob((), whole)]).render(Format.TEXT)):
        assert "USD at most (of these)" in text
        assert "what the run costs in all is not known" in text
    estimated = jobs_table([PlannedJob((), low, whole)]).render(Format.TEXT)
    assert "of these" not in sheet(whole) + estimated
    assert plan_json([PlannedJob((), low)])["all"]["usd_at_most"] is None  # type: ignore[index]
    assert plan_json([PlannedJob((), whole)])["all"]["usd_at_most"] == pytest.approx(0.0004)  # type: ignore[index]


def test_an_estimate_has_a_table_of_its_own_marked_as_such() -> None:
    more = plan(CALL, replace(CALL, key="b", stage="focal"), simulated=True)
    text = sheet(plan(CALL, stuck=1), estimate=more)
    known, estimated = text.split("ESTIMATE")
    assert "focal" not in known
    assert "focal" in estimated
    assert "itself an estimate" in estimated


def test_what_is_unknown_is_a_dash_and_an_unknown_price_is_said() -> None:
    unknown = replace(CALL, expected=Usage(50, None), price=None)
    text = sheet(plan(unknown))
    (row,) = [line.split() for line in text.splitlines() if line.startswith("judge")]
    assert row == ["judge", "m", "0", "1", "50", "–", "–", "–"]
    assert "No price is known for m" in text


def test_what_nobody_bills_is_said() -> None:
    exact = replace(CALL, exact=True)
    text = sheet(plan(exact, kind=BackendKind.SIMULATED))
    assert "Nothing is billed" in text
    assert "Exact" in text
    assert "Nothing is billed" not in sheet(plan(CALL))


def test_the_stores_mode_is_said() -> None:
    assert "paid again" in sheet(plan(CALL, mode=Mode.REFRESH))
    assert "a run stops at the first" in sheet(plan(CALL, mode=Mode.REPLAY))
    assert "a run stops" not in sheet(plan(replace(CALL, stored=True), mode=Mode.REPLAY))


def test_vectors_are_said_in_a_sentence() -> None:
    text = PlannedText("t", "v", False, True, 40, 10, Price(1.0, 0.0))
    bought = sheet(plan(CALL, texts={"t": text, "u": replace(text, key="u", stored=True)}))
    assert "Vectors of v: 1 texts stored, 1 new, about 10 tokens, 0.0000 USD (at most 0.0000)." in bought
    assert "computed on this machine" in sheet(plan(CALL, texts={"t": replace(text, billed=False)}))
    assert "no price is known" in sheet(plan(CALL, texts={"t": replace(text, price=None)}))


def test_jobs_are_told_apart_by_what_differs_and_shared_calls_count_once() -> None:
    other = replace(CALL, key="b")
    jobs = [
        PlannedJob(("dataset=x", "beta=0"), plan(CALL, other)),
        PlannedJob(("dataset=x", "beta=1"), plan(CALL, stuck=1)),
        PlannedJob(("dataset=x", "beta=2"), finished=True),
    ]
    text = jobs_table(jobs).render(Format.TEXT)
    rows = {line.split("  ")[0]: line.split()[-4:-2] for line in text.splitlines() if "beta" in line}
    assert rows == {
        "beta=0": ["0", "2"],
        "beta=1 (at least)": ["0", "1"],
        "beta=2 (finished: skipped)": ["0", "0"],
    }
    (whole,) = [line for line in text.splitlines() if line.startswith("all jobs")]
    assert whole.split()[-4:-2] == ["0", "2"]
    assert "sweep.rerun=true" in text


def test_the_last_line_is_one_number_or_a_bound_and_an_estimate() -> None:
    assert last_line([PlannedJob((), plan(CALL))]) == "new calls: 1"
    assert last_line([PlannedJob((), plan(CALL, stuck=1))]) == "new calls: at least 1"
    estimate = plan(CALL, replace(CALL, key="b"))
    line = last_line([PlannedJob((), plan(CALL, stuck=1), estimate)])
    assert line == "new calls: at least 1, about 2 with simulated replies"
    assert last_line([PlannedJob((), finished=True)]) == "new calls: 0"


def test_the_plain_values_hold_the_same() -> None:
    made = plan_json([PlannedJob(("x=1",), plan(CALL)), PlannedJob(("x=2",), error="ConfigError: no")])
    assert made["all"]["new"] == 1  # type: ignore[index]
    assert made["stages"][0]["stage"] == "judge"  # type: ignore[index]
    assert [job["error"] for job in made["jobs"]] == ["", "ConfigError: no"]  # type: ignore[attr-defined]
    assert "estimate" not in made


def test_nothing_but_finished_jobs_has_no_sheet() -> None:
    assert job_sheet([PlannedJob((), finished=True)]) == []


PERSONAS = PersonaSet(
    "ward", "Judging.", (StakeholderGroup("a", "", (Persona("x", "an x"), Persona("y", "a y"))),)
)


def test_what_is_paid_once_and_for_every_instance_stand_apart() -> None:
    # Three instances; one fixed call and three of group a on one each: 50 in, 20 out, .00009 dollars a call.
    calls = [replace(CALL, key=str(i), instance_id=f"i{i}", group="a") for i in range(3)]
    table = scaling_table([PlannedJob(("method=maj_eval",), plan(replace(CALL, key="s"), *calls))])
    assert table is not None
    row = [cell if isinstance(cell, str) else cell.text() for cell in table.rows[0]]
    assert row == ["a run", "1", "70", "0.0001", "1.0", "50", "20", "70", "0.0001", "0.00"]
    assert table.columns[-1] == "USD, 3 instances"


def test_a_plan_without_fixed_calls_and_groups_has_no_such_table() -> None:
    assert scaling_table([PlannedJob((), plan(replace(CALL, instance_id="i0")))]) is None
    assert scaling_table([PlannedJob((), None, finished=True)]) is None


def test_a_lower_bound_says_so_there_too_and_an_estimate_takes_its_place() -> None:
    low = plan(CALL, stuck=1)
    (row,) = scaling_table([PlannedJob(("a=1",), low)]).rows  # type: ignore[union-attr]
    assert row[0] == "a run (at least)"
    (row,) = scaling_table([PlannedJob(("a=1",), low, plan(CALL, simulated=True))]).rows  # type: ignore[union-attr]
    assert row[0] == "a run"


@pytest.mark.parametrize(
    ("origin", "words"),
    [
        (PersonaOrigin.HAND_WRITTEN, "Personas ward: 1 groups, 2 personas, hand-written: no model was paid"),
        (PersonaOrigin.SHUFFLED, "those of another set"),
        (PersonaOrigin.BUILT, "built from documents before."),
    ],
)
def test_what_personas_took_is_said_once(origin: PersonaOrigin, words: str) -> None:
    personas = replace(PERSONAS, origin=origin)
    jobs = [PlannedJob((), plan(CALL, personas=personas)), PlannedJob((), plan(CALL, personas=personas))]
    table = scaling_table(jobs)
    assert table is not None
    assert [words in sentence for sentence in table.footer] == [False, True]


def test_what_built_personas_took_is_told_as_their_file_says_it() -> None:
    # 60,000 in and 8,206 out: 68,206 tokens, 34,103 a document.
    cost = {
        "input_tokens": 60_000,
        "output_tokens": 8_206,
        "tokens_per_document": 34_103,
        "cost_usd": 0.30309,
    }
    personas = replace(PERSONAS, origin=PersonaOrigin.BUILT, provenance={"cost": cost})
    table = scaling_table([PlannedJob((), plan(CALL, personas=personas))])
    assert table is not None
    told = "before: 68,206 tokens (34,103 a document), 0.3031 USD, paid then."
    assert table.footer[1].endswith(f"2 personas, built from documents {told}")


def test_a_plan_made_for_this_table_alone_takes_the_place_of_the_known_one() -> None:
    more = plan(CALL, replace(CALL, key="b", instance_id="i0", group="a"), simulated=True)
    table = scaling_table([PlannedJob(("a=1",), plan(CALL, stuck=1), None, more)])
    assert table is not None
    assert "ESTIMATE" in table.title
    assert table.rows[0][0] == "a run"
