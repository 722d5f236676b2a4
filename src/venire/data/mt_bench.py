"""MT-Bench pairs: what the plurality of the human votes says of two models' answers.

Source: see `venire.data.mt_bench_source`.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from venire.data.checks import Placed, assemble, check_count
from venire.data.mt_bench_annotations import turned, unit_of, vote_annotations
from venire.data.mt_bench_source import HUB_ID, Bench, HumanVote, VoteSource
from venire.data.protocol import Loaded
from venire.data.sampling import stratified_sample, untouched_clusters
from venire.data.settings import as_choice, check_at_least_one
from venire.errors import ConfigError, DataError
from venire.records import Annotations, Instance, PreferenceGold, Winner

_PUBLISHED_DECIDED = 621  # turn-1 comparisons with a unique non-tie plurality
_PUBLISHED_ANSWERED = 591  # of these, those with both answers in the shared data


class Ties(StrEnum):
    """What becomes of comparisons whose plurality is a tie."""

    DROP = "drop"
    KEEP = "keep"


class Part(StrEnum):
    """Which pairs are loaded, where `sample` is set."""

    SAMPLE = "sample"
    REST = "rest"  # those whose question is not in the sample: development data


@dataclass(frozen=True, slots=True)
class MTBench:
    """Comparisons of two models' answers with the humans' (experts' and authors') plurality as gold.

    A comparison is one (question, unordered pair of models, turn). Its models are in alphabetical
    order, and every vote is turned to that order. Its gold is the unique plurality of the votes;
    a comparison without one is left out. `PreferenceGold.votes` counts all its votes, ties and
    zeros included. The id is `<question>/turn-<turn>/<first model>/<second model>`, the subset is
    the question's category, the cluster is the question.

    Args:
        root: the data root, which holds `mtbench/`.
        turn: 1 or 2; see `Bench` for how a second turn is laid out.
        ties: `drop` or `keep` comparisons whose plurality is a tie.
        sample: size of the fixed sample by category (`stratified_sample`), None for all pairs.
        sample_seed: names another sample.
        part: `sample`, or the `rest`: the pairs whose question is not in the sample.
        limit: the first instances of these that are kept, by question and models; None for all.
        hub, revision, cache_dir, check_counts: see `VoteSource`.
    """

    root: str = "data"
    turn: int = 1
    ties: Ties = Ties.DROP
    sample: int | None = 300
    sample_seed: int = 0
    part: Part = Part.SAMPLE
    limit: int | None = None
    hub: str | None = HUB_ID
    revision: str | None = None
    cache_dir: str | None = None
    check_counts: bool = True

    def __post_init__(self) -> None:
        check_turn(self.turn)
        check_at_least_one("sample", self.sample)
        check_at_least_one("limit", self.limit)
        object.__setattr__(self, "ties", as_choice("ties", self.ties, Ties))
        object.__setattr__(self, "part", as_choice("part", self.part, Part))
        if self.part is Part.REST and self.sample is None:
            raise ConfigError("part: 'rest' is what a sample leaves over; set sample to its size")

    @property
    def name(self) -> str:
        """`mt_bench`."""
        return "mt_bench"

    def load(self) -> Loaded:
        """The pairs, by question and models.

        Raises:
            DataError: see `VoteSource.read`; or there are fewer pairs than `sample`.
        """
        bench = self._source.read()
        comparisons = _comparisons(bench.votes)
        decided = [c for c in comparisons if c.plurality not in self._left_out]
        made = [_pair(bench, comparison) for comparison in decided]
        pairs = [pair for pair in made if pair is not None]
        self._check_published(bench, len(decided), len(pairs))
        labels = (Winner.FIRST, Winner.SECOND)
        return assemble(
            self._selected(pairs),
            source=bench.source,
            labels=labels if self.ties is Ties.DROP else (*labels, Winner.TIE),
            limit=self.limit,
            revision=bench.revision,
            warnings=(*bench.warnings, _summary(comparisons, decided, len(pairs))),
        )

    def annotations(self) -> tuple[Annotations, ...]:
        """The single votes on all comparisons of the turn, undecided ones too; see `vote_annotations`."""
        return vote_annotations(self._source)

    def unit_of(self, instance: Instance) -> tuple[str, bool]:
        """The comparison itself."""
        return instance.id, False

    @property
    def _source(self) -> VoteSource:
        return VoteSource(self.root, self.turn, self.hub, self.revision, self.cache_dir, self.check_counts)

    @property
    def _left_out(self) -> tuple[Winner | None, ...]:
        return (None, Winner.TIE) if self.ties is Ties.DROP else (None,)

    def _check_published(self, bench: Bench, decided: int, answered: int) -> None:
        # The Hub has all 480 answers, so only the local copy has 591.
        if self.check_counts and self.turn == 1 and self.ties is Ties.DROP:
            check_count(bench.source, "decided comparisons", decided, _PUBLISHED_DECIDED)
            if bench.source == "mtbench":
                check_count(bench.source, "pairs with both answers", answered, _PUBLISHED_ANSWERED)

    def _selected(self, pairs: Sequence[Placed]) -> list[Placed]:
        if self.sample is None:
            return list(pairs)
        instances = [pair.instance for pair in pairs]
        if self.sample > len(instances):
            raise DataError(
                f"dataset.sample: expected at most {len(instances)}, the number of pairs that there "
                f"are, got {self.sample}; set a smaller sample, or dataset.sample=null for all pairs"
            )
        kept = stratified_sample(instances, self.sample, self.sample_seed)
        if self.part is Part.REST:
            kept = untouched_clusters(instances, kept)
        return [pair for pair in pairs if pair.instance.id in kept]


def check_turn(turn: int) -> None:
    """Nothing, where the turn is 1 or 2.

    Raises:
        ConfigError: it is not.
    """
    if turn not in (1, 2):
        raise ConfigError(f"turn: expected 1 or 2, got {turn!r}")


@dataclass(frozen=True, slots=True)
class _Comparison:
    question_id: int
    models: tuple[str, str]  # alphabetical
    votes: Mapping[Winner, int]  # FIRST is models[0]
    first_vote: HumanVote

    @property
    def plurality(self) -> Winner | None:
        """The winner with more votes than any other, or None."""
        most = max(self.votes.values())
        leading = [winner for winner, count in self.votes.items() if count == most]
        return leading[0] if len(leading) == 1 else None


def _comparisons(votes: Sequence[HumanVote]) -> list[_Comparison]:
    """All comparisons, by question and models."""
    groups: dict[tuple[int, str, str], list[HumanVote]] = defaultdict(list)
    for vote in votes:
        first, second = sorted((vote.model_a, vote.model_b))
        groups[vote.question_id, first, second].append(vote)
    return [
        _Comparison(key[0], (key[1], key[2]), _count(groups[key]), groups[key][0]) for key in sorted(groups)
    ]


def _count(votes: Sequence[HumanVote]) -> Mapping[Winner, int]:
    counted = Counter(turned((vote.model_a, vote.model_b), vote.winner) for vote in votes)
    return {winner: counted[winner] for winner in Winner}


def _pair(bench: Bench, comparison: _Comparison) -> Placed | None:
    """The instance of a decided comparison, or None where an answer is not published."""
    question_id, models, winner = comparison.question_id, comparison.models, comparison.plurality
    first, second = (bench.response(question_id, model) for model in models)
    if first is None or second is None or winner is None:
        return None
    category = bench.questions[question_id].category
    instance = Instance(
        id=unit_of(question_id, bench.turn, models),
        prompt=bench.prompt(question_id),
        responses=(first, second),
        gold=PreferenceGold(winner, comparison.votes),
        subset=category,
        reference=bench.reference(question_id),
        cluster=bench.cluster(question_id),
        metadata={
            "question_id": str(question_id),
            "category": category,
            "turn": str(bench.turn),
            "models": f"{models[0]}, {models[1]}",
        },
    )
    return Placed(comparison.first_vote.row, instance)


def _summary(all_: Sequence[_Comparison], decided: Sequence[_Comparison], answered: int) -> str:
    ties = sum(c.plurality is Winner.TIE for c in all_)
    split = sum(c.plurality is None for c in all_)
    kept = any(c.plurality is Winner.TIE for c in decided)
    return (
        f"{len(all_)} comparisons: {ties} ties {'kept' if kept else 'left out'}, {split} without a unique "
        f"plurality left out, {len(decided) - answered} left out because an answer is not published"
    )
