"""Where a confidence comes from: pure functions of the votes behind a verdict."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

from venire.judging.apart import margin, quotes_by_response
from venire.judging.quotes import stands_in
from venire.records import Instance, Outcome, Preference, Vote, Winner

# `Outcome.detail[ELICITED]` says how the votes' own confidence was had, where not by asking the judge.
ELICITED = "elicited"
# `Outcome.detail[CASCADE]` says what each stage of a cascade said, and which decided.
CASCADE = "cascade"


class Source(StrEnum):
    """What a confidence in a verdict on a pair is read from."""

    FINAL = "final"  # as the method gives it with its prediction
    VERBALISED = "verbalised"  # what the judges say of their own certainty
    LOGPROB = "logprob"  # the probability of the verdict's token
    CONSISTENCY = "consistency"  # agreement of one judge with itself, over orders and samples
    PANEL_SHARE = "panel_share"  # agreement of a panel's votes, over judges, orders and samples
    MARGIN = "margin"  # the lead of the winner, where each response was scored apart
    EVIDENCE = "evidence"  # the share of its quotes that stand in the responses


def confidence_of(source: Source, instance: Instance, outcome: Outcome) -> float | None:
    """The confidence in an outcome's prediction, in [0, 1]; None where the source says nothing of it.

    An outcome without a preference has none.
    """
    prediction = outcome.prediction
    if not isinstance(prediction, Preference):
        return None
    told_by_logprobs = outcome.detail.get(ELICITED) == Source.LOGPROB
    votes = _votes_behind(outcome)
    match source:
        case Source.FINAL:
            return prediction.confidence
        case Source.VERBALISED:
            return None if told_by_logprobs else stated(votes, prediction.winner)
        case Source.LOGPROB:
            return stated(votes, prediction.winner) if told_by_logprobs else None
        case Source.CONSISTENCY:
            return share(votes) if judges_of(votes) == 1 else None
        case Source.PANEL_SHARE:
            return share(votes) if judges_of(votes) > 1 else None
        case Source.MARGIN:
            return margin(outcome, votes, prediction.winner)
        case Source.EVIDENCE:
            listed = _share_standing(quotes_by_response(outcome), instance)
            return evidence(votes, instance) if listed is None else listed


def _votes_behind(outcome: Outcome) -> Sequence[Vote]:
    """The votes that made the prediction: of a cascade those of the stage that decided."""
    cascade = outcome.detail.get(CASCADE)
    if not isinstance(cascade, Mapping):
        return outcome.votes
    return [vote for vote in outcome.votes if vote.judge.startswith(f"{cascade['decided_by']}: ")]


def judges_of(votes: Sequence[Vote]) -> int:
    """How many judges voted; samples of one judge are called `<judge>, replicate <k>`."""
    return len({vote.judge.partition(", replicate ")[0] for vote in votes})


def leading(votes: Sequence[Vote]) -> Winner | None:
    """The winner that more votes name than any other; None where no single one leads."""
    counts = _counts(votes)
    most = max(counts.values(), default=0)
    first = [winner for winner, count in counts.items() if count == most]
    return first[0] if len(first) == 1 else None


def share(votes: Sequence[Vote]) -> float | None:
    """The share of the votes that name the most frequent winner; None for fewer than two votes.

    A vote without a verdict counts among all: who fails to answer does not agree. One judge in both orders
    has 1 where it is consistent and .5 where it is not.

    Source: Wang et al. (2023), "Self-Consistency"; papers/advanced-evaluation, "Confidence Calibration".
    """
    if len(votes) < 2 or not _counts(votes):
        return None
    return max(_counts(votes).values()) / len(votes)


def stated(votes: Sequence[Vote], winner: Winner) -> float | None:
    """The mean over votes that tell a confidence of c where they name `winner`, of 1 - c where another.

    None where no vote tells one. Of votes that agree it is the mean of their confidences; of two that
    disagree it lies around .5. Source: papers/advanced-evaluation, "Confidence Calibration"; that a vote
    for another winner counts with 1 - c is ours.
    """
    told = [
        vote.prediction.confidence if vote.prediction.winner is winner else 1 - vote.prediction.confidence
        for vote in votes
        if isinstance(vote.prediction, Preference) and vote.prediction.confidence is not None
    ]
    return sum(told) / len(told) if told else None


def evidence(votes: Sequence[Vote], instance: Instance) -> float | None:
    """The share of the votes' quotes that stand in one of the responses; None where nothing is quoted.

    Quotes are those that a reply lists as `evidence`, else what its reasoning puts in quotation marks, of
    at least `LEAST_WORDS` words.
    """
    return _share_standing(((None, quote) for vote in votes for quote in quotes_of(vote)), instance)


def _share_standing(quotes: Iterable[tuple[int | None, str]], instance: Instance) -> float | None:
    """The share of quotes that stand in their response (None: in any); None where nothing is quoted."""
    texts = [response.text for response in instance.responses]
    found = [
        any(stands_in(quote, text) for text in (texts if place is None else texts[place : place + 1]))
        for place, quote in quotes
    ]
    return sum(found) / len(found) if found else None


LEAST_WORDS = 3
_QUOTED = re.compile(r'"([^"“”]+)"|“([^"“”]+)”')


def quotes_of(vote: Vote) -> list[str]:
    """The quotes by which a vote is justified."""
    listed = list(_listed(vote.raw))
    if listed:
        return listed
    quoted = [(found.group(1) or found.group(2)).strip() for found in _QUOTED.finditer(vote.rationale)]
    return [text for text in quoted if len(text.split()) >= LEAST_WORDS]


def _listed(raw: str) -> Iterator[str]:
    """The quotes of a reply's field `evidence`: a list of texts, or of objects with `quote`."""
    start, end = raw.find("{"), raw.rfind("}")
    if '"evidence"' not in raw or not 0 <= start < end:
        return
    try:
        read: object = json.loads(raw[start : end + 1])
    except json.JSONDecodeError:
        return  # then nothing is listed; the reasoning may still quote
    listed = read.get("evidence") if isinstance(read, Mapping) else None
    for each in listed if isinstance(listed, list) else ():
        quote = each.get("quote") if isinstance(each, Mapping) else each
        if isinstance(quote, str) and quote.strip():
            yield quote.strip()


def _counts(votes: Sequence[Vote]) -> Counter[Winner]:
    return Counter(vote.prediction.winner for vote in votes if isinstance(vote.prediction, Preference))
