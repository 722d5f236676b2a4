"""`method=rouge_l`: how much of the reference's wording a response has, in its order; no model is asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from venire.judging.references import check_references
from venire.llm.protocol import LLM
from venire.methods.comparing import Unasked
from venire.records import OVERALL, Instance, Outcome, Ratings

if TYPE_CHECKING:
    from rouge_score.rouge_scorer import RougeScorer


@dataclass(frozen=True, slots=True)
class RougeL(Unasked):
    """F1 of the longest common subsequence of words, in [0, 1], as the one score of the whole response.

    By the package rouge-score: words are runs of a-z and 0-9 in lower case. A response without any
    word, or without one in common, scores 0: that is what the formula says.

    Args:
        stemmer: whether words of more than three letters are Porter-stemmed first.

    Source: Lin (2004); spec, section 2, "Baselines".
    """

    stemmer: bool = True

    @property
    def name(self) -> str:
        """`rouge_l`."""
        return "rouge_l"

    def check(self, instances: Sequence[Instance]) -> None:
        """Refuse what is not one response with a reference.

        Raises:
            DataError
        """
        check_references(self.name, instances)

    async def judge(self, instance: Instance, memory: object, llm: LLM) -> Outcome:
        """The score; `detail` has precision and recall."""
        found = _scorer(self.stemmer).score(instance.reference, instance.responses[0].text)["rougeL"]
        detail = {"precision": float(found.precision), "recall": float(found.recall)}
        return Outcome(instance.id, Ratings({OVERALL: float(found.fmeasure)}), detail=detail)


@cache
def _scorer(stemmer: bool) -> "RougeScorer":
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(["rougeL"], use_stemmer=stemmer)
