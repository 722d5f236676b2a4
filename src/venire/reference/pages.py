"""The pages of `docs/reference/` and where they stand."""

from pathlib import Path

from venire.reference.config_page import config_page
from venire.reference.metrics_page import metrics_page

ROOT = Path(__file__).parents[3]


def pages() -> dict[Path, str]:
    """Path to text of every page that is made; of a checkout."""
    folder = ROOT / "docs" / "reference"
    return {folder / "config.md": config_page(ROOT / "conf"), folder / "metrics.md": metrics_page()}


def write_pages() -> list[Path]:
    """Write them; returns where."""
    made = pages()
    for path, text in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(made)
