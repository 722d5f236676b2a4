from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.data.fingerprint import canonical_json, content_id, fingerprint, prompt_cluster
from venire.records import Dimension, Instance, PreferenceGold, RatingsGold, Response, Winner

PAIR = Instance(
    id="a/1",
    prompt="Why?",
    responses=(Response("Because."), Response("Ünknown.")),
    gold=PreferenceGold(Winner.FIRST, {Winner.FIRST: 2, Winner.TIE: 1}),
    context="c",
    reference="r",
)


def test_the_fingerprint_is_sha256_of_one_canonical_json_line_an_instance() -> None:
    # printf '["1","p",null,null,["x"],null]\n' | sha256sum
    expected = "ec6546330057712756e88f49c9b349ff28e34a92e90faafcefec2e6a8b790211"
    assert fingerprint([Instance(id="1", prompt="p", responses=(Response("x"),))]) == expected


def test_no_instances_have_the_hash_of_nothing() -> None:
    # sha256sum < /dev/null
    assert fingerprint([]) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.mark.parametrize(
    "other",
    [
        replace(PAIR, id="a/2"),
        replace(PAIR, prompt="Why"),
        replace(PAIR, context=None),
        replace(PAIR, reference=None),
        replace(PAIR, responses=PAIR.responses[::-1]),
        replace(PAIR, gold=None),
        replace(PAIR, gold=PreferenceGold(Winner.SECOND, {Winner.FIRST: 2, Winner.TIE: 1})),
        replace(PAIR, gold=PreferenceGold(Winner.FIRST, {Winner.FIRST: 2})),
        replace(PAIR, gold=RatingsGold({"fluency": 1.0})),
    ],
)
def test_ids_texts_and_gold_move_the_fingerprint(other: Instance) -> None:
    assert fingerprint([other]) != fingerprint([PAIR])


@pytest.mark.parametrize(
    "other",
    [
        replace(PAIR, subset="s", cluster="k", metadata={"index": "7"}),
        replace(PAIR, responses=tuple(replace(r, id="x", generator="m") for r in PAIR.responses)),
        replace(PAIR, gold=PreferenceGold(Winner.FIRST, {Winner.TIE: 1, Winner.FIRST: 2})),
    ],
)
def test_what_only_tables_need_does_not_move_the_fingerprint(other: Instance) -> None:
    assert fingerprint([other]) == fingerprint([PAIR])


def test_a_whole_rating_is_the_same_as_integer_and_as_float() -> None:
    whole = replace(PAIR, gold=RatingsGold({"fluency": 4}, {"ann": {"fluency": 4}}))
    real = replace(PAIR, gold=RatingsGold({"fluency": 4.0}, {"ann": {"fluency": 4.0}}))
    assert fingerprint([whole]) == fingerprint([real])


def test_order_counts() -> None:
    second = replace(PAIR, id="a/2")
    assert fingerprint([PAIR, second]) != fingerprint([second, PAIR])


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=4), min_size=2, max_size=4, unique=True))
def test_moving_text_between_responses_moves_the_fingerprint(texts: list[str]) -> None:
    joined = Instance("1", "p", (Response("".join(texts)), Response("")))
    split = Instance("1", "p", (Response(texts[0]), Response("".join(texts[1:]))))
    same = split.responses == joined.responses
    assert (fingerprint([joined]) == fingerprint([split])) == same


def test_canonical_json_sorts_keys_and_keeps_letters() -> None:
    assert canonical_json({"b": 1, "a": "é"}) == '{"a":"é","b":1}'


def test_canonical_json_refuses_nan() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json(float("nan"))


def test_equal_prompts_share_a_cluster_and_others_do_not() -> None:
    assert prompt_cluster("Why?") == prompt_cluster("Why?")
    assert prompt_cluster("Why?") != prompt_cluster("Why? ")


def test_a_content_id_tells_texts_contexts_and_their_order_apart() -> None:
    ids = {
        content_id("p", None, ["a", "b"]),
        content_id("p", None, ["b", "a"]),
        content_id("p", "", ["a", "b"]),
        content_id("p", None, ["ab"]),
        content_id("q", None, ["a", "b"]),
    }
    assert len(ids) == 5
    assert all(len(one) == 16 for one in ids)


def test_what_is_rated_and_on_which_scale_changes_it() -> None:
    plain = Instance("1", "p", (Response("r"),))
    dimensions = (
        Dimension("fluency", "how fluent", 0, 2),
        Dimension("fluency", "how well written", 0, 2),
        Dimension("fluency", "how fluent", 0, 3),
        Dimension("fluency", "how fluent", 0, 2, None),
        Dimension("fluency", "how fluent", 0, 2, asked=False),
    )
    marks = [fingerprint([replace(plain, dimensions=(each,))]) for each in dimensions]
    assert len({fingerprint([plain]), *marks}) == 6
    assert (
        fingerprint([replace(plain, dimensions=(Dimension("fluency", "how fluent", 0.0, 2.0),))]) == marks[0]
    )
