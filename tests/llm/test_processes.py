"""Several processes on one store: started at once on an empty one, and killed in flight."""

import json
from pathlib import Path

from tests.llm.kill_study import Load, start, study
from tests.stub.process import stub_process

from venire.llm.ledger import store_statistics
from venire.llm.store import open_engine


def test_eight_processes_that_start_on_an_empty_store_all_succeed_and_pay_once_together(
    store_url: str,
) -> None:
    with stub_process("--delay", "0.05") as stub:
        load = Load(stub.url, store_url, requests=24, concurrency=4)
        children = [start(load, f"run-{number}") for number in range(8)]
        outputs = [child.communicate(timeout=120)[0] for child in children]
        assert [child.returncode for child in children] == [0] * 8
        assert stub.stats()["requests"] == 24
    texts, uncertain = json.loads(outputs[0])
    assert len(texts) == 24
    assert uncertain == 0
    assert all(json.loads(output) == [texts, 0] for output in outputs)
    statistics = store_statistics(open_engine(store_url))
    assert (statistics.replies, statistics.attempts, statistics.in_flight) == (24, 24, 0)


def test_killed_runs_pay_for_no_committed_reply_again(tmp_path: Path) -> None:
    with stub_process("--delay", "0.02", "--jitter", "0.03") as stub:
        load = Load(stub.url, f"sqlite:///{tmp_path / 'calls.db'}", requests=80, concurrency=5)
        found = study(stub, load, kills=3, seed=1, longest_s=0.4)
        texts = json.loads(start(load, "replayed").communicate(timeout=60)[0])[0]
        assert stub.stats()["requests"] == found.sent  # all is replayed by now
    assert found.resent == 0
    assert found.unexplained == 0
    assert found.left_in_flight == 0
    assert len(found.uncertain_by_run) <= 3  # one figure a killed run
    assert all(count <= load.concurrency for count in found.uncertain_by_run)
    assert 80 <= found.sent <= 80 + sum(found.uncertain_by_run)
    assert list(found.texts) == texts
    assert len(set(texts)) == 80  # the stub's replies differ by request
