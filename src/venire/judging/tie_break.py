"""A pair decided by its two responses' scores, ties by the strongest judge's holistic verdict."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from venire.judging.judge import Judge
from venire.judging.orders import seeded_order
from venire.judging.pairwise import poll
from venire.judging.verdicts import higher
from venire.judging.votes import both_orders, position_consistent
from venire.llm.protocol import LLM
from venire.prompts.render import require_prompt
from venire.records import Call, Instance, Order, Prediction, Preference, Unscored, Winner


class TieBreaking(StrEnum):
    """How a tie of scores was broken."""

    CONSISTENT = "consistent"  # both orders name the same winner
    INCONSISTENT = "inconsistent"  # they differ: the order that (seed, instance id) names decided
    FAILED = "failed"  # a reply cannot be used: the instance is unscored
    OFF = "off"  # no tie is broken: it stands


@dataclass(frozen=True, slots=True)
class TieBreak:
    """The holistic comparison that breaks ties.

    With the settings of `method=single`, both share their calls.

    Args:
        prompt: the prompt file, without `.jinja`.
        allow_tie: whether the judge may call a tie, too; it stands then.

    Raises:
        ConfigError: there is no such prompt.
    """

    prompt: str = "pairwise"
    allow_tie: bool = True

    def __post_init__(self) -> None:
        require_prompt(self.prompt, like="pairwise")


@dataclass(frozen=True, slots=True)
class Decision:
    """A pair's prediction; `breaking` None where the scores differ; `by_order` where judged holistically."""

    prediction: Prediction
    breaking: TieBreaking | None = None
    by_order: Mapping[Order, Prediction] | None = None
    calls: tuple[Call, ...] = ()

    @property
    def detail(self) -> dict[str, object]:
        """JSON-ready: `tie_break`, and the holistic winners by order where they were asked for."""
        by_order = {
            order.value: made.winner.value if isinstance(made, Preference) else None
            for order, made in (self.by_order or {}).items()
        }
        return {"tie_break": self.breaking.value if self.breaking else None} | (
            {"tie_break_by_order": by_order} if by_order else {}
        )


async def decide(
    instance: Instance,
    scores: tuple[float | None, float | None],
    strongest: Judge,
    llm: LLM,
    *,
    tie_break: TieBreak | None,
    seed: int,
    unscored: Unscored | None = None,
) -> Decision:
    """The response with the higher score; equal scores, and an undefined one, are a tie.

    `unscored` where the pair cannot be judged at all: it is the prediction then.

    A tie is put before the `strongest` judge in both orders. Where these disagree, the order that
    (seed, instance id) names decides. Where one has no usable reply, the instance is unscored.
    Without `tie_break` a tie stands.

    Source: spec, section 1, "Verdicts and score".
    """
    if unscored is not None:
        return Decision(unscored)
    winner = higher(*scores)
    if winner is not Winner.TIE:
        return Decision(Preference(winner))
    if tie_break is None:
        return Decision(Preference(Winner.TIE), TieBreaking.OFF)
    ballots = await poll(
        (strongest,),
        instance,
        tuple(Order),
        llm,
        prompt=tie_break.prompt,
        allow_tie=tie_break.allow_tie,
        stage="tie_break",
    )
    by_order = {order: ballot.vote.prediction for order, (ballot,) in ballots.items()}
    calls = tuple(call for (ballot,) in ballots.values() for call in ballot.calls)
    agreed = both_orders(by_order[Order.AS_GIVEN], by_order[Order.SWAPPED])
    if isinstance(agreed, Unscored):
        return Decision(agreed, TieBreaking.FAILED, by_order, calls)
    if position_consistent(by_order):
        return Decision(agreed, TieBreaking.CONSISTENT, by_order, calls)
    return Decision(by_order[seeded_order(seed, instance.id)], TieBreaking.INCONSISTENT, by_order, calls)
