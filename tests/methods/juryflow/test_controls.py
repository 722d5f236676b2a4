"""Ablations and controls against the baselines: what must be equal is equal, call by call."""

import asyncio
from collections import Counter

import pytest
from tests.methods.juryflow.court import JUDGES, PANEL, TAGS, Court, judged, juryflow, pair

from venire.errors import ConfigError
from venire.judging.convene import Decomposing
from venire.judging.orders import Orders
from venire.judging.panel import Panel
from venire.judging.unit import Unit
from venire.judging.verdicts import Reduction
from venire.judging.votes import MajorityRule, TieRule
from venire.llm.embedding import OFFLINE
from venire.methods.juryflow.method import JuryFlow
from venire.methods.juryflow.same_budget import SameBudgetMajority
from venire.methods.majority import Majority
from venire.methods.protocol import Method
from venire.methods.single import Single
from venire.methods.units import ByUnit
from venire.records import Call, Instance, Outcome, Preference, Request, Winner

WORDS = ["aaaaa", "aarru", "rrraa", "rrrra", "uuaar", "aaaa-", "rraa-", "-rrr-", "-----"]
# Each response has two claims, whose votes go through all pairs of the words above.
INSTANCES = [
    pair(f"x{i} {a}. y{i} {b}", f"z{i} {b}. w{i} {a}", f"set/{i}")
    for i, (a, b) in enumerate((a, b) for a in WORDS for b in WORDS)
]


def court() -> Court:
    claims = [
        claim for each in INSTANCES for response in each.responses for claim in response.text.split(". ")
    ]
    votes = {claim: claim.split()[1] for claim in claims}
    revised = {claim: "aru"[index % 3] for index, claim in enumerate(claims)}
    return Court(votes=votes, revised=revised, pairwise="A")


def completions(outcome: Outcome) -> list[Call]:
    return [call for call in outcome.calls if not call.is_embedding]


def by_claims(kind: type[ByUnit], **settings: object) -> ByUnit:
    given = {"unit": Unit.CLAIMS, "tags": TAGS, "embedding": OFFLINE, **settings}
    return kind(PANEL, **given)  # type: ignore[arg-type]


NO_REEVALUATION = juryflow(focal=None, propagation=None, rubric=None)


@pytest.mark.parametrize("instance", INSTANCES, ids=lambda instance: instance.responses[0].text)
def test_without_re_evaluation_juryflow_is_the_majority_over_claims(instance: Instance) -> None:
    stripped = judged(NO_REEVALUATION, court(), instance)
    majority = judged(by_claims(Majority), court(), instance)
    assert stripped.prediction == majority.prediction
    assert stripped.votes == majority.votes
    assert completions(stripped) == completions(majority)
    assert stripped.detail["scores"] == majority.detail["scores"]
    assert stripped.detail["tie_break"] == majority.detail["tie_break"]


@pytest.mark.parametrize(
    "method",
    [juryflow(rubric=None), juryflow(rubric=None, propagation=None), NO_REEVALUATION],
    ids=["no_rubric", "focal_only", "no_reevaluation"],
)
def test_stage_1_is_shared_with_the_majority_over_claims(method: JuryFlow) -> None:
    def stage_1(each: Method, instance: Instance) -> set[str]:
        calls = completions(judged(each, court(), instance))
        return {call.key for call in calls if call.stage in ("decompose", "judge")}

    for instance in INSTANCES[:20]:
        assert stage_1(method, instance) == stage_1(by_claims(Majority), instance)


def test_the_single_judge_s_claims_are_its_own_part_of_the_panel_s_calls() -> None:
    for instance in INSTANCES[:20]:
        alone = judged(by_claims(Single), court(), instance)
        panel = judged(by_claims(Majority), court(), instance)
        of_panel = {call.key for call in panel.calls}
        stage_1 = [call for call in alone.calls if call.stage in ("decompose", "judge")]
        assert {call.role for call in stage_1} == {"j2"}
        assert {call.key for call in stage_1} <= of_panel
        # Its vote on the panel is its prediction, ties aside.
        vote = next(vote for vote in panel.votes if vote.judge == "j2")
        assert alone.votes == (vote,)
        if isinstance(vote.prediction, Preference) and vote.prediction.winner is not Winner.TIE:
            assert alone.prediction == vote.prediction


def test_a_tie_break_is_the_single_judge_s_holistic_comparison() -> None:
    instance = pair("fine", "good")
    tied = judged(juryflow(), Court(pairwise="A"), instance)
    holistic = judged(Single(PANEL), Court(pairwise="A"), instance)
    broken = {call.key for call in tied.calls if call.stage == "tie_break"}
    assert broken == {call.key for call in holistic.calls}


@pytest.mark.parametrize(
    ("kind", "settings", "message"),
    [
        (Majority, {"orders": Orders.AS_GIVEN}, "orders: claims are judged without an order"),
        (Single, {"orders": Orders.SEEDED}, "orders: claims are judged without an order"),
        (Majority, {"rule": MajorityRule.ABSOLUTE}, "rule: verdicts on claims"),
        (Majority, {"tie_rule": TieRule.UNSCORED}, "tie_rule: with unit=claims"),
        (Majority, {"tags": None}, "tags: unit=claims needs"),
        (Majority, {"decomposition": Decomposing.PER_JUDGE, "embedding": None}, "embedding: "),
        (Single, {"unit": Unit.HOLISTIC, "reduction": Reduction.STRICT}, "reduction: unit=holistic"),
        (Single, {"unit": Unit.HOLISTIC, "decomposition": Decomposing.PER_JUDGE}, "decomposition: unit="),
    ],
)
def test_settings_of_the_other_unit_are_refused(
    kind: type[ByUnit], settings: dict[str, object], message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        by_claims(kind, **settings)
    assert str(caught.value).startswith(message)


def test_a_tie_of_scores_can_stand_for_the_majority() -> None:
    outcome = judged(by_claims(Majority, tie_rule=TieRule.TIE), Court(), pair("a", "b"))
    assert outcome.prediction == Preference(Winner.TIE)


def test_prompts_and_embeddings_follow_the_unit() -> None:
    assert Majority(PANEL).prompts == ("pairwise", "reask")
    assert by_claims(Majority).prompts == ("decompose", "judge_claims", "pairwise", "reask")
    assert by_claims(Majority).embeddings == ()
    assert by_claims(Single, decomposition=Decomposing.PER_JUDGE).embeddings == (OFFLINE,)


# The control with the same budget. First response: both claims disputed 3:2 (d = .613).
DISPUTED = pair("x rrraa. y rrraa", "z aaaaa", "set/d")


def same_budget(**settings: object) -> SameBudgetMajority:
    given: dict[str, object] = {"panel": PANEL, "tags": TAGS, "embedding": OFFLINE}
    return SameBudgetMajority(**{**given, **settings})  # type: ignore[arg-type]


def again(request: Request) -> bool:
    return request.replicate > 0


def budget_court() -> Court:
    """The panel rejects x and y 3:2; asked again, all accept; the reviewer accepts."""
    rules = Court(votes={"x rrraa": "rrraa", "y rrraa": "rrraa", "z aaaaa": "aaaaa"})
    milder = Court()
    return Court(scripts={"judge": lambda request: (milder if again(request) else rules).answer(request)})


def test_as_many_judgments_are_asked_for_again_as_juryflow_re_evaluates() -> None:
    llm = budget_court()
    whole = judged(juryflow(), budget_court(), DISPUTED)
    budget = sum(call.stage in ("focal", "propagation", "rubric") for call in whole.calls)
    assert budget == 4  # two focal re-evaluations, each of which changed the verdict: two entries
    outcome = judged(same_budget(), llm, DISPUTED)
    assert outcome.detail["budget"] == budget
    assert Counter(call.stage for call in completions(outcome)) == {
        "decompose": 2,
        "judge": 10,
        "replicate": 4,
        "budget": 4,
        # 3:2 against becomes 4:3 for (two more votes): a tie of scores, as budget calls show none.
        "tie_break": 2,
    }
    replicates = [request for request in llm.of_stage("judge") if again(request)]
    assert {request.temperature for request in replicates} == {0.7}
    # Two judges, each on either response.
    asked = Counter(request.role for request in replicates)
    assert list(asked.values()) == [2, 2]
    about = Counter(request.subject.response_index for request in replicates if request.subject)
    assert about == {0: 2, 1: 2}


def test_further_votes_count_like_any_vote() -> None:
    outcome = judged(same_budget(), budget_court(), DISPUTED)
    responses = outcome.detail["responses"]
    assert isinstance(responses, list)
    assert responses[0]["verdicts"] == ["accept", "accept"]  # 3 reject, 2 + 2 accept
    assert len(responses[0]["judgments"]) == 7
    # Each judge's own vote is that of its first reply.
    assert outcome.votes == judged(by_claims(Majority), budget_court(), DISPUTED).votes


def test_without_re_evaluation_there_is_no_further_vote() -> None:
    instance = pair("z aaaaa", "y rrrrr")
    llm = Court(votes={"y rrrrr": "rrrrr"})
    outcome = judged(same_budget(), llm, instance)
    majority = judged(by_claims(Majority), Court(votes={"y rrrrr": "rrrrr"}), instance)
    assert outcome.detail["budget"] == 0
    assert outcome.prediction == majority.prediction
    assert completions(outcome) == completions(majority)


def test_the_memory_goes_on_as_juryflow_s_does() -> None:
    whole, control = juryflow(), same_budget()
    one = judged(whole, budget_court(), DISPUTED)
    other = judged(control, budget_court(), DISPUTED)
    assert one.additions == other.additions
    assert whole.fold(whole.initial_memory(), one) == control.fold(control.initial_memory(), other)
    assert control.order_dependent


def test_who_is_asked_again_hangs_on_seed_and_instance() -> None:
    def roles(seed: int) -> list[str]:
        llm = budget_court()
        asyncio.run(same_budget(seed=seed).judge(DISPUTED, juryflow().initial_memory(), llm))
        return sorted(request.role for request in llm.of_stage("judge") if again(request))

    assert roles(0) == roles(0)
    assert len({tuple(roles(seed)) for seed in range(6)}) > 1


@pytest.mark.parametrize("temperature", [-0.1, 2.1])
def test_a_temperature_out_of_range_is_refused(temperature: float) -> None:
    with pytest.raises(ConfigError, match=r"^replicate_temperature: expected 0 to 2"):
        same_budget(replicate_temperature=temperature)


def test_a_panel_of_one_has_nothing_to_dispute() -> None:
    panel = Panel(JUDGES[:1], "j0")
    outcome = judged(juryflow(panel=panel), Court(votes={"b": "r"}), pair("a", "b"))
    assert outcome.prediction == Preference(Winner.FIRST)
    assert {call.stage for call in completions(outcome)} == {"decompose", "judge"}
