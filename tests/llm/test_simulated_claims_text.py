"""How simulated judges take a response apart, and what is true of its claims."""

from dataclasses import replace

import numpy as np
import pytest
from tests.llm.claims_asked import (
    BASE,
    backend,
    claims_in,
    decomposing,
    fact,
    inducing,
    pairs,
    read,
    sentence,
)

from venire.data.sample import Sample, claims_of
from venire.llm.simulated import Claims, Material, Splitting
from venire.llm.simulated.candidates import claim_key, without_connective
from venire.llm.simulated.decomposition import split
from venire.records import Instance, PreferenceGold, Response, Winner


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("One is odd. Two is even! Is three odd?", ("One is odd.", "Two is even!", "Is three odd?")),
        ("It fell on 9 Nov. 1989 at 4.5 km/s.", ("It fell on 9 Nov. 1989 at 4.5 km/s.",)),
        (
            "Dr. Who met A. Turing, i.e. a man. He left.",
            ("Dr. Who met A. Turing, i.e. a man.", "He left."),
        ),
        ("Steps:\n1. Boil water.\n2) Add tea\n- wait", ("Steps:", "Boil water.", "Add tea", "wait")),
        ("## Title\n* a point. Another.", ("Title", "a point.", "Another.")),
        ("See:\n```py\nx = 1. \ny = 2\n```\nDone.", ("See:", "```py\nx = 1. \ny = 2\n```", "Done.")),
        ("水は透明です。火は熱い！本当？", ("水は透明です。", "火は熱い！", "本当？")),
        ("Same here. Same here! Other.", ("Same here.", "Other.")),
        ("...\n--- \n!!", ()),
        ("", ()),
        ("no full stop", ("no full stop",)),
    ],
)
def test_a_text_is_split_by_the_written_rules(text: str, claims: tuple[str, ...]) -> None:
    assert split(text, 12) == claims


def test_only_a_long_sentence_is_split_into_its_clauses() -> None:
    """31 words; the clause of three words stays with the one after it."""
    long = " ".join(["word"] * 22) + ", and it ends, but here are six more words."
    assert len(long.split()) == 31
    assert split(long, 12) == (" ".join(["word"] * 22), "and it ends, but here are six more words.")
    short = "It is short, and it has two clauses of five words."
    assert split(short, 12) == (short,)


def test_beyond_the_maximum_neighbours_are_joined_and_nothing_is_lost() -> None:
    text = " ".join(f"Sentence {k} here." for k in range(10))
    joined = split(text, 4)
    # 10 pieces into 4: from 0, 2, 5 and 7 on
    assert [len(part.split(".")) - 1 for part in joined] == [2, 3, 2, 3]
    assert " ".join(joined) == text


def test_the_bundled_samples_sentences_are_its_claims() -> None:
    for instance in Sample().load().instances:
        for index, claims in enumerate(claims_of(instance)):
            assert claims_in(instance, index) == tuple(claim.text for claim in claims)


def test_a_judge_leaves_out_few_claims_and_never_all() -> None:
    instances = pairs(100)
    all_of_them = [claims_in(i) for i in instances]
    some = backend(instances, replace(BASE, claims=Claims(splitting=Splitting(omitted=0.2))))
    one = [read(some, decomposing(i))["claims"] for i in instances]
    other = [read(some, decomposing(i, model="bolt/large"))["claims"] for i in instances]
    kept = sum(map(len, map(list, one))) / sum(map(len, all_of_them))
    assert kept == pytest.approx(0.8, abs=0.054)  # three standard errors of a share of 500
    assert one != other
    none = backend(instances, replace(BASE, claims=Claims(splitting=Splitting(omitted=1.0))))
    assert [read(none, decomposing(i))["claims"] for i in instances] == [[c[0]] for c in all_of_them]


def test_a_leading_connective_goes_and_the_claim_stays_the_same() -> None:
    assert without_connective("However, it rains.") == "It rains."
    assert without_connective("Sofas are soft.") == "Sofas are soft."
    assert without_connective("So") == "So"
    assert claim_key("However, it rains.") == claim_key(" it  RAINS") == "it rains"


def test_an_empty_response_makes_no_claim() -> None:
    instance = Instance("i", "p", (Response("  \n"), Response("yes")), PreferenceGold(Winner.SECOND))
    assert read(backend([instance]), decomposing(instance)) == {"claims": []}


def test_the_better_response_has_fewer_and_lighter_false_claims_as_the_formula_says() -> None:
    """Shares logistic(logit(.3) -+ separation / 2): .136 and .538 at 2; weights from .5 and from 1."""
    instances = pairs(200)
    judges = backend(instances)
    better, worse = (
        [fact(judges, i, index, claim) for i in instances for claim in claims_in(i, index)]
        for index in (0, 1)
    )
    assert np.mean([f.sign < 0 for f in better]) == pytest.approx(0.136, abs=0.033)  # 3 s.e. of 1,000
    assert np.mean([f.sign < 0 for f in worse]) == pytest.approx(0.538, abs=0.048)
    even = backend(instances, replace(BASE, claims=Claims(material=Material(clarity_sd=0.0))))
    weights = [
        {fact(even, i, index, c).clarity for i in instances for c in claims_in(i, index)} for index in (0, 1)
    ]
    assert min(weights[0]) < 0.55
    assert weights[1] == {1.0}


def test_without_separation_both_responses_are_as_often_wrong() -> None:
    instances = pairs(200)
    judges = backend(instances, replace(BASE, claims=Claims(material=Material(separation=0.0))))
    shares = [
        np.mean([fact(judges, i, index, c).sign < 0 for i in instances for c in claims_in(i, index)])
        for index in (0, 1)
    ]
    assert shares == pytest.approx([0.3, 0.3], abs=0.044)  # three standard errors of 1,000


def test_claims_that_the_data_marks_are_as_it_says_in_any_wording_of_the_decomposition() -> None:
    instances = Sample().load().instances
    judges = backend(instances)
    for instance in instances:
        for index, claims in enumerate(claims_of(instance)):
            for claim in claims:
                stated = fact(judges, instance, index, without_connective(claim.text))
                assert stated.sign == (1 if claim.true else -1)


def test_a_response_of_two_comparisons_has_the_mean_of_their_gold() -> None:
    good, bad, other = (Response(sentence(k)) for k in (1, 2, 3))
    won = Instance("won", "p", (good, bad), PreferenceGold(Winner.FIRST))
    lost = Instance("lost", "p", (other, good), PreferenceGold(Winner.FIRST))
    tied = Instance("tied", "p", (bad, other), PreferenceGold(Winner.TIE))
    places = backend([won, lost, tied]).world.candidates.by_place
    assert places["won", 0] == places["lost", 1]
    assert [places[p].quality for p in (("won", 0), ("won", 1), ("lost", 0))] == [0.0, -0.5, 0.5]


def test_no_text_tells_the_gold() -> None:
    """With the gold turned round, decompositions are the same; entries name no label and no truth."""
    one, other = pairs(40, Winner.FIRST), pairs(40, Winner.SECOND)
    for a, b in zip(one, other, strict=True):
        assert read(backend(one), decomposing(a)) == read(backend(other), decomposing(b))
    claim = claims_in(one[0])[0]
    texts = [
        {k: v for k, v in read(backend(x), inducing(x[0], claim, "accept")).items() if k != "criterion"}
        for x in (one, other)
    ]
    assert texts[0] == texts[1]
