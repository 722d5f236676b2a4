"""What intervals cost: 10,000 draws over 419 items of 10 configurations, beside scipy's bootstrap.

    python -m benchmarks.bootstrap

Accuracy and Cohen's kappa over both orders of each configuration, and the differences of nine to the first:
38 BCa intervals from one matrix of resampling counts. Rank correlations apart: they take sorting, not sums.
scipy draws items anew for each statistic; it is timed on fewer draws and scaled up, and its interval of an
accuracy is held against ours.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from venire.metrics.estimators import mean_over
from venire.stats.agreement import cell_features, kappa_from_sums
from venire.stats.correlation import Coefficient, difference, pooled
from venire.stats.estimate import FloatArray, IntArray
from venire.stats.intervals import Interval, Resampler, ratio, replicates

DRAWS, ITEMS, CONFIGURATIONS, LABELS = 10_000, 419, 10, 3
SCIPY_DRAWS = 200
REPEATS = 3
WANTED_S, WANTED_MB = 2.0, 500.0
RATED_POINTS = 5

Made = TypeVar("Made")


@dataclass(frozen=True)
class Verdicts:
    """Gold, and each configuration's verdicts in both orders, codes of three labels."""

    gold: IntArray
    said: IntArray  # shape (configurations, 2, items)


def verdicts() -> Verdicts:
    """Made up: configurations are right on 70 to 88% and share half of their luck; 3% are ties."""
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, size=ITEMS)
    chance = np.linspace(0.70, 0.88, CONFIGURATIONS)[:, None, None]
    shape = (CONFIGURATIONS, 2, ITEMS)
    luck = np.where(rng.random(shape) < 0.5, rng.random(ITEMS), rng.random(shape))
    said = np.where(luck < chance, gold, 1 - gold)
    return Verdicts(gold, np.where(rng.random(shape) < 0.03, 2, said))


def features_of(made: Verdicts) -> tuple[list[FloatArray], list[FloatArray]]:
    """Per configuration: right verdicts and verdicts; cells of both orders' tables."""
    right = [np.column_stack([(said == made.gold).mean(axis=0), np.ones(ITEMS)]) for said in made.said]
    cells = [np.hstack([cell_features(made.gold, order, LABELS) for order in said]) for said in made.said]
    return right, cells


def intervals(made: Verdicts, rng: np.random.Generator, *, draws: int = DRAWS) -> list[Interval]:
    """Ten accuracies, ten kappas, nine differences of either."""
    resampler = Resampler.draw(np.arange(ITEMS), draws, rng)
    right, cells = features_of(made)
    kappa = mean_over(2, kappa_from_sums)
    accuracies = [replicates(each, ratio, resampler) for each in right]
    kappas = [replicates(each, kappa, resampler) for each in cells]
    gaps = [each.minus(every[0]) for every in (accuracies, kappas) for each in every[1:]]
    return [each.interval() for each in (*accuracies, *kappas, *gaps)]


def correlations(rng: np.random.Generator) -> int:
    """Spearman of each configuration's ratings, and nine differences; how many intervals."""
    human = rng.integers(1, RATED_POINTS + 1, size=ITEMS).astype(float)
    noises = np.linspace(2, 1, CONFIGURATIONS)
    judged = [np.clip(np.round(human + rng.normal(0, each, ITEMS)), 1, RATED_POINTS) for each in noises]
    rated = [pooled(Coefficient.SPEARMAN, each, human) for each in judged]
    resampler = Resampler.draw(np.arange(ITEMS), DRAWS, rng)
    found = [each.estimate(resampler) for each in rated]
    found += [difference(rated[0], each).estimate(resampler) for each in rated[1:]]
    return len(found)


def scipys(made: Verdicts) -> tuple[float, float, Interval]:
    """Seconds of an accuracy and of a kappa at `SCIPY_DRAWS`; the first accuracy's interval at `DRAWS`."""
    from sklearn.metrics import cohen_kappa_score

    right = (made.said[0] == made.gold).mean(axis=0)

    def kappa(index: IntArray) -> float:
        return float(np.mean([cohen_kappa_score(made.gold[index], order[index]) for order in made.said[0]]))

    _, accuracy_s = timed(lambda: scipys_interval(right, np.mean, SCIPY_DRAWS, vectorized=True))
    _, kappa_s = timed(lambda: scipys_interval(np.arange(ITEMS), kappa, SCIPY_DRAWS, vectorized=False))
    return accuracy_s, kappa_s, scipys_interval(right, np.mean, DRAWS, vectorized=True)


def scipys_interval(
    sample: FloatArray | IntArray, statistic: Callable[..., Any], draws: int, *, vectorized: bool
) -> Interval:
    from scipy import stats

    made = stats.bootstrap(
        (sample,), statistic, n_resamples=draws, method="BCa", vectorized=vectorized, rng=0
    )
    low, high = made.confidence_interval
    return Interval(float(low), float(high), "scipy")


def timed(work: Callable[[], Made]) -> tuple[Made, float]:
    started = time.perf_counter()
    made = work()
    return made, time.perf_counter() - started


def peak_mb() -> float:
    """The process's peak resident memory; NaN where the system does not say."""
    status = Path("/proc/self/status")
    if not status.is_file():
        return float("nan")
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def main() -> int:
    """Print times and memory; 1 where more than is wanted."""
    made = verdicts()
    before, cpu = peak_mb(), time.process_time()
    runs = [timed(lambda: intervals(made, np.random.default_rng(1))) for _ in range(REPEATS)]
    cpu_s, peak = (time.process_time() - cpu) / REPEATS, peak_mb()
    found, seconds = runs[0][0], min(each for _, each in runs)
    print(f"{DRAWS:,} draws, {ITEMS} items, {CONFIGURATIONS} configurations in both orders")
    print(f"venire, {len(found)} BCa intervals of accuracy, kappa and their differences:")
    print(
        f"  {seconds:.2f} s, best of {REPEATS} ({cpu_s:.2f} s CPU); peak {peak:.0f} MB ({before:.0f} before)"
    )
    count, rank_s = timed(lambda: correlations(np.random.default_rng(2)))
    print(f"venire, {count} BCa intervals of Spearman's rho and its differences:")
    print(f"  {rank_s:.2f} s; peak {peak_mb():.0f} MB")
    accuracy_s, kappa_s, theirs = scipys(made)
    # a difference takes scipy as long as its two sides
    scipy_s = DRAWS / SCIPY_DRAWS * (accuracy_s + kappa_s) * (CONFIGURATIONS + 2 * (CONFIGURATIONS - 1))
    print(f"scipy (kappa by scikit-learn), scaled from {SCIPY_DRAWS} draws: about {scipy_s:,.0f} s")
    print(f"  {scipy_s / seconds:,.0f} times as long")
    ours = found[0]
    print(f"first accuracy: [{ours.low:.4f}, {ours.high:.4f}], scipy [{theirs.low:.4f}, {theirs.high:.4f}]")
    missed = seconds > WANTED_S or peak > WANTED_MB
    print(f"wanted: under {WANTED_S:g} s and {WANTED_MB:g} MB: {'MISSED' if missed else 'held'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
