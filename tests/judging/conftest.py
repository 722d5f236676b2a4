"""The official data that recorded judges judged."""

from pathlib import Path

import pytest

from venire.data.llmbar import LLMBar
from venire.records import Instance


@pytest.fixture(scope="session")
def llmbar(data_root: Path) -> tuple[Instance, ...]:
    """LLMBar's 419 pairs."""
    return LLMBar(str(data_root)).load().instances


@pytest.fixture(scope="session")
def mt_bench(data_root: Path) -> tuple[Instance, ...]:
    """MT-Bench's 200 pairs in the same layout."""
    return LLMBar(str(data_root), ("MT-Bench",)).load().instances
