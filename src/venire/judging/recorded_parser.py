"""How a recorded completion is read: the source's own rules, and a strict variant of them.

Pure: texts in, judgments out. Source: the evaluators of https://github.com/princeton-nlp/LLMBar, whose
recorded winners these rules give back for every row (`tests/judging/test_recorded_parser.py`).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum

import orjson

from venire.judging.apart import read_score
from venire.judging.confidence import CASCADE
from venire.judging.judge import Judge, RecordedJudge, RecordedParser
from venire.llm.recordings import Part, RecordedReply, Recording
from venire.records import (
    FinishReason,
    Order,
    Outcome,
    Preference,
    Reason,
    Slot,
    Unscored,
    Vote,
    Winner,
)

Reading = Preference | Unscored


class VerdictRule(Enum):
    """Where a text names the better output: a pair of patterns, the first-shown output's first."""

    LINE_START = (r"(?:^|\n) ?Output \(a\)", r"(?:^|\n) ?Output \(b\)")
    IS_BETTER = (r"Output \(a\) is better.", r"Output \(b\) is better.")  # the source's unescaped dot

    def matches(self, text: str) -> tuple[bool, bool]:
        """Whether the first-shown and the second-shown output are named as the better one."""
        first, second = _COMPILED[self]
        return first.search(text) is not None, second.search(text) is not None


_COMPILED = {rule: (re.compile(rule.value[0]), re.compile(rule.value[1])) for rule in VerdictRule}


def verdict_rule(model: str, strategy: str, part: Part) -> VerdictRule:
    """The rule by which the source read this reply.

    The prompts that ask for reasoning end with "Output (a) is better."; PaLM2 was asked for CoT in a
    form of its own, and its first stage of Swap was not.
    """
    match strategy:
        case "CoT" if model != "PaLM2":
            return VerdictRule.IS_BETTER
        case "Swap" if part is Part.VERDICT:
            return VerdictRule.IS_BETTER
        case "Swap_CoT":
            return VerdictRule.IS_BETTER
        case _:
            return VerdictRule.LINE_START


def is_rating(strategy: str) -> bool:
    """Whether the judge scored each output alone (0-10) instead of comparing the two."""
    return strategy.startswith("Rating")


def is_two_stage(strategy: str) -> bool:
    """Whether a second call settles two first-stage verdicts that contradict each other."""
    return strategy in ("Swap", "Swap_CoT")


def read_verdict(reply: RecordedReply, rule: VerdictRule, order: Order, parser: RecordedParser) -> Reading:
    """The winner that a completion names, mapped back to the data set's order.

    Where both patterns match, `as_published` reads the first-shown output, whatever the text
    concludes, and `strict` reads nothing. A reply without a verdict is unscored: refused where it is
    filtered or empty, truncated where it was cut, else unparsed.
    """
    first, second = rule.matches(reply.text)
    if first and second and parser == RecordedParser.STRICT:
        return Unscored(Reason.UNPARSED, "the text names both outputs as the better one")
    if first or second:
        return Preference(order.winner(Slot.A if first else Slot.B))
    return _no_verdict(reply)


def read_ratings(
    score_1: RecordedReply, score_2: RecordedReply, order: Order, parser: RecordedParser
) -> Reading:
    """The output with the higher score.

    Equal scores: `strict` reads a tie; `as_published` the second output as given and the first one
    swapped, as the source did (so the output shown second wins, and a tie is half right). A score
    that is no integer: `strict` reads nothing; `as_published` the first output as given and the
    second one swapped.
    """
    first, second = read_score(score_1.text), read_score(score_2.text)
    as_given = order is Order.AS_GIVEN
    lost = [score for score in (score_1, score_2) if score.finish is FinishReason.ERROR]
    if lost:
        return _no_verdict(lost[0])
    if first is None or second is None:
        if parser == RecordedParser.STRICT:
            return _no_verdict(score_1 if first is None else score_2)
        return Preference(Winner.FIRST if as_given else Winner.SECOND)
    if first == second:
        if parser == RecordedParser.STRICT:
            return Preference(Winner.TIE)
        return Preference(Winner.SECOND if as_given else Winner.FIRST)
    return Preference(Winner.FIRST if first > second else Winner.SECOND)


def contradict(one: Reading, other: Reading) -> bool:
    """Whether two first-stage verdicts, read as published, made the source ask a second time."""
    return isinstance(one, Preference) and isinstance(other, Preference) and one.winner != other.winner


def read_recording(recording: Recording, parser: RecordedParser) -> Reading:
    """The judgment of one recorded row: of its scores, or of its last stage's text."""
    key, replies = recording.key, recording.replies
    if Part.SCORE_1 in replies:
        return read_ratings(replies[Part.SCORE_1], replies[Part.SCORE_2], key.order, parser)
    last = Part.SYNTHESIS if Part.SYNTHESIS in replies else Part.VERDICT
    rule = verdict_rule(key.model, key.strategy, last)
    return read_verdict(replies[last], rule, key.order, parser)


def _no_verdict(reply: RecordedReply) -> Unscored:
    if reply.finish is FinishReason.ERROR:
        return Unscored(Reason.PROVIDER_ERROR, "no reply")
    if reply.finish is FinishReason.REFUSED or not reply.text.strip():
        return Unscored(Reason.REFUSED, "filtered or empty")
    if reply.finish is FinishReason.LENGTH:
        return Unscored(Reason.TRUNCATED, "cut at the token limit before a verdict")
    return Unscored(Reason.UNPARSED, "the text holds no verdict")


class Difference(StrEnum):
    """Why the two parsers read one vote differently."""

    BOTH_PATTERNS = "both_patterns"
    RATING_TIE = "rating_ties"
    UNPARSABLE_RATING = "unparsable_ratings"


@dataclass(frozen=True, slots=True)
class ParserDifference:
    """On how many votes of recorded judges the two parsers differ, and why.

    Args:
        votes: all votes of recorded judges (one an instance, judge and order).
        by_kind: those read differently, by reason.
        instances: instances with at least one vote read differently.
    """

    votes: int
    by_kind: Mapping[Difference, int]
    instances: int

    @property
    def differing(self) -> int:
        """Votes read differently."""
        return sum(self.by_kind.values())

    def as_metrics(self) -> dict[str, float]:
        """`parser/votes`, `parser/differs`, `parser/instances_differing` and `parser/<reason>`."""
        counts = {"votes": self.votes, "differs": self.differing, "instances_differing": self.instances}
        counts |= {str(kind): self.by_kind[kind] for kind in Difference}
        return {f"parser/{name}": float(count) for name, count in counts.items()}


def parser_difference(judges: Sequence[Judge], outcomes: Iterable[Outcome]) -> ParserDifference | None:
    """What the other parser would have read, from the votes' own texts; None without recorded judges.

    None, too, of a cascade: its votes go by stage, and one model may have several strategies.
    """
    outcomes = list(outcomes)
    if any(CASCADE in outcome.detail for outcome in outcomes):
        return None
    recorded = {judge.name: judge for judge in judges if isinstance(judge, RecordedJudge)}
    if not recorded:
        return None
    votes, by_kind, instances = 0, dict.fromkeys(Difference, 0), 0
    for outcome in outcomes:
        own = [vote for vote in outcome.votes if vote.judge in recorded and vote.order is not None]
        kinds = [_difference(recorded[vote.judge], vote) for vote in own]
        votes += len(own)
        instances += any(kind is not None for kind in kinds)
        for kind in kinds:
            if kind is not None:
                by_kind[kind] += 1
    return ParserDifference(votes, by_kind, instances)


def _difference(judge: RecordedJudge, vote: Vote) -> Difference | None:
    if isinstance(vote.prediction, Unscored) and vote.prediction.reason is Reason.PROVIDER_ERROR:
        return None
    if is_rating(judge.strategy):
        first, second = (read_score(text) for text in orjson.loads(vote.raw))
        if first is None or second is None:
            return Difference.UNPARSABLE_RATING
        return Difference.RATING_TIE if first == second else None
    # Only the second of two stages has a rationale: the first stage's text (`compare_recorded`).
    part = Part.SYNTHESIS if vote.rationale else Part.VERDICT
    rule = verdict_rule(judge.model, judge.strategy, part)
    return Difference.BOTH_PATTERNS if all(rule.matches(vote.raw)) else None
