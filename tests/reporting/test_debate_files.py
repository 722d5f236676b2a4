"""`transcripts.jsonl` and `transcripts.html`: what they hold, and that nothing in them can act."""

import json
import re
from typing import Any

import pytest
from tests.methods.maj_eval.table import (
    CHAIR,
    DOCTOR,
    ITEM,
    NURSE,
    OPENINGS,
    REFUSED,
    TALK,
    Play,
    judged,
    lines,
    method,
    names,
    rates,
    says,
)
from tests.reporting.pages import Tags

from venire.methods.maj_eval.debate import FreeDebate
from venire.records import BackendKind, Instance, Outcome, RatingsGold, Reason, Response, Unscored
from venire.reporting.debate_files import debate_files, transcripts_jsonl
from venire.reporting.debate_page import debate_page
from venire.reporting.debate_view import DebateView, debates_of

KIND = BackendKind.SIMULATED
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)></p></div>&amp;"


def view(*parts: Any, instance: Instance = ITEM, **limits: Any) -> DebateView:
    made = judged(Play(OPENINGS, TALK, *parts), method(debate=FreeDebate(**limits)), instance)
    (found,) = debates_of([instance], [made])
    return found


def page_of(*views: DebateView, kind: BackendKind = KIND) -> str:
    return debate_page(views, title="t", kind=kind)


def test_a_line_has_the_scores_before_and_after_every_turn_and_the_synthesis() -> None:
    (line,) = transcripts_jsonl([view()], KIND).splitlines()
    read = json.loads(line)
    assert read["instance"] == "mslr/3"
    assert read["kind"] == "simulated"
    assert read["gold"] == {"fluency": 1.73, "strength": 0.41}
    assert read["score"] == {"overall": 0.5625, "fluency": 0.75, "strength": 2.25}
    assert read["groups_before"]["patients"] == {"overall": 0.5, "fluency": 0, "strength": 3}
    clinicians = read["transcripts"][0]
    assert [turn["speaker"] for turn in clinicians["turns"]] == ["nurse", "doctor", "nurse"]
    assert read["synthesis"]["agreements"] == ["It reads well."]


def test_outcomes_without_debates_leave_no_files() -> None:
    plain = Outcome("mslr/3", Unscored(Reason.NO_VOTES), detail={"transcripts": []})
    assert debates_of([ITEM], [plain]) == []
    assert debate_files([ITEM], [plain, Outcome("x", plain.prediction)], kind=KIND, title="t") == {}
    assert debate_files([ITEM], [], kind=KIND, title="t") == {}


def test_a_run_leaves_both_files_and_an_item_without_judgment_says_why() -> None:
    roles = (NURSE, DOCTOR, "patients/patient")
    made = judged(Play({("rate", role): [REFUSED] for role in roles}))
    files = debate_files([ITEM], [made], kind=KIND, title="t")
    assert set(files) == {"transcripts.jsonl", "transcripts.html"}
    assert json.loads(files["transcripts.jsonl"])["unscored"] == "no_votes: refused"
    assert "none: no_votes: refused" in files["transcripts.html"]
    assert "no first rating could be used" in files["transcripts.html"]


def hostile_view() -> DebateView:
    """Every text that a model or the data set says is hostile."""
    synthesis = json.dumps({"agreements": [HOSTILE], "disputes": [HOSTILE], "reading": HOSTILE})
    item = Instance(
        HOSTILE,
        HOSTILE,
        (Response(HOSTILE),),
        gold=RatingsGold({}),
        context=HOSTILE,
        reference=HOSTILE,
        dimensions=ITEM.dimensions,
    )
    chair = json.dumps({"reason": HOSTILE, "next_speaker": HOSTILE})
    return view(
        lines(chair=[chair], nurse=[says(HOSTILE)], nurse_final=[rates(1, 1, HOSTILE)]),
        {("rate", NURSE): [rates(2, 3, HOSTILE)], ("final", DOCTOR): [rates(1, 1, HOSTILE)]},
        {("aggregate", "aggregator"): [synthesis]},
        instance=item,
        turns=1,
    )


def test_the_page_escapes_what_models_and_data_say_and_fetches_nothing() -> None:
    page = debate_page([hostile_view()], title=HOSTILE, kind=KIND)
    seen = Tags()
    seen.feed(page)
    assert seen.names.isdisjoint({"script", "img", "iframe", "object", "link"})
    assert not any(name.startswith("on") for name in seen.attributes)
    assert not {"src", "srcset", "xlink:href"} & seen.attributes
    # id, request, context, reference, response; opening, coordinator's name and reason, message, two finals;
    # agreement, dispute, reading; title, heading and contents
    assert seen.text.count(HOSTILE) == 17
    assert "default-src 'none'" in page
    assert not re.search(r'href="(?!#)', page)


def test_the_page_shows_what_was_said_and_what_it_changed() -> None:
    page = page_of(view())
    for shown in (
        "1. nurse",
        "The second study bears it out.",
        "an open conflict",
        "ends its part",
        "all have ended their part",
        "<b>3 → 2</b>",  # the nurse's strength
        "one agent, nobody to debate with",
        "It reads well.",
        "Less sure now.",
    ):
        assert shown in page, shown


def test_the_page_marks_failures_repetitions_rules_and_turns_that_were_cut() -> None:
    again = says("The effect is reversed, read the second study.")
    made = view(
        lines(
            chair=[names("nurse"), names("janitor"), REFUSED],
            nurse=[again, again],
            doctor=[REFUSED],
            nurse_final=[REFUSED],
            doctor_final=[rates(1, 1)],
        ),
        {("coordinate", CHAIR): [names("nurse"), names("janitor"), REFUSED]},
        max_history=1,
    )
    page = page_of(made)
    # the rule gives the doctor the second turn, which it fails; the nurse then says the same again
    for shown in (
        "named nobody of this group; the rule chose",
        "said nothing: refused",
        "repeats turn 1",
        "failed its turn",
        "repeated itself; no final rating: refused",
        "Turns that somebody was no longer shown: 1.",
    ):
        assert shown in page, shown


def test_the_debates_that_moved_most_come_first_and_the_page_says_what_answered() -> None:
    calm = view(instance=Instance("calm", "?", ITEM.responses, dimensions=ITEM.dimensions))
    moved = view(
        {("debate", DOCTOR): [says("I was wrong. NO MORE COMMENTS", 2, 3)]},
        instance=Instance("moved", "?", ITEM.responses, dimensions=ITEM.dimensions),
    )
    # clinicians before .625; after fluency 2, strength 2.5: (1 + 2.5/3)/2; the patient's group stays
    assert moved.moved == pytest.approx((11 / 12 - 0.625) / 2)
    assert calm.moved == 0
    page = debate_page([calm, moved], title="t", kind=KIND, most=1)
    assert "moved 0.146" in page
    assert ">calm<" not in page
    assert "The 1 of 2 instances" in page
    assert "SIMULATED judges" in page
    assert "SIMULATED" not in page_of(moved, kind=BackendKind.LIVE)
    assert page == debate_page([calm, moved], title="t", kind=KIND, most=1)
