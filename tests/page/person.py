"""Somebody at a page, with a browser of one's own."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Self

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

OVERFLOW = "() => document.scrollingElement.scrollWidth - innerWidth"


@dataclass
class Visit:
    """Who is there by name; `odd` is what happened there that must not."""

    patience_ms: ClassVar[int] = 15_000

    page: "Page"
    odd: list[str] = field(default_factory=list)

    @classmethod
    def at(cls, browser: "Browser", url: str, name: str, **options: object) -> Self:
        """Say who one is; `options` are the browser context's."""
        page = browser.new_context(**options).new_page()  # type: ignore[arg-type]
        page.set_default_timeout(cls.patience_ms)
        visit = cls(page)
        page.on("dialog", lambda dialog: (visit.odd.append(dialog.message), dialog.dismiss()))
        page.on("pageerror", lambda error: visit.odd.append(str(error)))
        page.on("console", lambda said: visit.odd.append(said.text) if said.type == "error" else None)
        page.on("request", lambda each: None if each.url.startswith(url) else visit.odd.append(each.url))
        page.goto(url)
        page.keyboard.type(name)  # the field has the focus
        page.keyboard.press("Enter")
        return visit

    def press(self, *keys: str) -> None:
        """Press keys one after another."""
        for key in keys:
            self.page.keyboard.press(key)
