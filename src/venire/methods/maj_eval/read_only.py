"""A control in place of phase 2: agents read each other's first ratings once, and nobody speaks."""

from dataclasses import dataclass

from venire.judging.debate import FINAL, rate_finally
from venire.judging.history import History
from venire.judging.judge import PromptedJudge
from venire.judging.matter import together
from venire.llm.protocol import LLM
from venire.methods.maj_eval.talk import Opened, Talk, opinion_of, part_of, without_talk
from venire.records import Ending, Transcript


@dataclass(frozen=True, slots=True)
class ReadOnly:
    """Every agent is shown its group's first ratings with their reasons once, and rates finally.

    What a debate adds to it is discussion: answers, corrections, new evidence.
    Source: issue "MAJ-EVAL", "Controls".
    """

    @property
    def judges(self) -> tuple[PromptedJudge, ...]:
        """None of its own."""
        return ()

    @property
    def prompts(self) -> tuple[str, ...]:
        """Of final ratings."""
        return (FINAL,)

    async def hold(self, opened: Opened, chair: PromptedJudge, llm: LLM) -> Talk:
        """The final ratings; the first ones in a group of one, and where no first one could be used."""
        group, openings = opened.group, opened.openings
        if (settled := without_talk(opened)) is not None:
            return settled
        history = History(group.agents, openings)
        rated = await together(
            rate_finally(agent, opened.matter, history, llm, debated=False) for agent in group.agents
        )
        parts = tuple(
            part_of(agent, opening, opinion_of(each), asked_again=True)
            for agent, opening, each in zip(group.agents, openings, rated, strict=True)
        )
        return Talk(
            Transcript(group.name, parts, ending=Ending.READ_ONLY),
            tuple(call for each in rated for call in each.calls),
        )
