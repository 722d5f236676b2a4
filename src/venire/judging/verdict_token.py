"""A comparison answered by one token: the verdict, and its probability as the confidence."""

import math
from collections.abc import Mapping

from venire.judging.ballot import Ballot
from venire.judging.judge import PromptedJudge
from venire.judging.matter import pair_values
from venire.judging.one_token import AskedToken, ask_token, bare
from venire.llm.protocol import LLM
from venire.prompts.render import render
from venire.records import (
    Instance,
    Order,
    Prediction,
    Preference,
    Reason,
    Slot,
    Subject,
    Unscored,
    Vote,
)

VERDICT_TOKEN = "verdict_token"
LETTERS = {"A": Slot.A, "B": Slot.B, "C": Slot.TIE}
# The least share of the probability that must lie on the letters.
MINIMUM_COVERED = 0.5


async def compare_by_token(
    judge: PromptedJudge, instance: Instance, order: Order, llm: LLM, *, allow_tie: bool, stage: str = "judge"
) -> Ballot:
    """The judge's vote on a pair shown in `order`, mapped back, with the winner's probability as confidence.

    The winner is the letter of most probability; the confidence is its share of that of all
    letters. Less than half of the probability on letters is no verdict.
    """
    messages = render(VERDICT_TOKEN, **pair_values(instance, order), allow_tie=allow_tie)
    asked = await ask_token(judge, messages, llm, stage=stage, subject=Subject(instance.id, order))
    prediction = _read(asked, order, letters_of(allow_tie=allow_tie))
    return Ballot(Vote(judge.name, order, prediction, raw=asked.text), (asked.call,))


def letters_of(*, allow_tie: bool) -> tuple[str, ...]:
    """The letters that may be answered."""
    return ("A", "B", "C") if allow_tie else ("A", "B")


def letter_masses(position: Mapping[str, float], letters: tuple[str, ...]) -> dict[str, float]:
    """The probability of each letter at one position of a reply; spellings of one letter are added up.

    Args:
        position: candidate token to log probability.
        letters: upper case; one without any probability is absent.
    """
    masses: dict[str, float] = {}
    for token, logprob in position.items():
        letter = bare(token).upper()
        if letter in letters and math.isfinite(logprob):
            masses[letter] = masses.get(letter, 0.0) + math.exp(logprob)
    return masses


def _read(asked: AskedToken, order: Order, letters: tuple[str, ...]) -> Prediction:
    if isinstance(asked.positions, Unscored):
        return asked.positions
    if not asked.positions:
        return Unscored(Reason.UNPARSED, "the reply has no log probabilities")
    masses = letter_masses(asked.positions[0], letters)
    covered = sum(masses.values())
    if covered < MINIMUM_COVERED:
        told = f"{', '.join(letters)} have {covered:.3f} of the probability, expected at least"
        return Unscored(Reason.UNPARSED, f"{told} {MINIMUM_COVERED:g}; the answer was {asked.text[:40]!r}")
    ranked = sorted(masses, key=lambda letter: -masses[letter])
    if len(ranked) > 1 and masses[ranked[0]] == masses[ranked[1]]:
        return Unscored(Reason.UNDEFINED, f"{ranked[0]} and {ranked[1]} are equally probable")
    return Preference(order.winner(LETTERS[ranked[0]]), min(masses[ranked[0]] / covered, 1.0))
