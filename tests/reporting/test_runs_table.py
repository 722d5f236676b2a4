import json
import math
from dataclasses import replace

import pytest

from venire.metrics.headline import Headline
from venire.records import BackendKind, RunStatus
from venire.reporting.footer import SIMULATED
from venire.reporting.runs_table import arms_of, runs_table
from venire.reporting.table import Estimate, Format, Spread


def test_one_seed_is_a_row_of_values_with_intervals_over_items(make_record) -> None:
    table = runs_table(
        "a sweep", [make_record(), make_record("length sample", arm="arm-2", metrics={"accuracy": 0.5})]
    )
    assert table.columns == ("run", "backend", "n", "accuracy", "coverage")
    assert table.rows == (
        ("majority multi_model sample", "recorded", "32", Estimate(0.75, 0.6, 0.9), Estimate(1.0)),
        ("length sample", "recorded", "32", Estimate(0.5, 0.6, 0.9), Estimate(1.0)),
    )
    assert table.footer == (
        "x [low, high]: 95% interval over items.",
        f"Backend kind: recorded; n: 32; seeds: 0; data: {'d' * 12}; commit: 01234567.",
    )


def test_several_seeds_are_a_mean_and_deviation_and_no_interval(make_record) -> None:
    runs = [make_record(seed=seed, metrics={"accuracy": value}) for seed, value in enumerate((0.7, 0.8, 0.9))]
    table = runs_table("a sweep", runs)
    interval = "accuracy, 95% over items"  # which only the runs' outcomes can tell
    assert table.columns == ("run", "backend", "n", "seeds", "accuracy", interval, "coverage")
    ((name, kind, n, seeds, accuracy, none, coverage),) = table.rows
    assert none == "–"
    assert (name, kind, n, seeds) == ("majority multi_model sample", "recorded", "32", "3")
    # Mean .8; squared deviations .01 + 0 + .01, over n - 1 = 2: sd .1
    assert isinstance(accuracy, Spread)
    assert (accuracy.mean, accuracy.sd) == pytest.approx((0.8, 0.1))
    assert accuracy.text() == "0.800 ± 0.100"
    assert coverage == Spread(1.0, 0.0)
    assert "x ± s: mean and standard deviation over seeds, which is no interval over items." in table.footer
    assert any("seeds: 0, 1, 2" in sentence for sentence in table.footer)


def test_seeds_that_part_the_same_data_in_other_ways_are_one_arm(make_record) -> None:
    def parted(seed: int, whole: str):
        return make_record(seed=seed, tags={"data_fingerprint": f"half{seed}", "parted_fingerprint": whole})

    assert [len(arm.runs) for arm in arms_of([parted(0, "w"), parted(1, "w")])] == [2]
    assert [len(arm.runs) for arm in arms_of([parted(0, "w"), parted(1, "other")])] == [1, 1]
    apart = [make_record(seed=seed, tags={"data_fingerprint": f"half{seed}"}) for seed in (0, 1)]
    assert [len(arm.runs) for arm in arms_of(apart)] == [1, 1]


@pytest.mark.parametrize(
    ("replicates", "said"),
    [
        (
            ("shared", "shared"),
            "Equal requests of all seeds share a reply (replicate=shared): s holds no noise",
        ),
        (("per_seed", "per_seed"), "Each seed asked its judges anew (replicate=per_seed)."),
        (
            ("shared", "per_seed"),
            "Some seeds asked their judges anew (replicate=per_seed), others shared replies.",
        ),
    ],
)
def test_several_seeds_say_whether_they_asked_anew(
    make_record, replicates: tuple[str, ...], said: str
) -> None:
    params = [{} if each == "shared" else {"replicate": each} for each in replicates]
    runs = [make_record(seed=seed, params=each) for seed, each in enumerate(params)]
    assert any(sentence.startswith(said) for sentence in runs_table("t", runs).footer)


def test_a_metric_that_one_seed_lacks_has_no_mean(make_record) -> None:
    runs = [make_record(seed=seed, metrics={"kappa": value}) for seed, value in enumerate((0.5, math.nan))]
    table = runs_table("t", runs)
    assert table.rows[0][table.columns.index("kappa")] == "–"


def test_a_metric_that_no_run_has_is_left_out_and_an_undefined_one_is_a_dash(make_record) -> None:
    one, two = make_record(metrics={"kappa": math.nan}), make_record(arm="arm-2", metrics={"kappa": 0.5})
    assert "kappa" not in runs_table("t", [one]).columns
    table = runs_table("t", [one, two])
    assert "–" in table.render(Format.TEXT)
    assert "consistency" not in table.columns


def test_seeds_are_in_the_order_of_their_numbers(make_record) -> None:
    (arm,) = arms_of([make_record(seed=seed) for seed in (10, 2, 0)])
    assert [run.params["seed"] for run in arm.runs] == ["0", "2", "10"]
    assert arm.name == "majority multi_model sample"
    footer = runs_table("t", arm.runs).footer
    assert any("seeds: 0, 2, 10;" in sentence for sentence in footer)


def test_an_arm_that_starts_at_another_seed_loses_it_from_its_name(make_record) -> None:
    (arm,) = arms_of([make_record(seed=3)])
    assert arm.name == "majority multi_model sample"


@pytest.mark.parametrize(
    "tags", [{"arm_hash": "other"}, {"data_fingerprint": "e" * 64}, {"prompt.pairwise": "p2"}]
)
def test_runs_of_other_settings_data_or_prompts_are_other_rows(make_record, tags: dict[str, str]) -> None:
    arms = arms_of([make_record(), make_record(seed=1, tags=tags), make_record(seed=2)])
    assert [len(arm.runs) for arm in arms] == [2, 1]


def test_runs_without_an_arm_stay_apart(make_record) -> None:
    bare = [replace(make_record(), run_id=f"run-{i}", tags={}) for i in range(2)]
    assert len(arms_of(bare)) == 2


def test_of_two_runs_of_a_seed_the_newest_counts(make_record) -> None:
    old = make_record(metrics={"accuracy": 0.1}, started_at=1.0)
    new = make_record(metrics={"accuracy": 0.9}, started_at=2.0)
    for runs in ([old, new], [new, old]):
        (arm,) = arms_of(runs)
        assert arm.runs == (new,)


def test_a_finished_run_of_a_seed_counts_before_a_newer_one_that_stopped(make_record) -> None:
    done = make_record(started_at=1.0)
    stopped = make_record(started_at=2.0, status=RunStatus.INCOMPLETE)
    (arm,) = arms_of([done, stopped])
    assert arm.runs == (done,)
    (alone,) = arms_of([stopped])
    assert alone.runs == (stopped,)


def test_a_stopped_run_is_marked_in_its_row_and_below(make_record) -> None:
    stopped = make_record(status=RunStatus.INCOMPLETE)
    table = runs_table("t", [stopped])
    assert table.rows[0][0] == "majority multi_model sample (incomplete)"
    assert any(sentence.startswith("WARNING: marked runs did not finish") for sentence in table.footer)


def test_a_stopped_run_among_several_seeds_is_marked(make_record) -> None:
    runs = [
        make_record(),
        make_record(seed=1, status=RunStatus.FAILED),
        make_record(seed=2, status=RunStatus.INCOMPLETE),
    ]
    assert (
        runs_table("t", runs).rows[0][0] == "majority multi_model sample (seed 1 failed, seed 2 incomplete)"
    )


def test_runs_of_several_sizes_show_them_all(make_record) -> None:
    runs = [make_record(), make_record(seed=1, metrics={"n": 40.0})]
    assert runs_table("t", runs).rows[0][2] == "32/40"


def footer_of(*records) -> str:
    return "\n".join(runs_table("t", records).footer)


def test_simulated_judges_are_said_to_be_no_findings(make_record) -> None:
    assert SIMULATED in footer_of(make_record(kind=BackendKind.SIMULATED))
    assert SIMULATED not in footer_of(make_record())


def test_different_kinds_are_warned_of_but_for_methods_without_a_model(make_record) -> None:
    live, recorded = make_record(kind=BackendKind.LIVE), make_record(arm="2")
    none = make_record(arm="3", kind=BackendKind.NONE)
    assert "WARNING: the backend kinds differ (live, recorded)" in footer_of(live, recorded)
    assert "kinds differ" not in footer_of(recorded, none)


def test_different_data_prompts_and_versions_are_warned_of(make_record) -> None:
    one = make_record()
    assert "WARNING" not in footer_of(one, make_record(arm="2"))
    data = make_record(arm="2", tags={"data_fingerprint": "e" * 64})
    assert "WARNING: the runs are not on the same data." in footer_of(one, data)
    prompt = make_record(arm="2", tags={"prompt.pairwise": "p2"})
    assert "WARNING: the prompt 'pairwise' has different texts in these runs." in footer_of(one, prompt)
    version = make_record(arm="2", tags={"version.venire": "0.2.0"})
    assert "WARNING: the runs were made by different versions of venire." in footer_of(one, version)


def test_a_prompt_that_only_one_run_has_is_no_difference(make_record) -> None:
    assert "WARNING" not in footer_of(make_record(), make_record(arm="2", tags={"prompt.other": "p9"}))


def test_a_model_that_changed_behind_its_name_is_warned_of(make_record) -> None:
    def asked(seed: int, returned: str, model: str = "openai/gpt-4o"):
        return make_record(seed=seed, tags={"answered": json.dumps({model: returned})})

    changed = footer_of(asked(0, "gpt-4o-2024-05-13"), asked(1, "gpt-4o-2024-08-06"))
    assert (
        "WARNING: asked for openai/gpt-4o, the provider answered with gpt-4o-2024-05-13 / gpt-4o-2024-08-06."
        in changed
    )
    assert "WARNING" not in footer_of(asked(0, "gpt-4o-2024-08-06"), asked(1, "gpt-4o-2024-08-06"))
    assert "WARNING" not in footer_of(asked(0, "gpt-4o"), asked(1, "claude", model="anthropic/claude"))


def test_a_commit_says_whether_the_checkout_was_dirty(make_record) -> None:
    dirty = make_record(tags={"git_dirty": "true"})
    assert "commit: 01234567 (dirty)." in footer_of(dirty)
    unknown = make_record(tags={"git_commit": "unknown", "git_dirty": "unknown"})
    assert "commit: unknown." in footer_of(unknown)


def test_no_runs_are_a_table_without_rows() -> None:
    assert runs_table("t", []).rows == ()


def test_further_columns_come_last_and_only_where_some_run_has_them(make_record) -> None:
    more = [Headline("panel/effective_votes", "effective votes"), Headline("no/such", "nothing")]
    record = make_record(metrics={"n": 4.0, "accuracy": 0.5, "panel/effective_votes": 2.25})
    table = runs_table("t", [record], more)
    assert table.columns[-1] == "effective votes"
    assert table.rows[0][-1] == Estimate(2.25)
