"""What personas, debates, repetition and biases do on simulated judges, with each mechanism on and off.

A world is a seed of the simulation and of the made-up responses. Differences are paired by world; all
seeds are fixed and tolerances stand where they are used. These are properties of the model that
docs/simulation.md describes, and no findings about judges.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
import yaml
from tests.llm.ratings_asked import backend, items, people, person, rated, rating
from tests.llm.simulated_jury import gain
from tests.llm.simulated_raters import Nearness, in_world, nearness

from venire.build import build
from venire.data.mslr import MSLR
from venire.llm.simulated import Exchange, RatingBias, Simulation
from venire.records import Instance, PersonaLevel, PersonaSet, RatingsGold
from venire.stats.correlation import Coefficient, correlation

pytestmark = pytest.mark.slow

WORLDS = range(4)
OPEN = Exchange(conformity=0.0)  # nobody gives in
YIELDING = Exchange(conformity=1.0)  # a circle gives in by half at the median, and half of them wholly
DEAF = Exchange(conformity=0.0, persuasion=0.0)
LEVELS = (PersonaLevel.DETAILED, PersonaLevel.SIMPLE, PersonaLevel.NONE)

Arms = Mapping[str, Sequence[Nearness]]


@pytest.fixture(scope="module")
def arms() -> Arms:
    """40 responses in each world, two groups of three."""
    return {
        "open": [nearness(in_world(w, exchange=OPEN), items(40, w), people(2, 3)) for w in WORLDS],
        "yielding": [nearness(in_world(w, exchange=YIELDING), items(40, w), people(2, 3)) for w in WORLDS],
        "simple": [
            nearness(in_world(w, exchange=OPEN), items(40, w), people(2, 3, PersonaLevel.SIMPLE))
            for w in WORLDS
        ],
        "none": [
            nearness(in_world(w, exchange=OPEN), items(40, w), people(2, 3, PersonaLevel.NONE))
            for w in WORLDS
        ],
    }


def changes(arm: Sequence[Nearness]) -> list[float]:
    """What the debate changed in each group of each world."""
    return [each.after[name] - each.before[name] for each in arm for name in each.before]


def test_the_more_is_told_of_personas_the_nearer_the_panel_comes(arms: Arms) -> None:
    """Before any debate and after it; told in full at least .1 nearer than told nothing."""
    for when in ("start", "end"):
        detailed, simple, none = (
            [getattr(each, when) for each in arms[name]] for name in ("open", "simple", "none")
        )
        assert gain(detailed, none).sure
        assert gain(detailed, none).mean > 0.1
        assert np.mean(detailed) > np.mean(simple) > np.mean(none)


def test_a_debate_in_which_evidence_is_shared_helps(arms: Arms) -> None:
    """In most groups; by .05 at least over all."""
    moved = changes(arms["open"])
    assert np.mean(moved) > 0.05
    assert sum(change > 0 for change in moved) >= 7
    assert gain([each.end for each in arms["open"]], [each.start for each in arms["open"]]).sure


def test_a_debate_in_which_people_give_in_helps_less_and_hurts_where_they_give_in_wholly(arms: Arms) -> None:
    """How much a group gives in is its own; of those that do wholly most fall, and all together they do."""
    assert gain([each.end for each in arms["open"]], [each.end for each in arms["yielding"]]).sure
    wholly = []
    for world, each in zip(WORLDS, arms["yielding"], strict=True):
        conformity = backend([], in_world(world, exchange=YIELDING)).world.ratings.conformity
        for name in each.before:
            circle = "/".join(f"reader {name[-1]} {member}" for member in range(3))
            if conformity(circle) == 1.0:
                wholly.append(each.after[name] - each.before[name])
    assert len(wholly) >= 3
    assert np.mean(wholly) < -0.02


def test_people_of_whom_nothing_is_told_have_little_to_tell_each_other(arms: Arms) -> None:
    """They are one model with one view: a debate brings less than half of what it brings to personas."""
    assert abs(np.mean(changes(arms["none"]))) < np.mean(changes(arms["open"])) / 2


def test_a_debate_of_the_deaf_changes_nothing() -> None:
    made = nearness(in_world(0, exchange=DEAF), items(20), people(2, 2))
    assert made.after == made.before
    assert made.end == made.start


def means_of(simulation: Simulation, instances: Sequence[Instance], model: str, name: str) -> float:
    judges = backend(instances, simulation)
    given = [rated(judges, rating(each, person(name), model))["clarity"] for each in instances]
    return float(np.mean([float(str(each)) for each in given]))


def test_without_bias_the_gaps_between_families_and_between_personas_close() -> None:
    """Mean ratings of 60 responses on a scale of 0 to 4: the mean gap over six worlds."""
    biased = RatingBias(family_level=1.0, group_level=1.0)
    gaps: dict[str, list[float]] = {"on": [], "off": []}
    for world in range(6):
        instances = items(60, world)
        for name, bias in (("on", biased), ("off", None)):
            simulation = in_world(world, bias=bias)
            one = means_of(simulation, instances, "acme/large", "clerk")
            others = [
                means_of(simulation, instances, "bolt/large", "clerk"),
                means_of(simulation, instances, "acme/large", "nurse"),
            ]
            gaps[name] += [abs(one - other) for other in others]
    assert np.mean(gaps["on"]) > 0.5
    assert np.mean(gaps["off"]) < 0.2


def test_a_groups_lean_stays_however_many_share_it_and_goes_with_the_bias() -> None:
    """Two groups of two at a lean of 2 logits come less near than without any."""
    leaning = RatingBias(family_level=0.0, group_level=0.0, family_lean=2.0, group_lean=0.0)
    with_lean, without = (
        [nearness(in_world(w, exchange=OPEN, bias=bias), items(40, w), people(2, 2)).end for w in range(3)]
        for bias in (leaning, None)
    )
    assert gain(without, with_lean).sure
    assert gain(without, with_lean).mean > 0.1


def near(simulation: Simulation, replicates: int) -> float:
    instances = items(150)
    judges = backend(instances, simulation)
    made, gold = [], []
    for each in instances:
        given = [rated(judges, rating(each, replicate=k))["clarity"] for k in range(replicates)]
        made.append(float(np.mean([float(str(value)) for value in given])))
        assert isinstance(each.gold, RatingsGold)
        gold.append(each.gold.mean["clarity"])
    return correlation(Coefficient.SPEARMAN, np.array(made), np.array(gold)).value


def test_noise_of_single_ratings_averages_out_over_replicates() -> None:
    """At noise 2 the mean of 16 comes at least .1 nearer than one, and half of the way to no noise at all."""
    loud, quiet = in_world(0, noise=2.0), in_world(0, noise=0.0)
    one, many, silent = near(loud, 1), near(loud, 16), near(quiet, 1)
    assert many - one > 0.1
    assert many > (one + silent) / 2
    assert near(quiet, 3) == pytest.approx(silent)


def shipped(level: PersonaLevel) -> PersonaSet:
    node = yaml.safe_load((Path(__file__).parents[2] / "conf" / "persona" / "mslr.yaml").read_text("utf-8"))
    made = build({**node, "level": level.value}, "persona")
    assert isinstance(made, PersonaSet)
    return made


def test_on_mslr_personas_and_debates_bring_ratings_nearer_but_not_in_every_group(data_root: Path) -> None:
    """Half of the fixed sample of summaries, the shipped personas; debates at the defaults, in two worlds."""
    instances = MSLR(root=str(data_root), sample=102).load().instances[::2]
    detailed = [nearness(in_world(world), instances, shipped(PersonaLevel.DETAILED)) for world in (0, 1)]
    none = nearness(in_world(0), instances, shipped(PersonaLevel.NONE))
    assert detailed[0].start > none.start + 0.05
    assert detailed[0].end > none.end + 0.05
    assert all(each.end > each.start for each in detailed)
    assert any(change < 0 for change in changes(detailed))
