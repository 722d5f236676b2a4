"""`method=length`: longer is better, the baseline that every judge must beat."""

from collections.abc import Sequence
from dataclasses import dataclass

from venire.judging.pairs import check_pairs, pair_outcome
from venire.llm.protocol import LLM
from venire.methods.comparing import Unasked
from venire.records import OVERALL, Instance, Order, Outcome, Preference, Ratings, Winner


@dataclass(frozen=True, slots=True)
class Length(Unasked):
    """The response with more characters wins; equal length is a tie. No model is asked.

    A rule on the texts cannot see positions: both orders have the same prediction by construction. A
    response to rate has its number of characters as its one score.
    """

    @property
    def name(self) -> str:
        """`length`."""
        return "length"

    def check(self, instances: Sequence[Instance]) -> None:
        """Refuse a mixture of pairs and single responses.

        Raises:
            DataError
        """
        if any(len(instance.responses) != 1 for instance in instances):
            check_pairs((), instances)

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        """The longer response; `detail` has both lengths in characters. Of a single response its length."""
        if len(instance.responses) == 1:
            return Outcome(instance.id, Ratings({OVERALL: float(len(instance.responses[0].text))}))
        first, second = (len(response.text) for response in instance.responses)
        prediction = Preference(_longer(first, second))
        by_order = dict.fromkeys(Order, prediction)
        return pair_outcome(instance, by_order, {}, {"characters": [first, second]})


def _longer(first: int, second: int) -> Winner:
    if first == second:
        return Winner.TIE
    return Winner.FIRST if first > second else Winner.SECOND
