"""Do intervals cover, and do tests keep their level? A study that can fail: status 1 where one does not.

Worlds whose truth is known are drawn again and again, and measured by the code that runs use. An interval of
95% should hold the truth in 95% of the worlds; a test at 5% should reject in at most 5% of the worlds in
which nothing differs.

    python -m benchmarks.interval_study [--runs 2000] [--part coverage|levels|families]

What is wanted: bootstrap intervals of 100 items and more cover 93 to 97%; exact tests reject at most 5%;
Holm's chance of any false finding is at most 5%. Cases of few items or clusters are shown, too, and are known
to fall short: what venire says of them at run time stands beside them. A share over R worlds has a standard
error of its own; a limit counts as missed where chance alone would do that in fewer than 1 of 1,000 studies.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from venire.stats.agreement import cell_features, kappa_from_sums
from venire.stats.corrected import Labelled, corrected_rate
from venire.stats.correlation import Coefficient, correlation, difference, pooled
from venire.stats.dependent import compare_dependent
from venire.stats.equivalence import tost
from venire.stats.estimate import Estimate, FloatArray, IntArray
from venire.stats.intervals import FEW_CLUSTERS, Interval, Resampler, bootstrap, ratio, wilson
from venire.stats.multiple import ALPHA, Correction, adjusted
from venire.stats.paired import mcnemar_exact
from venire.stats.permutation import sign_flip, swap_test
from venire.stats.ranks import mean_of_ranks, rank_features

DRAWS = 2000  # of each bootstrap, as in a run
KEPT = 25  # worlds that share a matrix of draws: it holds nothing of the data
CHANCE = 0.001  # of missing a limit that is kept
BOOTSTRAP = (0.93, 0.97)
HIT = Callable[[np.random.Generator], bool]


@dataclass(frozen=True)
class Case:
    """One line of the study.

    Args:
        name, size: what is measured, on how many items (clusters).
        hit: one world: whether the interval covers, or the test rejects.
        low, high: what the share of hits may be; None where there is no limit.
        note: what is known of the case.
    """

    name: str
    size: str
    hit: HIT
    low: float | None = None
    high: float | None = None
    note: str = ""

    @property
    def is_held(self) -> bool:
        """Whether something is asked of it."""
        return self.low is not None or self.high is not None

    def holds(self, hits: int, runs: int) -> bool:
        """Whether the limits are kept, but for chance."""
        from scipy.stats import binom

        above = self.low is None or hits >= binom.ppf(CHANCE, runs, self.low)
        return bool(above and (self.high is None or hits <= binom.ppf(1 - CHANCE, runs, self.high)))


class Draws:
    """Bootstrap draws for worlds of one shape, made anew after `KEPT` worlds."""

    def __init__(self, cluster: IntArray) -> None:
        self._cluster = cluster
        self._used = 0
        self._made = Resampler(cluster, np.zeros((0, 0)))

    def __call__(self, rng: np.random.Generator) -> Resampler:
        if self._used % KEPT == 0:
            self._made = Resampler.draw(self._cluster, DRAWS, rng)
        self._used += 1
        return self._made


def covers(found: Interval | Estimate, truth: float) -> bool:
    """No interval covers nothing."""
    return bool(found.low - 1e-12 <= truth <= found.high + 1e-12)


def paired_gaps(
    rng: np.random.Generator, clusters: int, size: int, loss: float, gain: float, share: float = 0.5
) -> FloatArray:
    """Second minus first right, mean of two orders, shape (clusters * size,).

    Each order is a loss, a gain or neither; with the chance `share` the orders agree, and the items of a
    cluster do.
    """

    def signs(shape: tuple[int, ...]) -> FloatArray:
        drawn = rng.random(shape)
        return np.asarray(np.where(drawn < loss, -1.0, np.where(drawn < loss + gain, 1.0, 0.0)))

    alike = signs((clusters, 1, 1))
    common = np.where(
        (size == 1) | (rng.random((clusters, size, 1)) < share), alike, signs((clusters, size, 1))
    )
    orders = np.where(rng.random((clusters, size, 2)) < share, common, signs((clusters, size, 2)))
    return np.asarray(orders.mean(axis=2).reshape(-1))


def labels(rng: np.random.Generator, n: int, right: Sequence[float]) -> tuple[IntArray, list[IntArray]]:
    """Gold of two labels (60:40), and verdicts that are right with these chances; half of luck is shared."""
    gold = (rng.random(n) < 0.4).astype(np.int64)
    shared = rng.random(n)
    verdicts = []
    for chance in right:
        luck = np.where(rng.random(n) < 0.5, shared, rng.random(n))
        verdicts.append(np.where(luck < chance, gold, 1 - gold))
    return gold, verdicts


def kappa_of(chance: float) -> float:
    """Cohen's kappa of `labels` in the population."""
    said = 0.4 * chance + 0.6 * (1 - chance)
    by_chance = 0.4 * said + 0.6 * (1 - said)
    return (chance - by_chance) / (1 - by_chance)


def ratings(
    rng: np.random.Generator, clusters: int, size: int, noise: Sequence[float]
) -> tuple[FloatArray, list[FloatArray]]:
    """Human points 1 to 5 and those of judges with these noises; documents (clusters) differ in quality."""
    quality = rng.normal(0, 0.6, size=(clusters, 1)) + rng.normal(0, 0.8, size=(clusters, size))

    def points(scale: float) -> FloatArray:
        return np.asarray(
            np.clip(np.round(3 + quality + rng.normal(0, scale, quality.shape)), 1, 5).reshape(-1)
        )

    human = points(0.5)
    return human, [points(scale) for scale in noise]


def spearman_of(noise: float, draws: int = 400_000) -> float:
    """Spearman's rho of `ratings` in the population, by a large sample (standard error below .002)."""
    human, (judge,) = ratings(np.random.default_rng(1), draws, 1, [noise])
    return correlation(Coefficient.SPEARMAN, human, judge).value


def of_items(n: int) -> IntArray:
    return np.arange(n, dtype=np.int64)


def of_clusters(clusters: int, size: int) -> IntArray:
    return np.repeat(np.arange(clusters, dtype=np.int64), size)


def wilson_covers(n: int, p: float, rng: np.random.Generator) -> bool:
    return covers(wilson(int(rng.binomial(n, p)), n), p)


def of_two_orders(n: int, p: float, rng: np.random.Generator) -> bool:
    """The conservative interval of the mean of two orders that agree in part."""
    first = rng.random(n) < p
    second = np.where(rng.random(n) < 0.7, first, rng.random(n) < p)
    return covers(wilson(float(first.sum() + second.sum()) / 2, n), p)


def corrected_covers(n: int, rng: np.random.Generator) -> bool:
    """A rate of .3 by a judge of sensitivity .85 and specificity .8, 60 items labelled of either kind."""
    said = int(rng.binomial(n, 0.3 * 0.85 + 0.7 * 0.2))
    labelled = Labelled(60, int(rng.binomial(60, 0.85)), 60, int(rng.binomial(60, 0.8)))
    return covers(corrected_rate(said, n, labelled), 0.3)


def difference_covers(draws: Draws, clusters: int, size: int, rng: np.random.Generator) -> bool:
    gaps = paired_gaps(rng, clusters, size, 0.04, 0.10)
    features = np.column_stack([gaps, np.ones(len(gaps))])
    return covers(bootstrap(features, ratio, draws(rng)), 0.06)


def kappa_covers(draws: Draws, n: int, rng: np.random.Generator) -> bool:
    gold, (verdict,) = labels(rng, n, [0.8])
    return covers(bootstrap(cell_features(gold, verdict, 2), kappa_from_sums, draws(rng)), kappa_of(0.8))


def kappa_gap(sums: FloatArray) -> FloatArray:
    return np.asarray(kappa_from_sums(sums[..., 4:]) - kappa_from_sums(sums[..., :4]))


def kappa_gap_covers(draws: Draws, n: int, rng: np.random.Generator) -> bool:
    gold, verdicts = labels(rng, n, [0.75, 0.82])
    features = np.hstack([cell_features(gold, verdict, 2) for verdict in verdicts])
    return covers(bootstrap(features, kappa_gap, draws(rng)), kappa_of(0.82) - kappa_of(0.75))


def rho_covers(draws: Draws, clusters: int, size: int, truth: float, rng: np.random.Generator) -> bool:
    human, (judge,) = ratings(rng, clusters, size, [0.8])
    return covers(pooled(Coefficient.SPEARMAN, judge, human).estimate(draws(rng)), truth)


def rho_gap_covers(draws: Draws, clusters: int, size: int, truth: float, rng: np.random.Generator) -> bool:
    human, judges = ratings(rng, clusters, size, [1.2, 0.8])
    first, second = (pooled(Coefficient.SPEARMAN, judge, human) for judge in judges)
    return covers(difference(first, second).estimate(draws(rng)), truth)


def dependent(rng: np.random.Generator, n: int) -> tuple[float, float, float]:
    gold = rng.normal(size=n)
    first, second = (0.75 * gold + rng.normal(size=n) for _ in range(2))
    r = np.corrcoef([first, second, gold])
    return float(r[0, 2]), float(r[1, 2]), float(r[0, 1])


def zou_covers(n: int, rng: np.random.Generator) -> bool:
    found = compare_dependent(*dependent(rng, n), n)
    return found.low <= 0 <= found.high


def steiger_rejects(n: int, rng: np.random.Generator) -> bool:
    return compare_dependent(*dependent(rng, n), n).p <= ALPHA


def mcnemar_rejects(n: int, discordance: float, rng: np.random.Generator) -> bool:
    count = int(rng.binomial(n, discordance))
    first = int(rng.binomial(count, 0.5))
    return mcnemar_exact(first, count - first) <= ALPHA


def sign_flip_rejects(cluster: IntArray, clusters: int, rng: np.random.Generator) -> bool:
    gaps = paired_gaps(rng, clusters, len(cluster) // clusters, 0.07, 0.07)
    return sign_flip(gaps, cluster, rng=rng).p <= ALPHA


def score_flip_rejects(n: int, rng: np.random.Generator) -> bool:
    """Scores whose differences are symmetric with heavy tails."""
    return sign_flip(rng.standard_t(3, size=n), of_items(n), rng=rng).p <= ALPHA


def kappa_swap_rejects(n: int, rng: np.random.Generator) -> bool:
    gold, verdicts = labels(rng, n, [0.8, 0.8])
    sides = [cell_features(gold, verdict, 2) for verdict in verdicts]
    return swap_test(sides[0], sides[1], kappa_from_sums, of_items(n), rng=rng).p <= ALPHA


def rho_swap_rejects(clusters: int, size: int, scale: float, rng: np.random.Generator) -> bool:
    """Equally good judges; with a `scale` other than 1 one of them rates on another scale."""
    human, (first, second) = ratings(rng, clusters, size, [0.8, 0.8])
    sides = [rank_features(side, human) for side in (first, second * scale)]
    return swap_test(sides[0], sides[1], mean_of_ranks, of_clusters(clusters, size), rng=rng).p <= ALPHA


def tost_rejects(n: int, margin: float, rng: np.random.Generator) -> bool:
    """At the edge: the second is worse by just the margin, and is called as good."""
    gaps = paired_gaps(rng, n, 1, 0.03 + margin, 0.03)
    return tost(gaps, of_items(n), margin).p <= ALPHA


def rare_tost_rejects(n: int, margin: float, rng: np.random.Generator) -> bool:
    """At the edge, and nothing but losses: often not one item is discordant."""
    gaps = np.where(rng.random(n) < margin, -1.0, 0.0)
    return tost(gaps, of_items(n), margin).p <= ALPHA


def any_false(correction: Correction, better: int, rng: np.random.Generator) -> bool:
    """Nine rows against one base on 419 items, of which `better` are truly better: a false finding?"""
    base = rng.random(419)
    ps = []
    for row in range(9):
        chance = 0.88 if row < better else 0.8
        luck = np.where(rng.random(419) < 0.7, base, rng.random(419))
        gaps = (luck < chance).astype(float) - (base < 0.8)
        ps.append(sign_flip(gaps, of_items(419), rng=rng).p)
    return any(p <= ALPHA for p in adjusted(ps, correction)[better:])


def coverage_cases() -> Iterator[Case]:
    """Intervals."""
    for n, p in ((20, 0.8), (100, 0.8), (419, 0.8), (419, 0.97)):
        yield Case(f"Wilson, accuracy {p}", f"{n} items", partial(wilson_covers, n, p), *BOOTSTRAP)
    hit = partial(of_two_orders, 100, 0.8)
    yield Case("Wilson, mean of two orders (conservative)", "100 items", hit, 0.95)
    yield Case("Lang and Reiczigel, corrected rate", "419 items", partial(corrected_covers, 419), *BOOTSTRAP)
    for n in (20, 100, 419):
        draws = Draws(of_items(n))
        hit = partial(difference_covers, draws, n, 1)
        yield bootstrapped("BCa, paired difference of accuracy", f"{n} items", n, hit)
        yield bootstrapped("BCa, kappa", f"{n} items", n, partial(kappa_covers, draws, n))
        hit = partial(kappa_gap_covers, draws, n)
        yield bootstrapped("BCa, difference of kappas", f"{n} items", n, hit)
    for clusters in (8, 15, 30, 50, 100):
        hit = partial(difference_covers, Draws(of_clusters(clusters, 4)), clusters, 4)
        name = "BCa, paired difference, 4 items a prompt"
        yield bootstrapped(name, f"{clusters} clusters", clusters, hit)
    rho, gap = spearman_of(0.8), spearman_of(0.8) - spearman_of(1.2)
    for clusters, size in ((100, 1), (15, 6), (100, 2)):
        draws = Draws(of_clusters(clusters, size))
        shape = f"{clusters} items" if size == 1 else f"{clusters} clusters of {size}"
        hit = partial(rho_covers, draws, clusters, size, rho)
        yield bootstrapped("BCa, Spearman", shape, clusters, hit)
        hit = partial(rho_gap_covers, draws, clusters, size, gap)
        yield bootstrapped("BCa, difference of Spearmans", shape, clusters, hit)
    yield Case("Zou, difference of Pearsons", "100 items", partial(zou_covers, 100), *BOOTSTRAP)


def bootstrapped(name: str, size: str, units: int, hit: HIT) -> Case:
    """With limits from 100 items or clusters on; below, with what a run says."""
    if units >= 100:
        return Case(name, size, hit, *BOOTSTRAP)
    warned = units < FEW_CLUSTERS
    return Case(
        name, size, hit, note=f'"fewer than {FEW_CLUSTERS} ...: perhaps too narrow"' if warned else ""
    )


def level_cases() -> Iterator[Case]:
    """Tests where nothing differs."""
    for n, discordance in ((20, 0.3), (100, 0.1), (419, 0.1)):
        name = f"McNemar, exact, discordance {discordance}"
        yield Case(name, f"{n} items", partial(mcnemar_rejects, n, discordance), high=ALPHA)
    for clusters, size in ((20, 1), (419, 1), (8, 4), (100, 4)):
        hit = partial(sign_flip_rejects, of_clusters(clusters, size), clusters)
        shape = f"{clusters} items" if size == 1 else f"{clusters} clusters of {size}"
        yield Case("sign-flip, exact, two orders", shape, hit, high=ALPHA)
    yield Case("sign-flip, random worlds, scores", "60 items", partial(score_flip_rejects, 60), high=ALPHA)
    yield Case("swap, kappa", "100 items", partial(kappa_swap_rejects, 100), high=ALPHA)
    for name, scale in (("swap, Spearman", 1.0), ("swap, Spearman, one judge on another scale", 7.0)):
        yield Case(name, "15 clusters of 6", partial(rho_swap_rejects, 15, 6, scale), high=ALPHA)
    rough = "an approximation: 6% is let pass"
    yield Case("Steiger, Pearson", "100 items", partial(steiger_rejects, 100), high=0.06, note=rough)
    for n in (100, 419):
        hit = partial(tost_rejects, n, 0.05)
        yield Case("TOST, margin .05, at its edge", f"{n} items", hit, high=0.06, note=rough)
    hit = partial(rare_tost_rejects, 419, 0.02)
    yield Case("TOST, margin .02, at its edge, only losses", "419 items", hit, high=0.06, note=rough)


def family_cases() -> Iterator[Case]:
    """Any false finding among nine rows."""
    for better in (0, 4):
        rows = f"9 rows, {better or 'none'} truly better, 419 items"
        yield Case("Holm", rows, partial(any_false, Correction.HOLM, better), high=ALPHA)
        hit = partial(any_false, Correction.NONE, better)
        yield Case("uncorrected", rows, hit, note="what correcting is for")
        hit = partial(any_false, Correction.BENJAMINI_HOCHBERG, better)
        yield Case("Benjamini-Hochberg", rows, hit, note="bounds the share of false findings instead")


PARTS: Mapping[str, tuple[str, str, Callable[[], Iterator[Case]]]] = {
    "coverage": ("Coverage of 95% intervals", "covers", coverage_cases),
    "levels": ("Rejections at 5% where nothing differs", "rejects", level_cases),
    "families": ("Any false finding at 5%", "any false", family_cases),
}


def hits_of(case: Case, runs: int, seed: int) -> int:
    """How many of `runs` worlds hit."""
    rng = np.random.default_rng(seed)
    return sum(case.hit(rng) for _ in range(runs))


def main(arguments: Sequence[str]) -> int:
    """Print the tables; 1 where a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--part", choices=PARTS, action="append", help="only this; all by default")
    asked = parser.parse_args(arguments)
    runs, missed, held = asked.runs, 0, 0
    for title, head, cases in (PARTS[part] for part in asked.part or PARTS):
        print(f"## {title}\n\n| what | size | {head} | wanted | holds | known of it |", flush=True)
        print("| --- | --- | ---: | --- | --- | --- |")
        for number, case in enumerate(cases()):
            hits = hits_of(case, runs, number)
            print(_row(case, hits, runs), flush=True)
            held += case.is_held
            missed += case.is_held and not case.holds(hits, runs)
        print()
    print(f"{held - missed} of {held} limits hold, {runs:,} worlds each.")
    return 1 if missed else 0


def _row(case: Case, hits: int, runs: int) -> str:
    match (case.low, case.high):
        case (None, None):
            wanted = "–"
        case (None, high):
            wanted = f"at most {high:.0%}"
        case (low, None):
            wanted = f"at least {low:.0%}"
        case (low, high):
            wanted = f"{low:.0%} to {high:.0%}"
    holds = ("yes" if case.holds(hits, runs) else "NO") if case.is_held else "–"
    cells = (case.name, case.size, f"{hits / runs:.1%}", wanted, holds, case.note)
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
