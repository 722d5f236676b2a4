from collections import Counter

import pytest

from venire.data.sample import Sample, claims_of
from venire.errors import ConfigError
from venire.records import Instance, PreferenceGold, Response, Winner

INSTANCES = Sample().load().instances


def better(instance: Instance) -> int:
    assert isinstance(instance.gold, PreferenceGold)
    return 0 if instance.gold.winner is Winner.FIRST else 1


def test_there_are_32_pairs_on_four_topics_of_equal_size() -> None:
    loaded = Sample().load()
    assert Counter(instance.subset for instance in loaded.instances) == {
        "astronomy": 8,
        "biology": 8,
        "history": 8,
        "technology": 8,
    }
    assert len({instance.cluster for instance in loaded.instances}) == 32
    assert loaded.labels == (Winner.FIRST, Winner.SECOND)
    assert loaded.warnings == ()
    assert loaded.source == "sample/pairwise.jsonl"


def test_in_each_topic_the_better_one_is_first_in_half_and_longer_in_half_of_each() -> None:
    cells = Counter(
        (
            instance.subset,
            better(instance),
            len(instance.responses[better(instance)].text)
            > len(instance.responses[1 - better(instance)].text),
        )
        for instance in INSTANCES
    )
    assert len(cells) == 16  # 4 topics x position x longer
    assert set(cells.values()) == {2}


def test_the_better_response_has_the_smaller_share_of_false_claims() -> None:
    for instance in INSTANCES:
        false = [sum(not claim.true for claim in claims) / len(claims) for claims in claims_of(instance)]
        assert false[better(instance)] < false[1 - better(instance)], instance.id


def test_some_better_responses_have_a_false_claim_and_every_worse_one_a_true_one() -> None:
    flawed = [i for i in INSTANCES if any(not claim.true for claim in claims_of(i)[better(i)])]
    assert len(flawed) == 4
    assert all(any(claim.true for claim in claims_of(i)[1 - better(i)]) for i in INSTANCES)


def test_each_response_is_its_two_to_five_claims() -> None:
    for instance in INSTANCES:
        for response, claims in zip(instance.responses, claims_of(instance), strict=True):
            assert response.text == " ".join(claim.text for claim in claims)
            assert 2 <= len(claims) <= 5
            assert all(claim.text.endswith(".") and claim.text.strip() == claim.text for claim in claims)


def test_nothing_that_a_prompt_shows_says_which_claims_are_true() -> None:
    for instance in INSTANCES:
        shown = [instance.prompt, *(response.text for response in instance.responses)]
        assert not any(word in text.lower() for text in shown for word in ('"true"', "false", "claims"))
        assert (instance.context, instance.reference) == (None, None)
        assert [response.generator for response in instance.responses] == [None, None]


def test_the_first_four_have_one_of_each_topic_and_both_labels() -> None:
    four = Sample(limit=4).load().instances
    assert {instance.subset for instance in four} == {"astronomy", "biology", "history", "technology"}
    assert Counter(better(instance) for instance in four) == {0: 2, 1: 2}


def test_only_bundled_pairs_have_claims() -> None:
    with pytest.raises(KeyError):
        claims_of(Instance("x", "p", (Response("a"), Response("b"))))


def test_a_limit_is_at_least_one() -> None:
    with pytest.raises(ConfigError, match=r"^limit: "):
        Sample(limit=0)
