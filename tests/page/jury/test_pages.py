"""JuryFlow's pages over HTTP: what they show and escape, what they take, what they say if they do not."""

import asyncio
import html
import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.methods.juryflow.court import pair
from tests.page.corpus import XSS
from tests.page.jury.questions import Asking, asking, node, noon, page_of, question, sitting, weights_of
from tests.page.served import Reply, Visitor

from venire.errors import ConfigError
from venire.methods.juryflow.choices import read_choices
from venire.methods.juryflow.select import Focus, Question
from venire.page.jury.desk import Desk, key_of
from venire.page.jury.selector import Page
from venire.runner import Interrupted

CLAIMS = (node(0, (5, 0, 0)), node(1, (2, 2, 1), tags=["clear"]), node(2, (3, 2, 0)))
ASKED = question(CLAIMS, weights_of(3, {(1, 2): 0.75}))
OTHER = question(CLAIMS, place=1)
AT, NEXT = f"/jury/question/{key_of(ASKED)}", f"/jury/question/{key_of(OTHER)}"
CHOICE = f"/jury/choice/{key_of(ASKED)}"


@dataclass
class Open:
    """A page that asks two questions, and a visitor who has said who they are."""

    run: Asking
    ana: Visitor

    def answer(self, claim: str, at: str = AT) -> Reply:
        return answer(self.ana, claim, at)


def answer(who: Visitor, claim: str, at: str = AT, seconds: str = "") -> Reply:
    """Fill in the form and send it."""
    return who.post(at, {"csrf": who.get("/who").csrf, "claim": claim, "seconds": seconds})


@pytest.fixture
def there() -> Iterator[Open]:
    with asking() as run, page_of(run.desk) as url:
        run.ask(ASKED, OTHER)
        ana = Visitor(url)
        ana.enter("ana")
        yield Open(run, ana)


def texts(reply: Reply) -> str:
    """What a reader reads."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", reply.text)).split())


def test_whoever_comes_says_who_they_are_and_is_asked_the_first_question(there: Open) -> None:
    stranger = Visitor(there.ana.url)
    assert stranger.get(AT).headers["location"] == "/who?mode=jury"
    assert there.ana.get("/").headers["location"] == "/jury/"
    assert there.ana.get("/jury/").headers["location"] == AT
    shown = there.ana.get(AT)
    assert shown.status == 200
    said = texts(shown)
    assert "Which disagreement should be resolved first?" in said
    assert "set/1 , response 1 of 2. 2 of its 3 claims are disputed" in said
    assert "simulated replies: no model was asked" in said
    assert "0 of 3 instances are judged 1 more question waiting" in said


def test_the_table_says_all_that_the_graph_says(there: Open) -> None:
    rows = re.findall(r"<tr role=\"row\" id=.*?</tr>", there.ana.get(AT).text, flags=re.DOTALL)
    read = [" ".join(html.unescape(re.sub(r"<[^>]*>", " ", row)).split()) for row in rows]
    assert read == [
        "1 2 claim 1 ★ auto would take it 0.960 2 accept , 2 reject , 1 uncertain clear to 3: 0.75",
        "2 3 claim 2 ★ auto would take it 0.613 3 accept , 2 reject none to 2: 0.75",
        "d ≤ 0.5 1 claim 0 0.000 5 accept none none",
    ]
    assert [re.findall(r'type="radio" name="claim" value="(\d+)"', row) for row in rows] == [["1"], ["2"], []]


def test_a_choice_is_kept_said_to_be_and_the_next_question_follows(there: Open) -> None:
    there.ana.get(AT)
    kept = answer(there.ana, "2", seconds="1.54")
    assert (kept.status, kept.headers["location"]) == (303, f"{CHOICE}?done=saved")
    assert [(each.claim, each.annotator, each.seconds) for each in there.run.kept] == [(2, "ana", 1.5)]
    said = texts(there.ana.get(CHOICE))
    assert "Kept: it is being judged again" in said
    assert "Chosen: claim 3, claim 2 It took 1.5 s." in said
    assert there.ana.get(AT).headers["location"] == CHOICE  # back is no second question
    assert there.ana.get("/jury/").headers["location"] == NEXT
    assert there.answer("none", NEXT).status == 303
    assert [each.claim for each in there.run.kept] == [2, None]
    assert "The judges are at work" in texts(there.ana.get("/jury/"))


def test_the_time_of_a_question_is_that_of_all_visits_of_whoever_answers(there: Open) -> None:
    def tell(who: Visitor, seconds: str, annotator: str, visit: str, what: str = key_of(ASKED)) -> Reply:
        times = re.search(r'data-times="(\w+)"', who.get(AT).text)
        assert times is not None
        fields = {"times": times[1], "what": what, "annotator": annotator, "visit": visit, "seconds": seconds}
        return who.post("/jury/time", {"csrf": who.get("/who").csrf, **fields})

    bob = Visitor(there.ana.url)
    bob.enter("bob")
    told = [
        tell(there.ana, "3", "ana", "before-a-reload"),
        tell(there.ana, "5", "ana", "before-a-reload"),
        tell(bob, "60", "bob", "of-another"),
        tell(there.ana, "7", "bob", "of-another"),
        tell(there.ana, "7", "ana", "v", "../no question"),
        tell(there.ana, "nan", "ana", "v"),
    ]
    assert [each.status for each in told] == [204, 204, 204, 409, 400, 400]
    assert answer(there.ana, "", seconds="2").status == 422  # no answer, but time
    assert answer(there.ana, "2", seconds="1.5").status == 303
    assert [each.seconds for each in there.run.kept] == [8.5]


def test_a_time_that_nobody_knows_is_not_made_up(there: Open) -> None:
    assert answer(there.ana, "2").status == 303
    assert [each.seconds for each in there.run.kept] == [None]
    assert "It took" not in texts(there.ana.get(CHOICE))


def test_of_two_browsers_the_first_answer_counts_and_the_other_is_told(there: Open) -> None:
    bob = Visitor(there.ana.url)
    bob.enter("bob")
    assert bob.get(AT).status == there.ana.get(AT).status == 200
    there.answer("1")
    late = answer(bob, "2")
    assert (late.status, late.headers["location"]) == (303, f"{CHOICE}?done=too_late")
    assert there.answer("1").headers["location"] == f"{CHOICE}?done=saved"  # a form that was sent twice
    strange = answer(bob, "2", "/jury/question/unknown")
    assert strange.headers["location"] == "/jury/?done=too_late"
    assert bob.get("/jury/?done=too_late").headers["location"] == f"{NEXT}?done=too_late"
    assert [(each.claim, each.annotator) for each in there.run.kept] == [(1, "ana")]


@pytest.mark.parametrize("claim", ["0", "7", "-1", "", "1 ", "one", XSS[0]])
def test_what_was_not_offered_is_not_taken(there: Open, claim: str) -> None:
    refused = there.answer(claim)
    assert refused.status == 422
    assert "Choose one of the claims, or none." in texts(refused)
    assert there.run.kept == []


def test_a_form_of_another_page_is_not_taken(there: Open) -> None:
    assert there.ana.post(AT, {"claim": "1"}).status == 403
    csrf = there.ana.get(AT).csrf
    assert there.ana.post(AT, {"csrf": csrf, "claim": "1"}, origin="http://evil.example").status == 403
    assert there.run.kept == []


@pytest.mark.parametrize("path", ["question/unknown", "question/../../etc/passwd", f"choice/{key_of(ASKED)}"])
def test_what_is_not_asked_leads_to_what_is(there: Open, path: str) -> None:
    reply = there.ana.get(f"/jury/{path}")
    assert (reply.status, reply.headers.get("location")) in ((303, "/jury/"), (404, None))


def test_what_cannot_be_kept_is_said_and_asked_again() -> None:
    def full(_: object) -> None:
        raise OSError(28, "No space left on device")

    run = Asking(Desk(noon))
    run.desk.open(sitting(), full)
    run.ask(ASKED)
    with page_of(run.desk) as url:
        there = Open(run, Visitor(url))
        there.ana.enter("ana")
        reply = there.answer("1")
        assert reply.status == 500
        assert "Not kept: No space left on device. The question is still open." in texts(reply)
        assert "resolved first?" in texts(there.ana.get(AT))
    run.close()


def test_a_stopped_run_takes_no_choice_and_says_so(there: Open) -> None:
    there.answer("1")
    there.run.loop.call_soon_threadsafe(there.run.desk.stop, Interrupted("interrupted (SIGINT)"))
    there.run.settle()
    late = there.answer("1", NEXT)
    assert (late.status, late.headers["location"]) == (303, "/jury/?done=too_late")
    assert len(there.run.kept) == 1
    ended = texts(there.ana.get("/jury/?done=too_late"))
    assert "Your answer was not kept: that question is not open any more." in ended
    assert "The run was stopped All choices are kept: the same command goes on where it was." in ended
    assert "set/1, 1 2 claim 1 ana not known not reached not reached" in ended
    stopped = there.ana.get(CHOICE)
    assert "The run was stopped before it was through" in texts(stopped)
    assert "data-news" not in stopped.text  # nothing is waited for


def news(there: Open, of: str, stage: str, over: int = 0) -> dict[str, object]:
    reply = there.ana.get(f"/jury/news?of={of}&stage={stage}&over={over}")
    told: dict[str, object] = json.loads(reply.text)
    return told


def test_news_comes_when_a_page_is_out_of_date(there: Open) -> None:
    key = key_of(ASKED)
    there.answer("1")
    fresh = {"stale": True, "over": False, "progress": "0 of 3 instances are judged"}
    assert news(there, key, "open") == fresh  # answered
    assert news(there, "", "") == fresh  # a page that waits: there is a question
    loop = there.run.loop
    loop.call_soon_threadsafe(loop.call_later, 0.05, there.run.desk.close)
    assert news(there, key, "chosen") == {**fresh, "over": True}  # waits for it
    assert news(there, key, "chosen", over=1) == {**fresh, "stale": False, "over": True}


def test_however_many_pages_wait_for_news_others_are_served(there: Open) -> None:
    jar = "; ".join(f"{name}={value}" for name, value in there.ana.cookies.items())
    path = f"/jury/news?of={key_of(ASKED)}&stage=open&over=0"
    with ExitStack() as waiting:
        for _ in range(60):  # more than there are threads that make pages (40)
            connection = waiting.enter_context(closing(HTTPConnection(urlsplit(there.ana.url).netloc)))
            connection.request("GET", path, headers={"cookie": jar})
        assert there.ana.get(AT).status == 200  # it gives up after 10 s, before the first of them does
        assert there.answer("1").status == 303


HOSTILE = list(zip(XSS[::2], XSS[1::2], strict=True))


def hostile(text: str, other: str) -> Question:
    named = pair(text, text, name=text[:80])
    instance = replace(named, prompt=other, context=text, reference=other)
    return question([node(0, (2, 2, 1), text, [other]), node(1, (5, 0, 0), other, [text])], instance=instance)


@pytest.mark.parametrize(
    ("text", "other"), list(zip(XSS[::2], XSS[1::2], strict=True)), ids=range(len(XSS) // 2)
)
def test_every_text_is_shown_as_it_is_and_makes_no_markup(text: str, other: str) -> None:
    asked, harmless = hostile(text, other), hostile("harmless", "harmless")
    with asking() as run, page_of(run.desk) as url:
        run.ask(asked, harmless)
        there = Open(run, Visitor(url))
        there.ana.enter("ana")
        shown, plain = (there.ana.get(f"/jury/question/{key_of(each)}").text for each in (asked, harmless))
        assert re.findall(r"<[a-z][^\s>]*", shown) == re.findall(r"<[a-z][^\s>]*", plain)
        assert (
            html.unescape(shown).count(text) >= 4
        )  # instance (its beginning), context, response, claim, tag
        assert html.unescape(shown).count(other) >= 3  # prompt, reference, claim, tag
        there.answer("0", f"/jury/question/{key_of(asked)}")
        there.answer("0", f"/jury/question/{key_of(harmless)}")
        kept, also = (there.ana.get(f"/jury/choice/{key_of(each)}").text for each in (asked, harmless))
        assert re.findall(r"<[a-z][^\s>]*", kept) == re.findall(r"<[a-z][^\s>]*", also)
        assert text in html.unescape(kept)


def farewell(last: Reply) -> str:
    """What a browser asks for once a run's last page is there."""
    found = re.search(r'data-goodbye="([^"]+)"', last.text)
    assert found is not None
    return html.unescape(found[1])


def test_the_selector_serves_while_a_run_judges_and_tells_where(tmp_path: Path) -> None:
    path = tmp_path / "made" / "choices.jsonl"
    said: list[str] = []
    page = Page(str(path), port=0)

    def person(url: str) -> str:
        ana = Visitor(url)
        ana.enter("ana")
        answer(ana, "2")
        ana.get(f"/jury/news?of={key_of(ASKED)}&stage=chosen&over=0")  # as a browser waits for what changed
        last = ana.get("/jury/")
        ana.get(farewell(last))
        return texts(last)

    async def run() -> tuple[Focus, Focus, str]:
        async with page.attended(sitting(tmp_path, said.append)):
            browsing = asyncio.create_task(asyncio.to_thread(person, said[0].split()[2]))
            chosen = await page.select(ASKED)
            again = await page.select(ASKED)  # kept: not asked again
        return chosen, again, await browsing

    chosen, again, last = asyncio.run(run())
    assert chosen.claims == again.claims == (2,)
    assert len(read_choices(path)) == 1
    assert "The run has ended There is no further question" in last
    assert said[0].endswith("(Ctrl-C stops the run; choices are kept)")
    with pytest.raises(ConnectionRefusedError):
        Visitor(said[0].split()[2]).get("/")


def test_a_form_that_was_open_over_a_restart_is_taken(tmp_path: Path) -> None:
    ana, said = Visitor(""), list[str]()

    async def run(person: Callable[[], int]) -> int:
        page = Page(str(tmp_path / "choices.jsonl"), port=0)
        async with page.attended(sitting(tmp_path, said.append)):
            asking = asyncio.create_task(page.select(ASKED))
            await asyncio.sleep(0)
            ana.url = said[-1].split()[2]
            status = await asyncio.to_thread(person)
            asking.cancel()
            page.desk.close()
            await asyncio.to_thread(lambda: ana.get(farewell(ana.get("/jury/"))))
        return status

    def come() -> int:
        ana.enter("ana")
        forms.append(ana.get(AT).csrf)
        return 0

    forms: list[str] = []
    asyncio.run(run(come))
    assert asyncio.run(run(lambda: ana.post(AT, {"csrf": forms[0], "claim": "1"}).status)) == 303
    assert [choice.claim for choice in read_choices(tmp_path / "choices.jsonl")] == [1]


def test_a_host_that_others_reach_needs_the_token_of_the_address(tmp_path: Path) -> None:
    said: list[str] = []
    page = Page(str(tmp_path / "choices.jsonl"), host="0.0.0.0", port=0)

    async def run() -> list[int]:
        async with page.attended(sitting(tmp_path, said.append)):
            url = said[0].split()[2].replace("0.0.0.0", "127.0.0.1")
            address, _, query = url.partition("?")
            visitor = Visitor(address)

            def ask() -> list[int]:
                refused = visitor.get("/who").status
                visitor.get(f"/who?{query}")  # leaves a cookie
                return [refused, visitor.get("/who").status]

            return await asyncio.to_thread(ask)

    assert asyncio.run(run()) == [401, 200]
    assert re.search(r"\?token=[\w-]{32} ", said[0])


def test_a_port_that_is_taken_is_named_by_its_key(tmp_path: Path) -> None:
    async def run(page: Page) -> None:
        async with page.attended(sitting(tmp_path)):
            pass

    with asking() as other, page_of(other.desk) as url:
        port = int(url.rstrip("/").rpartition(":")[2])
        with pytest.raises(ConfigError, match=r"^method\.focal\.selector\.port: cannot listen on 127"):
            asyncio.run(run(Page(str(tmp_path / "choices.jsonl"), port=port)))
