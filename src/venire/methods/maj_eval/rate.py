"""Phase 1: every agent rates the response on its own."""

from collections import Counter
from collections.abc import Sequence

from venire.judging.agent import Agent, Group
from venire.judging.matter import Matter, together
from venire.judging.persona import in_person
from venire.judging.rating import ask_ratings, rating_messages
from venire.llm.protocol import LLM
from venire.methods.maj_eval.talk import Opened
from venire.records import Message


async def rate_independently(
    groups: Sequence[Group], matter: Matter, llm: LLM, *, prompt: str
) -> tuple[Opened, ...]:
    """All agents' first ratings, all asked at once, in the order of the groups.

    Agents whose questions are word for word the same (level `none`) are replicates of each other: each is
    a call of its own.

    Source: MAJ-EVAL, phase 1.
    """
    agents = [agent for group in groups for agent in group.agents]
    questions = [rating_messages(matter, agent.dimensions, prompt=prompt) for agent in agents]
    rated = await together(
        ask_ratings(agent.judge, question, matter, agent.dimensions, llm, stage="rate", replicate=replicate)
        for agent, question, replicate in zip(agents, questions, replicates(agents, questions), strict=True)
    )
    made = iter(rated)
    return tuple(Opened(group, matter, tuple(next(made) for _ in group.agents)) for group in groups)


def replicates(agents: Sequence[Agent], questions: Sequence[tuple[Message, ...]]) -> list[int]:
    """For each agent how many before it are asked the very same."""
    asked: Counter[tuple[Message, ...]] = Counter()
    numbers = []
    for agent, question in zip(agents, questions, strict=True):
        told = in_person(question, agent.judge.persona)
        numbers.append(asked[told])
        asked[told] += 1
    return numbers
