"""Comparisons of runs whose verdicts are written out: R right, W wrong, T tie, U unscored, - not judged."""

import itertools
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from venire.errors import RunError
from venire.records import (
    BackendKind,
    Instance,
    Order,
    Outcome,
    Preference,
    PreferenceGold,
    Reason,
    Response,
    RunStatus,
    Unscored,
    Winner,
)
from venire.reporting.compare import compare
from venire.reporting.footer import SIMULATED
from venire.reporting.pairing import Run, read_run
from venire.reporting.preference_pairing import VERDICT
from venire.reporting.table import Format
from venire.runs import OutcomeRow, write_run
from venire.stats.multiple import Correction

GOLD = PreferenceGold(Winner.FIRST)
SAYS = {
    "R": Preference(Winner.FIRST),
    "W": Preference(Winner.SECOND),
    "T": Preference(Winner.TIE),
    "U": Unscored(Reason.UNPARSED),
}
NOT_RUN = Unscored(Reason.NOT_RUN)
BOTH = (Order.AS_GIVEN, Order.SWAPPED)


def rows(
    *orders: str, shown: Sequence[Order] = BOTH, cluster: str = "", start: int = 0
) -> dict[str, OutcomeRow]:
    """One row an item; `orders` has one text an order, a letter an item."""
    made = {}
    for i, letters in enumerate(zip(*orders, strict=True)):
        name = f"set/{i + start:04d}"
        if letters[0] == "-":
            made[name] = OutcomeRow(name, "", "", GOLD, NOT_RUN)
            continue
        said = {order: SAYS[letter] for order, letter in zip(shown, letters, strict=False)}
        made[name] = OutcomeRow(name, "", cluster, GOLD, SAYS[letters[0]], said)
    return made


@pytest.fixture
def make_run(make_record) -> Callable[..., Run]:
    numbers = itertools.count(1)

    def make(made: dict[str, OutcomeRow], **changes) -> Run:
        return Run(make_record(**{"run_id": f"run-{next(numbers)}", **changes}), made)

    return make


def test_the_second_run_is_held_against_the_first_item_by_item(make_run) -> None:
    first, second = make_run(rows("RRWWR", "RWWWR")), make_run(rows("RWRRR", "RWRWR"))
    (paired,) = compare([first, second]).paired
    # as_given: right in only the first: item 1; only the second: 2, 3. swapped: only the second: 2.
    assert paired.discordant == {"as_given": (1, 2), "swapped": (0, 1)}
    # Exact binomial of 1 in 3: 2 * (1 + 3) / 8 = 1; of 0 in 1: 2 * 1/2 = 1.
    assert paired.p_exact == {"as_given": 1.0, "swapped": 1.0}
    # Shares right: first 1 .5 0 0 1 = 2.5, second 1 0 1 .5 1 = 3.5; the difference is 1 of 5.
    assert paired.accuracy.value == pytest.approx(0.2)
    assert (paired.common, paired.left_out) == (5, 0)
    assert paired.note.startswith("over as_given and swapped; 95% BCa bootstrap over 5 items, 5000 draws")


# Net 5 and net 12 of 419; see tests/stats/test_paired.py
COUNTS = [
    *((13, 8, 0.383), (23, 18, 0.533), (34, 29, 0.615), (44, 39, 0.661)),
    *((16, 4, 0.012), (27, 15, 0.088), (37, 25, 0.162), (48, 36, 0.230)),
]


@pytest.mark.parametrize(("gains", "losses", "p"), COUNTS)
def test_mcnemar_at_the_studys_counts(make_run, gains: int, losses: int, p: float) -> None:
    same = 419 - gains - losses
    first = rows("W" * gains + "R" * losses + "R" * same, shown=(Order.AS_GIVEN,))
    second = rows("R" * gains + "W" * losses + "R" * same, shown=(Order.AS_GIVEN,))
    (paired,) = compare([make_run(first), make_run(second)]).paired
    assert paired.discordant == {"as_given": (losses, gains)}
    assert paired.p_exact["as_given"] == pytest.approx(p, abs=5e-4)
    assert paired.accuracy.value == pytest.approx((gains - losses) / 419)


def test_the_interval_is_that_of_a_paired_bootstrap(make_run) -> None:
    rng = np.random.default_rng(5)
    letters = ["".join(rng.choice(list("RW"), size=200)) for _ in range(4)]
    (paired,) = compare([make_run(rows(*letters[:2])), make_run(rows(*letters[2:]))]).paired
    right = np.array([[letter == "R" for letter in text] for text in letters], dtype=float)
    gaps = right[2:].mean(axis=0) - right[:2].mean(axis=0)
    theirs = stats.bootstrap((gaps,), np.mean, n_resamples=20_000, method="BCa", rng=1).confidence_interval
    width = theirs.high - theirs.low
    # Monte Carlo error of a bound of 5,000 draws: about .02 of the width.
    assert paired.accuracy.low == pytest.approx(theirs.low, abs=0.06 * width)
    assert paired.accuracy.high == pytest.approx(theirs.high, abs=0.06 * width)


def test_items_of_one_prompt_are_resampled_together(make_run) -> None:
    letters = "RW" * 60
    apart = [make_run(rows(text, text)) for text in ("R" * 120, letters)]
    together = []
    for text in ("R" * 120, letters):
        # Items 0 .. 3 share a prompt, and so on; in each cluster of four the same two differ: no spread.
        clustered = {
            name: replace(row, cluster=f"p{i // 4}") for i, (name, row) in enumerate(rows(text, text).items())
        }
        together.append(make_run(clustered))
    alone, clustered_pair = (compare(pair).paired[0] for pair in (apart, together))
    assert alone.accuracy.value == clustered_pair.accuracy.value == pytest.approx(-0.5)
    assert alone.accuracy.low < -0.5 < alone.accuracy.high
    assert math.isnan(clustered_pair.accuracy.low)
    assert clustered_pair.note.endswith("no interval: no bootstrap draw differs")


def test_an_item_without_a_cluster_is_one_of_its_own_whatever_its_id(make_run) -> None:
    pair = []
    for text in ("RWRW", "WRRW"):
        made = rows(text, text)
        made["set/0003"] = replace(made["set/0003"], cluster="set/0000")
        pair.append(make_run(made))
    assert "over 4 items" in compare(pair).paired[0].note


def test_a_tie_and_an_unscored_verdict_are_not_right(make_run) -> None:
    (paired,) = compare([make_run(rows("TUWR", "TUWR")), make_run(rows("RRRR", "RRRR"))]).paired
    assert paired.discordant == {"as_given": (0, 3), "swapped": (0, 3)}
    assert paired.accuracy.value == pytest.approx(0.75)


def test_failures_in_one_arm_do_not_move_the_difference_over_scored_items(make_run) -> None:
    # Both are right on 6 of 8; then two of the second's right verdicts, in both orders, fail.
    first = make_run(rows("RRRRRRWW", "RRRRRRWW"))
    whole, failing = "RRRRRRWW", "RRRRUUWW"
    assert compare([first, make_run(rows(whole, whole))]).paired[0].missing is None
    paired = compare([first, make_run(rows(failing, failing))]).paired[0]
    assert paired.accuracy.value == -0.25  # a missing verdict is not right
    assert paired.missing is not None
    assert paired.missing.items == 2
    assert paired.missing.scored.value == 0.0
    assert (paired.missing.worst, paired.missing.best) == (-0.25, 0.0)


def test_missing_verdicts_of_both_runs_widen_the_bounds_both_ways(make_run) -> None:
    # Means .5 and .5; the first lacks one of four verdicts, the second another: each moves .25.
    paired = compare([make_run(rows("RRUW")), make_run(rows("RURW"))]).paired[0]
    assert paired.missing is not None
    assert (paired.missing.worst, paired.missing.best) == (-0.25, 0.25)
    assert paired.missing.items == 2


def test_a_tie_is_right_where_the_gold_is_one(make_run) -> None:
    tied = [
        {name: replace(row, gold=PreferenceGold(Winner.TIE)) for name, row in rows(text, text).items()}
        for text in ("TR", "WT")
    ]
    (paired,) = compare([make_run(tied[0]), make_run(tied[1])]).paired
    assert paired.discordant["as_given"] == (1, 1)


def test_a_run_and_itself_do_not_differ(make_run) -> None:
    run = make_run(rows("RWTU", "RRTW"))
    (paired,) = compare([run, run]).paired
    assert paired.accuracy.value == 0.0
    assert math.isnan(paired.accuracy.low)
    assert paired.discordant == {"as_given": (0, 0), "swapped": (0, 0)}
    assert paired.p_exact == {"as_given": 1.0, "swapped": 1.0}


def test_items_of_only_one_run_are_left_out_and_counted(make_run) -> None:
    first, second = make_run(rows("RRRR", "RRRR")), make_run(rows("WWW", "WWW", start=2))
    (paired,) = compare([first, second]).paired
    assert (paired.common, paired.left_out) == (2, 3)
    assert paired.accuracy.value == -1.0


def test_runs_without_a_common_item_are_refused(make_run) -> None:
    with pytest.raises(RunError, match=r"^compare: A: .* and B: .* have no item in common$"):
        compare([make_run(rows("RR", "RR")), make_run(rows("RR", "RR", start=5))])


def test_different_gold_of_the_same_items_is_refused(make_run) -> None:
    changed = rows("RRR", "RRR")
    changed["set/0001"] = replace(changed["set/0001"], gold=PreferenceGold(Winner.SECOND))
    with pytest.raises(
        RunError, match=r"different gold for 1 of 3 common items, first 'set/0001'; run both on"
    ):
        compare([make_run(rows("RRR", "RRR")), make_run(changed)])


def test_other_votes_for_the_same_winner_are_no_different_gold(make_run) -> None:
    changed = rows("RRR", "RRR")
    changed["set/0001"] = replace(
        changed["set/0001"], gold=PreferenceGold(Winner.FIRST, {Winner.FIRST: 2, Winner.SECOND: 1})
    )
    assert compare([make_run(rows("RRR", "RRR")), make_run(changed)]).paired[0].accuracy.value == 0.0


def test_one_item_has_a_difference_and_no_interval(make_run) -> None:
    (paired,) = compare([make_run(rows("W", "W")), make_run(rows("R", "W"))]).paired
    assert paired.accuracy.value == pytest.approx(0.5)
    assert math.isnan(paired.accuracy.low)


def test_runs_in_other_orders_are_compared_in_the_orders_of_both(make_run) -> None:
    both, given = make_run(rows("RRW", "WWW")), make_run(rows("WRR", shown=(Order.AS_GIVEN,)))
    (paired,) = compare([both, given]).paired
    assert paired.discordant == {"as_given": (1, 1)}
    assert paired.accuracy.value == 0.0
    assert paired.note.startswith("over as_given (the orders that both were asked in); ")


def seeded(letters: str, orders: Sequence[Order]) -> dict[str, OutcomeRow]:
    made = rows(letters, shown=(Order.AS_GIVEN,))
    return {
        name: replace(row, by_order={order: row.prediction})
        for (name, row), order in zip(made.items(), orders, strict=True)
    }


def test_runs_of_one_verdict_an_item_are_compared_on_it(make_run) -> None:
    orders = [Order.AS_GIVEN, Order.SWAPPED, Order.AS_GIVEN]
    first, second = make_run(seeded("RRW", orders)), make_run(seeded("RWR", orders[::-1]))
    (paired,) = compare([first, second]).paired
    assert paired.discordant == {VERDICT: (1, 1)}
    assert paired.p_exact == {VERDICT: 1.0}
    assert paired.note.startswith("over one verdict an item; ")
    scores = make_run({name: replace(row, by_order={}) for name, row in rows("RRR").items()})
    assert compare([scores, scores]).paired[0].discordant == {VERDICT: (0, 0)}


def test_both_orders_against_one_an_item_have_no_exact_test(make_run) -> None:
    mixed = make_run(seeded("RRW", [Order.AS_GIVEN, Order.SWAPPED, Order.AS_GIVEN]))
    (paired,) = compare([make_run(rows("RRW", "WRW")), mixed]).paired
    assert paired.discordant == paired.p_exact == {}
    # Shares: .5 1 0 against 1 1 0
    assert paired.accuracy.value == pytest.approx(0.5 / 3)
    assert "no exact test" in paired.note


def test_items_that_a_stopped_run_did_not_judge_are_not_right_in_any_order(make_run) -> None:
    stopped = make_run(rows("RR--", "RW--"), status=RunStatus.INCOMPLETE, error="no money left")
    comparison = compare([make_run(rows("RRRR", "RRRR")), stopped])
    (paired,) = comparison.paired
    assert paired.discordant == {"as_given": (2, 0), "swapped": (3, 0)}
    assert paired.accuracy.value == pytest.approx(-2.5 / 4)
    assert comparison.warnings == (
        "B: majority multi_model sample is incomplete: no money left; "
        "what it did not judge counts as not right",
    )


def test_a_run_that_judged_nothing_is_never_right(make_run) -> None:
    nothing = make_run(rows("--", "--"), status=RunStatus.INCOMPLETE)
    (paired,) = compare([make_run(rows("RR", "RR")), nothing]).paired
    assert paired.accuracy.value == -1.0


@pytest.mark.parametrize("n", [0, 1, 27])
def test_two_to_twenty_six_runs_are_compared(make_run, n: int) -> None:
    run = make_run(rows("R", "R"))
    with pytest.raises(RunError, match=rf"^compare: expected at least two runs and at most 26, got {n}$"):
        compare([run] * n)
    assert len(compare([run] * 26).paired) == 25


def test_every_other_run_is_held_against_the_first(make_run) -> None:
    runs = [
        make_run(rows(text, text), name=name) for text, name in (("RW", "base"), ("RR", "up"), ("WW", "down"))
    ]
    comparison = compare(runs)
    assert [(paired.first, paired.second, paired.accuracy.value) for paired in comparison.paired] == [
        ("A: base", "B: up", 0.5),
        ("A: base", "C: down", -0.5),
    ]


def test_metrics_stand_side_by_side_with_their_intervals(make_run) -> None:
    one, two = (
        make_run(rows("RR", "RR")),
        make_run(rows("RR", "RR"), metrics={"kappa": 0.5, "accuracy": 0.5}, name="other"),
    )
    table = compare([one, two]).side_by_side
    assert table.columns == ("", "A: majority multi_model sample", "B: other")
    shown = {
        row[0]: [cell if isinstance(cell, str) else cell.text() for cell in row[1:]] for row in table.rows
    }
    assert shown["backend"] == ["recorded", "recorded"]
    assert shown["n"] == ["32", "32"]
    assert shown["accuracy"] == ["0.750 [0.600, 0.900]", "0.500 [0.600, 0.900]"]
    assert shown["kappa"] == ["–", "0.500"]
    assert "consistency" not in shown
    assert any("commit: 01234567" in sentence for sentence in table.footer)


def test_settings_are_listed_where_they_differ(make_run) -> None:
    one = make_run(rows("R", "R"), params={"method.orders": "both", "judge.temperature": "0.0"})
    two = make_run(
        rows("R", "R"),
        params={"method.orders": "as_given", "ablation": "as_given_order", "judge.temperature": "0.0"},
    )
    assert compare([one, two]).settings.rows == (
        ("ablation", "–", "as_given_order"),
        ("method.orders", "both", "as_given"),
    )
    assert compare([one, one]).settings.rows == ()


LOUD = [
    ({"tags": {"data_fingerprint": "e" * 64}}, "the runs are not on the same data"),
    ({"tags": {"prompt.pairwise": "p2"}}, "the prompt 'pairwise' has different texts in these runs"),
    ({"tags": {"version.venire": "0.2.0"}}, "the runs were made by different versions of venire"),
    ({"tags": {"answered": '{"openai/gpt-4o": "gpt-4o-2024-08-06"}'}}, None),
    (
        {"kind": BackendKind.LIVE},
        "the backend kinds differ (live, recorded): these judges are not one population",
    ),
    ({"params": {"judge.parser": "strict"}}, None),
    (
        {"metrics": {"coverage": 0.9, "accuracy/worst": 0.7, "accuracy/best": 0.8}},
        "verdicts are missing; with them accuracy lies: B in [0.700, 0.800]",
    ),
]


@pytest.mark.parametrize(("changes", "warning"), LOUD)
def test_what_makes_runs_incomparable_is_said(make_run, changes: dict, warning: str | None) -> None:
    one, two = make_run(rows("R", "R")), make_run(rows("R", "R"), **changes)
    assert compare([one, two]).warnings == ((warning,) if warning else ())


def test_a_run_that_is_compared_with_itself_is_said_to_be(make_run) -> None:
    one, two = make_run(rows("R", "R")), make_run(rows("R", "R"))
    assert compare([one, two, one]).warnings == ("A and C are one and the same run, run-1",)


def test_other_models_behind_a_name_are_said_and_a_panels_further_models_are_not(make_run) -> None:
    panel = {"openai/gpt-4o": "gpt-4o-2024-08-06", "anthropic/claude": "claude-3"}
    runs = [
        make_run(rows("R"), tags={"answered": json.dumps(answered)})
        for answered in (
            panel,
            {"openai/gpt-4o": "gpt-4o-2024-08-06"},
            {"openai/gpt-4o": "gpt-4o-2024-11-20"},
        )
    ]
    assert compare(runs[:2]).warnings == ()
    assert compare([runs[0], runs[2]]).warnings == (
        "asked for openai/gpt-4o, the provider answered with gpt-4o-2024-08-06 / gpt-4o-2024-11-20",
    )


def test_different_parsers_are_said_also_of_judge_and_panel(make_run) -> None:
    one = make_run(rows("R", "R"), params={"judge.parser": "as_published"})
    two = make_run(rows("R", "R"), params={"panel.parser": "strict"})
    assert compare([one, two]).warnings == ("the parsers differ: as_published / strict",)


def test_simulated_runs_are_said_to_be_no_findings(make_run) -> None:
    runs = [make_run(rows("R", "R"), kind=BackendKind.SIMULATED) for _ in range(2)]
    assert compare(runs).warnings == (SIMULATED.rstrip("."),)


def test_a_run_is_read_from_its_folder_as_it_was_written(tmp_path: Path, make_record) -> None:
    instances = [
        Instance(f"set/{i}", "p", (Response("a"), Response("b")), GOLD, cluster="c") for i in range(3)
    ]
    said = dict.fromkeys(BOTH, SAYS["R"])
    outcomes = [Outcome(instance.id, SAYS["R"], said) for instance in instances[:2]]
    record = make_record()
    write_run(tmp_path / "a", record, config_yaml="seed: 0\n", instances=instances, outcomes=outcomes)
    run = read_run(tmp_path / "a")
    assert run.record == record
    assert run.rows["set/0"] == OutcomeRow("set/0", "", "c", GOLD, SAYS["R"], said)
    assert run.rows["set/2"].prediction == NOT_RUN
    assert compare([run, run]).side_by_side.render(Format.MARKDOWN).startswith("**side by side**")


def test_the_p_of_the_mean_of_both_orders_is_exact_too(make_run) -> None:
    # Five items gain in both orders, one loses in one: of 2 ** 6 worlds, sums of +-1 (five) and +-.5: 4.5 or
    # more in 1 with all gains up and either half (5.5, 4.5), so 2 of 64 and as many below.
    first, second = make_run(rows("WWWWWRW", "WWWWWWW")), make_run(rows("RRRRRWW", "RRRRRWW"))
    (paired,) = compare([first, second]).paired
    assert paired.accuracy.value == pytest.approx(4.5 / 7)
    assert paired.p == pytest.approx(4 / 64)
    assert paired.p_note == "exact sign-flip test, 6 differ"


def test_p_is_corrected_over_all_runs_by_kind_of_test(make_run) -> None:
    base = make_run(rows("W" * 20, "W" * 20))
    up = make_run(rows("R" * 8 + "W" * 12, "R" * 8 + "W" * 12))
    others = [make_run(rows("W" * 20, "W" * 20)) for _ in range(2)]
    comparison = compare([base, up, *others])
    paired = comparison.paired[0]
    # 2 / 2 ** 8; three accuracies, six of McNemar's
    assert paired.p_adjusted == pytest.approx(3 * 2 / 2**8)
    assert paired.p_exact_adjusted["swapped"] == pytest.approx(6 * 2 / 2**8)
    assert comparison.families.startswith(
        "p, Holm: corrected over all runs for the tests of one kind: 3 of accuracy, 6 by McNemar"
    )
    plain = compare([base, up, *others], correction=Correction.NONE)
    assert plain.paired[0].p_adjusted == plain.paired[0].p
    assert "not corrected" in plain.families


def test_the_difference_of_kappas_has_interval_and_test(make_run) -> None:
    rng = np.random.default_rng(2)
    letters = ["".join(rng.choice(list("RW"), size=120, p=[p, 1 - p])) for p in (0.6, 0.6, 0.9, 0.9)]
    made = []
    golds = rng.choice([Winner.FIRST, Winner.SECOND], size=120)
    other = {Winner.FIRST: Winner.SECOND, Winner.SECOND: Winner.FIRST}
    for pair in (letters[:2], letters[2:]):
        each = {}
        for gold, (name, row) in zip(golds, rows(*pair).items(), strict=True):
            said = {
                order: Preference(gold if letter == "R" else other[gold])
                for order, letter in zip(BOTH, (pair[0][int(name[4:])], pair[1][int(name[4:])]), strict=True)
            }
            each[name] = replace(row, gold=PreferenceGold(gold), by_order=said, prediction=said[BOTH[0]])
        made.append(each)
    (paired,) = compare([make_run(each) for each in made]).paired
    theirs = [
        np.mean(
            [
                cohen_kappa_score(list(golds), [row.by_order[order].winner for row in each.values()])
                for order in BOTH
            ]
        )
        for each in made
    ]
    assert paired.kappa is not None
    assert paired.kappa.found.value == pytest.approx(theirs[1] - theirs[0])
    assert 0 < paired.kappa.found.low < paired.kappa.found.value < paired.kappa.found.high
    assert paired.kappa.p < 0.01


def test_a_run_that_keeps_silent_where_it_would_be_wrong_gains_neither_accuracy_nor_kappa(make_run) -> None:
    said = "RRRWW" * 10
    golds = [Winner.FIRST, Winner.SECOND] * 25
    honest, silent = {}, {}
    for made, letters in ((honest, said), (silent, said.replace("W", "U"))):
        for gold, letter, (name, row) in zip(golds, letters, rows(said, said).items(), strict=True):
            wrong = Winner.SECOND if gold is Winner.FIRST else Winner.FIRST
            verdict = {"R": Preference(gold), "W": Preference(wrong), "U": SAYS["U"]}[letter]
            made[name] = replace(
                row, gold=PreferenceGold(gold), prediction=verdict, by_order=dict.fromkeys(BOTH, verdict)
            )
    (paired,) = compare([make_run(honest), make_run(silent)], margin=0.05).paired
    assert (paired.accuracy.value, paired.p) == (0.0, 1.0)
    assert paired.kappa is not None
    assert (paired.kappa.found.value, paired.kappa.p) == (0.0, 1.0)
    assert paired.coverage == (1.0, pytest.approx(0.6))
    assert paired.missing is not None
    assert (paired.missing.worst, paired.missing.best) == (0.0, pytest.approx(0.4))
    # Nor is it shown to be as good: what it did not say might have been right.
    assert paired.equivalence is not None
    assert paired.equivalence.p > 0.9


def test_equivalence_is_tested_only_where_a_margin_is_given(make_run) -> None:
    letters = "R" * 300 + "W" * 100
    first, second = make_run(rows(letters, letters)), make_run(rows("W" + letters[1:], letters))
    assert compare([first, second]).paired[0].equivalence is None
    found = compare([first, second], margin=0.02).paired[0].equivalence
    assert found is not None
    assert found.value == pytest.approx(-1 / 800)
    assert found.p < 0.05
    assert -0.02 < found.low < found.high < 0.02


@pytest.mark.parametrize("margin", [0.0, -0.1, 1.0])
def test_a_margin_that_means_nothing_is_refused(make_run, margin: float) -> None:
    runs = [make_run(rows("RW", "RW")) for _ in range(2)]
    with pytest.raises(
        RunError, match=r"^compare: --margin: expected a difference of accuracies between 0 and 1"
    ):
        compare(runs, margin=margin)
