import asyncio
from collections.abc import Sequence
from dataclasses import replace

from tests.test_launch import INSTANCES, LIVE

from venire.backends import Backends
from venire.judging.judge import Judge, RecordedJudge
from venire.llm.local import LocalSettings
from venire.llm.route import Client
from venire.llm.simulated import Simulation
from venire.records import BackendKind


def backends(judges: Sequence[Judge]) -> Backends:
    return Backends(judges, {}, LocalSettings(), Simulation(), INSTANCES)


DIRECT = replace(LIVE, client=Client.DIRECT, api_base="http://127.0.0.1:9/v1")
SIMULATED = replace(LIVE, client=Client.SIMULATED)
LOCAL = replace(LIVE, client=Client.LOCAL)


def test_each_client_has_the_backend_of_its_kind() -> None:
    judges = [DIRECT, SIMULATED, LOCAL]
    made = backends(judges)
    kinds = [made.of(judge.route).kind for judge in judges]
    assert kinds == [BackendKind.LIVE, BackendKind.SIMULATED, BackendKind.LOCAL]


def test_judges_of_one_client_share_a_backend() -> None:
    other = replace(DIRECT, name="other", model="other")
    made = backends([DIRECT, other, SIMULATED])
    assert made.of(DIRECT.route) is made.of(other.route)
    assert made.of(DIRECT.route) is not made.of(SIMULATED.route)


def test_nothing_is_made_before_it_is_asked_for() -> None:
    # Recordings that are not there are no fault of a run that replays what it stored.
    backends([RecordedJudge("GPT-4", "CoT", root="/nowhere"), DIRECT])


def test_closing_an_unused_backend_is_harmless() -> None:
    made = backends([DIRECT, LOCAL])
    for judge in (DIRECT, LOCAL):
        asyncio.run(made.of(judge.route).aclose())
