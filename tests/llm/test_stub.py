"""The fault-injecting stub itself: what others measure with it must be what happened."""

import asyncio
import json
import urllib.error
import urllib.request

import pytest
from tests.stub.faults import Fault, FaultPlan, distort
from tests.stub.process import stub_process
from tests.stub.replies import always_a, digest, sample, verdict

BODY = {"model": "m", "messages": [{"role": "user", "content": "Which?"}]}


def post(url: str, body: object) -> dict[str, object]:
    request = urllib.request.Request(
        f"{url}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=5) as response:
        parsed: dict[str, object] = json.load(response)
    return parsed


def test_a_reply_depends_on_the_body_alone() -> None:
    assert verdict(BODY) == verdict(dict(reversed(BODY.items())))
    others = {json.dumps(verdict({**BODY, "seed": seed})) for seed in range(20)}
    assert len(others) == 20
    assert set(verdict(BODY)) == {"reasoning", "winner", "confidence"}
    assert always_a(BODY)["winner"] == "A"


def test_a_reply_fits_the_requests_schema() -> None:
    schema = {
        "type": "object",
        "properties": {
            "claims": {"type": "array", "minItems": 3, "items": {"$ref": "#/$defs/claim"}},
            "score": {"type": "integer", "minimum": 1, "maximum": 5},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
        "$defs": {"claim": {"type": "object", "properties": {"verdict": {"enum": ["accept", "reject"]}}}},
    }
    body = {**BODY, "response_format": {"type": "json_schema", "json_schema": {"schema": schema}}}
    reply = verdict(body)
    claims = reply["claims"]
    assert isinstance(claims, list)
    assert len(claims) == 3
    assert {claim["verdict"] for claim in claims} <= {"accept", "reject"}
    assert reply["score"] in {1, 2, 3, 4, 5}
    assert isinstance(reply["note"], str)
    assert sample({"const": 4}, "s", {}) == 4


def test_a_plan_depends_on_body_and_attempt_never_on_arrival() -> None:
    plan = FaultPlan(script=(Fault.RESET,), probability={Fault.HANG: 0.5}, seed=1)
    faults = [plan.fault(digest({**BODY, "seed": n}), 1) for n in range(400)]
    assert faults == [plan.fault(digest({**BODY, "seed": n}), 1) for n in range(400)]
    # 400 draws at .5: 200 expected, standard deviation 10; the seed is fixed.
    assert 160 < faults.count(Fault.HANG) < 240
    assert plan.fault("any", 0) is Fault.RESET
    assert FaultPlan((Fault.RESET,), matching="needle").fault("any", 0, "hay") is Fault.OK


def test_faults_of_form_leave_the_verdict_in_the_text_and_the_others_do_not() -> None:
    reply = verdict(BODY)
    for fault in (Fault.FENCED, Fault.PREFIXED, Fault.NESTED_BRACES, Fault.TRAILING_COMMA):
        assert f'"winner": "{reply["winner"]}"' in distort(reply, fault)
    assert distort(reply, Fault.TRUNCATED) == distort(reply, Fault.OK)[: len(json.dumps(reply)) // 2]
    assert json.loads(distort(reply, Fault.WRONG_LABEL))["winner"] == "C"
    assert distort(reply, Fault.EMPTY_TEXT) == ""


def test_in_a_process_of_its_own_it_counts_and_takes_orders() -> None:
    with stub_process("--rule", "always_a") as stub:
        assert post(stub.url, BODY) == post(stub.url, BODY)
        post(stub.url, {**BODY, "seed": 1})
        stats = stub.stats()
        assert (stats["requests"], stats["distinct"], stats["ok"]) == (3, 2, 3)
        assert (stats["in_flight"], stats["max_in_flight"]) == (0, 1)
        stub.set_plan(script=["unauthorized"])
        stub.reset()
        with pytest.raises(urllib.error.HTTPError) as caught:
            post(stub.url, BODY)
        with caught.value as error:
            assert error.code == 401
        assert stub.stats()["by_fault"] == {"unauthorized": 1}


def test_maximal_in_flight_is_seen_from_outside() -> None:
    async def run(url: str) -> None:
        await asyncio.gather(*(asyncio.to_thread(post, url, {**BODY, "seed": number}) for number in range(4)))

    with stub_process("--delay", "0.3") as stub:
        asyncio.run(run(stub.url))
        assert stub.stats()["max_in_flight"] == 4
