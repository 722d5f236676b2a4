"""Position figures of all recorded judges: every row of reference.json."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import orjson
import pytest
from scipy.stats import binomtest

from venire.data.llmbar import LLMBAR_SUBSETS, LLMBar
from venire.judging.judge import RecordedParser
from venire.judging.recorded_parser import read_recording
from venire.llm.recordings import read_recordings
from venire.metrics.audit.finding import Finding
from venire.metrics.audit.readings import plain_readings
from venire.metrics.audit.verdict_findings import position
from venire.metrics.estimators import Estimator
from venire.metrics.join import items_of, join
from venire.records import Instance, Order, Outcome, Winner
from venire.stats.intervals import Resampler

POOLED = {"LLMBar (pooled)": LLMBAR_SUBSETS, "Adversarial (pooled)": LLMBAR_SUBSETS[1:]}
LABELS = (Winner.FIRST, Winner.SECOND)


@dataclass(frozen=True)
class Bench:
    """All instances by subset, all recorded verdicts by run and subset, and the reference's rows."""

    instances: Mapping[str, Sequence[Instance]]
    outcomes: Mapping[tuple[str, str, str], Sequence[Outcome]]
    reference: Sequence[Mapping[str, float]]

    def position(self, model: str, strategy: str, subsets: Sequence[str], draws: int = 0) -> Finding:
        instances = [instance for subset in subsets for instance in self.instances[subset]]
        outcomes = [each for subset in subsets for each in self.outcomes[model, strategy, subset]]
        pairs = join(instances, outcomes)
        items = items_of([instance for instance, _ in pairs], LABELS)
        resampler = Resampler.draw(items.cluster, draws, np.random.default_rng(0))
        return position(plain_readings(pairs), "plain", Estimator(items.gold, resampler, 0.95))


@pytest.fixture(scope="module")
def bench(data_root: Path) -> Bench:
    instances = defaultdict(list)
    for instance in LLMBar(str(data_root), (*LLMBAR_SUBSETS, "MT-Bench")).load().instances:
        instances[instance.subset].append(instance)
    readings = defaultdict(lambda: defaultdict(dict))
    for key, row in read_recordings(data_root).rows.items():
        read = read_recording(row, RecordedParser.AS_PUBLISHED)
        readings[key.model, key.strategy, key.subset][key.index][key.order] = read
    outcomes = {
        run: [
            Outcome(instances[run[2]][index].id, by_order[Order.AS_GIVEN], by_order)
            for index, by_order in rows.items()
        ]
        for run, rows in readings.items()
    }
    reference = orjson.loads((data_root / "llmbar_recorded" / "reference.json").read_bytes())
    return Bench(instances, outcomes, reference)


def test_every_row_of_the_reference_comes_out(bench: Bench) -> None:
    assert len(bench.reference) == 439
    for row in bench.reference:
        where = f"{row['subset']} {row['model']} {row['strategy']}"
        made = bench.position(row["model"], row["strategy"], POOLED.get(row["subset"], (row["subset"],)))
        facts = made.facts
        assert facts["always_first"] == row["n_pairs_both_first"], where
        assert facts["always_second"] == row["n_pairs_both_second"], where
        assert facts["picked"] == row["n_valid_verdicts"], where
        assert facts["first_place_rate"] == row["n_first_presented_picked"] / row["n_valid_verdicts"], where
        assert facts["first_place_rate"] == pytest.approx(row["first_presented_rate"], abs=1e-12), where
        assert made.effect.value == pytest.approx(row["first_presented_rate"] - 0.5, abs=1e-12), where
        torn = row["n_pairs_both_first"] + row["n_pairs_both_second"]
        p = binomtest(row["n_pairs_both_first"], torn, 0.5).pvalue if torn else 1.0
        assert made.p == pytest.approx(p), where


@pytest.mark.parametrize(
    ("model", "rate", "first", "second", "p"),
    [
        # 2 * P(Binomial(30, 1/2) >= 20) = .09874; 2 * P(Binomial(245, 1/2) <= 7) < 1e-57.
        ("GPT-4", 0.5119, 20, 10, 0.098737),
        ("Falcon", 0.7757, 238, 7, 0.0),
    ],
)
def test_the_named_judges_have_the_named_figures(
    bench: Bench, model: str, rate: float, first: int, second: int, p: float
) -> None:
    made = bench.position(model, "Vanilla", LLMBAR_SUBSETS, draws=500)
    assert round(made.facts["first_place_rate"], 4) == rate
    assert (made.facts["always_first"], made.facts["always_second"]) == (first, second)
    assert made.p == pytest.approx(p, abs=1e-6)
    assert made.effect.low < made.effect.value < made.effect.high
    assert (made.effect.low > 0) == (model == "Falcon")
    assert not math.isnan(made.p)
