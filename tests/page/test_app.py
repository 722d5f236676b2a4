"""What is put together: modes side by side, who is asked who they are, and what goes wrong."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from tests.page.served import SECRET, Visitor

from venire.page.app import make_app
from venire.page.mode import Mode
from venire.page.rendering import page
from venire.page.security import HEADERS, Security, form_of, visitor_of
from venire.page.serving import listen, served


def who(request: Request) -> Response:
    return PlainTextResponse(f"{visitor_of(request).annotator}")


async def later(request: Request) -> Response:
    return who(request)


def echo(request: Request) -> Response:
    return PlainTextResponse(repr(sorted(form_of(request).items())))


def crash(request: Request) -> Response:
    raise RuntimeError("a secret of the server")


def own(request: Request) -> Response:
    return page(request, "open/own.html", text="<b>&")


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("mode")
    for kind, name, text in (
        ("templates", "own.html", '{% extends "base.html" %}{% block main %}{{ text }}{% endblock %}'),
        ("static", "own.css", "p { margin: 0 }"),
    ):
        (folder / kind).mkdir()
        (folder / kind / name).write_text(text)
    routes = (Route("/", who), Route("/later", later), Route("/crash", crash), Route("/own", own))
    asked = Mode("asked", "Asked", (*routes, Route("/echo", echo, methods=["POST"])), Path("nowhere"), "why")
    unasked = Mode("open", "Open", routes, folder, needs_annotator=False)
    app = make_app(Security(SECRET), [asked, unasked])
    with listen("127.0.0.1", 0) as listening, served(app, listening) as address:
        yield address


def test_the_first_page_lists_the_modes(url):
    text = Visitor(url).get("/").text
    assert [name in text for name in ('href="/asked/"', 'href="/open/"', "<p>why</p>")] == [True] * 3


@pytest.mark.parametrize("path", ["", "later"])
def test_people_say_who_they_are_where_a_mode_needs_it(path, url):
    visitor = Visitor(url)
    assert visitor.get(f"/open/{path}").text == "None"
    assert visitor.get(f"/asked/{path}").headers["location"] == "/who?mode=asked"
    entered = visitor.post("/who", {"csrf": visitor.get("/who").csrf, "annotator": "ann", "mode": "asked"})
    assert entered.headers["location"] == "/asked/?done=who"
    assert visitor.get(f"/asked/{path}").text == visitor.get(f"/open/{path}").text == "ann"


@pytest.mark.parametrize("mode", ["", "//evil.example", "../x", "nowhere"])
def test_one_is_led_to_a_mode_or_to_the_first_page_and_nowhere_else(mode, url):
    visitor = Visitor(url)
    fields = {"csrf": visitor.get("/who").csrf, "annotator": "ann", "mode": mode}
    assert visitor.post("/who", fields).headers["location"] == "/?done=who"


def test_a_handler_gets_the_fields_without_the_form_token(url):
    visitor = Visitor(url)
    visitor.enter("ann")
    fields = {"csrf": visitor.get("/who").csrf, "x": "1", "empty": "", "ü": "ß&="}
    assert visitor.post("/asked/echo", fields).text == "[('empty', ''), ('x', '1'), ('ü', 'ß&=')]"
    assert visitor.get("/asked/echo").status == 405


def test_a_modes_templates_escape_and_its_files_are_below_its_name(url):
    visitor = Visitor(url)
    assert "&lt;b&gt;&amp;" in visitor.get("/open/own").text
    assert visitor.get("/static/open/own.css").text == "p { margin: 0 }"
    assert visitor.get("/static/own.css").status == 404


def test_a_fault_of_ours_tells_nothing_and_keeps_the_headers(url):
    reply = Visitor(url).get("/open/crash")
    assert (reply.status, reply.text) == (500, "Internal Server Error")
    assert {name: reply.headers.get(name) for name in HEADERS} == HEADERS


def test_what_is_not_there_has_a_page_of_its_own(url):
    reply = Visitor(url).get("/open/nothing")
    assert (reply.status, "There is no such page." in reply.text) == (404, True)
