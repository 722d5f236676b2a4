"""All single votes of MT-Bench, also those on answers that are not published; GPT-4's votes beside them.

Source: see `venire.data.mt_bench_source`; `gpt4_pair_votes.jsonl` is the split gpt4_pair of
lmsys/mt_bench_human_judgments, as far as the local copy has it.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from venire.data.annotations import TURNED
from venire.data.checks import index_by
from venire.data.files import read_jsonl
from venire.data.mt_bench_source import TURN, Bench, HumanVote, VoteSource, votes_of
from venire.data.rows import Row
from venire.records import Annotation, Annotations, Value, Winner

GPT_4 = "gpt4_pair"
EXPERTS, EVERYBODY = "experts", "experts and authors"

_SUBSET = "human_votes_with_turn.jsonl"
_MACHINE = "gpt4_pair_votes.jsonl"
# GPT-4 was asked in both orders; where it contradicted itself, its vote counts as a tie.
_WINNERS = {
    "model_a": Winner.FIRST,
    "model_b": Winner.SECOND,
    "tie": Winner.TIE,
    "tie (inconsistent)": Winner.TIE,
}


def vote_annotations(source: VoteSource) -> tuple[Annotations, ...]:
    """The votes of one turn: all that there are, then those on which GPT-4's can be held against them.

    The second part is `human_votes_with_turn.jsonl`: votes on the comparisons that GPT-4's file lists
    in the order in which the human saw them. Of turn 2 there are only these.

    Raises:
        DataError: a file is missing or breaks the format.
    """
    bench = source.read()
    folder = Path(source.root) / "mtbench"
    machines = _machine_votes(folder, source.turn) if (folder / _MACHINE).is_file() else {}
    title = f"turn {source.turn}"
    parts = [] if source.turn == 2 and machines else [_annotations(title, bench, bench.votes, machines)]
    if machines and (folder / _SUBSET).is_file():
        rows = [row for row in read_jsonl(folder / _SUBSET) if row.choice("turn", TURN) == source.turn]
        votes = votes_of(rows, bench.questions)
        parts.append(_annotations(f"{title}, subset", bench, votes, machines))
    return tuple(parts)


def unit_of(question_id: int, turn: int, models: Sequence[str]) -> str:
    """The id of a comparison: that of its instance in `mt_bench`, models in alphabetical order."""
    first, second = sorted(models)
    return f"{question_id}/turn-{turn}/{first}/{second}"


def _annotations(
    title: str,
    bench: Bench,
    votes: Sequence[HumanVote],
    machines: Mapping[str, Mapping[str, Value]],
) -> Annotations:
    entries = tuple(_annotation(vote, bench.turn) for vote in votes)
    everybody = frozenset(entry.annotator for entry in entries)
    experts = frozenset(name for name in everybody if name.startswith("expert"))
    cluster = {
        unit_of(vote.question_id, bench.turn, (vote.model_a, vote.model_b)): bench.cluster(vote.question_id)
        for vote in votes
    }
    return Annotations(
        title=title,
        entries=entries,
        cluster=cluster,
        groups={EXPERTS: experts, EVERYBODY: everybody} if experts != everybody else {},
        machines=machines,
    )


def _annotation(vote: HumanVote, turn: int) -> Annotation:
    models = (vote.model_a, vote.model_b)
    return Annotation(unit_of(vote.question_id, turn, models), vote.judge, turned(models, vote.winner))


def turned(models: tuple[str, str], winner: Winner) -> Winner:
    """The winner with the models in alphabetical order."""
    return winner if models[0] < models[1] else TURNED[winner]


def _machine_votes(folder: Path, turn: int) -> Mapping[str, Mapping[str, Value]]:
    rows = [row for row in read_jsonl(folder / _MACHINE) if row.choice("turn", TURN) == turn]
    index_by(rows, lambda row: _machine_unit(row, turn), "question_id, model_a, model_b")
    return {GPT_4: {_machine_unit(row, turn): _machine_vote(row) for row in rows}}


def _machine_unit(row: Row, turn: int) -> str:
    return unit_of(row.integer("question_id"), turn, (row.name("model_a"), row.name("model_b")))


def _machine_vote(row: Row) -> Winner:
    return turned((row.name("model_a"), row.name("model_b")), row.choice("winner", _WINNERS))
