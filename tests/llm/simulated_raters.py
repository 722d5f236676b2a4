"""MAJ-EVAL run on simulated judges, straight on the backend: how near ratings come to gold."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from tests.llm.ratings_asked import BASE, FAMILIES, Straight, judge

from venire.llm.simulated import SimulatedBackend, Simulation
from venire.methods.maj_eval.debate import FreeDebate
from venire.methods.maj_eval.method import MajEval
from venire.records import Instance, Outcome, PersonaSet, RatingsGold
from venire.stats.correlation import Coefficient, correlation

# Long enough for every part to end by itself.
DEBATE = FreeDebate(turns_per_agent=5, turns=30)


@dataclass(frozen=True, slots=True)
class Nearness:
    """Spearman's correlation with gold, the mean over the dimensions.

    Args:
        before, after: of each group's mean ratings, before its debate and after.
        start, end: of the mean of these over the groups.
    """

    before: Mapping[str, float]
    after: Mapping[str, float]
    start: float
    end: float


def nearness(
    simulation: Simulation, instances: Sequence[Instance], people: PersonaSet, *, model: str = "acme/large"
) -> Nearness:
    """Of a whole run with a debate."""
    method = MajEval(judge(model=model), people, debate=DEBATE, synthesis=None, own=None)
    outcomes = asyncio.run(_run(method, simulation, instances))
    groups = [group.name for group in people.groups]
    before = {name: _of_group(outcomes, instances, "groups_before", name) for name in groups}
    after = {name: _of_group(outcomes, instances, "groups", name) for name in groups}
    return Nearness(
        {name: _mean_correlation(made, instances) for name, made in before.items()},
        {name: _mean_correlation(made, instances) for name, made in after.items()},
        _mean_correlation(_mean_of(before), instances),
        _mean_correlation(_mean_of(after), instances),
    )


async def _run(method: MajEval, simulation: Simulation, instances: Sequence[Instance]) -> list[Outcome]:
    llm = Straight(SimulatedBackend(simulation, instances, FAMILIES))
    return [await method.judge(instance, method.initial_memory(), llm) for instance in instances]


Table = Mapping[str, list[float]]  # dimension to a value an instance, NaN for none


def _of_group(outcomes: Sequence[Outcome], instances: Sequence[Instance], when: str, group: str) -> Table:
    found: dict[str, list[float]] = {name: [] for name in _names(instances)}
    for outcome in outcomes:
        scores = outcome.detail[when]
        assert isinstance(scores, Mapping)
        for name, values in found.items():
            values.append((scores[group] or {}).get(name, float("nan")))
    return found


def _mean_of(groups: Mapping[str, Table]) -> Table:
    tables = list(groups.values())
    return {name: list(np.mean([table[name] for table in tables], axis=0)) for name in tables[0]}


def _mean_correlation(made: Table, instances: Sequence[Instance]) -> float:
    return float(np.mean([_correlation(made[name], instances, name) for name in made]))


def _correlation(values: Sequence[float], instances: Sequence[Instance], name: str) -> float:
    gold = []
    for instance in instances:
        assert isinstance(instance.gold, RatingsGold)
        gold.append(instance.gold.mean.get(name, float("nan")))
    return correlation(Coefficient.SPEARMAN, np.array(values), np.array(gold)).value


def _names(instances: Sequence[Instance]) -> list[str]:
    return [each.name for each in instances[0].dimensions if each.asked]


def in_world(seed: int, **changes: object) -> Simulation:
    """The simulation of `tests.llm.ratings_asked`, with other parameters of ratings."""
    return replace(BASE, seed=seed, ratings=replace(BASE.ratings, **changes))
