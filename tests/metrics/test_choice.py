import pytest

from venire.errors import ConfigError
from venire.metrics.choice import Family, Scale, Shape, check_choice, fitting, misfit, only, shape_of
from venire.metrics.measurement import Measurement
from venire.records import (
    Dimension,
    Instance,
    PreferenceGold,
    RatingsGold,
    Response,
    Winner,
)

ORDINAL = Dimension("fluency", "", 1, 5)
PASS_FAIL = Dimension("polite", "", 0, 1, 1)
SECOND_LABEL = Dimension("safe", "", 0, 1, 1)
NUMBER = Dimension("score", "", 0, 1, None)
MEAN = Dimension("average", "", 0, 1, None, asked=False)
PAIR = (Response("x"), Response("y"))


def rated(*dimensions, has_gold=True):
    return Shape(False, has_gold, (), dimensions)


PAIRS = Shape(True, True, tuple(Winner), ())


@pytest.mark.parametrize(
    ("shape", "fits"),
    [
        (PAIRS, "accuracy kappa position_consistency"),
        (rated(PASS_FAIL), "kappa precision recall f1"),
        (rated(PASS_FAIL, SECOND_LABEL), "kappa precision recall f1 f1_macro f1_micro"),
        (rated(ORDINAL), "spearman kendall pearson kappa_quadratic"),
        (rated(NUMBER), "spearman kendall pearson"),
        (rated(ORDINAL, PASS_FAIL), "kappa precision recall f1 spearman kendall pearson kappa_quadratic"),
        (rated(ORDINAL, has_gold=False), ""),
    ],
)
def test_what_fits_follows_from_the_gold(shape, fits):
    assert [family.value for family in fitting(shape)] == fits.split()


def test_every_misfit_has_a_reason():
    for shape in (PAIRS, rated(PASS_FAIL), rated(ORDINAL), rated(NUMBER), rated(ORDINAL, has_gold=False)):
        for family in set(Family) - set(fitting(shape)):
            assert len(misfit(family, shape)) > 20


def test_a_wrong_choice_is_refused_with_the_reason_and_what_fits():
    with pytest.raises(ConfigError) as caught:
        check_choice((Family.F1, Family.KAPPA), PAIRS)
    assert str(caught.value) == (
        "metrics.chosen: f1 does not fit this data: which response stands first is arbitrary, so that "
        "neither label is a positive one; accuracy and kappa treat the labels alike (what fits: accuracy, "
        "kappa, position_consistency)"
    )
    check_choice((Family.KAPPA,), PAIRS)
    with pytest.raises(ConfigError, match="kappa_quadratic weighs them"):
        check_choice((Family.KAPPA,), rated(ORDINAL))
    with pytest.raises(ConfigError, match="nobody has judged these items"):
        check_choice((Family.SPEARMAN,), rated(ORDINAL, has_gold=False))


def test_scales_are_told_by_their_points():
    scales = [Scale.of(each) for each in (ORDINAL, PASS_FAIL, NUMBER)]
    assert scales == [Scale.ORDINAL, Scale.PASS_FAIL, Scale.CONTINUOUS]
    assert Scale.of(Dimension("half", "", 0, 1, 0.5)) is Scale.ORDINAL


def test_the_shape_of_instances():
    pair = Instance("a", "p", PAIR, PreferenceGold(Winner.FIRST))
    assert shape_of([pair], (Winner.FIRST, Winner.SECOND)) == Shape(
        True, True, (Winner.FIRST, Winner.SECOND), ()
    )
    one = Instance("b", "p", (Response("x"),), RatingsGold({"fluency": 3}), dimensions=(ORDINAL, MEAN))
    assert shape_of([one], ()) == Shape(False, True, (), (ORDINAL,))  # a mean of others is not asked for
    empty = Instance("c", "p", (Response("x"),), RatingsGold({}), dimensions=(MEAN,))
    assert shape_of([empty], ()) == Shape(False, False, (), (MEAN,))


def test_only_the_chosen_families_and_what_is_of_none_are_kept():
    names = (
        *("n", "accuracy", "accuracy/final", "kappa", "kappa/ci_low", "judge/a/kappa", "panel/fleiss_kappa"),
        *("abs_spearman/mean", "group/parents/spearman/mean", "f1/polite/worst", "multilabel/f1_macro"),
        *("coverage", "confidence/final/accuracy", "cascade/stage/cheap/agreement", "judge/kappa"),
    )
    measured = Measurement(dict.fromkeys(names, 1.0), {"kappa": "why", "accuracy": "how"})
    kept = only((Family.KAPPA,), measured)
    assert set(kept.metrics) == {
        *("n", "kappa", "kappa/ci_low", "judge/a/kappa", "panel/fleiss_kappa", "coverage"),
        *("confidence/final/accuracy", "cascade/stage/cheap/agreement", "judge/kappa"),
    }
    assert kept.notes == {"kappa": "why"}
    assert {"abs_spearman/mean", "group/parents/spearman/mean"} <= set(
        only((Family.SPEARMAN,), measured).metrics
    )
    assert "multilabel/f1_macro" in only((Family.F1_MACRO,), measured).metrics
    assert "multilabel/f1_macro" not in only((Family.F1,), measured).metrics
