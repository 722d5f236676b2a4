"""Fixtures: an empty home for commands that run in this process."""

import sys
from pathlib import Path

import pytest


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`VENIRE_HOME`; what commands set beside it is undone."""
    monkeypatch.setenv("VENIRE_HOME", str(tmp_path))
    monkeypatch.setenv("HYDRA_FULL_ERROR", "1")
    monkeypatch.setattr(sys, "argv", [])
    return tmp_path
