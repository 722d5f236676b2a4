"""One judging step of a recorded judge, what it needs, and what its two parsers make of it."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import orjson

from venire.errors import MissingRecording
from venire.judging.ballot import Ballot
from venire.judging.judge import Judge, RecordedJudge, RecordedParser
from venire.judging.recorded_parser import (
    Reading,
    contradict,
    is_rating,
    is_two_stage,
    read_ratings,
    read_verdict,
    verdict_rule,
)
from venire.judging.recorded_place import Place, has_recorded_texts, place_of
from venire.llm.protocol import LLM
from venire.llm.recordings import Coverage, Locator, Part, RecordedReply, read_recordings, recordings_digest
from venire.records import (
    Call,
    FinishReason,
    Instance,
    Message,
    Order,
    Request,
    Subject,
    Vote,
    Winner,
)


async def compare_recorded(
    judge: RecordedJudge, instance: Instance, order: Order, llm: LLM, *, stage: str = "judge"
) -> Ballot:
    """The recorded judge's vote on `instance`, its outputs shown in `order`.

    The calls are those that the source made: one; one an output for the Rating strategies, which
    both orders share; for Swap and Swap_CoT the first stage of both orders (shared, too) and, where
    the two contradict each other, a second one of stage `synthesis`. `Vote.raw` is the text that was
    read (Rating: a JSON list of the two), `Vote.rationale` the first stage's text behind a second.

    Raises:
        MissingRecording: the instance is none of LLMBar's.
        DataError: there is no file of recordings.
    """
    asker = _Asker(judge, instance, llm)
    if is_rating(judge.strategy):
        return await _rate(asker, order, stage)
    if is_two_stage(judge.strategy):
        return await _compare_twice(asker, order, stage)
    reply = await asker.ask(Part.VERDICT, order, stage)
    return asker.ballot(order, asker.read(reply, Part.VERDICT, order), reply.text)


class _Asker:
    """One judge on one instance: asks for recorded replies, reads them, and keeps the calls."""

    def __init__(self, judge: RecordedJudge, instance: Instance, llm: LLM) -> None:
        self.judge = judge
        self._id = instance.id
        self._place = place_of(instance)
        self._llm = llm
        self._calls: list[Call] = []

    async def ask(self, part: Part, order: Order | None, stage: str) -> RecordedReply:
        request = locating_request(self.judge, self._place, part, order, stage, Subject(self._id, order))
        completion = await self._llm.complete(request)
        self._calls.append(completion.as_call(request))
        return RecordedReply(completion.text, completion.finish)

    def read(
        self, reply: RecordedReply, part: Part, order: Order, parser: RecordedParser | None = None
    ) -> Reading:
        rule = verdict_rule(self.judge.model, self.judge.strategy, part)
        return read_verdict(reply, rule, order, parser or self.judge.parser)

    def ballot(self, order: Order, reading: Reading, raw: str, rationale: str = "") -> Ballot:
        return Ballot(Vote(self.judge.name, order, reading, rationale, raw), tuple(self._calls))


def locating_request(
    judge: RecordedJudge, place: Place, part: Part, order: Order | None, stage: str, subject: Subject
) -> Request:
    """The request for one recorded reply: its locator in the place of a prompt, nothing sampled."""
    digest = judge.digest or recordings_digest(judge.root)
    locator = Locator(digest[:12], place.subset, place.index, judge.strategy, part, order)
    return Request(
        model=judge.model,
        messages=(Message("user", str(locator)),),
        endpoint=judge.endpoint,
        temperature=None,
        stage=stage,
        role=judge.name,
        subject=subject,
    )


async def _rate(asker: _Asker, order: Order, stage: str) -> Ballot:
    scores = [await asker.ask(part, None, stage) for part in (Part.SCORE_1, Part.SCORE_2)]
    reading = read_ratings(scores[0], scores[1], order, asker.judge.parser)
    return asker.ballot(order, reading, orjson.dumps([score.text for score in scores]).decode())


async def _compare_twice(asker: _Asker, order: Order, stage: str) -> Ballot:
    """Whether there is a second stage was decided by the source's reading, so `strict` asks it, too."""
    other_order = Order.SWAPPED if order is Order.AS_GIVEN else Order.AS_GIVEN
    first = await asker.ask(Part.VERDICT, order, stage)
    other = await asker.ask(Part.VERDICT, other_order, stage)
    published = [
        asker.read(reply, Part.VERDICT, shown, RecordedParser.AS_PUBLISHED)
        for reply, shown in ((first, order), (other, other_order))
    ]
    if other.finish is FinishReason.ERROR:
        return asker.ballot(order, published[1], first.text)
    if not contradict(*published):
        return asker.ballot(order, asker.read(first, Part.VERDICT, order), first.text)
    second = await asker.ask(Part.SYNTHESIS, order, "synthesis")
    reading = asker.read(second, Part.SYNTHESIS, order)
    return asker.ballot(order, reading, second.text, rationale=first.text)


def check_recordings(judges: Sequence[Judge], instances: Sequence[Instance]) -> None:
    """Nothing, where every recorded judge of `judges` has verdicts on every instance.

    Raises:
        MissingRecording: a judge lacks instances, an instance is none of LLMBar's, or its texts are not
            those that were judged; the message says what to run instead.
        DataError: there is no file of recordings, or it breaks its format.
    """
    recorded = [judge for judge in judges if isinstance(judge, RecordedJudge)]
    if not recorded:
        return
    places = [_checked_place(instance) for instance in instances]
    coverage = {root: read_recordings(root, runs=()).coverage for root in {judge.root for judge in recorded}}
    missing = {judge: _missing(judge, places, coverage[judge.root]) for judge in recorded}
    if not any(missing.values()):
        return
    lines = [f"no recorded verdicts for some of {len(places)} instances; nothing was called"]
    lines += [
        f"  {judge.model} {judge.strategy} lacks {_counts(lacks)}"
        for judge, lacks in missing.items()
        if lacks
    ]
    lines.append(_remedy(places, recorded, missing, coverage))
    raise MissingRecording("\n".join(lines))


def _remedy(
    places: Sequence[Place],
    judges: Sequence[RecordedJudge],
    missing: Mapping[RecordedJudge, Mapping[str, int]],
    coverage: Mapping[str, Coverage],
) -> str:
    """The subsets asked for that all judges have; where there are none, any that all judges have."""
    asked = Counter(place.subset for place in places)
    shared = {name: n for name, n in asked.items() if not any(name in lacks for lacks in missing.values())}
    if not shared:
        have = [coverage[judge.root][judge.model, judge.strategy] for judge in judges]
        shared = {name: len(of) for name, of in have[0].items() if all(name in other for other in have)}
    if not shared:
        return "  no subset is recorded for all of these judges; docs/recorded.md lists what is"
    return f"  recorded for all judges: {_counts(shared)}; use 'dataset.subsets=[{','.join(shared)}]'"


def _checked_place(instance: Instance) -> Place:
    place = place_of(instance)
    if not has_recorded_texts(instance, place):
        raise MissingRecording(
            f"{instance.id}: its texts are not those that LLMBar's models judged at {place.subset} "
            f"{place.index} (commit 900616b): use the official dataset.json"
        )
    return place


def _missing(judge: RecordedJudge, places: Sequence[Place], coverage: Coverage) -> Counter[str]:
    """Instances without a verdict of `judge`, counted by subset."""
    have = coverage.get((judge.model, judge.strategy))
    if have is None:
        strategies = sorted(strategy for model, strategy in coverage if model == judge.model)
        known = ", ".join(strategies or sorted({model for model, _ in coverage}))
        unknown = f"strategy: {judge.strategy!r}" if strategies else f"model: {judge.model!r}"
        raise MissingRecording(f"{unknown} was not recorded; recorded are {known}")
    return Counter(place.subset for place in places if place.index not in have.get(place.subset, ()))


def _counts(by_subset: Mapping[str, int]) -> str:
    return ", ".join(f"{name} ({count})" for name, count in by_subset.items())


def published_llmbar_kappa(verdicts: Sequence[Winner | None], labels: Sequence[Winner]) -> float:
    """The "kappa" that LLMBar's own script publishes; not Cohen's, and without a useful meaning.

    The script turns verdicts 1, 2 and none into 1, 0 and 0 but leaves the labels 1 and 2, and calls
    Cohen's kappa on the two: only a correct "1" counts as agreement, a correct "2" as disagreement.
    GPT-4 CoT on Natural: accuracy .94, published .264, Cohen's kappa .878. Shown beside the right
    value only to be compared with publications. NaN where undefined (no items; all verdicts and labels 1).
    Source: the evaluators' statistics in https://github.com/princeton-nlp/LLMBar.
    """
    n = len(labels)
    if len(verdicts) != n:
        raise ValueError(f"expected one verdict a label, got {len(verdicts)} and {n}")
    if n == 0:
        return math.nan
    said = sum(verdict is Winner.FIRST for verdict in verdicts)
    true = sum(label is Winner.FIRST for label in labels)
    pairs = zip(verdicts, labels, strict=True)
    agreed = sum(verdict is Winner.FIRST and label is Winner.FIRST for verdict, label in pairs)
    chance = (said / n) * (true / n)  # "0" is never a label and "2" never a verdict
    return math.nan if chance == 1 else (agreed / n - chance) / (1 - chance)
