"""Decomposition: one judge, one response -> its atomic claims."""

from dataclasses import dataclass

from venire.judging.ask import ask
from venire.judging.judge import PromptedJudge
from venire.judging.matter import Matter
from venire.judging.reply import Reply
from venire.llm.protocol import LLM
from venire.prompts.render import render
from venire.records import Call, Claim, Unscored

DECOMPOSE = "decompose"


class Decomposition(Reply):
    """The claims of a response; an empty list is a valid one."""

    claims: list[str]

    @property
    def decision(self) -> object:
        """The claims."""
        return tuple(self.claims)


@dataclass(frozen=True, slots=True)
class Decomposed:
    """The claims that a judge found, or why there are none to be had; with the calls it took."""

    claims: tuple[Claim, ...] | Unscored
    calls: tuple[Call, ...]


async def decompose(judge: PromptedJudge, matter: Matter, llm: LLM) -> Decomposed:
    """The response's atomic claims in its order; blank ones and exact repetitions left out.

    Source: JuryFlow, "Panel judging"; the claims are those that all stages speak of.
    """
    asked = await ask(
        judge,
        render(DECOMPOSE, **matter.values),
        Decomposition,
        llm,
        stage="decompose",
        subject=matter.subject(),
    )
    if isinstance(asked.reply, Unscored):
        return Decomposed(asked.reply, asked.calls)
    texts = dict.fromkeys(text.strip() for text in asked.reply.claims if text.strip())
    return Decomposed(tuple(Claim(index, text) for index, text in enumerate(texts)), asked.calls)
