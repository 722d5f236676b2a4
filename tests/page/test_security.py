"""Who may ask the page for what, by real requests to a real server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.page.served import SECRET, Visitor, pair, serving, work_of

from venire.errors import ConfigError
from venire.page.security import HEADERS, MOST_BYTES, Security, is_annotator
from venire.review.store import read_labels

TOKEN = "a-token-of-twenty-four-x"


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home") / "labels.jsonl"


@pytest.fixture(scope="module")
def url(labels: Path) -> Iterator[str]:
    with serving(work_of([pair("a"), pair("b")], labels)) as url:
        yield url


@pytest.fixture
def visitor(url: str) -> Visitor:
    visitor = Visitor(url)
    visitor.enter("ann")
    return visitor


@pytest.mark.parametrize(
    "path", ["/", "/who", "/study/item/1", "/nowhere", "/static/page.js", "/study/labels.csv"]
)
def test_every_answer_forbids_scripts_that_are_not_ours_frames_and_guesses(path, visitor):
    reply = visitor.get(path)
    assert {name: reply.headers.get(name) for name in HEADERS} == HEADERS
    assert "server" not in reply.headers
    policy = HEADERS["content-security-policy"]
    assert "default-src 'none'; script-src 'self'; style-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8350", "", "[::1"]
)
def test_a_host_name_that_somebody_pointed_here_is_refused(host, visitor):
    assert visitor.get("/study/item/1", host=host).status in (400, 421)


@pytest.mark.parametrize("host", ["localhost:1", "127.0.0.1", "[::1]:99", "127.0.0.9:5"])
def test_names_of_this_machine_are_served_whatever_the_port(host, visitor):
    assert visitor.get("/study/item/1", host=host).status == 200


def test_another_address_or_name_is_served_only_where_it_is_listened_on_or_named():
    local = Security(SECRET)
    assert not local.serves("192.0.2.7:8350")
    assert not local.serves("lab.example")
    wide = Security(SECRET, "0.0.0.0", ("lab.example",), TOKEN)
    assert wide.serves("192.0.2.7:8350")
    assert wide.serves("lab.example:8350")
    assert not wide.serves("evil.example")


def test_cookies_are_kept_from_scripts_and_from_other_sites(url):
    visitor = Visitor(url)
    session = visitor.get("/who").cookies
    annotator = visitor.enter("ann").cookies
    for (cookie,), name in ((session, "venire_session"), (annotator, "venire_annotator")):
        assert cookie.startswith(f"{name}=")
        assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))


def test_a_form_of_another_site_changes_nothing(visitor, labels):
    page = visitor.get("/study/item/1")
    good = {"csrf": page.csrf, "verdict": "A", "annotator": "ann"}
    stranger = Visitor(visitor.url)
    stranger.enter("ann")
    refused = [
        visitor.post("/study/undo", {}),
        visitor.post("/study/undo", {"csrf": "0" * 64}),
        visitor.post("/study/item/1", {**good, "csrf": stranger.get("/who").csrf}),
        visitor.post("/study/item/1", good, origin="https://evil.example"),
        visitor.post("/study/item/1", good, origin="null"),
        Visitor(visitor.url).post("/study/item/1", good),
    ]
    assert [reply.status for reply in refused] == [403] * 6
    assert read_labels(labels) == ()


def test_only_short_forms_are_read(visitor):
    page = visitor.get("/who")
    fields = {"csrf": page.csrf, "annotator": "ann"}
    assert visitor.post("/who", {**fields, "more": "x" * MOST_BYTES}).status == 413
    assert visitor.post("/who", fields | {f"f{n}": "" for n in range(2001)}).status == 400
    assert visitor.ask("POST", "/who", b'{"csrf": 1}', {"content-type": "application/json"}).status == 415
    broken = {"content-type": "application/x-www-form-urlencoded"}
    assert visitor.ask("POST", "/who", b"annotator=%ff", broken).status == 400
    assert visitor.ask("POST", "/who", b"annotator", broken).status == 400
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE"):
        assert visitor.ask(method, "/who", None, {}).status == 405


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static//etc/passwd",
        "/static/..%2fapp.py",
        "/static/study/../../mode.py",
        "/static/study/annotating.css/../annotating.js",
        "/study/labels.jsonl/../../study.json",
        "/study/labels/../x.jsonl",
        "/study/item/99",
        "/study/item/0",
        "/study/item/99999999999999999999999",
        "/study/item/-1",
        "/study/item/1e1",
    ],
)
def test_no_path_reaches_a_file(path, visitor):
    assert visitor.get(path).status == 404


def test_what_is_served_as_a_file_was_read_at_the_start(visitor):
    assert visitor.get("/static/page.css").headers["content-type"] == "text/css; charset=utf-8"
    assert (
        visitor.get("/static/study/annotating.js").headers["content-type"] == "text/javascript; charset=utf-8"
    )


def test_with_a_token_nothing_is_told_without_it(tmp_path):
    with serving(work_of([pair("a")], tmp_path / "labels.jsonl"), token=TOKEN) as url:
        visitor = Visitor(url)
        for path in ("/", "/who", "/static/page.css", "/?token=wrong", f"/?token={TOKEN}x"):
            reply = visitor.get(path)
            assert reply.status == 401
            assert "prompt" not in reply.text
        assert visitor.post("/who", {"annotator": "ann", "token": TOKEN}).status == 401
        reply = visitor.get(f"/?token={TOKEN}")
        cookie = next(each for each in reply.cookies if each.startswith("venire_access="))
        assert TOKEN not in cookie + reply.text
        assert {"HttpOnly", "SameSite=strict"} <= set(cookie.split("; "))
        visitor.enter("ann")
        assert visitor.get("/study/item/1").status == 200
        # the cookie of one token is no key to a page with another
    with serving(work_of([pair("a")], tmp_path / "labels.jsonl"), token=TOKEN[::-1]) as url:
        assert Visitor(url, visitor.cookies).get("/").status == 401


def test_beyond_this_machine_a_token_is_required_and_a_long_one():
    with pytest.raises(
        ConfigError, match=r"--host: 0\.0\.0\.0 can be reached by others; a token is required"
    ):
        Security(SECRET, "0.0.0.0")
    with pytest.raises(ConfigError, match="at least 16 characters, got 5"):
        Security(SECRET, "0.0.0.0", token="short")
    with pytest.raises(ConfigError, match="at least 32 bytes, got 3"):
        Security(b"abc")
    assert Security(SECRET, "::1").token is None


@pytest.mark.parametrize(
    ("text", "taken"),
    [("ann", True), ("a.b-c_9", True), ("x" * 40, True), ("", False), ("x" * 41, False), ("a b", False)]
    + [(each, False) for each in ("../x", "<b>", "-ann", "a\n", "ä", "a;b", "a/b", ".a")],
)
def test_an_annotator_has_a_plain_name(text, taken):
    assert is_annotator(text) is taken


def test_a_name_that_is_none_is_refused_and_shown_as_text(visitor):
    page = visitor.get("/who")
    reply = visitor.post("/who", {"csrf": page.csrf, "annotator": '"><script>alert(1)</script>'})
    assert reply.status == 422
    assert "<script>alert" not in reply.text
    assert "&lt;script&gt;alert" in reply.text


def test_only_those_who_are_named_may_label(tmp_path):
    with serving(work_of([pair("a")], tmp_path / "l.jsonl"), annotators=("ann", "bob")) as url:
        visitor = Visitor(url)
        assert visitor.enter("eve").status == 422
        visitor.cookies["venire_annotator"] = "eve"
        assert visitor.get("/study/item/1").headers["location"] == "/who?mode=study"
        assert visitor.enter("bob").status == 303
        assert visitor.get("/study/item/1").status == 200
