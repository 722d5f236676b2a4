import pytest

from venire.advice import advise, facts_of
from venire.metrics.annotators import AgreementSettings, agreements
from venire.metrics.choice import Family, shape_of
from venire.records import (
    Annotation,
    Annotations,
    Dimension,
    Instance,
    PreferenceGold,
    RatingsGold,
    Response,
    Winner,
)

FIRST, SECOND, TIE = Winner
FLUENCY = Dimension("fluency", "", 1, 5)
POLITE = Dimension("polite", "", 0, 1, 1)
SAFE = Dimension("safe", "", 0, 1, 1)
FINE = Dimension("score", "", 1, 10)
NUMBER = Dimension("share", "", 0, 1, None)


def pairs(n=4, **changes):
    responses = (Response("x", generator="m"), Response("y", generator="n"))
    fields = {"responses": responses, "gold": PreferenceGold(FIRST)}
    return [Instance(id=str(at), prompt=f"p{at}", **(fields | changes)) for at in range(n)]


def rated(*dimensions, n=4, gold=True, **changes):
    return [
        Instance(
            id=str(at),
            prompt=f"p{at}",
            responses=(Response("x", generator="m"),),
            gold=RatingsGold({each.name: each.low for each in dimensions}) if gold else None,
            dimensions=dimensions,
            **changes,
        )
        for at in range(n)
    ]


def methods(instances, **options):
    return [each.overrides for each in advise(facts_of(instances), **options).methods]


def answers(instances, **options):
    return [step.answer for step in advise(facts_of(instances), **options).steps]


def test_preferences_are_judged_in_pairs():
    assert methods(pairs(), objective=False)[0] == "method=pairwise"
    assert "method=direct" not in methods(pairs(), objective=False)
    assert answers(pairs(), objective=False) == ["no", "yes", "no"]


def test_an_objective_truth_is_scored_directly():
    assert methods(pairs(), objective=True)[0] == "method=direct"
    assert answers(pairs(), objective=True) == ["yes"]
    assert answers(rated(POLITE, SAFE)) == ["yes"]  # all passed or failed: stated criteria
    assert methods(rated(POLITE, SAFE))[0] == "method=direct"


def test_what_the_data_does_not_tell_is_open_and_says_what_would_decide_it():
    advice = advise(facts_of(pairs()))
    assert advice.steps[0].answer == "open"
    assert "--objective yes or no" in advice.steps[0].why
    assert [each.overrides for each in advice.methods][:2] == ["method=pairwise", "method=direct"]


def test_people_who_disagree_on_pairs_show_a_preference():
    entries = [("a", "x", FIRST), ("a", "y", SECOND), ("b", "x", FIRST), ("b", "y", FIRST)]
    annotations = Annotations("", tuple(Annotation(*entry) for entry in entries), {})
    rows = agreements(annotations, AgreementSettings(draws=0))
    advice = advise(facts_of(pairs(), None, [annotations], rows))
    assert advice.steps[0].answer == "no"
    assert "agree on 50% of their votes (1/2)" in advice.steps[0].why
    assert advice.facts.annotators == 2
    assert any("venire agreement" in caution for caution in advice.cautions)


def test_a_reference_brings_reference_based_methods():
    with_reference = methods(rated(FLUENCY, reference="r"))
    assert {"method=rouge_l", "method=bertscore"} <= set(with_reference)
    assert "method=rouge_l" not in methods(rated(FLUENCY))
    assert answers(rated(FLUENCY, reference="r"))[-1] == "yes"


def test_every_kind_of_metric_is_advised_or_refused_with_a_reason():
    for instances in (
        pairs(),
        rated(POLITE, SAFE),
        rated(FLUENCY),
        rated(NUMBER),
        rated(FLUENCY, gold=False),
    ):
        advice = advise(facts_of(instances))
        fits, refused = [each.family for each in advice.metrics], dict(advice.refused)
        assert set(fits) | set(refused) == set(Family)
        assert not set(fits) & set(refused)
        assert all([*refused.values(), *(each.tells for each in advice.metrics)])


def test_metrics_say_of_which_dimensions_they_are():
    of = {each.family: each.of for each in advise(facts_of(rated(FLUENCY, POLITE, SAFE))).metrics}
    assert of[Family.F1] == "polite, safe"
    assert of[Family.KAPPA_QUADRATIC] == of[Family.SPEARMAN] == "fluency"


@pytest.mark.parametrize(
    ("instances", "caution"),
    [
        (rated(FLUENCY, gold=False), "no item has a human judgment"),
        (rated(FLUENCY, gold=False), "would fit: spearman, kendall, pearson, kappa_quadratic"),
        (rated(FINE), "score: ten points or more are hard to calibrate"),
        (rated(NUMBER), "share: any number is a rating"),
        (rated(FLUENCY, n=3), "n 3: too few items for any correlation"),
        # 1.96 * .91 / sqrt(97) = .181
        (rated(FLUENCY, n=100), "n 100: a correlation of .3 has a 95% interval of about ±0.18"),
        # Wilson of 80/100: .7112 to .8666
        (pairs(100), "n 100: an accuracy of .8 has a 95% interval of about ±0.078"),
        (pairs(cluster="c"), "4 items share 1 prompts"),
        (pairs(), "one annotation an item"),
        (pairs(responses=(Response("x"), Response("y"))), "self-enhancement cannot be measured"),
    ],
)
def test_cautions_follow_from_the_data(instances, caution):
    assert any(caution in each for each in advise(facts_of(instances)).cautions)


def test_gold_without_ties_is_said():
    def said(*labels):
        facts = facts_of(pairs(), shape_of(pairs(), labels))
        return any("the gold has no ties" in each for each in advise(facts).cautions)

    assert said(FIRST, SECOND)
    assert not said(FIRST, SECOND, TIE)


def test_annotators_enough_for_the_alternative_annotator_test_are_counted():
    def caution(items, people):
        entries = tuple(
            Annotation(str(unit), f"h{who}", FIRST) for unit in range(items) for who in range(people)
        )
        annotations = Annotations("", entries, {})
        rows = agreements(annotations, AgreementSettings(draws=0))
        facts = facts_of(pairs(), None, [annotations], rows)
        return next(each for each in advise(facts).cautions if "share 30 items" in each)

    assert "3 annotators share 30 items with others: venire alt-test RUN" in caution(30, 3)
    assert "0 annotators share 30 items with others, the alternative" in caution(29, 3)
    assert "2 annotators share 30 items with others, the alternative" in caution(30, 2)
