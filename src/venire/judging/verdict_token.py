"""A comparison answered by one token: the verdict, and its probability as the confidence."""

import math
from collections.abc import Mapping
from dataclasses import replace

from venire.judging.ballot import Ballot
from venire.judging.judge import PromptedJudge
from venire.judging.persona import in_person
from venire.llm.protocol import LLM
from venire.prompts.render import render
from venire.records import (
    Completion,
    FinishReason,
    Instance,
    Order,
    Prediction,
    Preference,
    Reason,
    Request,
    Slot,
    Subject,
    Unscored,
    Vote,
)

VERDICT_TOKEN = "verdict_token"
LETTERS = {"A": Slot.A, "B": Slot.B, "C": Slot.TIE}
# What tokenizers put in the place of white space before a word.
_SPACES = " \t\r\n▁Ġ"
# The least share of the probability that must lie on the letters.
MINIMUM_COVERED = 0.5


async def compare_by_token(
    judge: PromptedJudge, instance: Instance, order: Order, llm: LLM, *, allow_tie: bool, stage: str = "judge"
) -> Ballot:
    """The judge's vote on a pair shown in `order`, mapped back, with the winner's probability as confidence.

    One letter is asked for, without a schema (under one, providers tell the probabilities before its grammar
    is applied). The winner is the letter of most probability; the confidence is its share of that of all
    letters. Less than half of the probability on letters is no verdict.
    """
    first, second = instance.responses
    shown = (first, second) if order is Order.AS_GIVEN else (second, first)
    messages = render(
        VERDICT_TOKEN,
        prompt=instance.prompt,
        response_a=shown[0].text,
        response_b=shown[1].text,
        context=instance.context,
        reference=instance.reference,
        allow_tie=allow_tie,
    )
    request = Request(
        model=judge.model,
        messages=in_person(messages, judge.persona),
        endpoint=judge.endpoint,
        temperature=judge.temperature,
        top_p=judge.top_p,
        max_tokens=1,
        sampling_seed=judge.sampling_seed,
        logprobs=judge.top_logprobs,
        stage=stage,
        role=judge.name,
        subject=Subject(instance.id, order),
    )
    completion = await llm.complete(request)
    call = completion.as_call(request)
    if completion.finish is FinishReason.LENGTH and completion.logprobs:
        call = replace(call, finish=FinishReason.STOP)  # the one token that was asked for is no cut reply
    prediction = _read(completion, order, letters_of(allow_tie=allow_tie))
    return Ballot(Vote(judge.name, order, prediction, raw=completion.text), (call,))


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
        letter = token.strip(_SPACES).upper()
        if letter in letters and math.isfinite(logprob):
            masses[letter] = masses.get(letter, 0.0) + math.exp(logprob)
    return masses


def _read(completion: Completion, order: Order, letters: tuple[str, ...]) -> Prediction:
    if completion.finish is FinishReason.ERROR:
        return Unscored(Reason.PROVIDER_ERROR, completion.error)
    if completion.finish is FinishReason.REFUSED:
        return Unscored(Reason.REFUSED, completion.text[:200])
    if not completion.logprobs:
        return Unscored(Reason.UNPARSED, "the reply has no log probabilities")
    masses = letter_masses(completion.logprobs[0], letters)
    covered = sum(masses.values())
    if covered < MINIMUM_COVERED:
        told = f"{', '.join(letters)} have {covered:.3f} of the probability, expected at least"
        return Unscored(
            Reason.UNPARSED, f"{told} {MINIMUM_COVERED:g}; the answer was {completion.text[:40]!r}"
        )
    ranked = sorted(masses, key=lambda letter: -masses[letter])
    if len(ranked) > 1 and masses[ranked[0]] == masses[ranked[1]]:
        return Unscored(Reason.UNDEFINED, f"{ranked[0]} and {ranked[1]} are equally probable")
    return Preference(order.winner(LETTERS[ranked[0]]), min(masses[ranked[0]] / covered, 1.0))
