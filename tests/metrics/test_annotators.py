from collections.abc import Mapping
from pathlib import Path

import pytest

from venire.data.annotations import annotations_of
from venire.data.mslr import MSLR
from venire.data.mt_bench_votes import MTBenchVotes
from venire.metrics.annotators import HUMANS, Agreement, AgreementSettings, agreements
from venire.records import Annotation, Annotations, Dimension, Value, Winner
from venire.stats.coincidence import Level

FIRST, SECOND, TIE = Winner
QUICK = AgreementSettings(draws=200)
SCALE = Dimension("fluency", "", 0, 2)


def said(
    units: Mapping[str, Mapping[str, Value]], dimension: Dimension | None = None, **more: object
) -> Annotations:
    entries = tuple(
        Annotation(unit, annotator, value) for unit, own in units.items() for annotator, value in own.items()
    )
    return Annotations("", entries, {}, dimension, **more)  # type: ignore[arg-type]


THREE = {
    "a": {"x": FIRST, "y": FIRST, "z": TIE},
    "b": {"x": SECOND, "y": FIRST},
    "c": {"x": FIRST},
}


def test_pairs_are_counted_with_and_without_ties() -> None:
    # a: xy agree, xz and yz do not (one is a tie); b: xy disagree; c: nobody to agree with.
    (found,) = agreements(said(THREE), QUICK)
    assert (found.with_ties.agree, found.with_ties.total) == (1, 4)
    assert found.without_ties is not None
    assert (found.without_ties.agree, found.without_ties.total) == (1, 2)
    assert (found.units, found.annotators, found.group, found.against) == (2, 3, "all", HUMANS)


def test_annotators_without_names_have_no_number() -> None:
    (found,) = agreements(said(THREE, named=False), QUICK)
    assert found.annotators is None


def test_two_annotators_have_cohens_kappa() -> None:
    # x: 0 0 1 1, y: 0 1 1 1: agreement 3/4, chance (2*1 + 2*3)/16 = 1/2, kappa 1/2.
    units = {
        str(at): {"x": x, "y": y}
        for at, (x, y) in enumerate([(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 1.0)])
    }
    (found,) = agreements(said(units, SCALE), QUICK)
    assert found.kappa.value == pytest.approx(0.5)
    assert found.kappa_kind == "Cohen's"
    assert found.quadratic_kappa is not None
    assert found.quadratic_kappa.value == pytest.approx(0.5)  # two points: weights change nothing
    assert found.without_ties is None


def test_one_label_throughout_has_no_kappa_and_no_alpha_but_agrees() -> None:
    (found,) = agreements(said({"a": {"x": FIRST, "y": FIRST}, "b": {"x": FIRST, "y": FIRST}}), QUICK)
    assert found.with_ties.estimate.value == 1.0
    assert not found.kappa.is_defined
    assert "one label only" in found.kappa.note
    assert not found.alpha[Level.NOMINAL].is_defined


def test_only_ties_leave_nothing_without_ties() -> None:
    (found,) = agreements(said({"a": {"x": TIE, "y": TIE}, "b": {"x": TIE, "y": FIRST}}), QUICK)
    assert found.without_ties is not None
    assert found.without_ties.total == 0
    assert not found.without_ties.estimate.is_defined


def test_each_annotation_is_held_against_the_machines() -> None:
    machines = {"gpt": {"a": FIRST, "b": TIE, "elsewhere": FIRST}}
    humans, machine = agreements(said(THREE, machines=machines), QUICK)
    assert humans.against == HUMANS
    assert machine.against == "gpt"
    assert (machine.with_ties.agree, machine.with_ties.total) == (2, 5)
    assert machine.without_ties is not None
    assert (machine.without_ties.agree, machine.without_ties.total) == (2, 2)
    assert machine.alpha == {}


def test_a_group_without_a_pair_is_left_out() -> None:
    groups = {"x alone": frozenset("x"), "x and y": frozenset("xy")}
    (found,) = agreements(said(THREE, groups=groups), QUICK)
    assert found.group == "x and y"
    assert (found.with_ties.agree, found.with_ties.total) == (1, 2)


def test_ratings_between_the_points_are_not_expected_to_be_equal() -> None:
    exact = Dimension("average", "", 0, 1, step=None)
    units = {"a": {"x": 0.1 + 0.2, "y": 0.3}, "b": {"x": 0.5, "y": 0.75}}
    (found,) = agreements(said(units, exact), QUICK)
    assert found.with_ties.agree == 1  # 0.1 + 0.2 is 0.3, whatever the order of the sum
    assert not found.kappa.is_defined
    assert set(found.alpha) == {Level.INTERVAL}


def test_the_interval_widens_where_items_share_a_prompt() -> None:
    units = {f"u{at}": {"x": FIRST, "y": FIRST if at < 20 else SECOND} for at in range(40)}
    entries = said(units).entries
    alone = Annotations("", entries, {unit: unit for unit in units})
    shared = Annotations("", entries, {unit: str(int(unit[1:]) // 5) for unit in units})
    widths = []
    for annotations in (alone, shared):
        estimate = agreements(annotations, QUICK)[0].with_ties.estimate
        widths.append(estimate.high - estimate.low)
    assert widths[1] > 1.5 * widths[0]


# reference.json of the shared mtbench/ folder; published: 63% and 81% (Zheng et al. 2023, first turn).
MT_BENCH = {
    (1, "turn 1", "experts", HUMANS): (454, 721, 388, 479, 0.43557128286092806),
    (1, "turn 1", "experts and authors", HUMANS): (769, 1199, 633, 772, 0.4778417944014184),
    (1, "turn 1", "experts", "gpt4_pair"): (667, 1019, 545, 647, None),
    (1, "turn 1", "experts and authors", "gpt4_pair"): (852, 1290, 689, 804, None),
    (1, "turn 1, subset", "experts", HUMANS): (129, 200, 105, 123, 0.4748054835124119),
    (1, "turn 1, subset", "experts and authors", HUMANS): (216, 334, 168, 203, 0.4955019137820246),
    (1, "turn 1, subset", "experts", "gpt4_pair"): (465, 698, 373, 444, None),
    (1, "turn 1, subset", "experts and authors", "gpt4_pair"): (589, 882, 471, 549, None),
    (2, "turn 2, subset", "experts", HUMANS): (131, 195, 106, 126, 0.5125),
    (2, "turn 2, subset", "experts and authors", HUMANS): (216, 327, 178, 215, 0.4933777268183689),
    (2, "turn 2, subset", "experts", "gpt4_pair"): (470, 687, 388, 456, None),
    (2, "turn 2, subset", "experts and authors", "gpt4_pair"): (590, 869, 486, 569, None),
}


def measured(dataset: object, settings: AgreementSettings) -> list[Agreement]:
    found = annotations_of(dataset, dataset.load())  # type: ignore[attr-defined]
    return [row for each in found for row in agreements(each, settings)]


@pytest.mark.parametrize("turn", [1, 2])
def test_mt_bench_has_the_figures_of_the_reference(turn: int, data_root: Path) -> None:
    expected = {key[1:]: figures for key, figures in MT_BENCH.items() if key[0] == turn}
    rows = measured(MTBenchVotes(str(data_root), turn=turn), AgreementSettings(draws=0))
    assert {(row.title, row.group, row.against) for row in rows} == set(expected)
    for row in rows:
        agree, total, decided, both, alpha = expected[row.title, row.group, row.against]
        assert row.without_ties is not None
        assert (row.with_ties.agree, row.with_ties.total) == (agree, total)
        assert (row.without_ties.agree, row.without_ties.total) == (decided, both)
        if alpha is not None:
            assert row.alpha[Level.NOMINAL].value == pytest.approx(alpha, abs=1e-12)


# README of the shared mslr/ folder, "Inter-annotator agreement": n, agreement, kappa, quadratic kappa,
# nominal and ordinal alpha.
MSLR_TABLE = {
    "fluency": (39, 0.872, 0.519, 0.611, 0.521, 0.620),
    "population": (33, 0.667, 0.413, 0.587, 0.418, 0.580),
    "intervention": (39, 0.769, 0.601, 0.727, 0.604, 0.727),
    "outcome": (17, 0.588, 0.374, 0.475, 0.391, 0.497),
    "ed_agree": (39, 0.872, 0.706, 0.706, 0.709, 0.709),
    "strength_agree": (39, 0.744, 0.369, 0.369, 0.375, 0.375),
}


def test_mslr_has_the_agreement_of_its_doubles(data_root: Path) -> None:
    rows = measured(MSLR(str(data_root), dimensions=tuple(MSLR_TABLE)), AgreementSettings(draws=0))
    assert [row.question for row in rows] == list(MSLR_TABLE)
    for row in rows:
        assert row.quadratic_kappa is not None
        values = (
            row.with_ties.estimate.value,
            row.kappa.value,
            row.quadratic_kappa.value,
            row.alpha[Level.NOMINAL].value,
            row.alpha[Level.ORDINAL].value,
        )
        assert row.units == MSLR_TABLE[row.question][0]
        assert values == pytest.approx(MSLR_TABLE[row.question][1:], abs=5e-4)
