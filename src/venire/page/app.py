"""The application: the modes, who is there, static files, and pages for what goes wrong."""

import sys
from collections.abc import Callable, Sequence
from inspect import iscoroutinefunction
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from venire.errors import VenireError
from venire.page.mode import Mode
from venire.page.rendering import Pages, done, page, pages_of
from venire.page.security import ANNOTATOR, Guard, Security, form_of, is_annotator, set_cookie, visitor_of


def make_app(security: Security, modes: Sequence[Mode], *, annotators: Sequence[str] = ()) -> Guard:
    """The application that serves `modes`.

    Args:
        security: who may ask.
        modes: what people can do; with one alone, the first page leads to it.
        annotators: the ids that are taken; empty: any.
    """
    app = Starlette(
        routes=[
            Route("/", _start),
            Route("/who", _who),
            Route("/who", _is_who, methods=["POST"]),
            Route("/static/{name:path}", _static),
            *(_mounted(mode) for mode in modes),
        ],
        exception_handlers={HTTPException: _refused, VenireError: _failed, OSError: _failed},
    )
    app.state.pages = Pages(modes, annotators)
    return Guard(app, security)


def _mounted(mode: Mode) -> BaseRoute:
    if not mode.needs_annotator:
        return Mount(f"/{mode.name}", routes=list(mode.routes))
    guarded = [
        Route(route.path, _for_annotators(mode, route.endpoint), methods=sorted(route.methods or {"GET"}))
        for route in mode.routes
    ]
    return Mount(f"/{mode.name}", routes=guarded)


def _for_annotators(mode: Mode, endpoint: Callable[..., Any]) -> Callable[..., Any]:
    """The endpoint for those who have said who they are; others are asked first."""

    def refused(request: Request) -> Response | None:
        annotator, known = visitor_of(request).annotator, pages_of(request).annotators
        if annotator is None or (known and annotator not in known):
            return RedirectResponse(f"/who?mode={mode.name}", 303)
        return None

    async def awaited(request: Request) -> Response:
        return refused(request) or await endpoint(request)

    def called(request: Request) -> Response:
        return refused(request) or endpoint(request)

    return awaited if iscoroutinefunction(endpoint) else called


def _start(request: Request) -> Response:
    modes = pages_of(request).modes
    if len(modes) == 1:
        return RedirectResponse(modes[0].url, 303)
    return page(request, "start.html")


def _who(request: Request, *, fault: str = "", given: str = "") -> Response:
    return page(
        request,
        "who.html",
        status=422 if fault else 200,
        fault=fault,
        given=given or visitor_of(request).annotator or "",
        annotators=pages_of(request).annotators,
        wanted=request.query_params.get("mode", ""),
    )


def _is_who(request: Request) -> Response:
    form, pages = form_of(request), pages_of(request)
    given = form.get("annotator", "").strip()
    if pages.annotators and given not in pages.annotators:
        return _who(request, fault="Choose one of the annotators.")
    if not is_annotator(given):
        return _who(request, fault="Expected 1 to 40 letters, digits, dots, - or _.", given=given)
    mode = next((mode for mode in pages.modes if mode.name == form.get("mode")), None)
    response = done(request, "/" if mode is None else mode.url, "who")
    set_cookie(response, ANNOTATOR, given)
    return response


def _static(request: Request) -> Response:
    asset = pages_of(request).assets.get(request.path_params["name"])
    if asset is None:
        raise HTTPException(404)
    return Response(asset.content, media_type=asset.media_type)


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return page(request, "error.html", status=error.status_code, title=_TITLES.get(error.status_code, ""))


_TITLES = {404: "There is no such page.", 405: "This page takes no such request."}


def _failed(request: Request, error: Exception) -> Response:
    """What went wrong stands in the terminal: a message may name files."""
    print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
    title = "Nothing was saved: something is wrong. The terminal of venire review serve says what."
    return page(request, "error.html", status=500, title=title)
