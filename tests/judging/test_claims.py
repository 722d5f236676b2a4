"""Claim-level judging: forms, chunks, and what becomes of incomplete replies."""

import asyncio
import json
from collections.abc import Sequence

import pytest
from tests.judging.scripted import ScriptedLLM, replies
from tests.methods.juryflow.court import Court, material, rulings

from venire.errors import ConfigError
from venire.judging.claims import ClaimForm, Ruled, claim_question, judge_claims, reply_form
from venire.judging.judge import PromptedJudge
from venire.judging.matter import Matter
from venire.judging.reply import schema_text
from venire.judging.tags import TagSet
from venire.llm.protocol import LLM
from venire.records import (
    Claim,
    FinishReason,
    Instance,
    Reason,
    Request,
    Response,
    RubricEntry,
    Unscored,
    Verdict,
)

TAGS = TagSet({name: f"whether it is {name}" for name in ("factual", "logical", "complete", "clear", "safe")})
FORM = ClaimForm(TAGS)
JUDGE = PromptedJudge("j0", "m0", "f0", max_reasks=1, max_tokens=100)
MATTER = Matter(Instance("set/1", "Say something.", (Response("x"), Response("y"))), 1)


def claims(count: int) -> tuple[Claim, ...]:
    return tuple(Claim(index, f"claim text {index}") for index in range(count))


def ask(
    llm: LLM,
    asked: Sequence[Claim],
    form: ClaimForm = FORM,
    rubric: Sequence[RubricEntry] = (),
    replicate: int = 0,
) -> Ruled:
    question = claim_question(MATTER, asked, form, rubric)
    return asyncio.run(judge_claims(JUDGE, question, llm, replicate=replicate))


def ruling(claim: int, verdict: str, tags: Sequence[str] = ("clear",)) -> dict[str, object]:
    return {"claim": claim, "rationale": f"r{claim}", "verdict": verdict, "tags": list(tags)}


def reply(*entries: dict[str, object]) -> str:
    return json.dumps({"judgments": list(entries)})


def test_verdicts_come_back_in_claim_order_with_rationale_and_known_tags() -> None:
    said = reply(ruling(2, "Reject", ["Safe", "logical", "made up"]), ruling(1, "accept", ["logical"]))
    made = ask(replies(said), claims(2)).judgments
    assert [(each.verdict, each.rationale, each.tags) for each in made] == [
        (Verdict.ACCEPT, "r1", ("logical",)),
        (Verdict.REJECT, "r2", ("logical", "safe")),  # in the set's order
    ]


def test_no_claim_is_no_call() -> None:
    made = ask(replies(), claims(0))
    assert (made.judgments, made.calls, made.failure) == ((), (), None)


def test_two_hundred_claims_are_judged_in_five_chunks_under_their_own_numbers() -> None:
    court = Court()
    made = ask(court, claims(200))
    assert [each.claim_index for each in made.judgments] == list(range(200))
    assert all(each.verdict is Verdict.ACCEPT for each in made.judgments)
    numbers = [
        [int(label[6:]) for label in material(each) if label != "request" and label[6:].isdigit()]
        for each in court.requests
    ]
    assert numbers == [list(range(start, start + 40)) for start in (1, 41, 81, 121, 161)]
    # 96 tokens a claim where the judge's own limit, 100, is less.
    assert {request.max_tokens for request in court.requests} == {96 * 40}


def test_a_short_list_leaves_the_judge_s_token_limit_as_it_is() -> None:
    court = Court()
    ask(court, claims(1))
    assert court.requests[0].max_tokens == 100


def test_a_reply_that_lacks_a_claim_is_asked_again_by_name() -> None:
    llm = replies(reply(ruling(1, "accept")), reply(ruling(1, "accept"), ruling(2, "reject")))
    made = ask(llm, claims(2))
    assert [each.verdict for each in made.judgments] == [Verdict.ACCEPT, Verdict.REJECT]
    assert "expected one judgment each of the claims 2" in llm.requests[1].messages[-1].content
    assert len(made.calls) == 2


def test_what_is_still_lacking_after_all_re_asks_is_an_abstention_and_the_rest_counts() -> None:
    made = ask(replies(reply(ruling(1, "reject")), reply(ruling(1, "accept"))), claims(2))
    assert [each.verdict for each in made.judgments] == [Verdict.ACCEPT, None]
    assert made.judgments[1].reason == Unscored(Reason.UNPARSED, "no single judgment of claim 2")
    assert made.failure is None


def test_two_different_verdicts_on_one_claim_are_none() -> None:
    said = reply(ruling(1, "accept"), ruling(1, "reject"), ruling(2, "accept"), ruling(2, "accept"))
    made = ask(replies(said, said), claims(2))
    assert [each.verdict for each in made.judgments] == [None, Verdict.ACCEPT]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("I would rather not say.", Reason.UNPARSED),
        ('{"judgments": [{"claim": 1, "verdict": "maybe"}]}', Reason.UNPARSED),
        (("", FinishReason.ERROR), Reason.PROVIDER_ERROR),
        (("", FinishReason.REFUSED), Reason.REFUSED),
        (('{"judgments": [', FinishReason.LENGTH), Reason.TRUNCATED),
    ],
)
def test_a_judge_without_a_usable_reply_abstains_on_all_claims(
    said: str | tuple[str, FinishReason], reason: Reason
) -> None:
    made = ask(ScriptedLLM(lambda request: said), claims(2))
    assert [each.verdict for each in made.judgments] == [None, None]
    assert made.failure is not None
    assert made.failure.reason is reason


def test_a_failed_chunk_costs_its_own_claims_only() -> None:
    def script(request: Request) -> str | tuple[str, FinishReason]:
        shown = {int(label[6:]): text for label, text in material(request).items() if label[6:].isdigit()}
        if 3 in shown:
            return "", FinishReason.ERROR
        return rulings(shown, lambda _: "reject", lambda _: ["safe"])

    made = ask(ScriptedLLM(script), claims(4), ClaimForm(TAGS, claims_per_call=2))
    assert [each.verdict for each in made.judgments] == [Verdict.REJECT, Verdict.REJECT, None, None]
    assert made.failure is None


def test_the_schema_names_the_tags_and_does_not_depend_on_the_claims() -> None:
    schema = json.loads(schema_text(reply_form(TAGS.names, (1, 2))))
    entry = schema["$defs"]["Ruling"]
    assert list(entry["properties"]) == ["claim", "rationale", "verdict", "tags"]
    assert entry["properties"]["tags"] == {
        "type": "array",
        "items": {"type": "string", "enum": list(TAGS.names)},
    }
    assert entry["required"] == ["claim", "rationale", "verdict", "tags"]
    assert schema_text(reply_form(TAGS.names, (1, 2))) == schema_text(reply_form(TAGS.names, (7,)))


def test_claims_in_another_language_are_shown_and_judged_as_they_are() -> None:
    court = Court(votes={"서울은 대한민국의 수도이다.": "r"})
    made = ask(court, (Claim(0, "서울은 대한민국의 수도이다."),))
    assert material(court.requests[0])["claim 1"] == "서울은 대한민국의 수도이다."
    assert made.judgments[0].verdict is Verdict.REJECT


def test_judges_are_shown_the_tags_and_each_rubric_entry_with_its_latest_examples() -> None:
    court = Court()
    entry = RubricEntry(
        "s/0/0", "Check dates.", "factual", "only years", ("p1", "p2", "p3"), ("n1",), ("s/0/0",)
    )
    ask(court, claims(1), ClaimForm(TAGS, examples=2), rubric=(entry,))
    system = court.requests[0].messages[0].content
    assert "- factual: whether it is factual\n" in system
    assert material(court.requests[0])["rubric 1"].splitlines() == [
        "Dimension: factual",
        "Criterion: Check dates.",
        "Where it ends: only years",
        "Judged rightly: p2",
        "Judged rightly: p3",
        "Judged wrongly: n1",
    ]
    bare = Court()
    ask(bare, claims(1))
    assert "rubric" not in bare.requests[0].messages[0].content


def test_stage_subject_and_role_say_whom_and_what_the_call_is_about() -> None:
    court = Court()
    ask(court, claims(1), replicate=3)
    request = court.requests[0]
    assert (request.stage, request.role, request.replicate) == ("judge", "j0", 3)
    assert request.subject is not None
    assert (request.subject.instance_id, request.subject.response_index) == ("set/1", 1)


@pytest.mark.parametrize("setting", ["claims_per_call", "tokens_per_claim"])
def test_a_form_for_no_claim_is_refused(setting: str) -> None:
    with pytest.raises(ConfigError, match=f"^{setting}: expected at least 1, got 0"):
        ClaimForm(TAGS, **{setting: 0})


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        ({"a": "x"}, "tags: expected 5 to 7 dimensions, got 1"),
        (dict.fromkeys("abcdefgh", "x"), "tags: expected 5 to 7 dimensions, got 8"),
        ({**dict.fromkeys("abcd", "x"), "No Name": "x"}, "tags: expected names like"),
        ({**dict.fromkeys("abcd", "x"), "e": " "}, "tags.e: expected a description of one line"),
    ],
)
def test_a_tag_set_has_five_to_seven_named_and_described_dimensions(
    tags: dict[str, str], message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        TagSet(tags)
    assert str(caught.value).startswith(message)
