"""Who may ask the page for what: everything that a request passes before it reaches a handler.

Against other machines: 127.0.0.1 by default; elsewhere a token, compared in constant time, then kept in an
HttpOnly, SameSite=Strict cookie. Against other sites in the same browser: the Host header must be ours (DNS
rebinding), an Origin header too, and a POST carries a token that only our pages know. Against what models
wrote: a policy by which no script runs but the package's own files.
"""

import hashlib
import hmac
import ipaddress
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from venire.errors import ConfigError

SESSION, ACCESS, ANNOTATOR = "venire_session", "venire_access", "venire_annotator"
LOCALHOST = "localhost"
MOST_BYTES = 256 * 1024  # of a form
MOST_FIELDS = 2_000
SHORTEST_TOKEN = 16

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._\-]{0,39}")
_SESSION = re.compile(r"[A-Za-z0-9_\-]{32}")
_SAFE = ("GET", "HEAD")
_FORM = "application/x-www-form-urlencoded"

# Not a redirect: a browser that follows a link of another site sends no strict cookie along on one.
_ONWARD = (
    '<!doctype html><meta http-equiv="refresh" content="0; url=/"><title>venire</title><a href="/">Go on</a>'
)

POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
    ]
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with no-referrer browsers send a form with the origin "null"
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}


def is_annotator(text: str) -> bool:
    """Whether `text` can name an annotator: up to 40 letters, digits, `.`, `_`, `-`."""
    return _ID.fullmatch(text) is not None


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches `host`."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == LOCALHOST


def new_token(host: str) -> str | None:
    """A token where others than this machine reach `host`; None where none is needed."""
    return None if is_loopback(host) else secrets.token_urlsafe(24)


@dataclass(frozen=True, slots=True)
class Security:
    """Who may ask.

    Args:
        secret: what form tokens are made with; it stays over restarts, so that open forms do, too.
        host: the address that is listened on.
        names: host names by which browsers call the page, besides addresses and `localhost`.
        token: required of everybody; None only where `host` is of this machine alone.

    Raises:
        ConfigError: another host without a token, or with a short one.
    """

    secret: bytes
    host: str = "127.0.0.1"
    names: tuple[str, ...] = ()
    token: str | None = None

    def __post_init__(self) -> None:
        if len(self.secret) < 32:
            raise ConfigError(f"secret: expected at least 32 bytes, got {len(self.secret)}")
        if self.token is None and not is_loopback(self.host):
            raise ConfigError(f"--host: {self.host} can be reached by others; a token is required")
        if self.token is not None and len(self.token) < SHORTEST_TOKEN:
            raise ConfigError(f"token: expected at least {SHORTEST_TOKEN} characters, got {len(self.token)}")

    def csrf(self, session: str) -> str:
        """What a form of that session's pages carries."""
        return self._mark(f"csrf:{session}")

    @property
    def access(self) -> str:
        """What the cookie holds of somebody who knew the token: not the token itself."""
        return self._mark(f"access:{self.token}")

    def _mark(self, text: str) -> str:
        return hmac.new(self.secret, text.encode(), hashlib.sha256).hexdigest()

    def serves(self, host: str) -> bool:
        """Whether a Host header is one of ours; a name that somebody else made point here is not."""
        name = _name_in(host)
        if is_loopback(name) or name in self.names:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return not is_loopback(self.host)  # by address: no name, nothing to point elsewhere


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who asks: a browser's session, the form token that belongs to it, and the annotator's id if given."""

    session: str
    csrf: str
    annotator: str | None


def visitor_of(request: Request) -> Visitor:
    """Who asks."""
    visitor = request.scope["venire.visitor"]
    assert isinstance(visitor, Visitor)
    return visitor


def form_of(request: Request) -> Mapping[str, str]:
    """The fields of a POST, checked to come from one of our pages; of several of a name the last."""
    form: Mapping[str, str] = request.scope["venire.form"]
    return form


class Guard:
    """The application behind all checks; every response, also of errors, gets the headers."""

    def __init__(self, app: ASGIApp, security: Security) -> None:
        self._app = app
        self._security = security

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        session = request.cookies.get(SESSION, "")
        new = not _SESSION.fullmatch(session)
        if new:
            session = secrets.token_urlsafe(24)
        annotator = request.cookies.get(ANNOTATOR, "")
        scope["venire.visitor"] = Visitor(
            session, self._security.csrf(session), annotator if is_annotator(annotator) else None
        )
        scope["venire.form"] = {}
        cookies = {SESSION: session} if new else {}
        sender = _with_headers(send, cookies)
        refusal = self._refused(request) or await self._refused_form(request, new=new)
        await (refusal or self._app)(scope, receive, sender)

    def _refused(self, request: Request) -> Response | None:
        """Why this request is not answered, or the step by which a token becomes a cookie."""
        if not self._security.serves(request.headers.get("host", "")):
            return _no(421, "This page is not served under that host name (venire review serve --name NAME).")
        token = self._security.token
        if token is None:
            return None
        if _same(request.cookies.get(ACCESS, ""), self._security.access):
            return None
        if request.method in _SAFE and _same(request.query_params.get("token", ""), token):
            response = HTMLResponse(_ONWARD)
            set_cookie(response, ACCESS, self._security.access)
            return response
        return _no(401, "This page needs its token: open the address that venire review serve printed.")

    async def _refused_form(self, request: Request, *, new: bool) -> Response | None:
        """Why this POST is not taken; else its fields are read."""
        if request.method in _SAFE:
            return None
        if request.method != "POST":
            return _no(405, "Only GET and POST are answered here.")
        origin = request.headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
            return _no(403, "This form comes from another site.")
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
            return _no(415, f"Expected {_FORM}.")
        body = await _body(request)
        if body is None:
            return _no(413, f"Expected a form of at most {MOST_BYTES} bytes; nothing was saved.")
        try:
            fields = dict(parse_qsl(body.decode(), True, True, errors="strict", max_num_fields=MOST_FIELDS))
        except ValueError:
            return _no(400, "This form cannot be read; nothing was saved.")
        if new or not _same(fields.pop("csrf", ""), visitor_of(request).csrf):
            return _no(
                403, "This form is not one of this page's, or its cookie is gone; go back and reload it."
            )
        request.scope["venire.form"] = fields
        return None


def set_cookie(response: Response, name: str, value: str) -> None:
    """A cookie that no script reads and that no other site's links or forms bring along."""
    response.set_cookie(name, value, httponly=True, samesite="strict", path="/", max_age=30 * 24 * 3600)


def _name_in(host: str) -> str:
    """The name or address in a Host header; empty where there is none that can be read."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


async def _body(request: Request) -> bytes | None:
    """The body; None where it is too long."""
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > MOST_BYTES:
            return None
        parts.append(part)
    return b"".join(parts)


def _with_headers(send: Send, cookies: Mapping[str, str]) -> Send:
    carrier = Response()
    for name, value in cookies.items():
        set_cookie(carrier, name, value)
    own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
    own += [(name, value) for name, value in carrier.raw_headers if name == b"set-cookie"]
    names = {name.encode() for name in HEADERS}

    async def sender(message: Message) -> None:
        if message["type"] == "http.response.start":
            kept = [pair for pair in message.get("headers", []) if pair[0].lower() not in names]
            message = {**message, "headers": [*kept, *own]}
        await send(message)

    return sender


def _same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(), expected.encode())


def _no(status: int, text: str) -> Response:
    return PlainTextResponse(f"{text}\n", status)
