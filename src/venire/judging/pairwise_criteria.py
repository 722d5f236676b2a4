"""Pairwise comparison on criteria: which response is better on each, and over all; a result's form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, WithJsonSchema, create_model

from venire.judging.ask import ask
from venire.judging.ballot import Ballot
from venire.judging.criteria import Criterion
from venire.judging.judge import PromptedJudge
from venire.judging.matter import pair_values
from venire.judging.pairwise import Confidence, Either, WithTie
from venire.judging.reply import Reply, part
from venire.judging.votes import final, position_consistent
from venire.llm.protocol import LLM
from venire.prompts.render import render
from venire.records import (
    Instance,
    Order,
    Prediction,
    Preference,
    Slot,
    Subject,
    Unscored,
    Vote,
    Winner,
)

PAIRWISE_CRITERIA = "pairwise_criteria"
# The responses in the data set's own order, in the words of papers/advanced-evaluation, example 2.
_NAMES = {Winner.FIRST: "A", Winner.SECOND: "B", Winner.TIE: "TIE"}


class Comparison(BaseModel):
    """One criterion: what decides, then which response is better."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")

    comparison: str = ""
    winner: WithTie


class CriteriaPairReply(Reply):
    """A comparison a criterion, by key, then the verdict over all."""

    criteria: Mapping[str, Comparison]
    reasoning: str = ""
    winner: WithTie
    confidence: Confidence = None

    @property
    def decision(self) -> object:
        """The overall winner and each criterion's."""
        return self.winner, {key: each.winner for key, each in self.criteria.items()}


@dataclass(frozen=True, slots=True)
class CriteriaBallot:
    """A judge's ballot in one order, and on each criterion its winner, mapped back, with what decides."""

    ballot: Ballot
    winners: Mapping[str, Winner] = field(default_factory=dict)
    comparisons: Mapping[str, str] = field(default_factory=dict)


async def compare_on(
    judge: PromptedJudge,
    instance: Instance,
    order: Order,
    criteria: Sequence[Criterion],
    llm: LLM,
    *,
    allow_tie: bool,
) -> CriteriaBallot:
    """The judge's comparison of a pair shown in `order`, on each of `criteria` and over all.

    A reply without one of the criteria is asked again and then no verdict.

    Source: papers/advanced-evaluation, "Prompt Structure for Pairwise Comparison".
    """
    messages = render(
        PAIRWISE_CRITERIA,
        **pair_values(instance, order),
        allow_tie=allow_tie,
        criteria=[
            {
                "key": each.key,
                "name": each.name,
                "description": each.description,
                "weight": f"{each.weight:.2g}",
            }
            for each in criteria
        ],
    )
    form = criteria_pair_form(tuple(each.key for each in criteria), allow_tie=allow_tie)
    asked = await ask(judge, messages, form, llm, stage="judge", subject=Subject(instance.id, order))
    reply = asked.reply
    if isinstance(reply, Unscored):
        return CriteriaBallot(Ballot(Vote(judge.name, order, reply, "", asked.text), asked.calls))
    prediction = Preference(order.winner(Slot(reply.winner)), reply.confidence)
    return CriteriaBallot(
        Ballot(Vote(judge.name, order, prediction, reply.reasoning, asked.text), asked.calls),
        {key: order.winner(Slot(each.winner)) for key, each in reply.criteria.items()},
        {key: each.comparison for key, each in reply.criteria.items()},
    )


@cache
def criteria_pair_form(keys: tuple[str, ...], *, allow_tie: bool) -> type[CriteriaPairReply]:
    """The reply that compares on exactly `keys`; only with `allow_tie` may the overall winner be a tie."""

    def read(value: object) -> dict[str, Comparison]:
        if not isinstance(value, Mapping):
            raise ValueError("expected an object of criterion to its comparison")
        lacking = [key for key in keys if key not in value]
        if lacking:
            raise ValueError(f"{lacking[0]} is missing")
        return {key: part(key, Comparison, value[key]) for key in keys}

    schema = {"type": "object", "properties": dict.fromkeys(keys, Comparison.model_json_schema())}
    typed: Any = (Annotated[Mapping[str, Comparison], BeforeValidator(read), WithJsonSchema(schema)], ...)
    winner: Any = (WithTie if allow_tie else Either, ...)
    return create_model("CriteriaPairReply", __base__=CriteriaPairReply, criteria=typed, winner=winner)


def pair_result(by_order: Mapping[Order, Prediction]) -> dict[str, object]:
    """JSON-ready, in the form of papers/advanced-evaluation, example 2; A is the data set's first response.

    The first pass shows A first. A winner that is not known is null, as is `consistent` unless both passes
    have one.
    """
    last = final(by_order)
    return {
        "winner": _name(last),
        "confidence": last.confidence if isinstance(last, Preference) else None,
        "positionConsistency": {
            "consistent": position_consistent(by_order),
            "firstPassWinner": _name(by_order.get(Order.AS_GIVEN)),
            "secondPassWinner": _name(by_order.get(Order.SWAPPED)),
        },
    }


def criteria_detail(
    criteria: Sequence[Criterion], ballots: Mapping[Order, CriteriaBallot]
) -> dict[str, object]:
    """JSON-ready: `criteria` (each one's result as `pair_result`, with the comparisons), `by_criterion`.

    A criterion whose winner changes with the order is a tie, as the verdict over all is.
    """
    results = []
    winners: dict[str, str] = {}
    consistent: dict[str, bool] = {}
    for each in criteria:
        by_order: dict[Order, Prediction] = {
            order: Preference(made.winners[each.key])
            for order, made in ballots.items()
            if each.key in made.winners
        }
        if len(by_order) < len(ballots):
            continue  # one order has no usable reply: half a comparison is none
        result = pair_result(by_order)
        last = final(by_order)
        assert isinstance(last, Preference)
        winners[each.key] = last.winner.value
        if (same := position_consistent(by_order)) is not None:
            consistent[each.key] = same
        results.append(
            {
                "criterion": each.name,
                "winner": result["winner"],
                "positionConsistency": result["positionConsistency"],
                "comparison": {order.value: made.comparisons[each.key] for order, made in ballots.items()},
            }
        )
    return {"criteria": results, "by_criterion": winners, "criterion_consistent": consistent}


def _name(prediction: Prediction | None) -> str | None:
    return _NAMES[prediction.winner] if isinstance(prediction, Preference) else None
