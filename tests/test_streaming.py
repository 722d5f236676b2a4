"""Runs whose instances stream by: the numbers of those that hold them, from a stop on, and their refusals."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.test_launch import LIVE, SIMULATED, experiment, run

from venire.data.protocol import Loaded
from venire.data.streamed import Streamed
from venire.data.table import Columns, Table
from venire.errors import ConfigError
from venire.judging.judge import Judge, RecordedJudge
from venire.judging.panel import Panel
from venire.judging.unit import Unit
from venire.launch import Written, prepare
from venire.llm.budget import Budget
from venire.llm.protocol import LLM
from venire.methods.comparing import Independent
from venire.methods.length import Length
from venire.methods.majority import Majority
from venire.methods.pairwise import Pairwise
from venire.metrics.confidence import ConfidenceSettings
from venire.metrics.measure import MetricSettings
from venire.records import Instance, Outcome, Preference, Reason, RunStatus, Unscored, Winner
from venire.runs import read_calls, read_judged, read_outcomes
from venire.schedule import Schedule

COUNT = 50
PANEL = Panel(
    tuple(
        replace(SIMULATED, name=name, model=f"openai/{name}", family=family)
        for name, family in (("gpt", "openai"), ("claude", "anthropic"), ("llama", "meta"))
    ),
    "gpt",
)
JUDGED = Pairwise(judged_by=SIMULATED)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of pairs, its ids in an order of their own."""
    made = tmp_path_factory.mktemp("data") / "pairs.jsonl"
    rows = [
        {
            "id": f"p/{number * 37 % COUNT}",
            "prompt": f"Which of {number % 40} is longer?",
            "a": "word " * (number % 7 + 1),
            "b": "term " * (number % 5 + 1),
            "label": "response_1" if number % 3 else "response_2",
            "subset": "ab"[number % 2],
        }
        for number in range(COUNT)
    ]
    made.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return made


def table(path: Path, *, stream: bool) -> Loaded:
    columns = Columns(response_1="a", response_2="b", label="label", subset="subset")
    return Table(columns, str(path), stream=stream).load()


def run_both(tmp_path: Path, path: Path, **changes: object) -> tuple[Written, Written]:
    """The experiment on instances that are held, and on the same that stream; each asks anew."""
    settings = {"metrics": MetricSettings(draws=50), "concurrency": 8, **changes}
    held, streamed = (
        run(tmp_path / str(stream), experiment(loaded=table(path, stream=stream), **settings))
        for stream in (False, True)
    )
    return held, streamed


def assert_same(held: Written, streamed: Written) -> None:
    measured = [json.loads((each.folder / "summary.json").read_text()) for each in (held, streamed)]
    for each in measured:
        del each["duration_s"]
    assert measured[1] == measured[0]
    assert streamed.record.notes == held.record.notes
    assert streamed.record.tags == held.record.tags
    assert (streamed.record.status, streamed.record.error) == (held.record.status, held.record.error)
    assert read_judged(streamed.folder) == read_judged(held.folder)
    assert read_outcomes(streamed.folder) == read_outcomes(held.folder)
    made = [
        [replace(call, latency_s=0.0) for call in read_calls(each.folder).finished]
        for each in (held, streamed)
    ]
    assert made[1] == made[0]


@pytest.mark.parametrize("method", [Length(), Majority(panel=PANEL)], ids=["length", "majority"])
def test_every_number_is_that_of_the_run_that_holds_its_instances(
    tmp_path: Path, path: Path, method: Length | Majority
) -> None:
    held, streamed = run_both(tmp_path, path, method=method)
    assert isinstance(table(path, stream=True).instances, Streamed)
    assert streamed.record.metrics["n"] == COUNT
    assert sorted(each.name for each in streamed.folder.iterdir()) == [
        *("calls.jsonl.gz", "config.yaml", "outcomes.parquet", "run.json", "summary.json"),
    ]
    assert_same(held, streamed)


def test_a_stopped_stream_is_readable_and_goes_on_without_paying_twice(tmp_path: Path, path: Path) -> None:
    def again(budget: Budget) -> Written:
        made = experiment(JUDGED, loaded=table(path, stream=True), budget=budget)
        return run(tmp_path, replace(made, metrics=MetricSettings(draws=0)))

    stopped = again(Budget(calls=31))
    assert stopped.record.status is RunStatus.INCOMPLETE
    assert stopped.record.error.endswith(f"({COUNT - 15} of {COUNT} instances are not judged)")
    rows = read_outcomes(stopped.folder)
    assert sum(isinstance(row.prediction, Preference) for row in rows) == 15
    assert len(rows) == COUNT
    assert len(read_calls(stopped.folder).unfinished) == stopped.record.metrics["calls/unfinished"] == 1
    whole = again(Budget())
    assert whole.record.status is RunStatus.FINISHED
    assert (whole.record.metrics["calls/replayed"], whole.record.metrics["calls/paid"]) == (
        31,
        2 * COUNT - 31,
    )


@dataclass(frozen=True)
class Spoken(Independent):
    """Says what it is told to, under the name of a method that streams."""

    say: Callable[[Instance], Outcome]
    name: str = "pairwise"
    judges: tuple[Judge, ...] = ()
    prompts: tuple[str, ...] = ()

    def check(self, instances: Sequence[Instance]) -> None: ...

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        await asyncio.sleep(0)
        return self.say(instance)


def test_too_many_missing_verdicts_fail_a_streaming_run_too(tmp_path: Path, path: Path) -> None:
    def say(instance: Instance) -> Outcome:
        unread = Unscored(Reason.UNPARSED, "no JSON")
        return Outcome(instance.id, Preference(Winner.FIRST) if instance.subset == "a" else unread)

    held, streamed = run_both(tmp_path, path, method=Spoken(say))
    assert streamed.record.status is RunStatus.FAILED
    assert "50.0% of the verdicts are missing" in streamed.record.error
    assert_same(held, streamed)


@dataclass(frozen=True)
class Remembering(Spoken):
    """Depends on the order."""

    @property
    def order_dependent(self) -> bool:
        return True


@dataclass(frozen=True)
class OfClaims(Spoken):
    """Has verdicts on claims."""

    unit: Unit = Unit.CLAIMS


def never(instance: Instance) -> Outcome:
    raise AssertionError(instance)


RECORDED = RecordedJudge("GPT-4", "Vanilla", root="nowhere")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"method": Remembering(never)}, "judges an instance on the memory of those before it"),
        ({"method": Spoken(never, "audit")}, "of method=audit are made of what it says"),
        ({"method": OfClaims(never)}, "method.unit=holistic streams"),
        ({"method": Spoken(never, judges=(RECORDED,))}, "recorded judges know no instances but those"),
        ({"method": Spoken(never, judges=(replace(LIVE, name="group/agent"),))}, r"\(group/agent\)"),
        (
            {"metrics": MetricSettings(confidence=ConfidenceSettings(figures=True))},
            "figures are drawn from all outcomes",
        ),
    ],
)
def test_what_cannot_stream_is_refused_before_any_call(
    path: Path, changes: Mapping[str, object], says: str
) -> None:
    made = replace(experiment(Length(), loaded=table(path, stream=True)), **changes)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=f"dataset.stream: .*{says}.*; drop dataset.stream=true"):
        prepare(made, {"OPENAI_API_KEY": "k"})


def test_a_development_split_is_refused(path: Path) -> None:
    loaded = table(path, stream=True)
    first = replace(loaded, instances=loaded.instances[:5])
    made = experiment(Length(), loaded=loaded, development=first, schedule=Schedule())
    with pytest.raises(ConfigError, match="a development split is drawn from all instances"):
        prepare(made, {})
