"""Templates to pages: everything escaped, everything from the package."""

import mimetypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from venire.page.mode import Mode
from venire.page.security import visitor_of

_FOLDER = Path(__file__).parent
_CSRF = Markup('<input type="hidden" name="csrf" value="{}">')

# What a page says after a redirect; a request names one of these, never a text.
DONE = {
    "saved": "Saved.",
    "undone": "Undone: the label is taken back.",
    "nothing_to_undo": "There is nothing to undo.",
    "skipped": "Skipped: it comes again at the end.",
    "all_done": "Saved. That was the last one.",
    "who": "Welcome.",
    "too_late": "Your answer was not kept: that question is not open any more.",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as it is served."""

    content: bytes
    media_type: str


class Pages:
    """What all pages of one application have in common.

    Args:
        modes: what people can do.
        annotators: the ids that are taken; empty: any.
    """

    def __init__(self, modes: Sequence[Mode], annotators: Sequence[str] = ()) -> None:
        self.modes = tuple(modes)
        self.annotators = tuple(annotators)
        self.environment = Environment(
            loader=ChoiceLoader(
                [
                    FileSystemLoader(_FOLDER / "templates"),
                    PrefixLoader({mode.name: FileSystemLoader(mode.folder / "templates") for mode in modes}),
                ]
            ),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        # Read once: a request chooses among these by name, and reaches no file.
        self.assets = _assets(_FOLDER / "static", "")
        for mode in modes:
            self.assets |= _assets(mode.folder / "static", f"{mode.name}/")


def _assets(folder: Path, prefix: str) -> dict[str, Asset]:
    if not folder.is_dir():
        return {}
    return {
        f"{prefix}{path.name}": Asset(path.read_bytes(), _media_type(path))
        for path in sorted(folder.iterdir())
        if path.is_file()
    }


def _media_type(path: Path) -> str:
    kind = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}.get(path.suffix)
    return kind or mimetypes.guess_type(path.name)[0] or "application/octet-stream"


def pages_of(request: Request) -> Pages:
    """The application's pages."""
    pages = request.app.state.pages
    assert isinstance(pages, Pages)
    return pages


def page(request: Request, template: str, *, status: int = 200, **values: object) -> Response:
    """The page that `template` makes of `values`."""
    pages, visitor = pages_of(request), visitor_of(request)
    first = request.url.path.strip("/").partition("/")[0]
    common: Mapping[str, object] = {
        "modes": pages.modes,
        "mode": next((mode for mode in pages.modes if mode.name == first), None),
        "annotator": visitor.annotator,
        "csrf": visitor.csrf,
        "csrf_field": _CSRF.format(visitor.csrf),
        "done": DONE.get(request.query_params.get("done", ""), ""),
    }
    text = pages.environment.get_template(template).render({**common, **values})
    return HTMLResponse(text, status)


def done(request: Request, url: str, what: str) -> Response:
    """On to `url`, where the page says what was done (a key of `DONE`)."""
    assert what in DONE
    assert url.startswith("/")
    assert not url.startswith("//")
    return RedirectResponse(f"{url}?done={what}", 303)
