"""What the methods that ask judges about a pair have in common: settings, checks, no memory."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from venire.judging.ask import REASK
from venire.judging.ballot import Ballot
from venire.judging.judge import Judge, PromptedJudge
from venire.judging.orders import Orders
from venire.judging.pairs import check_pairs
from venire.judging.pairwise import poll
from venire.judging.persona import PERSONA
from venire.llm.embedding import EmbeddingModel
from venire.llm.protocol import LLM
from venire.prompts.render import require_prompt
from venire.records import Instance, Order, Outcome


class Independent:
    """A method whose outcomes do not depend on the instances before them: it has no memory.

    Nor does it ask for vectors.
    """

    __slots__ = ()

    @property
    def embeddings(self) -> tuple[EmbeddingModel, ...]:
        """None."""
        return ()

    @property
    def order_dependent(self) -> bool:
        """Always false."""
        return False

    def initial_memory(self) -> object:
        """None: there is no memory."""
        return None

    def fold(self, memory: object, outcome: Outcome) -> object:
        """`memory` as it was: an outcome adds nothing."""
        return memory


class Unasked(Independent):
    """A method of formulas: no judge is asked, and no prompt rendered."""

    __slots__ = ()

    @property
    def judges(self) -> tuple[Judge, ...]:
        """None."""
        return ()

    @property
    def prompts(self) -> tuple[str, ...]:
        """None."""
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparing(Independent, ABC):
    """A method that puts each pair before its judges.

    Args:
        orders: `both` (mapped back, then checked for consistency), `as_given`, or `seeded`: the one
            order that (seed, instance id) names. All judges see the same orders.
        prompt: the prompt file, without `.jinja`.
        allow_tie: whether a judge may call a tie.
        seed: names the orders where they are `seeded`; without effect elsewhere.

    Raises:
        ConfigError: there is no such prompt.
    """

    orders: Orders = Orders.BOTH
    prompt: str = "pairwise"
    allow_tie: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        require_prompt(self.prompt, like="pairwise")

    @property
    @abstractmethod
    def judges(self) -> tuple[Judge, ...]:
        """Every judge that is asked."""

    @property
    def prompts(self) -> tuple[str, ...]:
        """The comparison's prompt, the persona's where a judge has one, and the re-ask's."""
        return prompts_of(self.judges, self.prompt)

    def check(self, instances: Sequence[Instance]) -> None:
        """Refuse, before any call, what is no pair or what a recorded judge has no verdict on.

        Raises:
            DataError, MissingRecording
        """
        check_pairs(self.judges, instances)

    async def ballots(self, instance: Instance, llm: LLM) -> Mapping[Order, tuple[Ballot, ...]]:
        """All judges' ballots on `instance`, order by order, in the judges' order."""
        orders = self.orders.of(self.seed, instance.id)
        return await poll(self.judges, instance, orders, llm, prompt=self.prompt, allow_tie=self.allow_tie)


def prompts_of(judges: Sequence[Judge], *prompts: str) -> tuple[str, ...]:
    """`prompts` and those that any question to `judges` may render; none where all judges are recorded."""
    prompted = [judge for judge in judges if isinstance(judge, PromptedJudge)]
    persona = (PERSONA,) if any(judge.persona for judge in prompted) else ()
    return (*prompts, *persona, REASK) if prompted else ()
