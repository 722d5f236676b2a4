"""All recorded judges' figures: the right ones of reference.json, and the ones that were published."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson
import pytest

from venire.data.llmbar import LLMBAR_SUBSETS, LLMBar
from venire.judging.judge import RecordedParser
from venire.judging.recorded import published_llmbar_kappa
from venire.judging.recorded_parser import Reading, read_recording
from venire.llm.recordings import Recording, read_recordings
from venire.metrics.measure import MetricSettings, measure
from venire.records import Instance, Order, Outcome, Preference, PreferenceGold, Unscored, Winner

POOLED = {"LLMBar (pooled)": LLMBAR_SUBSETS, "Adversarial (pooled)": LLMBAR_SUBSETS[1:]}

# Where reference.json and venire call one number by different names.
METRICS = {
    "accuracy_swap_false": "accuracy/as_given",
    "accuracy_swap_true": "accuracy/swapped",
    "accuracy_average": "accuracy",
    "accuracy_both": "accuracy/both_orders",
    "kappa_swap_false": "kappa_null_category/as_given",
    "kappa_swap_true": "kappa_null_category/swapped",
    "kappa_average": "kappa_null_category",
    "kappa_valid_swap_false": "kappa/as_given",
    "kappa_valid_swap_true": "kappa/swapped",
    "kappa_between_orders": "kappa_null_category/between_orders",
    "position_consistency_rate": "position_consistency",
    "accuracy_on_consistent": "accuracy/consistent",
    "kappa_on_consistent": "kappa/consistent",
    "first_presented_rate": "first_place_rate",
}
COUNTS = {"correct_swap_false": "accuracy/as_given", "correct_swap_true": "accuracy/swapped"}


@dataclass(frozen=True)
class Bench:
    """All instances by subset, and all recorded rows by run, instance and order."""

    instances: Mapping[str, Sequence[Instance]]
    rows: Mapping[tuple[str, str, str], Mapping[tuple[int, Order], Recording]]
    root: Path

    def outcomes(self, model: str, strategy: str, subsets: Sequence[str]) -> list[Outcome]:
        """What the recorded judge made of the subsets, as published."""
        return [
            outcome(instance, self.rows[model, strategy, subset], index)
            for subset in subsets
            for index, instance in enumerate(self.instances[subset])
        ]

    def table(self, name: str) -> list[dict[str, object]]:
        """The rows of `reference.json` or `published.json`."""
        return list(orjson.loads((self.root / "llmbar_recorded" / name).read_bytes()))


def outcome(instance: Instance, rows: Mapping[tuple[int, Order], Recording], index: int) -> Outcome:
    by_order: dict[Order, Reading] = {
        order: read_recording(rows[index, order], RecordedParser.AS_PUBLISHED) for order in Order
    }
    return Outcome(instance.id, by_order[Order.AS_GIVEN], by_order)


@pytest.fixture(scope="module")
def bench(data_root: Path) -> Bench:
    instances = defaultdict(list)
    for instance in LLMBar(str(data_root), (*LLMBAR_SUBSETS, "MT-Bench")).load().instances:
        instances[instance.subset].append(instance)
    rows = defaultdict(dict)
    for key, row in read_recordings(data_root).rows.items():
        rows[key.model, key.strategy, key.subset][key.index, key.order] = row
    return Bench(instances, rows, data_root)


def measured(bench: Bench, model: str, strategy: str, subsets: Sequence[str]) -> Mapping[str, float]:
    instances = [instance for subset in subsets for instance in bench.instances[subset]]
    outcomes = bench.outcomes(model, strategy, subsets)
    labels = (Winner.FIRST, Winner.SECOND)
    return measure(instances, outcomes, labels=labels, seed=0, settings=MetricSettings(draws=0)).metrics


def test_every_row_of_the_reference_comes_out(bench: Bench) -> None:
    reference = bench.table("reference.json")
    assert len(reference) == 439
    checked = 0
    for row in reference:
        where = f"{row['subset']} {row['model']} {row['strategy']}"
        subsets = POOLED.get(str(row["subset"]), (str(row["subset"]),))
        metrics = measured(bench, str(row["model"]), str(row["strategy"]), subsets)
        assert metrics["n"] == row["n"], where
        for field, metric in COUNTS.items():
            assert metrics[metric] == row[field] / row["n"], f"{where}: {field}"  # exactly, not nearly
        for field, metric in METRICS.items():
            expected = math.nan if row[field] is None else row[field]
            assert metrics[metric] == pytest.approx(expected, abs=1e-9, nan_ok=True), f"{where}: {field}"
            checked += 1
        nulls = row["n_null_swap_false"] + row["n_null_swap_true"]
        assert metrics["unscored/total"] == nulls, where
        if "accuracy_average_macro_over_subsets" in row:
            macro = row["accuracy_average_macro_over_subsets"]
            assert metrics["accuracy/macro"] == pytest.approx(macro, abs=1e-12), where
    assert checked == 439 * len(METRICS)


def test_the_published_kappas_come_out_of_the_sources_formula(bench: Bench) -> None:
    published = bench.table("published.json")
    assert len(published) == 325
    for row in published:
        subset = str(row["subset"])
        labels = [gold_winner(instance) for instance in bench.instances[subset]]
        outcomes = bench.outcomes(str(row["model"]), str(row["strategy"]), [subset])
        for order, field in ((Order.AS_GIVEN, "False"), (Order.SWAPPED, "True")):
            verdicts = [winner(outcome.by_order[order]) for outcome in outcomes]
            where = f"{subset} {row['model']} {row['strategy']} {order}"
            correct = sum(verdict is label for verdict, label in zip(verdicts, labels, strict=True))
            assert correct == row[f"correct_{field}"], where
            kappa = published_llmbar_kappa(verdicts, labels)
            assert kappa == pytest.approx(row[f"published_kappa_{field}"], abs=1e-9), where


def gold_winner(instance: Instance) -> Winner:
    assert isinstance(instance.gold, PreferenceGold)
    return instance.gold.winner


def winner(reading: object) -> Winner | None:
    assert isinstance(reading, Preference | Unscored)
    return reading.winner if isinstance(reading, Preference) else None


def test_gpt_4_cot_over_all_of_llmbar_has_the_known_figures(bench: Bench) -> None:
    metrics = measured(bench, "GPT-4", "CoT", LLMBAR_SUBSETS)
    # README of llmbar_recorded, last table, three decimals.
    assert metrics["n"] == 419
    shown = {
        "accuracy/as_given": 0.811,
        "accuracy/swapped": 0.814,
        "kappa/as_given": 0.623,
        "kappa/swapped": 0.627,
        "position_consistency": 0.893,
        "accuracy/consistent": 0.850,
    }
    assert {name: round(metrics[name], 3) for name in shown} == shown


class TestMajorityOfFive:
    """The five models' Vanilla verdicts on the 373 instances that all have, by plain counting."""

    MODELS = ("GPT-4", "ChatGPT", "LLaMA2", "PaLM2", "Falcon")
    SUBSETS = LLMBAR_SUBSETS[:4]

    def right(self, bench: Bench, model: str, order: Order) -> list[bool]:
        outcomes = bench.outcomes(model, "Vanilla", self.SUBSETS)
        labels = [gold_winner(instance) for subset in self.SUBSETS for instance in bench.instances[subset]]
        verdicts = [winner(outcome.by_order[order]) for outcome in outcomes]
        return [verdict is label for verdict, label in zip(verdicts, labels, strict=True)]

    @pytest.mark.parametrize(
        ("order", "majority", "best", "votes"),
        [(Order.AS_GIVEN, 0.598, 0.836, 2.211), (Order.SWAPPED, 0.595, 0.863, 2.275)],
    )
    def test_the_majority_is_far_below_the_best_judge(
        self, bench: Bench, order: Order, majority: float, best: float, votes: float
    ) -> None:
        # Majority: at least three of the five right; no majority counts as wrong. Effective votes:
        # n / (1 + (n - 1) r), r the mean phi of being right (.31535 and .29956), over the 10 pairs.
        right = [self.right(bench, model, order) for model in self.MODELS]
        n = len(right[0])
        assert n == 373
        panel = sum(sum(column) >= 3 for column in zip(*right, strict=True)) / n
        assert round(panel, 3) == majority
        assert round(max(sum(row) for row in right) / n, 3) == best
        pairs = [(a, b) for i, a in enumerate(right) for b in right[i + 1 :]]
        mean_correlation = sum(phi(a, b) for a, b in pairs) / len(pairs)
        assert round(5 / (1 + 4 * mean_correlation), 3) == votes


def phi(a: Sequence[bool], b: Sequence[bool]) -> float:
    """Pearson correlation of two 0/1 columns."""
    n, p, q = len(a), sum(a) / len(a), sum(b) / len(b)
    both = sum(x and y for x, y in zip(a, b, strict=True)) / n
    return (both - p * q) / math.sqrt(p * (1 - p) * q * (1 - q))


def test_the_published_formula_on_small_cases() -> None:
    one, two = Winner.FIRST, Winner.SECOND
    # All four right: po = 2/4 (only the correct "1"s agree), pe = 1/2 * 1/2, so (1/2 - 1/4) / (3/4) = 1/3.
    assert published_llmbar_kappa([one, one, two, two], [one, one, two, two]) == pytest.approx(1 / 3)
    # No verdict is a 0 like a "2": the same value.
    assert published_llmbar_kappa([one, one, None, None], [one, one, two, two]) == pytest.approx(1 / 3)
    # All "2" and all right: no agreement at all, by chance none either.
    assert published_llmbar_kappa([two, two], [two, two]) == 0
    assert math.isnan(published_llmbar_kappa([one], [one]))
    assert math.isnan(published_llmbar_kappa([], []))
    with pytest.raises(ValueError, match="expected one verdict a label, got 1 and 2"):
        published_llmbar_kappa([one], [one, two])
