"""What judging looks at: one response of an instance on its own, or a pair; and what prompts show of it."""

import asyncio
from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from venire.records import Instance, Order, RubricEntry, Subject

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Matter:
    """Response `response_index` (from 0) of `instance`."""

    instance: Instance
    response_index: int

    @property
    def values(self) -> dict[str, object]:
        """What every prompt on it shows: request, response, context, reference."""
        return {
            "prompt": self.instance.prompt,
            "response": self.instance.responses[self.response_index].text,
            "context": self.instance.context,
            "reference": self.instance.reference,
        }

    def subject(self, claim_index: int | None = None) -> Subject:
        """Whom a request is about."""
        return Subject(self.instance.id, None, self.response_index, claim_index)


def pair_values(instance: Instance, order: Order) -> dict[str, object]:
    """What every prompt on a pair shows: request, both responses in `order`, context, reference."""
    first, second = instance.responses
    shown = (first, second) if order is Order.AS_GIVEN else (second, first)
    return {
        "prompt": instance.prompt,
        "response_a": shown[0].text,
        "response_b": shown[1].text,
        "context": instance.context,
        "reference": instance.reference,
    }


def rubric_values(entries: Sequence[RubricEntry], examples: int) -> list[dict[str, object]]:
    """`entries` as prompts show them, each with its latest `examples` of either kind."""
    return [
        {
            "dimension": entry.dimension,
            "criterion": entry.criterion,
            "boundary": entry.boundary,
            "positive_examples": list(entry.positive_examples[-examples:]) if examples else [],
            "negative_examples": list(entry.negative_examples[-examples:]) if examples else [],
        }
        for entry in entries
    ]


async def together(tasks: Iterable[Awaitable[T]]) -> list[T]:
    """The results of `tasks`, all under way at once, in their order.

    An error is raised once all have ended: what the others cost is then in the ledger and their
    replies are in the store.
    """
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    results: list[T] = []
    for result in ended:
        if isinstance(result, BaseException):
            raise result
        results.append(result)
    return results
