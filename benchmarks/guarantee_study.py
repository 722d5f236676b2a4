"""Does the cascade's guarantee hold? A study that can fail: it exits with 1 where it does not.

The whole of a data set with recorded verdicts is the population. A development set is drawn from it, i.i.d.
with replacement; thresholds are chosen on it by the code that runs use; their risk is taken over the
population, exactly. A draw violates where some open stage's risk, or that of all decided items together, is
above 1 - target. Over many draws at most a share delta may violate, but for the binomial chance of the draws.

Halves of one fixed pool would prove nothing: their errors are anti-correlated.

    VENIRE_DATA=... python -m benchmarks.guarantee_study [--draws 500]

`naive` is the control: the lowest level whose agreement on the development set is at least the target, stage
by stage, as it is often done. It must violate far more often, or the study could not tell anything.
`edge` is a made-up population on which every level of every stage has just the risk that is not allowed, so
that every open stage violates: it shows how much of delta is used.
"""

import argparse
import asyncio
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from venire.data.llmbar import LLMBar
from venire.judging.cascade import scores_of
from venire.judging.confidence import Source
from venire.judging.judge import PromptedJudge, RecordedJudge
from venire.judging.panel import recorded_panel
from venire.judging.stage import Stage
from venire.judging.thresholds import Guaranteed
from venire.llm.recorded import RecordedBackend
from venire.methods.cascade import Cascade
from venire.records import Attempt, AttemptStatus, Completion, Embeddings, Request
from venire.stats.guarantee import StageScores, Start, Thresholds, confident, passed

ROUNDING = 1e-9
QUANTILE = 0.999  # of the binomial number of violations, were their probability delta
NATURAL = ("Natural", "MT-Bench")
ADVERSARIAL = ("Adversarial/Neighbor", "Adversarial/GPTInst", "Adversarial/GPTOut", "Adversarial/Manual")

Stages = Mapping[str, Stage]


@dataclass(frozen=True)
class Population:
    """All that development sets are drawn from."""

    name: str
    stages: Stages
    scores: StageScores


@dataclass(frozen=True)
class Setting:
    """What is asked for, on how many development items."""

    target: float
    delta: float
    n: int
    start: Start = Start.FIRST


@dataclass(frozen=True)
class Result:
    """What came of the draws.

    Args:
        violations: draws with a stage, or all of it, above the allowed risk.
        limit: so many violations are still chance.
        coverage: mean share of the population that is decided.
        agreement: mean over draws that decide anything; NaN where none does.
        decided: draws that decide anything.
        used: mean number of open stages.
    """

    draws: int
    violations: int
    limit: int
    coverage: float
    agreement: float
    decided: int
    used: float

    @property
    def holds(self) -> bool:
        return self.violations <= self.limit


class _Recordings:
    """An LLM that answers from the recordings, without a store."""

    def __init__(self, backend: RecordedBackend) -> None:
        self._backend = backend

    async def complete(self, request: Request) -> Completion:
        reply = await self._backend.send(request)
        attempts = (Attempt(AttemptStatus.OK, 0.0, 0.0, reply.usage),)
        return Completion(reply.text, reply.finish, "", reply.model, attempts, False, self._backend.kind)

    async def embed(self, model: str, texts: Sequence[str]) -> Embeddings:
        raise NotImplementedError


def recorded_stages(root: str, strategy: str, models: Sequence[str]) -> Stages:
    """ChatGPT, GPT-4, and a panel, as in conf/stages/recorded.yaml."""
    panel = recorded_panel(tuple(models), strategy, root=root)
    return {
        "cheap": Stage(RecordedJudge("ChatGPT", strategy, root=root)),
        "strong": Stage(RecordedJudge("GPT-4", strategy, root=root)),
        "panel": Stage(panel, confidence=Source.PANEL_SHARE),
    }


def recorded_population(root: str, name: str, subsets: Sequence[str], stages: Stages) -> Population:
    """What recorded judges say of every instance of `subsets`."""
    instances = LLMBar(root, tuple(subsets)).load().instances
    method = Cascade(stages, Guaranteed())
    method.check(instances)
    runs = [(judge.model, judge.strategy) for judge in method.judges if isinstance(judge, RecordedJudge)]
    llm = _Recordings(RecordedBackend(root, runs))

    async def audition() -> StageScores:
        pairs = [(each, await method.judge(each, None, llm)) for each in instances]
        return scores_of(stages, pairs)

    return Population(name, stages, asyncio.run(audition()))


EDGE_LEVELS = (1.0, 0.9, 0.8, 0.7)
EDGE_STAGES = ("first", "second", "third")


def edge_population(
    target: float,
    n: int = 30_000,
    levels: Sequence[float] = EDGE_LEVELS,
    names: Sequence[str] = EDGE_STAGES,
) -> Population:
    """Stages with these levels, each with a risk of 1 - target and a hair more, whatever reaches it."""
    judge = PromptedJudge("j", "m", "f")
    stages = {name: Stage(judge, levels=tuple(levels)) for name in names}
    rng = np.random.default_rng(0)
    confidence = rng.choice([*levels, 0.5], size=(n, len(names)))
    right = np.empty((n, len(names)), dtype=bool)
    # Each combination of confidences has the same share of errors: exactly the risk, then one error more.
    _, cell = np.unique(confidence, axis=0, return_inverse=True)
    for code in np.unique(cell):
        rows = np.flatnonzero(cell == code)
        wrong = int(np.floor((1 - target) * len(rows))) + 1
        right[rows] = (np.arange(len(rows)) >= wrong)[:, None]
    name = "edge" if len(names) > 1 else "edge, one test"
    return Population(name, stages, StageScores(confidence, right, np.ones(len(names))))


def guaranteed(setting: Setting) -> Callable[[StageScores, Stages], Thresholds]:
    """The choice that runs make."""
    asked = Guaranteed(setting.target, setting.delta, start=setting.start)
    return lambda scores, stages: asked.choose(scores, stages).thresholds


def naive(setting: Setting) -> Callable[[StageScores, Stages], Thresholds]:
    """The lowest level whose agreement on the development set is the target, stage by stage."""

    def choose(scores: StageScores, stages: Stages) -> Thresholds:
        open_items = np.full(scores.n, True)
        chosen: list[float | None] = []
        for column, stage in enumerate(stages.values()):
            found: float | None = None
            for level in stage.thresholds:
                decided = open_items & confident(scores.confidence[:, column], level)
                if decided.any() and scores.right[decided, column].mean() >= setting.target - ROUNDING:
                    found = level
            chosen.append(found)
            if found is not None:
                open_items &= ~confident(scores.confidence[:, column], found)
        return tuple(chosen)

    return choose


def study(
    population: Population,
    setting: Setting,
    choose: Callable[[StageScores, Stages], Thresholds],
    *,
    draws: int,
    seed: int,
) -> Result:
    """Choose on `draws` development sets, and take the risk over the population."""
    from scipy.stats import binom

    rng = np.random.default_rng(seed)
    whole = population.scores
    allowed = 1 - setting.target + ROUNDING
    violations, coverage, agreement, used = 0, [], [], 0
    for _ in range(draws):
        rows = rng.integers(0, whole.n, size=setting.n)
        drawn = StageScores(whole.confidence[rows], whole.right[rows], whole.cost)
        outcome = passed(whole, choose(drawn, population.stages))
        decided, errors = sum(outcome.decided), sum(outcome.errors)
        shares = [e / d for e, d in zip(outcome.errors, outcome.decided, strict=True) if d]
        violations += any(share > allowed for share in shares) or (decided > 0 and errors / decided > allowed)
        coverage.append(decided / whole.n)
        used += sum(count > 0 for count in outcome.decided)
        if decided:
            agreement.append(1 - errors / decided)
    return Result(
        draws=draws,
        violations=violations,
        limit=int(binom.ppf(QUANTILE, draws, setting.delta)),
        coverage=float(np.mean(coverage)),
        agreement=float(np.mean(agreement)) if agreement else float("nan"),
        decided=len(agreement),
        used=used / draws,
    )


HEAD = (
    *("population", "N", "choice", "start", "target", "delta", "n", "violations", "share", "limit", "holds"),
    *("coverage", "agreement", "open stages"),
)


def row(population: Population, name: str, setting: Setting, result: Result) -> str:
    """A line of the table."""
    cells = (
        population.name,
        f"{population.scores.n:,}",
        name,
        setting.start if name == "guaranteed" else "–",
        f"{setting.target:g}",
        f"{setting.delta:g}",
        setting.n,
        f"{result.violations}/{result.draws}",
        f"{result.violations / result.draws:.3f}",
        result.limit,
        "yes" if result.holds else "NO",
        f"{result.coverage:.3f}",
        "–" if np.isnan(result.agreement) else f"{result.agreement:.3f}",
        f"{result.used:.2f}",
    )
    return "| " + " | ".join(map(str, cells)) + " |"


def settings() -> list[Setting]:
    """Targets and sizes, from what fails to what is easy."""
    return [
        Setting(target, 0.1, n, start)
        for target in (0.75, 0.8, 0.85, 0.9)
        for n in (100, 200)
        for start in (Start.FIRST, Start.ANY)
    ]


def main(arguments: Sequence[str]) -> int:
    """Print the table; 1 where the guarantee fails, or the control does not."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=500)
    draws = parser.parse_args(arguments).draws
    root = os.environ["VENIRE_DATA"]
    vanilla = recorded_stages(root, "Vanilla", ("GPT-4", "ChatGPT", "LLaMA2", "Falcon"))
    plain = recorded_stages(root, "Vanilla_NoRules", ("GPT-4", "ChatGPT", "LLaMA2", "PaLM2"))
    populations = [
        recorded_population(root, "Natural + MT-Bench", NATURAL, plain),
        recorded_population(root, "Adversarial", ADVERSARIAL, vanilla),
        recorded_population(root, "LLMBar", ("Natural", *ADVERSARIAL), vanilla),
    ]
    cases = [(population, setting) for population in populations for setting in settings()]
    cases += [
        (edge_population(target), Setting(target, 0.1, n, start))
        for target in (0.8, 0.9)
        for n in (200, 800)
        for start in Start
    ]
    # One stage and one level have all of delta: nothing is divided, so about as many violate as may.
    cases += [
        (edge_population(target, levels=(1.0,), names=("only",)), Setting(target, 0.1, n))
        for target in (0.8, 0.9)
        for n in (200, 800)
    ]
    print("| " + " | ".join(HEAD) + " |")
    print("|" + " --- |" * len(HEAD))
    failed, fooled = [], 0
    for number, (population, setting) in enumerate(cases):
        result = study(population, setting, guaranteed(setting), draws=draws, seed=number)
        print(row(population, "guaranteed", setting, result), flush=True)
        if not result.holds:
            failed.append((population.name, setting))
        if setting.start is Start.FIRST:
            control = study(population, setting, naive(setting), draws=draws, seed=number)
            print(row(population, "naive", setting, control), flush=True)
            fooled += not control.holds
    print()
    print(f"The guarantee holds in {len(cases) - len(failed)} of {len(cases)} settings, {draws} draws each.")
    print(f"The naive choice violates more often than delta allows in {fooled} settings.")
    return 1 if failed or not fooled else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
