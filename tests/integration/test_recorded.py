"""Figures of the recorded judges, as the command reports them on the real public data.

Accuracies, kappas and consistencies are those of the recordings' own `reference.json`, which
`tests/judging/test_recorded_reference.py` holds exactly; here they are what a user is shown.
"""

from pathlib import Path

import pytest
from tests.integration.command import Ran, Venire

LLMBAR = ("dataset=llmbar", "judge=recorded")
WITHOUT_MANUAL = "dataset.subsets=[Natural,Adversarial/Neighbor,Adversarial/GPTInst,Adversarial/GPTOut]"
FIVE = (
    *("dataset=llmbar", "method=majority", "panel=recorded", "panel.strategy=Vanilla", WITHOUT_MANUAL),
    "method.tie_rule=unscored",
)


def rounded(ran: Ran, *metrics: str) -> list[float]:
    return [round(ran.number(metric), 3) for metric in metrics]


@pytest.fixture(scope="module")
def majority(recorded: Venire) -> Ran:
    """The majority of the five, no majority counted as wrong."""
    return recorded.finished(*FIVE)


def test_gpt_4_with_chain_of_thought(gpt_4_cot: Ran) -> None:
    assert gpt_4_cot.number("n") == 419
    assert rounded(gpt_4_cot, "accuracy/as_given", "accuracy/swapped") == [0.811, 0.814]
    assert rounded(gpt_4_cot, "kappa/as_given", "kappa/swapped") == [0.623, 0.627]
    assert rounded(gpt_4_cot, "position_consistency", "accuracy/consistent") == [0.893, 0.850]
    assert rounded(gpt_4_cot, "coverage", "cost_usd/billed") == [1.0, 0.0]


def test_the_run_says_that_its_judge_is_recorded(gpt_4_cot: Ran) -> None:
    assert gpt_4_cot.record["kind"] == "recorded"
    assert "[recorded]" in gpt_4_cot.out.splitlines()[0]


def test_the_majority_of_five_is_worse_than_its_best_judge(majority: Ran) -> None:
    # Counted from recorded.jsonl.gz apart from this code: 223 and 222 of 373; GPT-4 312 and 322 of the same.
    assert majority.number("n") == 373
    assert rounded(majority, "accuracy/as_given", "accuracy/swapped") == [0.598, 0.595]
    best = rounded(majority, "judge/GPT-4/accuracy/as_given", "judge/GPT-4/accuracy/swapped")
    assert best == [0.836, 0.863]


def test_effective_votes_are_printed_beside_the_panels_accuracy(majority: Ran) -> None:
    votes = rounded(majority, "panel/effective_votes/as_given", "panel/effective_votes/swapped")
    assert votes == [2.211, 2.275]  # docs/recorded.md; n / (1 + (n - 1) r) of the five's errors
    assert "effective votes" in majority.out


def test_independent_errors_would_have_made_the_majority_better(majority: Ran, recorded: Venire) -> None:
    # Poisson binomial at the judges' own accuracies, counted from recorded.jsonl.gz apart from this code.
    independent = "panel/independent_accuracy/as_given", "panel/independent_accuracy/swapped"
    assert rounded(majority, *independent) == [0.668, 0.701]
    told = recorded("independence", str(majority.folder), "--format", "csv")
    assert told.status == 0
    assert "as_given,independent_accuracy,,,0.66784" in told.out
    assert "swapped,effective_votes,,,2.2745" in told.out


PALM = (
    "dataset=llmbar",
    "dataset.subsets=[Natural]",
    "judge=recorded",
    "judge.model=PaLM2",
    "judge.strategy=CoT",
)


def test_where_the_parsers_differ_is_reported_by_both(recorded: Venire) -> None:
    # PaLM2's CoT on Natural: 20 of 200 replies name both outputs; the source takes its first match.
    published = recorded.finished(*PALM)
    strict = recorded.finished(*PALM, "judge.parser=strict")
    for ran in (published, strict):
        assert (ran.number("parser/votes"), ran.number("parser/differs")) == (200, 20)
        assert ran.number("unscored/refused") == 2
        assert "votes that the other parser reads differently" in ran.out
    assert "unscored/unparsed" not in published.summary
    assert strict.number("unscored/unparsed") == 20
    assert (published.number("coverage"), strict.number("coverage")) == (0.99, 0.89)
    compared = recorded("compare", str(published.folder), str(strict.folder))
    assert "WARNING: the parsers differ" in compared.err


def test_a_panel_without_a_recording_is_an_error_before_any_call(tmp_path: Path, recorded: Venire) -> None:
    fresh = Venire(tmp_path / "home", recorded.data)
    ran = fresh.run("dataset=llmbar", "method=majority", "panel=recorded", "panel.strategy=Vanilla")
    assert ran.status == 2
    assert ran.err.startswith("MissingRecording: ")
    assert "PaLM2" in ran.err
    assert "Adversarial/Manual" in ran.err
    assert "dataset.subsets=" in ran.err
    assert "Traceback" not in ran.err
    assert not (fresh.home / "calls.db").exists()
    assert not (fresh.home / "runs").exists()


def test_data_that_are_nowhere_name_the_folder_and_the_remedy(venire: Venire) -> None:
    ran = venire.run("dataset=llmbar", "judge=recorded")
    assert ran.status == 2
    assert "DataError" in ran.err
    assert "VENIRE_DATA" in ran.err
    assert "Traceback" not in ran.err
