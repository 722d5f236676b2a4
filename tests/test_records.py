import pytest

from venire.records import (
    Attempt,
    AttemptStatus,
    BackendKind,
    Call,
    Completion,
    Dimension,
    FinishReason,
    Instance,
    Message,
    Order,
    Price,
    Request,
    Response,
    Slot,
    Subject,
    Usage,
    Winner,
)

# $2.50 in, $10 out, $1.25 for cached input, per million tokens.
PRICE = Price(2.5, 10.0, 1.25)


@pytest.mark.parametrize(
    ("order", "slot", "winner"),
    [
        (Order.AS_GIVEN, Slot.A, Winner.FIRST),
        (Order.AS_GIVEN, Slot.B, Winner.SECOND),
        (Order.AS_GIVEN, Slot.TIE, Winner.TIE),
        (Order.SWAPPED, Slot.A, Winner.SECOND),
        (Order.SWAPPED, Slot.B, Winner.FIRST),
        (Order.SWAPPED, Slot.TIE, Winner.TIE),
    ],
)
def test_a_slot_maps_back_to_the_data_sets_order_and_forth(order: Order, slot: Slot, winner: Winner) -> None:
    assert order.winner(slot) is winner
    assert order.slot(winner) is slot


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        (Usage(1000, 200), 0.0045),  # 1000 * 2.5e-6 + 200 * 10e-6
        (Usage(1000, 200, cached_tokens=400), 0.004),  # 600 * 2.5e-6 + 400 * 1.25e-6 + 200 * 10e-6
        (Usage(1000, 200, reasoning_tokens=150), 0.0045),  # reasoning is part of the output
        (Usage(0, 0), 0.0),
        (Usage(1000, None), None),
        (Usage(None, 200), None),
        (Usage(), None),
    ],
)
def test_a_cost_is_that_of_fresh_cached_and_output_tokens(usage: Usage, cost: float | None) -> None:
    assert PRICE.cost_usd(usage) == (None if cost is None else pytest.approx(cost, abs=1e-15))


def test_cached_input_costs_the_full_price_where_no_other_is_known() -> None:
    # (1000 * 2.5 + 200 * 10) / 1e6, whatever was cached
    assert Price(2.5, 10.0).cost_usd(Usage(1000, 200, cached_tokens=400)) == pytest.approx(0.0045, abs=1e-15)


def test_a_price_of_nothing_is_nothing_and_not_unknown() -> None:
    assert Price(0.0, 0.0).cost_usd(Usage(1000, 200)) == 0.0


def attempt(usage: Usage, cost: float | None, *, latency_s: float = 0.5) -> Attempt:
    status = AttemptStatus.OK if cost is not None else AttemptStatus.TIMEOUT
    return Attempt(status, 1000.0, latency_s, usage, cost)


def call_of(*attempts: Attempt, subject: Subject | None = None, uncertain: bool = False) -> Call:
    request = Request(
        "openai/gpt-4o", (Message("user", "Which?"),), stage="focal", role="gpt_4o", subject=subject
    )
    completion = Completion(
        text="A",
        finish=FinishReason.STOP,
        key="k1",
        model="gpt-4o-2024-08-06",
        attempts=attempts,
        replayed=True,
        kind=BackendKind.LIVE,
        fingerprint="fp_1",
        uncertain=uncertain,
    )
    return completion.as_call(request)


def test_a_call_sums_all_its_attempts() -> None:
    call = call_of(
        attempt(Usage(100, 0), 0.25, latency_s=9.0),
        attempt(Usage(100, 20, cached_tokens=50, reasoning_tokens=5), 0.5, latency_s=1.5),
    )
    assert call.usage == Usage(200, 20, cached_tokens=50, reasoning_tokens=5)
    assert (call.cost_usd, call.attempts, call.latency_s) == (0.75, 2, 1.5)
    assert (call.usage_complete, call.cost_complete) == (True, True)


def test_a_call_says_who_was_asked_what_for_and_who_answered() -> None:
    call = call_of(attempt(Usage(1, 1), 0.0), subject=Subject("set/1"), uncertain=True)
    assert (call.stage, call.role, call.model_asked, call.model_returned) == (
        *("focal", "gpt_4o", "openai/gpt-4o", "gpt-4o-2024-08-06"),
    )
    assert (call.key, call.instance_id, call.fingerprint, call.kind) == (
        "k1",
        "set/1",
        "fp_1",
        BackendKind.LIVE,
    )
    assert (call.replayed, call.uncertain, call.finish) == (True, True, FinishReason.STOP)
    assert call_of(attempt(Usage(1, 1), 0.0)).instance_id == ""


@pytest.mark.parametrize("unknown", [Usage(), Usage(100, None), Usage(None, 20)])
def test_an_attempt_of_unknown_usage_makes_the_sums_lower_bounds(unknown: Usage) -> None:
    call = call_of(attempt(unknown, None), attempt(Usage(100, 20), 0.5))
    assert (call.usage_complete, call.cost_complete) == (False, False)
    assert call.cost_usd == 0.5
    assert call.usage.input_tokens == 100 + (unknown.input_tokens or 0)
    assert call.usage.output_tokens == 20 + (unknown.output_tokens or 0)


def test_a_call_of_which_nothing_is_known_has_no_cost_and_not_zero() -> None:
    call = call_of(attempt(Usage(), None), attempt(Usage(), None))
    assert (call.usage, call.cost_usd, call.cost_complete) == (Usage(), None, False)


def test_an_unknown_price_does_not_make_the_tokens_unknown() -> None:
    call = call_of(attempt(Usage(100, 20), None))
    assert (call.usage_complete, call.cost_complete, call.cost_usd) == (True, False, None)


def test_a_call_without_an_attempt_used_nothing() -> None:
    call = call_of()
    assert (call.attempts, call.cost_usd, call.latency_s) == (0, None, 0.0)
    assert (call.usage, call.usage_complete) == (Usage(), True)


@pytest.mark.parametrize(("n", "pairwise"), [(1, False), (2, True), (3, False)])
def test_an_instance_of_two_responses_is_pairwise(n: int, pairwise: bool) -> None:
    assert Instance("set/1", "p", (Response("r"),) * n).is_pairwise is pairwise


def test_values_that_enter_keys_and_files_are_their_text() -> None:
    assert (
        f"{Order.SWAPPED} {Winner.SECOND} {Slot.TIE} {BackendKind.SIMULATED}"
        == "swapped response_2 tie simulated"
    )


@pytest.mark.parametrize(
    ("dimension", "points", "tokens"),
    [
        (Dimension("a", "", 0, 2), (0, 1, 2), ("0", "1", "2")),
        (Dimension("a", "", 1, 5), (1, 2, 3, 4, 5), ("1", "2", "3", "4", "5")),
        (Dimension("a", "", 0, 9), tuple(range(10)), tuple("0123456789")),
        (Dimension("a", "", 0, 1, 0.5), (0, 0.5, 1), ("1", "2", "3")),
        (Dimension("a", "", -1, 1), (-1, 0, 1), ("1", "2", "3")),
        (Dimension("a", "", 1, 10), tuple(range(1, 11)), ()),
        (Dimension("a", "", 0, 1, None), (), ()),
    ],
)
def test_a_point_is_answered_by_itself_where_it_is_a_digit_and_else_by_its_place(
    dimension: Dimension, points: tuple[float, ...], tokens: tuple[str, ...]
) -> None:
    assert (dimension.points, dimension.tokens) == (points, tokens)
