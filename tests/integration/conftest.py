"""Fixtures: the command in fresh homes, runs that several tests look at, and the stub server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.integration.command import Ran, Venire
from tests.stub.process import StubProcess, stub_process

GPT_4_COT = ("dataset=llmbar", "judge=recorded", "judge.model=GPT-4", "judge.strategy=CoT")


@pytest.fixture
def venire(tmp_path: Path) -> Venire:
    """The command in a new home, without data."""
    return Venire(tmp_path / "home")


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory, data_root: Path) -> Venire:
    """The command on the real public data, in a home that tests of recorded runs share."""
    return Venire(tmp_path_factory.mktemp("recorded") / "home", data_root)


@pytest.fixture(scope="session")
def gpt_4_cot(recorded: Venire) -> Ran:
    """The recorded GPT-4 with chain of thought over LLMBar's 419 instances."""
    return recorded.finished(*GPT_4_COT)


@pytest.fixture(scope="session")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Venire:
    """A home that tests of simulated runs share."""
    return Venire(tmp_path_factory.mktemp("simulated") / "home")


@pytest.fixture(scope="session")
def panel_run(simulated: Venire) -> Ran:
    """A simulated panel on the bundled sample."""
    return simulated.finished("dataset=sample", "method=majority", "backend=simulated")


@pytest.fixture(scope="session")
def stub_server() -> Iterator[StubProcess]:
    """One stub server for all tests."""
    with stub_process() as server:
        yield server


@pytest.fixture
def stub(stub_server: StubProcess) -> StubProcess:
    """The stub server without faults and with clean counts."""
    stub_server.set_plan()
    stub_server.reset()
    return stub_server
