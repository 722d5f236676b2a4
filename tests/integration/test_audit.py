"""`venire audit` and `venire disagreement`, as a user types them."""

import json
from pathlib import Path

import pytest
from tests.integration.command import UNTRACKED, Ran, Venire

SIMULATED = ("backend=simulated", "simulation=biased", "dataset=sample", "ablation=no_mitigations")


@pytest.fixture(scope="module")
def two_judges(simulated: Venire) -> Ran:
    return simulated("audit", *SIMULATED, "judge=gpt_4o,claude_haiku_5_5", UNTRACKED, "--format", "json")


def findings(ran: Ran) -> dict[tuple[str, str, str], dict[str, object]]:
    text = ran.out[ran.out.index("\n[\n") :]
    return {
        (str(audited["judge"]), finding["asked"], finding["measure"]): finding
        for audited in json.loads(text)
        for finding in audited["findings"]
    }


def test_judges_stand_side_by_side_and_a_position_bias_that_was_put_in_shows(two_judges: Ran) -> None:
    assert two_judges.status == 0, two_judges.out + two_judges.err
    found = findings(two_judges)
    judges = {judge for judge, _, _ in found}
    assert judges == {"gpt_4o", "claude_haiku_5_5"}
    for judge in judges:
        position = found[judge, "plain", "position"]
        assert position["effect"]["low"] > 0  # type: ignore[index]
        assert found[judge, "plain", "injection"]["meaning"] == "changed"
        assert "refused" in found[judge, "plain", "self_enhancement"]["effect"]["note"]  # type: ignore[index]


def test_the_report_lies_in_the_sweep_s_folder_in_every_form_with_plots(two_judges: Ran) -> None:
    page = next(line for line in two_judges.err.splitlines() if line.endswith("audit.md"))
    folder = Path(page).parent
    for name in ("audit.csv", "audit.tex", "audit.html", "audit_payloads.md", "audit_position.svg"):
        assert (folder / name).is_file(), name
    text = Path(page).read_text(encoding="utf-8")
    assert "SIMULATED judges" in text
    assert "Command: venire audit backend=simulated" in text


def test_a_finished_audit_and_a_finished_run_of_another_method_are_looked_at_again(
    simulated: Venire, two_judges: Ran, panel_run: Ran, tmp_path: Path
) -> None:
    ran = simulated("audit", str(panel_run.folder), "--out", str(tmp_path / "new"))
    assert ran.status == 0, ran.err
    assert "majority multi_model sample" in ran.out
    assert "both orders first" in ran.out
    assert "longer picked" in ran.out
    assert (tmp_path / "new" / "audit.md").is_file()
    # The panel's position figures are those that its run measured.
    shown = json.loads(simulated("audit", str(panel_run.folder), "--format", "json").out)
    position = next(each for each in shown[0]["findings"] if each["measure"] == "position")
    assert position["facts"]["first_place_rate"] == panel_run.number("first_place_rate")


def test_disagreement_of_a_run_is_printed_and_written(
    simulated: Venire, panel_run: Ran, tmp_path: Path
) -> None:
    ran = simulated("disagreement", str(panel_run.folder), "--out", str(tmp_path / "new"), "--items", "1")
    assert ran.status == 0, ran.err
    assert "Systematic disagreement: majority multi_model sample" in ran.out
    assert "response, all: gold by verdict" in ran.out
    told = json.loads((tmp_path / "new" / "disagreement.json").read_text(encoding="utf-8"))
    first = told["tables"][0]
    assert sum(sum(row) for row in first["gold_by_verdict"]) + first["left_out"] == 32
    assert (tmp_path / "new" / "disagreement.html").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("audit", "judge=gpt_4o", "some-run"),
            "ConfigError: audit: expected KEY=VALUE or finished runs, got both",
        ),
        (
            ("audit", "method=pairwise"),
            "ConfigError: method: venire audit runs method=audit, got method=pairwise",
        ),
        (("audit",), "venire audit needs to know whom"),
        (("disagreement", "some-run", "--items", "-1"), "ConfigError: --items: expected at least 0, got -1"),
    ],
)
def test_what_cannot_be_is_refused_with_status_2(
    venire: Venire, arguments: tuple[str, ...], message: str
) -> None:
    ran = venire(*arguments)
    assert ran.status == 2
    assert message in ran.err


def test_what_looks_at_a_run_again_takes_the_run_s_own_level_and_draws(
    simulated: Venire, tmp_path: Path
) -> None:
    ran = simulated.finished(
        *("dataset=sample", "dataset.limit=6", "method=pairwise", "backend=simulated"),
        *("metrics.level=0.5", "metrics.draws=60", UNTRACKED),
    )
    shown = json.loads(simulated("audit", str(ran.folder), "--format", "json").out)
    (accuracy,) = [each for each in shown[0]["findings"] if each["measure"] == "accuracy"]
    assert accuracy["effect"]["note"].startswith("50% BCa bootstrap over 6 items, 60 draws")
    assert "x [low, high]: 50% interval over items" in simulated("audit", str(ran.folder)).out
    sheet = tmp_path / "sheet.jsonl"
    row = {"instance_id": "astronomy/1", "verdict": "response_1", "annotator": "ann"}
    sheet.write_text(json.dumps(row) + "\n", encoding="utf-8")
    taken = simulated("review", "import", str(sheet), ran.folder.name)
    measured = json.loads((Path(taken.last_line) / "measured.json").read_text(encoding="utf-8"))
    notes = measured["labels_as_verdicts"]["notes"]
    assert notes["accuracy"].startswith("50% Wilson interval over 6 items")
