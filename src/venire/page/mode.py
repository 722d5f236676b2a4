"""What plugs into the page: a mode, as a value."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from starlette.routing import Route


@dataclass(frozen=True, slots=True)
class Mode:
    """One thing that people do on the page.

    Args:
        name: its addresses lie below `/<name>`, its templates and static files in a folder of that name.
        title: in the page's header and on its first page.
        routes: paths below `/<name>`; `/` is where it begins.
        folder: holds `templates/` and, where there is one, `static/`.
        intro: what it is for, a sentence or two, on the first page.
        needs_annotator: whether people say who they are before they see anything of it.
    """

    name: str
    title: str
    routes: Sequence[Route]
    folder: Path
    intro: str = ""
    needs_annotator: bool = True

    def __post_init__(self) -> None:
        assert self.name not in ("who", "static")

    @property
    def url(self) -> str:
        """Where it begins."""
        return f"/{self.name}/"
