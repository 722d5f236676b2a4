"""One run from experiment to folder: with methods without a model, and with simulated judges."""

import asyncio
import gzip
import json
import os
import signal
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from sqlalchemy import select

from venire.data.fingerprint import fingerprint
from venire.data.protocol import Loaded
from venire.ending import AGAIN
from venire.errors import BudgetExhausted, ConfigError, DataError, InputEnded, MissingRecording, VenireError
from venire.experiment import Experiment, Replicate
from venire.identity import Identity
from venire.judging.judge import Judge, PromptedJudge
from venire.launch import Door, Written, execute, explain, prepare
from venire.launched import Signs
from venire.llm.budget import Budget
from venire.llm.ledger import open_intents
from venire.llm.local import LocalSettings
from venire.llm.protocol import LLM
from venire.llm.route import Client, Limits
from venire.llm.settings import LLMSettings, Mode
from venire.llm.simulated import Simulation
from venire.llm.store import open_engine, schema
from venire.methods.comparing import Independent
from venire.methods.pairwise import Pairwise
from venire.methods.protocol import Method, Sitting
from venire.records import (
    BackendKind,
    Instance,
    Order,
    Outcome,
    Preference,
    PreferenceGold,
    Price,
    RatingsGold,
    Reason,
    Response,
    RunStatus,
    Unscored,
    Vote,
    Winner,
)
from venire.runs import read_outcomes
from venire.tracking.settings import TrackingSettings

INSTANCES = tuple(
    Instance(
        f"set/{i}",
        f"Which is {i}?",
        (Response(f"It is {i}."), Response("No idea.")),
        PreferenceGold(Winner.FIRST),
    )
    for i in range(6)
)
LIVE = PromptedJudge("gpt_4o", "openai/gpt-4o", "openai", price=Price(2.5, 10.0))
SIMULATED = replace(LIVE, client=Client.SIMULATED, endpoint_tag="simulated:test")


def loaded(instances: Sequence[Instance] = INSTANCES, **changes: object) -> Loaded:
    labels = (Winner.FIRST, Winner.SECOND)
    made = Loaded(tuple(instances), fingerprint(instances), "here", labels=labels)
    return replace(made, **changes)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Scripted(Independent):
    """No model: `say` is the prediction of an instance, or raises."""

    say: Callable[[Instance], Outcome]
    name: str = "scripted"
    judges: tuple[Judge, ...] = ()
    prompts: tuple[str, ...] = ()

    def check(self, instances: Sequence[Instance]) -> None: ...

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        return self.say(instance)


def right(instance: Instance) -> Outcome:
    return Outcome(instance.id, Preference(Winner.FIRST))


def experiment(method: Method | None = None, **changes: object) -> Experiment:
    identity = Identity("pairwise gpt_4o here", {"seed": "0"}, ("seed=0",), "seed: 0\n", "c" * 64, "a" * 64)
    made = Experiment(
        identity=identity,
        loaded=loaded(),
        method=method or Scripted(right),
        seed=0,
        llm=LLMSettings(),
        budget=Budget(),
        simulation=Simulation(),
        local=LocalSettings(),
        tracking=TrackingSettings(enabled=False),
        concurrency=1,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def run(home: Path, made: Experiment, environ: Mapping[str, str] = {}, **door: object) -> Written:
    return execute(prepare(made, environ), Door(home, environ, **door))  # type: ignore[arg-type]


def summary(written: Written) -> dict[str, float | None]:
    text = (written.folder / "summary.json").read_text(encoding="utf-8")
    found: dict[str, float | None] = json.loads(text)
    return found


def test_a_finished_run_lies_in_its_folder(tmp_path: Path) -> None:
    written = run(tmp_path, experiment(), sweep_id="sweep-1", now=iter([1000.0, 1002.5]).__next__)
    record = written.record
    assert written.folder == tmp_path / "runs" / record.run_id
    assert sorted(path.name for path in written.folder.iterdir()) == [
        *("calls.jsonl.gz", "config.yaml", "outcomes.parquet", "run.json", "summary.json"),
    ]
    assert (record.status, record.kind, record.error) == (RunStatus.FINISHED, BackendKind.NONE, "")
    assert (record.started_at, record.ended_at, record.metrics["duration_s"]) == (1000.0, 1002.5, 2.5)
    assert (record.sweep_id, record.overrides, record.params["backend"]) == ("sweep-1", ("seed=0",), "none")
    assert (record.metrics["n"], record.metrics["accuracy"], record.metrics["coverage"]) == (6.0, 1.0, 1.0)
    assert record.tags["data_fingerprint"] == fingerprint(INSTANCES)
    assert record.tags["config_hash"] == "c" * 64
    assert written.warnings == ()


def test_who_watches_is_told_of_the_start_and_of_every_instance(tmp_path: Path) -> None:
    started: list[tuple[str, int]] = []
    done: list[str] = []
    run(
        tmp_path,
        experiment(),
        on_start=lambda name, n: started.append((name, n)),
        on_done=lambda outcome: done.append(outcome.instance_id),
    )
    assert started == [("pairwise gpt_4o here", 6)]
    assert done == [instance.id for instance in INSTANCES]


def test_a_stopped_run_keeps_what_it_has_and_says_what_is_missing(tmp_path: Path) -> None:
    def say(instance: Instance) -> Outcome:
        if instance.id == "set/4":
            raise BudgetExhausted("the budget of 8 calls is spent")
        return right(instance)

    written = run(tmp_path, experiment(Scripted(say)))
    assert written.record.status is RunStatus.INCOMPLETE
    assert written.record.error == "the budget of 8 calls is spent (2 of 6 instances are not judged)"
    rows = {row.id: row.prediction for row in read_outcomes(written.folder)}
    assert rows["set/3"] == Preference(Winner.FIRST)
    assert rows["set/4"] == rows["set/5"] == Unscored(Reason.NOT_RUN)
    # What is not judged counts as not correct: 4 of 6.
    assert written.record.metrics["accuracy"] == pytest.approx(4 / 6)
    assert written.record.metrics["coverage"] == pytest.approx(4 / 6)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_interrupt_finishes_what_is_under_way(tmp_path: Path, number: signal.Signals) -> None:
    said: list[str] = []

    def say(instance: Instance) -> Outcome:
        if instance.id == "set/2":
            os.kill(os.getpid(), number)
        return right(instance)

    # The loop handles a signal between two steps: one more instance may start before that.
    written = run(tmp_path, experiment(Sleeping(say)), say=said.append)
    assert written.record.status is RunStatus.INCOMPLETE
    assert written.record.error.startswith(f"interrupted ({number.name}) (")
    judged = [row.id for row in read_outcomes(written.folder) if isinstance(row.prediction, Preference)]
    assert judged == ["set/0", "set/1", "set/2"]
    assert said == [f"{number.name}: no further call is sent, and none is in flight"]
    assert written.interrupted
    assert written.advice == AGAIN


def test_a_launched_run_is_stopped_by_its_cluster_too_as_when_its_time_is_nearly_over(tmp_path: Path) -> None:
    def say(instance: Instance) -> Outcome:
        if instance.id == "set/2":
            os.kill(os.getpid(), signal.SIGUSR2)
        return right(instance)

    written = run(tmp_path, experiment(Sleeping(say)), signs=Signs.of(tmp_path, "launch-1"))
    assert written.record.status is RunStatus.INCOMPLETE
    assert written.record.error.startswith("interrupted (SIGUSR2) (")


@dataclass(frozen=True)
class Sleeping(Scripted):
    """Gives the loop time to see a signal."""

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        outcome = self.say(instance)
        await asyncio.sleep(0.05)
        return outcome


def press_ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


@dataclass(frozen=True)
class Impatient(Pairwise):
    """Presses Ctrl-C as soon as as many calls are in flight as there may be."""

    home: Path = Path()
    calls: int = 2

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        if instance.id == "set/0":
            asyncio.get_running_loop().create_task(self._press())
        return await super().judge(instance, memory, llm)

    async def _press(self) -> None:
        engine = open_engine(f"sqlite:///{self.home}/calls.db")
        while len(open_intents(engine)) < self.calls:
            await asyncio.sleep(0.01)
        press_ctrl_c()


def impatient(home: Path, *, latency_s: float) -> Experiment:
    """Six pairs judged two calls at a time, by simulated judges that take their time."""
    judge = replace(SIMULATED, limits=Limits(concurrency=2))
    method = Impatient(judged_by=judge, home=home)
    return experiment(method, concurrency=6, simulation=Simulation(latency_s=latency_s))


def attempts(home: Path, run_id: str) -> list[tuple[str, int]]:
    """The ledger's attempts of a run: status, and whether the call ended with it."""
    table = schema.attempts.c
    query = select(table.status, table.ends_call).where(table.run_id == run_id).order_by(table.id)
    with open_engine(f"sqlite:///{home}/calls.db").connect() as connection:
        return [(status, ends) for status, ends in connection.execute(query)]


def test_after_one_interrupt_no_call_is_sent_and_those_in_flight_are_kept(tmp_path: Path) -> None:
    said: list[str] = []
    written = run(tmp_path, impatient(tmp_path, latency_s=0.5), say=said.append)
    assert said == [
        "SIGINT: no further call is sent; waiting for 2 in flight, which are kept (once more breaks them off)"
    ]
    assert written.record.error.startswith("interrupted (SIGINT) (")
    found = summary(written)
    # All six pairs were under way, with twelve calls to make.
    assert (found["calls/total"], found["calls/paid"], found["calls/failed"]) == (2, 2, 0)
    assert attempts(tmp_path, written.record.run_id) == [("ok", 1)] * 2
    assert found["calls/unfinished"] == 2 - 2 * len(judged_of(written))
    again = run(tmp_path, replace(impatient(tmp_path, latency_s=0), method=Pairwise(judged_by=SIMULATED)))
    assert (summary(again)["calls/paid"], summary(again)["calls/uncertain"]) == (10, 0)


def judged_of(written: Written) -> list[str]:
    return [row.id for row in read_outcomes(written.folder) if isinstance(row.prediction, Preference)]


def test_a_second_interrupt_breaks_off_what_is_in_flight_and_the_next_run_says_so(tmp_path: Path) -> None:
    said: list[str] = []

    def say(line: str) -> None:
        said.append(line)
        if len(said) == 1:
            press_ctrl_c()

    written = run(tmp_path, impatient(tmp_path, latency_s=60), say=say)
    assert said[1:] == ["SIGINT: breaking off 2 calls in flight"]
    assert written.interrupted
    assert written.advice == AGAIN
    assert written.record.status is RunStatus.INCOMPLETE
    assert written.record.error == (
        "interrupted twice (SIGINT): 2 calls in flight were broken off, perhaps billed; the next run repeats "
        "them and reports them as uncertain (6 of 6 instances are not judged)"
    )
    found = summary(written)
    assert (found["calls/total"], found["calls/paid"], found["calls/failed"]) == (2, 0, 2)
    assert found["calls/unfinished"] == 2
    assert found["tokens/unknown_calls"] == 2
    assert attempts(tmp_path, written.record.run_id) == []  # until somebody asks again

    judge = replace(SIMULATED, limits=Limits(concurrency=2))
    again = run(tmp_path, experiment(Pairwise(judged_by=judge), simulation=Simulation()))
    found = summary(again)
    # Twelve calls, two of them for the second time.
    assert (found["calls/paid"], found["calls/uncertain"], found["calls/attempts"]) == (12, 2, 14)
    assert found["tokens/unknown_calls"] == 2
    assert "lower bound: 2 of 12" in again.record.notes["tokens/input"]
    assert attempts(tmp_path, written.record.run_id) == [("uncertain", 1)] * 2
    assert attempts(tmp_path, again.record.run_id) == [("ok", 1)] * 12


class Asking(Scripted):
    """Waits for a person on every instance but the first; its user presses Ctrl-C."""

    asks_people = True

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        if instance.id == "set/0":
            return right(instance)
        self.answer: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        os.kill(os.getpid(), signal.SIGINT)
        return await self.answer

    def stop_asking(self, reason: VenireError) -> None:
        self.answer.set_exception(reason)

    def unattended(self) -> Method:
        return self

    @asynccontextmanager
    async def attended(self, sitting: Sitting) -> AsyncIterator[None]:
        sitting.say(f"{sitting.name}: {sitting.instances} {sitting.kind} instances")
        yield
        sitting.say("nobody is asked any more")


def test_one_interrupt_ends_the_wait_for_a_person(tmp_path: Path) -> None:
    said: list[str] = []
    written = run(tmp_path, experiment(Asking(right)), say=said.append)
    assert said == [
        f"{written.record.name}: 6 none instances",
        "SIGINT: no further call is sent, and none is in flight",
        "nobody is asked any more",
    ]
    assert written.record.status is RunStatus.INCOMPLETE
    assert written.record.error == "interrupted (SIGINT) (5 of 6 instances are not judged)"
    assert len(read_outcomes(written.folder)) == 6


@pytest.mark.parametrize(
    ("reason", "advice"), [(InputEnded("nobody is there"), AGAIN), (MissingRecording("nobody is there"), "")]
)
def test_without_a_persons_choice_the_run_stops_and_keeps_what_it_has(
    tmp_path: Path, reason: VenireError, advice: str
) -> None:
    def say(instance: Instance) -> Outcome:
        if instance.id == "set/2":
            raise reason
        return right(instance)

    written = run(tmp_path, experiment(Scripted(say)))
    assert written.record.status is RunStatus.INCOMPLETE
    assert written.record.error == "nobody is there (4 of 6 instances are not judged)"
    assert written.advice == advice


@pytest.mark.parametrize("calls", [1, 3, 7])
def test_a_budget_leaves_the_run_with_all_that_its_ledger_has(tmp_path: Path, calls: int) -> None:
    asking = experiment(Pairwise(judged_by=SIMULATED), concurrency=4, budget=Budget(calls=calls))
    written = run(tmp_path, asking)
    booked = attempts(tmp_path, written.record.run_id)
    assert booked == [("ok", 1)] * calls
    assert summary(written)["calls/paid"] == calls
    lines = gzip.decompress((written.folder / "calls.jsonl.gz").read_bytes()).decode().splitlines()
    assert len(lines) == calls
    unfinished = [call for call in map(json.loads, lines) if call["unfinished"]]
    assert len(unfinished) == summary(written)["calls/unfinished"] == calls - 2 * len(judged_of(written))
    assert not {call["instance_id"] for call in unfinished} & {*judged_of(written), ""}


def test_an_interrupt_during_the_last_instance_leaves_the_run_finished(tmp_path: Path) -> None:
    def say(instance: Instance) -> Outcome:
        if instance.id == "set/5":
            press_ctrl_c()
        return right(instance)

    written = run(tmp_path, experiment(Sleeping(say)))
    assert written.record.status is RunStatus.FINISHED
    assert written.interrupted  # a sweep ends here
    assert written.advice == ""


def test_exhausted_retries_leave_the_run_incomplete_with_the_list_of_instances(tmp_path: Path) -> None:
    lost = Unscored(Reason.PROVIDER_ERROR, "HTTP 500")

    def say(instance: Instance) -> Outcome:
        match instance.id:
            case "set/1":  # the panel decided without the judge whose call was lost
                return replace(right(instance), votes=(Vote("gpt_4o", Order.AS_GIVEN, lost),))
            case "set/3":
                return replace(right(instance), prediction=lost)
        return right(instance)

    record = run(tmp_path, experiment(Scripted(say))).record
    assert record.status is RunStatus.INCOMPLETE
    assert record.error == "no reply on 2 of 6 instances: HTTP 500 (2). Instances: set/1, set/3"


@pytest.mark.parametrize(("allowed", "status"), [(0.1, RunStatus.FAILED), (0.5, RunStatus.FINISHED)])
def test_a_run_above_max_unscored_fails(tmp_path: Path, allowed: float, status: RunStatus) -> None:
    def say(instance: Instance) -> Outcome:
        unread = Unscored(Reason.UNPARSED, "no JSON")
        return replace(right(instance), prediction=unread) if instance.id < "set/3" else right(instance)

    record = run(tmp_path, experiment(Scripted(say), max_unscored=allowed)).record
    assert record.status is status
    assert ("50.0% of the verdicts are missing" in record.error) is (status is RunStatus.FAILED)
    assert record.metrics["unscored/unparsed"] == 3


def test_a_bug_in_a_method_is_raised_and_leaves_an_unfinished_run(tmp_path: Path) -> None:
    def say(instance: Instance) -> Outcome:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(tmp_path, experiment(Scripted(say)))
    (folder,) = (tmp_path / "runs").iterdir()
    assert [path.name for path in folder.iterdir()] == ["started.json"]


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        (None, "expected a preference"),
        (RatingsGold({"fluency": 3.0}), "ratings"),
        (PreferenceGold(Winner.TIE), "expected one of response_1, response_2 as declared, got tie"),
    ],
)
def test_gold_that_cannot_be_measured_is_refused_before_any_call(gold: object, message: str) -> None:
    odd = (*INSTANCES[1:], replace(INSTANCES[0], gold=gold))
    with pytest.raises(DataError, match=message):
        prepare(experiment(loaded=loaded(odd)), {})


def test_a_missing_key_is_refused_before_any_call_and_not_needed_for_a_replay() -> None:
    asking = experiment(Pairwise(judged_by=LIVE))
    with pytest.raises(ConfigError, match=r"^OPENAI_API_KEY is not set \(judge gpt_4o\)"):
        prepare(asking, {})
    assert prepare(asking, {"OPENAI_API_KEY": "sk-0123456789"}).tags["models_asked"] == "openai/gpt-4o"
    assert prepare(replace(asking, llm=LLMSettings(Mode.REPLAY)), {}).tags["kind"] == "live"


def test_dollars_cannot_bound_a_judge_without_a_price() -> None:
    asking = experiment(Pairwise(judged_by=replace(LIVE, price=None)), budget=Budget(usd=1.0))
    with pytest.raises(ConfigError, match="price"):
        prepare(asking, {"OPENAI_API_KEY": "sk-0123456789"})


def test_the_job_hash_covers_settings_data_prompts_and_what_answers() -> None:
    base = experiment(Pairwise(judged_by=SIMULATED))
    others = [
        replace(base, identity=replace(base.identity, config_hash="d" * 64)),
        replace(base, loaded=loaded(INSTANCES[:5])),
        replace(base, method=Pairwise(judged_by=SIMULATED, prompt="pairwise_vanilla")),
        replace(base, method=Pairwise(judged_by=replace(SIMULATED, endpoint_tag="simulated:other"))),
    ]
    hashes = [prepare(made, {}).job_hash for made in (base, *others)]
    assert len(set(hashes)) == 5
    assert prepare(replace(base, concurrency=9), {}).job_hash == hashes[0]


def test_arms_of_other_weights_or_simulations_are_other_arms() -> None:
    one, two = (
        prepare(experiment(Pairwise(judged_by=replace(SIMULATED, endpoint_tag=tag))), {}).tags["arm_hash"]
        for tag in ("simulated:a", "simulated:b")
    )
    assert one != two


def test_a_second_run_is_replayed_and_has_the_same_numbers(tmp_path: Path) -> None:
    asking = experiment(Pairwise(judged_by=SIMULATED), concurrency=4)
    first, second = (summary(run(tmp_path, asking)) for _ in range(2))
    assert (first["calls/paid"], first["calls/replayed"]) == (12, 0)
    assert (second["calls/paid"], second["calls/replayed"]) == (0, 12)
    moved = {key for key in first if first[key] != second[key]}
    assert {
        key for key in moved if not key.startswith(("calls/", "cost_usd/billed", "duration_s", "tokens/"))
    } == set()


@pytest.mark.parametrize(("replicate", "paid"), [(Replicate.SHARED, 0), (Replicate.PER_SEED, 12)])
def test_a_further_seed_asks_anew_only_where_it_is_told_to(
    tmp_path: Path, replicate: Replicate, paid: int
) -> None:
    asking = experiment(Pairwise(judged_by=SIMULATED), replicate=replicate)
    run(tmp_path, asking)
    assert summary(run(tmp_path, replace(asking, seed=1)))["calls/paid"] == paid


def test_no_key_reaches_a_file_or_a_warning(tmp_path: Path) -> None:
    # `MY_OWN` is not called like a key; only the judge says that it is one.
    keys = {"OPENAI_API_KEY": "sk-0123456789", "MY_OWN": "hunter2-hunter2"}
    judge = replace(LIVE, client=Client.DIRECT, api_base="http://127.0.0.1:9/v1", api_key_env="MY_OWN")

    def say(instance: Instance) -> Outcome:
        text = " ".join(keys.values())
        return Outcome(
            instance.id,
            Unscored(Reason.UNPARSED, text),
            votes=(Vote("x", None, Unscored(Reason.REFUSED), raw=text),),
        )

    odd = loaded(warnings=(f"the file holds {keys['MY_OWN']}",))
    asking = experiment(Scripted(say, judges=(judge,)), loaded=odd)
    written = run(tmp_path, asking, keys)
    assert written.warnings == ("the file holds ***",)
    content = b"".join(path.read_bytes() for path in written.folder.iterdir())
    content += gzip.decompress((written.folder / "calls.jsonl.gz").read_bytes())
    content += repr(read_outcomes(written.folder)).encode()
    assert not [key for key in keys.values() if key.encode() in content]


def test_judges_of_two_kinds_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"^panel: expected judges of one kind"):
        experiment(Scripted(right, judges=(LIVE, SIMULATED)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": -1}, "seed: expected at least 0, got -1"),
        ({"concurrency": 0}, "concurrency: expected at least 1, got 0"),
        ({"max_unscored": 1.01}, "max_unscored: expected 0 to 1, got 1.01"),
        ({"max_unscored": float("nan")}, "max_unscored: expected 0 to 1, got nan"),
    ],
)
def test_settings_of_a_run_have_ranges(changes: Mapping[str, object], message: str) -> None:
    with pytest.raises(ConfigError) as refused:
        experiment(**changes)
    assert str(refused.value) == message


def test_the_kind_is_that_of_the_judges() -> None:
    assert experiment(Pairwise(judged_by=SIMULATED)).kind is BackendKind.SIMULATED
    assert experiment(Pairwise(judged_by=LIVE)).kind is BackendKind.LIVE
    assert experiment().kind is BackendKind.NONE


def test_an_error_is_explained_in_one_line() -> None:
    assert explain(ConfigError("seed: expected a number")) == "ConfigError: seed: expected a number"
