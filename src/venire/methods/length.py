"""`method=length`: the longer response wins, the baseline that every judge must beat."""

from collections.abc import Sequence
from dataclasses import dataclass

from venire.judging.judge import Judge
from venire.judging.pairs import check_pairs, pair_outcome
from venire.llm.protocol import LLM
from venire.methods.comparing import Independent
from venire.records import Instance, Order, Outcome, Preference, Winner


@dataclass(frozen=True, slots=True)
class Length(Independent):
    """The response with more characters wins; equal length is a tie. No model is asked.

    A rule on the texts cannot see positions: both orders have the same prediction by construction.
    """

    @property
    def name(self) -> str:
        """`length`."""
        return "length"

    @property
    def judges(self) -> tuple[Judge, ...]:
        """None."""
        return ()

    @property
    def prompts(self) -> tuple[str, ...]:
        """None."""
        return ()

    def check(self, instances: Sequence[Instance]) -> None:
        """Refuse what is no pair.

        Raises:
            DataError
        """
        check_pairs((), instances)

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        """The longer response; `detail` has both lengths in characters."""
        first, second = (len(response.text) for response in instance.responses)
        prediction = Preference(_longer(first, second))
        by_order = dict.fromkeys(Order, prediction)
        return pair_outcome(instance, by_order, {}, {"characters": [first, second]})


def _longer(first: int, second: int) -> Winner:
    if first == second:
        return Winner.TIE
    return Winner.FIRST if first > second else Winner.SECOND
