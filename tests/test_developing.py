"""A run in two parts: the development split, then what is evaluated."""

import gzip
import json
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from tests.test_launch import INSTANCES, Scripted, experiment, loaded, run, summary

from venire.data.fingerprint import fingerprint
from venire.developing import check_method
from venire.errors import BudgetExhausted, ConfigError, DataError
from venire.judging.judge import Judge, PromptedJudge
from venire.launch import prepare
from venire.llm.protocol import LLM
from venire.llm.route import Client
from venire.methods.comparing import Independent
from venire.methods.protocol import Method
from venire.records import (
    BackendKind,
    Call,
    FinishReason,
    Instance,
    Outcome,
    Preference,
    Reason,
    RunStatus,
    Unscored,
    Usage,
    Winner,
)
from venire.runs import read_outcomes

FIRST, LAST = INSTANCES[:2], INSTANCES[2:]


def call(instance: Instance) -> Call:
    return Call(
        f"key {instance.id}", "judge", "j", "m", "m", None, BackendKind.NONE, Usage(10, 1), True, 0.5, True,
        0.0, 1, False, FinishReason.STOP, instance_id=instance.id,
    )  # fmt: skip


@dataclass(frozen=True)
class Learning(Independent):
    """Says the second response until it is fitted, then what most golds of its development split are."""

    winner: Winner = Winner.SECOND
    seen: tuple[str, ...] = ()
    least: int = 1
    name: str = "learning"
    judges: tuple[Judge, ...] = ()
    prompts: tuple[str, ...] = ()
    stop_at: str = ""
    asked: list[str] = field(default_factory=list, compare=False)

    def check(self, instances: Sequence[Instance]) -> None: ...

    def check_development(self, development: Sequence[Instance]) -> None:
        if len(development) < self.least:
            raise ConfigError(f"development: expected {self.least} instances, got {len(development)}")

    def fitted(self, development: Sequence[tuple[Instance, Outcome]]) -> Method:
        return replace(self, winner=Winner.FIRST, seen=tuple(each.id for each, _ in development))

    def replayed(self, outcome: Outcome) -> Outcome:
        return replace(outcome, prediction=Preference(self.winner, 0.5))

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        if instance.id == self.stop_at:
            raise BudgetExhausted("the budget is spent")
        self.asked.append(instance.id)
        return Outcome(instance.id, Preference(self.winner, 0.5), calls=(call(instance),))


def parted(method: Method, **changes: object):  # type: ignore[no-untyped-def]
    return experiment(method, loaded=loaded(LAST), development=loaded(FIRST), **changes)


def test_the_development_split_is_judged_first_and_what_is_fitted_judges_the_rest(tmp_path: Path) -> None:
    method = Learning()
    written = run(tmp_path, parted(method))
    assert method.asked == [instance.id for instance in INSTANCES]
    rows = {row.id: row.prediction for row in read_outcomes(written.folder)}
    assert rows == {instance.id: Preference(Winner.FIRST, 0.5) for instance in LAST}
    metrics = summary(written)
    assert (metrics["n"], metrics["accuracy"]) == (4, 1.0)
    assert written.record.status is RunStatus.FINISHED
    assert written.record.tags["development_fingerprint"] == fingerprint(FIRST)
    assert written.record.tags["data_fingerprint"] == fingerprint(LAST)
    turned = experiment(Learning(), loaded=loaded(FIRST), development=loaded(LAST))
    assert prepare(turned, {}).tags["parted_fingerprint"] == written.record.tags["parted_fingerprint"]


def test_its_calls_are_paid_and_in_no_number_per_instance(tmp_path: Path) -> None:
    written = run(tmp_path, parted(Learning()))
    metrics = summary(written)
    assert (metrics["calls/total"], metrics["calls/development"], metrics["calls/per_instance"]) == (6, 2, 1)
    assert (metrics["cost_usd/total"], metrics["cost_usd/development"]) == (3.0, 1.0)
    lines = gzip.decompress((written.folder / "calls.jsonl.gz").read_bytes()).decode().splitlines()
    marked = [json.loads(line).get("development", False) for line in lines]
    assert marked == [False] * 4 + [True] * 2


def test_curves_and_corrected_rates_are_of_the_replayed_split(tmp_path: Path) -> None:
    metrics = summary(run(tmp_path, parted(Learning())))
    # unfitted it was always wrong there; fitted it is always right
    assert metrics["win_rate/sensitivity"] == 1.0
    assert metrics["confidence/final/isotonic/brier"] == 0.0


def test_any_method_may_have_a_development_split(tmp_path: Path) -> None:
    right = Scripted(lambda instance: Outcome(instance.id, Preference(Winner.FIRST, 0.9)))
    metrics = summary(run(tmp_path, parted(right)))
    assert metrics["confidence/final/development_n"] == 2
    # Platt on two that are right: 3/4
    assert metrics["confidence/final/platt/brier"] == pytest.approx(1 / 16)


def test_a_stop_within_the_development_split_evaluates_nothing(tmp_path: Path) -> None:
    method = Learning(stop_at="set/1")
    written = run(tmp_path, parted(method))
    assert method.asked == ["set/0"]
    assert written.record.status is RunStatus.INCOMPLETE
    assert written.record.error == "the budget is spent (5 of 6 instances are not judged)"
    rows = {row.id: row.prediction for row in read_outcomes(written.folder)}
    assert set(rows.values()) == {Unscored(Reason.NOT_RUN)}
    assert summary(written)["calls/development"] == 1


def test_a_split_that_will_not_do_is_refused_before_any_call(tmp_path: Path) -> None:
    method = Learning(least=3)
    with pytest.raises(ConfigError, match="expected 3 instances, got 2"):
        prepare(parted(method), {})
    with pytest.raises(ConfigError, match="expected 3 instances, got 0"):
        check_method(experiment(method))
    assert method.asked == []


def test_a_lost_reply_in_the_development_split_leaves_the_run_incomplete(tmp_path: Path) -> None:
    lost = Unscored(Reason.PROVIDER_ERROR, "timeout: no reply")
    method = Scripted(
        lambda instance: Outcome(instance.id, lost if instance.id == "set/0" else Preference(Winner.FIRST))
    )
    written = run(tmp_path, parted(method))
    assert written.record.status is RunStatus.INCOMPLETE
    assert written.record.error.startswith("no reply on 1 of 6 instances: timeout: no reply")


def test_what_is_left_to_people_is_not_missing(tmp_path: Path) -> None:
    left = Unscored(Reason.ESCALATED, "not sure")
    method = Scripted(
        lambda instance: Outcome(instance.id, left if instance.id != "set/2" else Preference(Winner.FIRST))
    )
    written = run(tmp_path, experiment(method, loaded=loaded(LAST), max_unscored=0.1))
    assert written.record.status is RunStatus.FINISHED
    assert summary(written)["coverage"] == 0.25


def test_simulated_judges_are_refused_on_pairs_without_gold_before_any_call() -> None:
    bare = loaded((INSTANCES[0], replace(INSTANCES[1], gold=None)))
    for client, is_refused in ((Client.SIMULATED, True), (Client.LITELLM, False)):
        judge = PromptedJudge("j", "m", "f", client=client)
        made = experiment(Learning(least=0, judges=(judge,)), loaded=bare)
        with pytest.raises(DataError, match="human preference, which") if is_refused else nullcontext():
            check_method(made)
