"""MT-Bench's single human votes: one instance a vote, in the order in which the human saw the answers.

Source: see `venire.data.mt_bench_source`.
"""

from dataclasses import dataclass

from venire.data.checks import Placed, assemble
from venire.data.mt_bench import check_turn
from venire.data.mt_bench_annotations import unit_of, vote_annotations
from venire.data.mt_bench_source import HUB_ID, Bench, HumanVote, VoteSource
from venire.data.protocol import Loaded
from venire.data.settings import check_at_least_one
from venire.records import Annotations, Instance, PreferenceGold, Winner


@dataclass(frozen=True, slots=True)
class MTBenchVotes:
    """Each vote on its own, ties included: what one human said of two answers.

    The id is `<question>/turn-<turn>/<model shown first>/<model shown second>/<judge>`: the one
    judge who voted on a comparison in both orders has two votes with two ids. The subset is the
    question's category, the cluster is the question, `metadata["annotator"]` the judge.

    Args:
        root: the data root, which holds `mtbench/`.
        turn: 1 or 2; see `Bench` for how a second turn is laid out.
        limit: the first votes that are kept, in file order; None for all.
        hub, revision, cache_dir, check_counts: see `VoteSource`.
    """

    root: str = "data"
    turn: int = 1
    limit: int | None = None
    hub: str | None = HUB_ID
    revision: str | None = None
    cache_dir: str | None = None
    check_counts: bool = True

    def __post_init__(self) -> None:
        check_turn(self.turn)
        check_at_least_one("limit", self.limit)

    @property
    def name(self) -> str:
        """`mt_bench_votes`."""
        return "mt_bench_votes"

    def load(self) -> Loaded:
        """The votes in file order; those of which an answer is not published are left out and counted.

        Raises:
            DataError: see `VoteSource.read`; or a judge voted twice on one comparison in one order.
        """
        bench = self._source.read()
        made = [_instance(bench, vote) for vote in bench.votes]
        placed = [item for item in made if item is not None]
        missing = len(made) - len(placed)
        left_out = f"{missing} of {len(made)} votes left out because an answer is not published"
        return assemble(
            placed,
            source=bench.source,
            labels=(Winner.FIRST, Winner.SECOND, Winner.TIE),
            limit=self.limit,
            revision=bench.revision,
            id_field="question_id, model_a, model_b, judge",
            warnings=(*bench.warnings, *([left_out] if missing else [])),
        )

    def annotations(self) -> tuple[Annotations, ...]:
        """All votes, those on unpublished answers too; see `vote_annotations`. `limit` is of no effect."""
        return vote_annotations(self._source)

    def unit_of(self, instance: Instance) -> tuple[str, bool]:
        """The comparison that a vote is on, with the models in alphabetical order."""
        models = [response.id for response in instance.responses]
        return unit_of(int(instance.metadata["question_id"]), self.turn, models), models != sorted(models)

    @property
    def _source(self) -> VoteSource:
        return VoteSource(self.root, self.turn, self.hub, self.revision, self.cache_dir, self.check_counts)


def _instance(bench: Bench, vote: HumanVote) -> Placed | None:
    question_id = vote.question_id
    first = bench.response(question_id, vote.model_a)
    second = bench.response(question_id, vote.model_b)
    if first is None or second is None:
        return None
    category = bench.questions[question_id].category
    instance = Instance(
        id=f"{question_id}/turn-{bench.turn}/{vote.model_a}/{vote.model_b}/{vote.judge}",
        prompt=bench.prompt(question_id),
        responses=(first, second),
        gold=PreferenceGold(vote.winner, {vote.winner: 1}),
        subset=category,
        reference=bench.reference(question_id),
        cluster=bench.cluster(question_id),
        metadata={
            "question_id": str(question_id),
            "category": category,
            "turn": str(bench.turn),
            "models": f"{vote.model_a}, {vote.model_b}",
            "annotator": vote.judge,
        },
    )
    return Placed(vote.row, instance)
