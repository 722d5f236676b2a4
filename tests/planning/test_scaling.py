"""What a plan takes once and for every instance; the paper's own sums."""

import pytest

from venire.planning import PlannedCall, published_tokens, scaling
from venire.planning.scaling import Load
from venire.records import Price, Usage

# 100 tokens in and 10 out at 1 and 10 dollars a million: .0002 dollars.
CALL = PlannedCall(
    "k", "rate", "m", False, 400, 50, Usage(100, 10), False, Price(1.0, 10.0), instance_id="i0", group="a"
)


def call(key: str, instance_id: str = "i0", group: str = "", **changes: object) -> PlannedCall:
    fields = {name: getattr(CALL, name) for name in CALL.__dataclass_fields__}
    return PlannedCall(**(fields | {"key": key, "instance_id": instance_id, "group": group} | changes))


def test_what_is_about_no_instance_is_fixed_and_the_rest_grows_with_the_instances() -> None:
    found = scaling([call("s", ""), call("1"), call("2"), call("3", "i1")], 2)
    assert found.fixed == Load(1, 100, 10, pytest.approx(0.0002))
    assert found.per_instance == Load(1.5, 150, 15, pytest.approx(0.0003))
    assert found.per_group_instance is None
    # 1 + 1.5 x 10 calls; .0002 + 10 x .0003 dollars.
    assert found.of(10) == Load(16, 1600, 160, pytest.approx(0.0032))


def test_groups_are_counted_by_the_instances_that_they_are_asked_about() -> None:
    # Group a on two instances, b on one: three pairs, four calls; the fifth is of no group.
    calls = [
        call("1", "i0", "a"),
        call("2", "i0", "a"),
        call("3", "i0", "b"),
        call("4", "i1", "a"),
        call("5", "i1"),
    ]
    pair = scaling(calls, 2).per_group_instance
    assert pair is not None
    assert (pair.calls, pair.tokens) == (pytest.approx(4 / 3), pytest.approx(440 / 3))


def test_stored_calls_count_with_what_they_took_and_tell_what_new_ones_may_take() -> None:
    stored = call("1", stored=True, expected=Usage(100, 30))
    found = scaling([stored, call("2")], 1)
    assert found.per_instance.output_tokens == 60


@pytest.mark.parametrize(
    ("changes", "tokens", "usd"),
    [({"expected": Usage(100, None)}, None, None), ({"price": None}, 110.0, None)],
)
def test_what_is_unknown_stays_unknown(
    changes: dict[str, object], tokens: float | None, usd: float | None
) -> None:
    found = scaling([call("1", **changes)], 1)
    assert (found.per_instance.tokens, found.per_instance.usd) == (tokens, usd)
    assert found.of(3).usd == usd


def test_nothing_is_nothing() -> None:
    found = scaling([], 3)
    assert found.fixed == found.per_instance == Load(0, 0, 0, 0)
    assert found.of(102) == Load(0, 0, 0, 0)


# 34,103 tokens a document, 18,281 a group and data point. Source: spec, section 2, "Published costs".
PAPER = {"per_document": 34_103, "per_group_instance": 18_281}


def test_the_paper_s_sum_is_of_two_documents_and_four_groups() -> None:
    # 2 x 34,103 + 4 x 18,281 = 68,206 + 73,124 = 141,330; the paper prints 141,329.
    assert published_tokens(documents=2, groups=4, **PAPER) == 141_330


def test_the_paper_s_sum_is_not_that_of_the_task_with_three_documents() -> None:
    # 3 x 34,103 + 4 x 18,281 = 175,433; two groups less would not do either: 138,871.
    assert published_tokens(documents=3, groups=4, **PAPER) == 175_433
    assert published_tokens(documents=3, groups=2, **PAPER) == 138_871


def test_the_paper_s_dollars_are_all_tokens_at_the_price_of_input() -> None:
    # Claude 3.7 Sonnet: 3 dollars a million in, 15 out. 141,330 x 3 / 1e6 = .424, printed as .42; a tenth of
    # the tokens as output alone makes it .59.
    sonnet = Price(3.0, 15.0)
    assert sonnet.cost_usd(Usage(141_330, 0)) == pytest.approx(0.42399)
    assert sonnet.cost_usd(Usage(127_197, 14_133)) == pytest.approx(0.593586)


def test_the_paper_s_102_summaries_take_seven_and_a_half_million_tokens() -> None:
    # 102 x 4 x 18,281 = 7,458,648; the personas are paid once: 68,206 more, not 102 times as many.
    assert published_tokens(documents=0, groups=4, instances=102, **PAPER) == 7_458_648
    assert published_tokens(documents=2, groups=4, instances=102, **PAPER) == 7_526_854
