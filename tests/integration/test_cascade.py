"""A cascade through the command: recorded judges counted anew from their file, simulated ones, refusals."""

import gzip
import json
from pathlib import Path

import pytest
from tests.integration.command import Ran, Venire

from venire.runs import read_outcomes

ARGUMENTS = ("dataset=llmbar", "method=cascade", "development=half", "method.thresholds.target=0.8")
RECORDED = (*ARGUMENTS, "stages@method.stages=recorded")


@pytest.fixture(scope="module")
def cascade(recorded: Venire) -> Ran:
    """ChatGPT, GPT-4, a panel of four, people: on LLMBar, for an agreement of .8."""
    return recorded.finished(*RECORDED)


def verdicts(data_root: Path, model: str) -> dict[str, set[int | None]]:
    """Winners by instance over both orders, read from the recordings apart from this code."""
    found: dict[str, set[int | None]] = {}
    with gzip.open(data_root / "llmbar_recorded" / "recorded.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if (row["model"], row["strategy"]) == (model, "Vanilla"):
                found.setdefault(f"{row['subset']}/{row['index']}", set()).add(row["winner"])
    return found


def labels(data_root: Path) -> dict[str, int]:
    found = {}
    for name in ("Natural", *(f"Adversarial/{each}" for each in ("Neighbor", "GPTInst", "GPTOut", "Manual"))):
        path = data_root / "llmbar" / "Dataset" / "LLMBar" / name / "dataset.json"
        for index, row in enumerate(json.loads(path.read_text(encoding="utf-8"))):
            found[f"{name}/{index}"] = row["label"]
    return found


def test_the_cheap_judge_stays_closed_and_gpt_4_decides_what_it_is_consistent_on(
    cascade: Ran, data_root: Path
) -> None:
    assert cascade.summary["cascade/stage/cheap/threshold"] is None
    assert cascade.number("cascade/stage/strong/threshold") == 1.0
    said, gold = verdicts(data_root, "GPT-4"), labels(data_root)
    evaluated = [row.id for row in read_outcomes(cascade.folder)]
    sure = [each for each in evaluated if len(said[each]) == 1 and None not in said[each]]
    right = [each for each in sure if said[each] == {gold[each]}]
    assert cascade.number("n") == len(evaluated) == 209
    assert cascade.number("cascade/stage/strong/decided") == len(sure)
    assert cascade.number("cascade/agreement") == pytest.approx(len(right) / len(sure))
    assert cascade.number("unscored/escalated") == len(evaluated) - len(sure)


def test_its_tests_are_those_of_the_development_half(cascade: Ran, data_root: Path) -> None:
    facts = json.loads((cascade.folder / "cascade.json").read_text(encoding="utf-8"))
    lines = (cascade.folder / "development.jsonl").read_text(encoding="utf-8").splitlines()
    developed = {json.loads(line)["instance_id"] for line in lines}
    assert developed.isdisjoint(row.id for row in read_outcomes(cascade.folder))
    gold = labels(data_root)
    for stage, model in zip(facts["stages"], ("ChatGPT", "GPT-4"), strict=False):
        said = verdicts(data_root, model)
        sure = [each for each in developed if len(said[each]) == 1 and None not in said[each]]
        wrong = [each for each in sure if said[each] != {gold[each]}]
        assert (stage["tests"][0]["n"], stage["tests"][0]["errors"]) == (len(sure), len(wrong))
    # ChatGPT is below chance on what it is sure of: the adversarial subsets
    cheap = facts["stages"][0]["tests"][0]
    assert cheap["errors"] > cheap["n"] / 2


def test_the_run_says_what_was_promised_and_kept(cascade: Ran) -> None:
    assert "decided by the cascade" in cascade.out
    assert "left to people" in cascade.out
    page = (cascade.folder / "cascade.md").read_text(encoding="utf-8")
    assert "The promise held on them" in page
    for name in ("reliability_final.svg", "reliability_final.png", "risk_coverage.svg"):
        assert (cascade.folder / name).stat().st_size > 1000


def test_a_second_run_asks_nothing_anew_and_says_the_same(cascade: Ran, recorded: Venire) -> None:
    again = recorded.finished(*RECORDED)
    assert again.number("calls/paid") == 0
    for name in ("cascade/coverage", "cascade/agreement", "confidence/final/brier", "win_rate/corrected"):
        assert again.number(name) == cascade.number(name)
    pages = [(ran.folder / "cascade.md").read_bytes() for ran in (cascade, again)]
    assert pages[0] == pages[1]


def test_what_is_left_to_people_goes_to_a_review_file(cascade: Ran, recorded: Venire, tmp_path: Path) -> None:
    out = tmp_path / "review.jsonl"
    recorded("review", "export", cascade.folder.name, "--include", "escalated", "--out", str(out))
    assert len(out.read_text(encoding="utf-8").splitlines()) == cascade.number("unscored/escalated")


def test_a_split_that_is_too_small_is_refused_with_the_n_that_would_do(venire: Venire) -> None:
    chosen = ("run", "dataset=sample", "method=cascade", "backend=simulated")
    ran = venire(*chosen, "development=half")
    assert ran.status == 2
    assert "development: 16 instances are too few" in ran.err
    assert "Give at least 70 instances" in ran.err
    without = venire(*chosen)
    assert without.status == 2
    assert "give development=half" in without.err


def test_a_simulated_cascade_of_one_stage_by_log_probabilities(simulated: Venire) -> None:
    ran = simulated.finished(
        *("dataset=sample", "method=cascade", "backend=simulated", "development=half"),
        *("method.stages.strong=null", "method.stages.panel=null", "method.stages.cheap.confidence=logprob"),
        *("judge@method.stages.cheap.asks=gpt_4o", "thresholds@method.thresholds=given"),
        *("~method.thresholds.by_stage.strong", "~method.thresholds.by_stage.panel"),
        "method.thresholds.by_stage.cheap=0.5",
    )
    assert ran.number("calls/cheap") == 64  # both orders of all 32, half of them of the development split
    assert ran.number("calls/development") == 32
    assert ran.number("confidence/logprob/n") == ran.number("cascade/stage/cheap/decided") > 0
    assert "confidence/verbalised/n" not in ran.summary
