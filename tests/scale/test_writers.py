"""Sixteen writers, four in each of four processes, that write to one store at once."""

from benchmarks.writers import Load, measure
from tests.llm.conftest import store_url  # noqa: F401  (a fixture)
from tests.stub.process import stub_process


def test_sixteen_writers_pay_each_request_once(store_url: str) -> None:  # noqa: F811
    with stub_process("--delay", "0.01") as stub:
        told = measure(Load(stub.url, store_url, own=6, shared=12, concurrency=8, openings=4), processes=4)
    assert "108 distinct requests, 108 paid" in told
