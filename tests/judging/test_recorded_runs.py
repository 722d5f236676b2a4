"""Whole runs of recorded judges over the official data, against the reference figures."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import orjson
import pytest
from tests.judging.recordings import PlainLLM

from venire.data.llmbar import LLMBAR_SUBSETS
from venire.judging.judge import RecordedJudge, RecordedParser
from venire.judging.panel import recorded_panel
from venire.judging.recorded_parser import parser_difference
from venire.judging.votes import TieRule
from venire.llm.recorded import RecordedBackend
from venire.methods.majority import Majority
from venire.methods.pairwise import Pairwise
from venire.methods.protocol import Method
from venire.metrics.measure import MetricSettings, measure
from venire.records import Instance, Outcome, Winner


async def judged(method: Method, instances: Sequence[Instance], llm: PlainLLM) -> list[Outcome]:
    method.check(instances)
    return [await method.judge(instance, None, llm) for instance in instances]


@pytest.fixture(scope="module")
def backend(data_root: Path) -> RecordedBackend:
    return RecordedBackend(data_root)


def run(
    method: Method, instances: Sequence[Instance], backend: RecordedBackend
) -> tuple[list[Outcome], PlainLLM]:
    llm = PlainLLM(backend)
    return asyncio.run(judged(method, instances, llm)), llm


def metrics_of(instances: Sequence[Instance], outcomes: Sequence[Outcome]) -> dict[str, float]:
    labels = (Winner.FIRST, Winner.SECOND)
    measurement = measure(instances, outcomes, labels=labels, seed=0, settings=MetricSettings(draws=0))
    return dict(measurement.metrics)


def reference(root: Path, subset: str, model: str, strategy: str) -> dict[str, float]:
    table = orjson.loads((root / "llmbar_recorded" / "reference.json").read_bytes())
    (found,) = [r for r in table if (r["subset"], r["model"], r["strategy"]) == (subset, model, strategy)]
    return dict(found)


@pytest.mark.parametrize(
    ("model", "strategy", "subset", "calls"),
    [
        ("GPT-4", "CoT", "LLMBar (pooled)", 2 * 419),
        ("ChatGPT", "Rating", "LLMBar (pooled)", 4 * 419),  # two scores, asked for in either order
        # Two first stages in either order; 342 rows of two stages (171 instances) ask once more.
        ("LLaMA2", "Swap_CoT", "LLMBar (pooled)", 4 * 419 + 342),
        ("PaLM2", "Vanilla_NoRules", "MT-Bench", 2 * 200),
    ],
)
def test_whole_runs_through_the_backend_have_the_reference_figures(
    data_root: Path,
    backend: RecordedBackend,
    llmbar: tuple[Instance, ...],
    mt_bench: tuple[Instance, ...],
    model: str,
    strategy: str,
    subset: str,
    calls: int,
) -> None:
    instances = mt_bench if subset == "MT-Bench" else llmbar
    judge = RecordedJudge(model, strategy, root=str(data_root))
    outcomes, llm = run(Pairwise(judged_by=judge), instances, backend)
    metrics, expected = metrics_of(instances, outcomes), reference(data_root, subset, model, strategy)
    assert metrics["accuracy/as_given"] == expected["correct_swap_false"] / expected["n"]
    assert metrics["accuracy/swapped"] == expected["correct_swap_true"] / expected["n"]
    assert metrics["kappa_null_category"] == pytest.approx(expected["kappa_average"], abs=1e-9)
    assert metrics["position_consistency"] == expected["position_consistency_rate"]
    assert len(llm.asked) == metrics["calls/total"] == calls


def test_pairs_that_mt_bench_holds_twice_are_never_asked_for_in_the_same_words(
    data_root: Path, backend: RecordedBackend, mt_bench: tuple[Instance, ...]
) -> None:
    judge = RecordedJudge("GPT-4", "Vanilla_NoRules", root=str(data_root))
    _, llm = run(Pairwise(judged_by=judge), mt_bench, backend)
    assert len({request.messages for request in llm.asked}) == 400


def test_the_majority_of_five_falls_below_its_best_judge(
    data_root: Path, backend: RecordedBackend, llmbar: tuple[Instance, ...]
) -> None:
    models = ("GPT-4", "ChatGPT", "LLaMA2", "PaLM2", "Falcon")
    panel = recorded_panel(models, "Vanilla", root=str(data_root))
    instances = [instance for instance in llmbar if instance.subset in LLMBAR_SUBSETS[:4]]
    method = Majority(panel=panel, tie_rule=TieRule.UNSCORED)
    outcomes, _ = run(method, instances, backend)
    metrics = metrics_of(instances, outcomes)
    # 223 and 222 of 373; see test_recorded_reference.py for the same by plain counting.
    assert metrics["accuracy/as_given"] == 223 / 373
    assert metrics["accuracy/swapped"] == 222 / 373
    assert round(metrics["panel/best_judge_accuracy/as_given"], 3) == 0.836
    assert round(metrics["panel/best_judge_accuracy/swapped"], 3) == 0.863
    weak = {"ChatGPT": (152, 151), "LLaMA2": (168, 168), "Falcon": (211, 215)}  # right, of 373
    for model, (as_given, swapped) in weak.items():
        assert metrics[f"judge/{model}/accuracy/as_given"] == as_given / 373
        assert metrics[f"judge/{model}/accuracy/swapped"] == swapped / 373
    assert round(metrics["panel/effective_votes/as_given"], 3) == 2.211
    assert round(metrics["panel/effective_votes/swapped"], 3) == 2.275


@pytest.mark.parametrize(
    ("model", "strategy", "expected"),
    [
        # README of llmbar_recorded: 213 rating ties, in both orders; no unreadable score.
        ("ChatGPT", "Rating", {"votes": 838, "differs": 426, "instances_differing": 213, "rating_ties": 426}),
        # README: 2 answers of GPT-4's Rating are empty and 67 instances tie.
        (
            "GPT-4",
            "Rating",
            {"differs": 138, "instances_differing": 69, "rating_ties": 134, "unparsable_ratings": 4},
        ),
        ("ChatGPT", "Swap_CoT", {"votes": 838, "differs": 61, "both_patterns": 61}),
        ("GPT-4", "CoT", {"votes": 838, "differs": 0, "both_patterns": 0, "rating_ties": 0}),
    ],
)
def test_the_difference_of_the_parsers_is_counted_from_a_runs_votes(
    data_root: Path,
    backend: RecordedBackend,
    llmbar: tuple[Instance, ...],
    model: str,
    strategy: str,
    expected: dict[str, float],
) -> None:
    found = []
    for parser in RecordedParser:
        method = Pairwise(judged_by=RecordedJudge(model, strategy, parser, str(data_root)))
        outcomes, _ = run(method, llmbar, backend)
        difference = parser_difference(method.judges, outcomes)
        assert difference is not None
        found.append(difference.as_metrics())
    assert found[0] == found[1]  # whichever of the two was used
    assert {name: found[0][f"parser/{name}"] for name in expected} == expected
