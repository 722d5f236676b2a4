"""Run records as tables need them, with a few changes each."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from venire.records import BackendKind, RunRecord, RunStatus

MakeRecord = Callable[..., RunRecord]


@pytest.fixture
def make_record() -> MakeRecord:
    def make(
        name: str = "majority multi_model sample",
        *,
        seed: int = 0,
        arm: str = "arm-1",
        metrics: Mapping[str, float] | None = None,
        tags: Mapping[str, str] | None = None,
        params: Mapping[str, str] | None = None,
        **changes: Any,
    ) -> RunRecord:
        fields: dict[str, Any] = {
            "run_id": f"run-{arm}-{seed}",
            "name": name if seed == 0 else f"{name} s{seed}",
            "status": RunStatus.FINISHED,
            "kind": BackendKind.RECORDED,
            "started_at": 1000.0 + seed,
            "ended_at": 1060.0,
            "metrics": {
                "n": 32.0,
                "accuracy": 0.75,
                "accuracy/ci_low": 0.6,
                "accuracy/ci_high": 0.9,
                "coverage": 1.0,
                **(metrics or {}),
            },
            "params": {"seed": str(seed), "method": "majority", **(params or {})},
            "tags": {
                "arm_hash": arm,
                "data_fingerprint": "d" * 64,
                "git_commit": "0123456789abcdef",
                "git_dirty": "false",
                "version.venire": "0.1.0",
                "prompt.pairwise": "p1",
                **(tags or {}),
            },
        }
        return RunRecord(**{**fields, **changes})

    return make
