"""Pages served for tests, and plain requests to them."""

import http.client
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from venire.metrics.annotators import AgreementSettings
from venire.page.annotating.mode import annotating
from venire.page.annotating.work import Desk, Item, Work
from venire.page.app import make_app
from venire.page.security import Security
from venire.page.serving import listen, served
from venire.records import Dimension, Instance, Response

SECRET = b"0123456789abcdef0123456789abcdef"
FLUENCY = Dimension("fluency", "how fluent", 1, 5)
POLITE = Dimension("polite", "whether polite", 0, 1, 1)
LENGTH = Dimension("length", "how long", 0, 10, None)


def pair(name: str, **changes: object) -> Instance:
    fields: dict[str, object] = {
        "prompt": f"prompt of {name}",
        "responses": (
            Response(f"first of {name}", "m", "gpt-9"),
            Response(f"second of {name}", "n", "llama-9"),
        ),
        "subset": "secret-subset",
    }
    return Instance(name, **(fields | changes))  # type: ignore[arg-type]


def rated(name: str, *dimensions: Dimension, text: str = "text") -> Instance:
    return Instance(name, f"prompt of {name}", (Response(text, "r", "gpt-9"),), dimensions=dimensions)


def work_of(instances: list[Instance], labels: Path, **changes: object) -> Work:
    fields: dict[str, object] = {"name": "study", "title": "A study", "shuffled": True, "source": "study s"}
    return Work(items=tuple(map(Item.of, instances)), labels=labels, **(fields | changes))  # type: ignore[arg-type]


class Clock:
    """A time that goes on by a second whenever it is looked at."""

    def __init__(self) -> None:
        self.seconds = 0

    def __call__(self) -> datetime:
        self.seconds += 1
        return datetime.fromtimestamp(1_800_000_000 + self.seconds, UTC)


@contextmanager
def serving(
    work: Work, *, token: str | None = None, annotators: tuple[str, ...] = (), port: int = 0
) -> Iterator[str]:
    """The address of a page with one mode."""
    mode = annotating(Desk(work, clock=Clock()), AgreementSettings(draws=50), intro="what it is for")
    app = make_app(Security(SECRET, token=token), [mode], annotators=annotators)
    with listen("127.0.0.1", port) as listening, served(app, listening) as url:
        yield url


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    text: str
    cookies: tuple[str, ...] = ()

    @property
    def csrf(self) -> str:
        found = re.search(r'name="csrf-token" content="(\w+)"', self.text)
        assert found is not None
        return found[1]


@dataclass
class Visitor:
    """A browser without pictures: keeps cookies, follows nothing."""

    url: str
    cookies: dict[str, str] = field(default_factory=dict)

    def get(self, path: str, **headers: str) -> Reply:
        return self.ask("GET", path, None, headers)

    def post(self, path: str, fields: Mapping[str, str], **headers: str) -> Reply:
        sent = {"content-type": "application/x-www-form-urlencoded", **headers}
        return self.ask("POST", path, urlencode(fields).encode(), sent)

    def ask(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Reply:
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=10)
        jar = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, {**({"cookie": jar} if jar else {}), **named})
        answer = connection.getresponse()
        text = answer.read().decode()
        given = tuple(value for name, value in answer.getheaders() if name.lower() == "set-cookie")
        for cookie in given:
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        connection.close()
        headers_got = {name.lower(): value for name, value in answer.getheaders()}
        return Reply(answer.status, headers_got, text, given)

    def enter(self, annotator: str) -> Reply:
        """Say who one is."""
        return self.post("/who", {"csrf": self.get("/who").csrf, "annotator": annotator})

    def label(self, number: int, answer: Mapping[str, str], mode: str = "study") -> Reply:
        """Fill in the form of item `number` and send it."""
        page = self.get(f"/{mode}/item/{number}")
        hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page.text))
        return self.post(f"/{mode}/item/{number}", {**hidden, **answer})
