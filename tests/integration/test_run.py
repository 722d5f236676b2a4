"""A run from the command line: what it prints, what it writes, what a second one pays."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.integration.command import PATIENCE_S, UNTRACKED, Ran, Venire, but_accounting
from tests.integration.conftest import GPT_4_COT

from venire.metrics.calls import is_accounting

# What scripts read of any run, and of a run of pairs besides: docs/metrics.md.
NAMES = {
    *("n", "accuracy", "kappa", "coverage", "calls/paid", "calls/replayed"),
    *("tokens/input", "tokens/output", "cost_usd/total", "cost_usd/billed"),
}
PAIRWISE_NAMES = {
    *("accuracy/as_given", "accuracy/swapped", "kappa/as_given", "kappa/swapped", "kappa/consistent"),
    *("position_consistency", "accuracy/consistent", "first_place_rate"),
}
HEAVY = {"litellm", "mlflow", "datasets", "openai", "aiohttp"}


def test_the_last_line_is_the_folder_and_holds_the_whole_run(panel_run: Ran, simulated: Venire) -> None:
    folder = panel_run.folder
    assert folder.parent == simulated.home / "runs"
    # other tests share the run, and give it people's labels
    assert {path.name for path in folder.iterdir()} - {"labelled"} == {
        *("run.json", "summary.json", "config.yaml", "outcomes.parquet", "calls.jsonl.gz"),
    }


def test_the_summary_is_flat_and_has_the_names_that_scripts_rely_on(panel_run: Ran) -> None:
    summary = panel_run.summary
    assert summary.keys() >= NAMES | PAIRWISE_NAMES
    assert all(value is None or isinstance(value, int | float) for value in summary.values())
    assert summary == panel_run.record["metrics"]


def test_accuracy_and_kappa_are_the_means_of_the_two_orders(panel_run: Ran) -> None:
    for metric in ("accuracy", "kappa"):
        orders = [panel_run.number(f"{metric}/{order}") for order in ("as_given", "swapped")]
        assert panel_run.number(metric) == pytest.approx(sum(orders) / 2, abs=1e-12)


def test_a_panel_of_five_pays_ten_calls_an_instance(panel_run: Ran) -> None:
    # 32 pairs, 5 judges, 2 orders; a malformed reply would be asked again, the simulation makes none.
    assert panel_run.number("calls/paid") == panel_run.number("calls/judge") == 320
    assert panel_run.number("calls/replayed") == 0
    assert panel_run.number("cost_usd/billed") == 0
    assert panel_run.number("cost_usd/total") > 0


def test_nothing_is_written_outside_of_the_home(venire: Venire) -> None:
    venire.finished("dataset=sample", "dataset.limit=2", "method=length")
    assert list((venire.home.parent / "elsewhere").iterdir()) == []


def test_a_second_run_pays_nothing_and_differs_only_in_accounting(panel_run: Ran, simulated: Venire) -> None:
    again = simulated.finished("dataset=sample", "method=majority", "backend=simulated")
    assert again.folder != panel_run.folder
    assert again.number("calls/paid") == 0
    assert again.number("calls/replayed") == 320
    assert but_accounting(again) == but_accounting(panel_run)
    paid, replayed = panel_run.summary, again.summary
    assert paid.keys() == replayed.keys()
    assert all(is_accounting(name) for name in paid if paid[name] != replayed[name])


def test_replay_of_what_was_never_asked_stops_and_names_the_key(venire: Venire) -> None:
    ran = venire.run("dataset=sample", "method=pairwise", "judge=gpt_4o", "llm=replay")
    assert ran.status == 3
    assert "llm.mode=replay: expected a stored reply" in ran.err
    assert ran.number("calls/total") == 0
    assert ran.number("coverage") == 0


def test_refresh_pays_again(venire: Venire) -> None:
    arguments = ("dataset=sample", "dataset.limit=3", "backend=simulated")
    first = venire.finished(*arguments)
    again = venire.finished(*arguments, "llm=refresh")
    assert first.number("calls/paid") == again.number("calls/paid") == 6
    assert but_accounting(again) == but_accounting(first)


def test_concurrency_moves_no_result(panel_run: Ran, venire: Venire) -> None:
    slow = venire.finished("dataset=sample", "method=majority", "backend=simulated", "concurrency=1")
    assert but_accounting(slow) == but_accounting(panel_run)


def test_the_seed_of_the_simulation_moves_the_result(panel_run: Ran, venire: Venire) -> None:
    other = venire.finished("dataset=sample", "method=majority", "backend=simulated", "simulation.seed=1")
    assert other.number("accuracy") != panel_run.number("accuracy")


WRAPPER = """
import json, sys, time
from venire.cli import main
try:
    status = main(sys.argv[1:])
except SystemExit as end:
    status = end.code
loaded = sorted({name.partition(".")[0] for name in sys.modules})
print(json.dumps([time.process_time(), loaded]), file=sys.stderr)
sys.exit(status)
"""


def with_modules(venire: Venire, *arguments: str) -> tuple[Ran, float, set[str]]:
    """The command run in a wrapper that tells its CPU seconds and the packages loaded at its end."""
    done = subprocess.run(
        [sys.executable, "-c", WRAPPER, *arguments],
        env=venire.environment(),
        cwd=venire.home.parent,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    cpu_s, loaded = json.loads(done.stderr.splitlines()[-1])
    return Ran(done.returncode, done.stdout, done.stderr), cpu_s, set(loaded)


def test_help_is_light(venire: Venire) -> None:
    ran, cpu_s, loaded = with_modules(venire, "--help")
    assert ran.status == 0
    assert loaded & (HEAVY | {"hydra", "omegaconf", "numpy", "sqlalchemy", "scipy", "rich"}) == set()
    assert cpu_s < 0.5


def test_the_replay_of_a_recorded_run_pays_nothing_and_loads_no_client(
    recorded: Venire, gpt_4_cot: Ran
) -> None:
    ran, _, loaded = with_modules(recorded, "run", *GPT_4_COT, "llm=replay", UNTRACKED)
    assert ran.status == 0
    assert loaded & HEAVY == set()
    assert (ran.number("calls/paid"), ran.number("calls/replayed")) == (0, 838)  # 419 pairs, 2 orders
    assert but_accounting(ran) == but_accounting(gpt_4_cot)


def test_a_first_recorded_run_loads_no_client(tmp_path: Path, recorded: Venire) -> None:
    fresh = Venire(tmp_path / "home", recorded.data)
    ran, _, loaded = with_modules(fresh, "run", *GPT_4_COT, "dataset.limit=3", UNTRACKED)
    assert ran.number("calls/paid") == 6
    assert loaded & HEAVY == set()


def test_a_replay_of_a_panel_needs_no_key_and_loads_no_client(simulated: Venire, panel_run: Ran) -> None:
    arguments = ("dataset=sample", "method=majority", "backend=simulated", "llm=replay")
    ran, _, loaded = with_modules(simulated, "run", *arguments, UNTRACKED)
    assert ran.number("calls/paid") == 0
    assert loaded & HEAVY == set()
    assert but_accounting(ran) == but_accounting(panel_run)


def test_run_without_arguments_says_what_to_try(venire: Venire) -> None:
    ran = venire("run")
    assert ran.status == 2
    assert "venire run experiment=sample" in ran.err
    assert ran.out == ""


def test_an_unknown_flag_of_another_command_is_refused(venire: Venire) -> None:
    ran = venire("table", "all", "--nonsense")
    assert ran.status == 2
    assert "--nonsense" in ran.err


def test_a_missing_key_is_said_before_any_call(venire: Venire) -> None:
    ran = venire.run("dataset=sample", "method=pairwise", "judge=gpt_4o")
    assert ran.status == 2
    assert ran.err.startswith("ConfigError: OPENAI_API_KEY is not set (judge gpt_4o)")
    assert "backend=simulated" in ran.err
    assert "Traceback" not in ran.err
    assert not (venire.home / "calls.db").exists()


def test_every_missing_key_of_a_panel_is_said(venire: Venire) -> None:
    ran = venire.run("dataset=sample", "method=majority", "panel=poll_small")
    assert ran.status == 2
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        assert name in ran.err


@pytest.mark.parametrize(
    ("overrides", "status", "words"),
    [
        (("method=pairwise", "judge.temperature=3"), 2, "ConfigError: judge.temperature: expected 0 to 2"),
        (("+nonsense=1",), 2, "ConfigError: nonsense: unknown key"),
        (("judge=gpt_5o",), 2, "gpt_5o"),
        (("nonsense=1",), 2, "nonsense"),
        (("dataset=table", "dataset.path=none.jsonl"), 2, "none.jsonl"),
    ],
)
def test_a_bad_override_is_one_clear_error(
    venire: Venire, overrides: tuple[str, ...], status: int, words: str
) -> None:
    ran = venire.run("backend=simulated", *overrides)
    assert ran.status == status
    assert words in ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""
    assert not (venire.home / "runs").exists()


def test_a_dry_run_prints_the_prompts_and_calls_nothing(venire: Venire) -> None:
    ran = venire("run", "dataset=sample", "method=majority", "--dry-run", "2")
    assert ran.status == 0
    assert ran.out.rstrip().endswith("=== 20 requests for 2 instances; nothing was called")
    assert "--- user" in ran.out
    assert not (venire.home / "calls.db").exists()


def test_version_and_doctor_answer(venire: Venire) -> None:
    assert venire("--version").out.startswith("venire ")
    doctor = venire("doctor", OPENAI_API_KEY="sk-sentinel-doctor-1234567890")
    assert doctor.status == 0
    assert "OPENAI_API_KEY: set" in doctor.out
    assert "ANTHROPIC_API_KEY: not set" in doctor.out
    assert "sk-sentinel" not in doctor.out + doctor.err


def test_a_dry_run_of_a_sweep_shows_every_job_and_calls_nothing(venire: Venire) -> None:
    # The strongest judge, the panel of five, and it without a tie, with the vanilla prompt, as given only.
    ran = venire("run", "experiment=sample", "--dry-run=1", UNTRACKED)
    assert ran.status == 0, ran.err
    shown = [line for line in ran.out.splitlines() if line.startswith("=== job ")]
    assert len(shown) == 5
    assert ran.out.count("nothing was called") == 5
    assert not (venire.home / "runs").exists()
    assert not (venire.home / "calls.db").exists()
    assert not (venire.home / "sweeps").exists()


def test_a_dry_run_prints_no_message_twice(venire: Venire) -> None:
    ran = venire("run", "dataset=sample", "method=majority", "--dry-run", "1")
    messages = ran.out.split("--- ")[1:]
    texts = [body for role, _, body in (each.partition("\n") for each in messages) if "as in" not in role]
    assert len(texts) == len(set(texts))
    assert "--- system, as in request 1" in ran.out
