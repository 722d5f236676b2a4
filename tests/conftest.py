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
