"""Fixtures for all tests."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_root() -> Path:
    """The folder of real public data that `VENIRE_DATA` names; skips where there is none."""
    root = os.environ.get("VENIRE_DATA", "")
    if not root or not (Path(root) / "llmbar").is_dir():
        pytest.skip("needs the public data: VENIRE_DATA names no folder that holds llmbar/")
    return Path(root)


# Minutes or most of one each: begun first, so that no process is left alone with them at the end.
SLOW = (
    "tests/integration/test_local.py",
    "tests/scale/",
    "tests/llm/test_simulated_claims_mechanism.py",
    "tests/llm/test_simulated_ratings_mechanism.py",
    "tests/llm/test_sharing.py",
    "tests/test_notebooks.py",
    "tests/page/",
    "tests/integration/",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow files first; their tests stay in order."""

    def rank(item: pytest.Item) -> int:
        return next((i for i, name in enumerate(SLOW) if item.nodeid.startswith(name)), len(SLOW))

    items.sort(key=rank)
