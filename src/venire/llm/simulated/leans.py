"""Leans that no evidence justifies, read off what a prompt shows: what a bias audit has to find."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from venire.llm.simulated.messages import first_message
from venire.llm.simulated.ranges import WIDEST, check_range
from venire.records import Instance, Order, Request

_RESPONSES = re.compile(r'<response_([AB]) id="([0-9a-f]{16})">\n(.*?)\n</response_\1 id="\2">', re.DOTALL)
_AUTHORITY = re.compile(
    r"\bcertain|no doubt|definitive|hesitation|\bexpert|\bet al\.|\((?:19|20)\d\d\)|confirmed by|source:"
    r"|verification|consensus|has shown",
    re.IGNORECASE,
)
_INJECTION = re.compile(r'"winner"|\bresponse [AB]\b|reference answer|the criteria have|Antwort [AB]')


@dataclass(frozen=True, slots=True)
class Leans:
    """What a pairwise judge favours beside the evidence, in logits; all 0: nothing.

    Args:
        length: for each doubling of a response's characters over the other's.
        authority: for the response with more marks of authority (assurances, sources, titles).
        injection: for the response with more text that addresses the judge.
        generators: generator to what is added for its responses, whatever they say.
    """

    length: float = 0.0
    authority: float = 0.0
    injection: float = 0.0
    generators: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("length", "authority", "injection"):
            check_range(name, getattr(self, name), -WIDEST, WIDEST)
        for name, value in self.generators.items():
            check_range(f"generators.{name}", value, -WIDEST, WIDEST)

    def for_the_first(self, request: Request, instance: Instance) -> float:
        """The lean to the response shown first, in logits; 0 where the prompt shows no two responses."""
        shown = shown_responses(request)
        if len(shown) != 2:
            return 0.0
        first, second = shown["A"], shown["B"]
        lean = self.length * math.log2(max(1, len(first)) / max(1, len(second)))
        lean += self.authority * _more(_AUTHORITY, first, second)
        lean += self.injection * _more(_INJECTION, first, second)
        return lean + self._by_generator(request, instance)

    def _by_generator(self, request: Request, instance: Instance) -> float:
        liked = [self.generators.get(response.generator or "", 0.0) for response in instance.responses]
        swapped = request.subject is not None and request.subject.order is Order.SWAPPED
        return (liked[1] - liked[0]) if swapped else (liked[0] - liked[1])


def shown_responses(request: Request) -> Mapping[str, str]:
    """The responses that the first user message shows, by label."""
    return {found[1]: found[3] for found in _RESPONSES.finditer(first_message(request, "user"))}


def _more(pattern: re.Pattern[str], first: str, second: str) -> int:
    """1 where the first text has more matches, -1 where the second has, else 0."""
    counts = [len(pattern.findall(text)) for text in (first, second)]
    return (counts[0] > counts[1]) - (counts[0] < counts[1])
