"""What has been said in a debate, as prompts show it: bounded, and it says what was left out."""

from collections.abc import Sequence
from dataclasses import dataclass

from venire.judging.agent import Agent
from venire.records import Opinion, Unscored, Utterance


@dataclass(frozen=True, slots=True)
class History:
    """The first ratings of a group, and the turns since; `turns` are those shown, `cut` the others' numbers.

    A failed turn is neither: nothing was said.
    """

    agents: tuple[Agent, ...]
    openings: tuple[Opinion, ...]
    turns: tuple[Utterance, ...] = ()
    cut: tuple[int, ...] = ()

    @property
    def values(self) -> dict[str, object]:
        """As prompts show it."""
        names = {agent.name: agent.shown_as for agent in self.agents}
        return {
            "openings": [
                {"speaker": agent.shown_as, **opinion_values(opinion)}
                for agent, opinion in zip(self.agents, self.openings, strict=True)
            ],
            "turns": [
                {
                    "turn": each.turn,
                    "speaker": names[each.speaker],
                    "message": each.message,
                    "ratings": rating_values(each),
                }
                for each in self.turns
            ],
            "cut": len(self.cut),
        }


def history_of(
    agents: tuple[Agent, ...], openings: tuple[Opinion, ...], turns: Sequence[Utterance], most: int
) -> History:
    """The first ratings and the latest turns that together have at most `most` characters.

    Whole turns are left out, the oldest first. The latest is always shown, whatever its length. First
    ratings are never left out: there are as many as agents, each as long as a reply may be.
    """
    said = [turn for turn in turns if turn.failed is None]
    shown: list[Utterance] = []
    room = most
    for turn in reversed(said):
        room -= len(turn.message)
        if shown and room < 0:
            break
        shown.insert(0, turn)
    cut = tuple(turn.turn for turn in said[: len(said) - len(shown)])
    return History(agents, openings, tuple(shown), cut)


def opinion_values(opinion: Opinion) -> dict[str, object]:
    """Ratings and feedback as prompts show them; no ratings where there are none."""
    rated = [] if isinstance(opinion.ratings, Unscored) else list(opinion.ratings.by_dimension.items())
    return {"ratings": [[name, f"{value:g}"] for name, value in rated], "feedback": opinion.feedback}


def rating_values(utterance: Utterance) -> list[list[str]]:
    """The ratings given beside an utterance, as prompts show them."""
    if utterance.ratings is None:
        return []
    return [[name, f"{value:g}"] for name, value in utterance.ratings.by_dimension.items()]
