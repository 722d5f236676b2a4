"""Questions made for tests, a page that asks them, and JuryFlow's runs on the bundled sample."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf
from tests.methods.juryflow.court import pair
from tests.page.served import SECRET

from venire.config import config_dir, experiment_of
from venire.judging.align import FloatArray
from venire.judging.convene import Hearing
from venire.judging.matter import Matter
from venire.launch import Door, Written, execute, prepare
from venire.methods.juryflow.choices import Choice
from venire.methods.juryflow.graph import Graph, Node, disagreement
from venire.methods.juryflow.select import Question, ranked_claims
from venire.methods.protocol import Sitting
from venire.page.app import make_app
from venire.page.jury.desk import Desk
from venire.page.jury.handlers import Jury
from venire.page.security import Security
from venire.page.serving import listen, served
from venire.page.times import Times
from venire.records import BackendKind, Instance, Verdict

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
SAMPLE = ("method=juryflow", "panel=mixed", "backend=simulated", "method.focal.budget=1")


def node(index: int, votes: Sequence[int], text: str = "", tags: Sequence[str] = ()) -> Node:
    """A claim by how many judges accept, reject and doubt it."""
    given = {verdict: count for verdict, count in zip(Verdict, votes, strict=True) if count}
    most = max(given, key=lambda verdict: given[verdict]) if given else None
    return Node(index, text or f"claim {index}", given, disagreement([*given.values()]), tuple(tags), most)


def question(
    nodes: Sequence[Node],
    weights: FloatArray | None = None,
    *,
    instance: Instance | None = None,
    place: int = 0,
    threshold: float = 0.5,
    budget: int = 2,
) -> Question:
    """A question about claims; without weights they are not related."""
    given = np.zeros((len(nodes), len(nodes))) if weights is None else weights
    graph = Graph(Hearing(Matter(instance or pair("x", "y"), place)), tuple(nodes), given)
    ranked = ranked_claims([each.disagreement for each in nodes], threshold)
    return Question(graph, ranked, budget, threshold, np.random.default_rng(0))


def weights_of(count: int, edges: dict[tuple[int, int], float]) -> FloatArray:
    """Symmetric weights."""
    made = np.zeros((count, count))
    for (i, j), weight in edges.items():
        made[i, j] = made[j, i] = weight
    return made


def noon() -> datetime:
    """A clock that stands."""
    return NOON


def sitting(home: Path = Path("nowhere"), say: Callable[[str], None] = lambda _: None) -> Sitting:
    """A simulated run."""
    return Sitting("a run", BackendKind.SIMULATED, 3, home, say)


@dataclass
class Asking:
    """A run that asks, in a loop of its own; `answers` are what it was told, or why nothing."""

    desk: Desk
    kept: list[Choice] = field(default_factory=list)
    answers: list[Choice | BaseException] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()

    def ask(self, *questions: Question) -> None:
        """Put them, one after the other, without waiting for answers; returns when they are open."""
        for each in questions:
            before = len(self.desk.questions)
            asyncio.run_coroutine_threadsafe(self._ask(each), self.loop)
            version = -1
            while len(self.desk.questions) == before:
                version = self.desk.wait(version, 5)

    async def _ask(self, each: Question) -> None:
        try:
            self.answers.append(await self.desk.ask(each))
        except Exception as reason:
            self.answers.append(reason)

    async def _give_up(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def settle(self) -> None:
        """Let the loop do what it has been told."""
        asyncio.run_coroutine_threadsafe(asyncio.sleep(0.01), self.loop).result(5)

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._give_up(), self.loop).result(5)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(5)
        self.loop.close()


@contextmanager
def asking() -> Iterator[Asking]:
    """A desk that is open, and its run."""
    made = Asking(Desk(noon))
    made.desk.open(sitting(), made.kept.append)
    try:
        yield made
    finally:
        made.desk.close()
        made.close()


@contextmanager
def page_of(desk: Desk) -> Iterator[str]:
    """The address of its page."""
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory())
        app = make_app(Security(SECRET), [Jury(desk, Times(Path(folder) / "choices.times", noon)).mode])
        listening = stack.enter_context(listen("127.0.0.1", 0))
        url = stack.enter_context(served(app, listening))
        try:
            yield url
        finally:
            desk.close()


def run_sample(home: Path, *overrides: str, say: Callable[[str], None] = lambda _: None) -> Written:
    """JuryFlow on the bundled sample with simulated judges, as the command runs it."""
    given = [*SAMPLE, "tracking.enabled=false", "metrics.draws=0", *overrides]
    with initialize_config_dir(version_base="1.3", config_dir=str(config_dir())):
        whole = compose("config", given, return_hydra_config=True)
    bare = OmegaConf.masked_copy(whole, [str(key) for key in whole if key != "hydra"])
    choices = {str(key): str(value) for key, value in whole.hydra.runtime.choices.items()}
    return execute(prepare(experiment_of(bare, given, choices), {}), Door(home, {}, say=say))
