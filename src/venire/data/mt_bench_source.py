"""MT-Bench as it was published: questions, the models' answers, reference answers, human votes.

Source: Zheng et al., "Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena", NeurIPS 2023,
arXiv:2306.05685; votes and answers from lmsys/mt_bench_human_judgments (CC BY 4.0), questions and
reference answers from FastChat.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from venire.data.checks import check_count, index_by
from venire.data.files import read_jsonl
from venire.data.fingerprint import prompt_cluster
from venire.data.hub import HubSplit
from venire.data.rows import Row
from venire.records import Response, Winner

HUB_ID = "lmsys/mt_bench_human_judgments"

_TURNS = 2
_FOLDER = "mtbench"
_WINNERS = {"model_a": Winner.FIRST, "model_b": Winner.SECOND, "tie": Winner.TIE}
_PUBLISHED_VOTES = 1689  # of turn 1
_LOCAL_VOTES = {1: _PUBLISHED_VOTES, 2: 869}  # of turn 2 only a part is in the local copy
_PUBLISHED_QUESTIONS = 80
_FIRST_QUESTION = 81
# Ten questions each, from 81 on; the Hub's copy of the votes has no category column.
_CATEGORIES = ("writing", "roleplay", "reasoning", "math", "coding", "extraction", "stem", "humanities")

Texts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A question of two turns."""

    id: int
    category: str
    turns: Texts


@dataclass(frozen=True, slots=True)
class HumanVote:
    """One human's vote; `winner` is in the order shown: FIRST is model_a."""

    row: Row
    question_id: int
    judge: str
    model_a: str
    model_b: str
    winner: Winner


@dataclass(frozen=True, slots=True)
class Bench:
    """Everything that instances of one turn are made of. `answers` is by question and model."""

    turn: int
    questions: Mapping[int, Question]
    answers: Mapping[tuple[int, str], Texts]
    references: Mapping[int, Texts]
    votes: tuple[HumanVote, ...]
    source: str
    revision: str | None = None
    warnings: tuple[str, ...] = ()

    def prompt(self, question_id: int) -> str:
        """What the user asked: the first question, or on turn 2 the conversation's two questions."""
        return _conversation("Question", self.questions[question_id].turns, self.turn)

    def response(self, question_id: int, model: str) -> Response | None:
        """The model's answer (on turn 2: both of its answers), or None where it is not published.

        On turn 2 each response carries its own first answer, so that a swap of the two responses
        swaps the conversations with them.
        """
        turns = self.answers.get((question_id, model))
        if turns is None:
            return None
        return Response(_conversation("Answer", turns, self.turn), model, generator=model)

    def reference(self, question_id: int) -> str | None:
        """GPT-4's answer, which reasoning, math and coding questions have; laid out as a response."""
        turns = self.references.get(question_id)
        return None if turns is None else _conversation("Answer", turns, self.turn)

    def cluster(self, question_id: int) -> str:
        """The cluster of the question; the same on both turns."""
        return prompt_cluster(self.questions[question_id].turns[0])


@dataclass(frozen=True, slots=True)
class VoteSource:
    """Where the votes of one turn are read from: `mtbench/` below the root, else the Hub.

    Args:
        root: the data root.
        turn: 1 or 2. The local turn-2 votes are a subset, and `Bench.warnings` says so.
        hub: the Hub id that is read where there is no local folder; None for local only.
        revision, cache_dir: see `HubSplit`.
        check_counts: whether the published counts must be met.
    """

    root: str
    turn: int
    hub: str | None
    revision: str | None
    cache_dir: str | None
    check_counts: bool

    def read(self) -> Bench:
        """Everything, checked.

        Raises:
            DataError: a file is missing or breaks the format, or a count is not the published one.
        """
        folder = Path(self.root) / _FOLDER
        if folder.is_dir() or self.hub is None:
            return self._from_folder(folder)
        return self._from_hub(HubSplit(self.hub, "human", None, self.revision, self.cache_dir))

    def _from_folder(self, folder: Path) -> Bench:
        questions = _questions(read_jsonl(folder / "question.jsonl"))
        name = "human_votes.jsonl" if self.turn == 1 else "human_votes_with_turn.jsonl"
        rows = read_jsonl(folder / name)
        if self.turn != 1:
            rows = tuple(row for row in rows if row.choice("turn", TURN) == self.turn)
        if self.check_counts:
            check_count(str(folder / "question.jsonl"), "questions", len(questions), _PUBLISHED_QUESTIONS)
            check_count(str(folder / name), "votes", len(rows), _LOCAL_VOTES[self.turn])
        warnings = []
        if self.turn != 1:
            warnings.append(f"{name} holds only a part of the published turn-2 votes: {len(rows)}")
        if self.revision is not None:
            warnings.append(f"revision {self.revision} is of no effect: {folder} was read, not the Hub")
        return Bench(
            turn=self.turn,
            questions=questions,
            answers=_answers(read_jsonl(folder / "answers.jsonl.gz")),
            references=_references(read_jsonl(folder / "reference_answer" / "gpt-4.jsonl")),
            votes=votes_of(rows, questions),
            source=_FOLDER,
            warnings=tuple(warnings),
        )

    def _from_hub(self, split: HubSplit) -> Bench:
        rows = tuple(row for row in split.rows() if row.choice("turn", TURN) == self.turn)
        if self.check_counts:
            check_count(split.source, "votes", len(rows), _PUBLISHED_VOTES if self.turn == 1 else None)
        questions, answers, differing = _conversations(rows)
        warnings = [*split.warnings, f"{split.source} has no reference answers"]
        if differing:
            warnings.append(f"answers that differ between rows, the first one kept: {differing}")
        return Bench(
            turn=self.turn,
            questions=questions,
            answers=answers,
            references={},
            votes=votes_of(rows, questions),
            source=split.source,
            revision=self.revision,
            warnings=tuple(warnings),
        )


TURN = {"1": 1, "2": 2}


def _conversation(what: str, turns: Sequence[str], turn: int) -> str:
    """Turn 1 as it is; on turn 2 both parts, each under a heading."""
    if turn == 1:
        return turns[0]
    return f"[{what}, turn 1]\n{turns[0]}\n\n[{what}, turn 2]\n{turns[1]}"


def _questions(rows: Sequence[Row]) -> Mapping[int, Question]:
    index_by(rows, lambda row: row.integer("question_id"), "question_id")
    return {row.integer("question_id"): _question(row) for row in rows}


def _question(row: Row) -> Question:
    turns = row.turns("turns", row.value("turns"), _TURNS)
    if not all(turn.strip() for turn in turns):
        todo = "fetch the file again: an empty prompt cannot be judged"
        raise row.bad("turns", expected="two questions", got="an empty text", todo=todo)
    return Question(row.integer("question_id"), row.name("category"), turns)


def _answers(rows: Sequence[Row]) -> Mapping[tuple[int, str], Texts]:
    index_by(rows, lambda row: (row.integer("question_id"), row.name("model")), "question_id, model")
    return {
        (row.integer("question_id"), row.name("model")): row.turns("turns", row.value("turns"), _TURNS)
        for row in rows
    }


def _references(rows: Sequence[Row]) -> Mapping[int, Texts]:
    index_by(rows, lambda row: row.integer("question_id"), "question_id")
    return {row.integer("question_id"): _reference(row) for row in rows}


def _reference(row: Row) -> Texts:
    choices = row.value("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    turns = first.get("turns") if isinstance(first, dict) else None
    return row.turns("choices", turns, _TURNS)


def votes_of(rows: Sequence[Row], questions: Mapping[int, Question]) -> tuple[HumanVote, ...]:
    """The human votes in `rows`, in their order.

    Raises:
        DataError: a vote on no question, of a model against itself, or with an unknown winner.
    """
    return tuple(_vote(row, questions) for row in rows)


def _vote(row: Row, questions: Mapping[int, Question]) -> HumanVote:
    question_id = row.integer("question_id")
    if question_id not in questions:
        todo = "add the question, or take the vote out"
        expected = "a question of question.jsonl"
        raise row.bad("question_id", expected=expected, got=str(question_id), todo=todo)
    models = row.name("model_a"), row.name("model_b")
    if models[0] == models[1]:
        todo = "take the vote out: a model is not compared with itself"
        raise row.bad("model_b", expected="another model than model_a", got=repr(models[1]), todo=todo)
    return HumanVote(row, question_id, row.name("judge"), *models, row.choice("winner", _WINNERS))


def _conversations(
    rows: Sequence[Row],
) -> tuple[Mapping[int, Question], Mapping[tuple[int, str], Texts], int]:
    """Questions and answers out of the Hub's conversations, and how many answers differ between rows."""
    questions: dict[int, Question] = {}
    answers: dict[tuple[int, str], Texts] = {}
    differing = 0
    for row in rows:
        question_id = row.integer("question_id")
        for side in ("a", "b"):
            asked, answered = _sides(row, f"conversation_{side}")
            category = _hub_category(row, question_id)
            questions.setdefault(question_id, Question(question_id, category, asked))
            key = (question_id, row.name(f"model_{side}"))
            differing += answers.setdefault(key, answered) != answered
    return questions, answers, differing


def _sides(row: Row, field: str) -> tuple[Texts, Texts]:
    """The user's and the model's messages of a conversation of four messages."""
    messages = row.value(field)
    contents = (
        [m.get("content") for m in messages if isinstance(m, dict)] if isinstance(messages, list) else []
    )
    texts = row.turns(field, contents, 2 * _TURNS)
    return texts[0::2], texts[1::2]


def _hub_category(row: Row, question_id: int) -> str:
    index = (question_id - _FIRST_QUESTION) // 10
    if not 0 <= index < len(_CATEGORIES):
        todo = "put a local copy with question.jsonl under VENIRE_DATA"
        raise row.bad("question_id", expected="81 to 160", got=str(question_id), todo=todo)
    return _CATEGORIES[index]
