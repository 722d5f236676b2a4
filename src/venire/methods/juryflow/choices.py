"""What people chose: one choice, and the file that keeps choices, which a killed process does not shorten."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock

from venire.errors import DataError
from venire.lines import add_lines, is_whole
from venire.methods.juryflow.select import Focus, Question
from venire.records import Outcome


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to the question which disagreement should be resolved first.

    Args:
        instance_id, response_index: the response, its index from 0.
        claim: c*'s index, None where nothing was chosen.
        text: the claim, "" where nothing was chosen.
        offered: the claims that could be chosen, most disputed first.
        seconds: the time taken, from when the question was shown; None where nobody knows it.
        annotator: who chose; "" where nobody said.
        chosen_at: when, ISO 8601, UTC; "" where it is not known, or no person chose.
        selector: how it was asked (`human`: in the terminal; `page`), or `oracle`: no person chose.
    """

    instance_id: str
    response_index: int
    claim: int | None
    text: str
    offered: tuple[int, ...]
    seconds: float | None
    annotator: str = ""
    chosen_at: str = ""
    selector: str = "human"

    @property
    def place(self) -> tuple[str, int]:
        """The response that it is about."""
        return (self.instance_id, self.response_index)

    @property
    def focus(self) -> Focus:
        """The chosen claim is the only one that is re-evaluated."""
        return Focus(() if self.claim is None else (self.claim,), self.seconds)

    def fits(self, claims: Sequence[str], offered: Sequence[int]) -> bool:
        """Whether it was made among these claims."""
        if self.claim is None:
            return self.offered == tuple(offered)
        return self.claim < len(claims) and claims[self.claim] == self.text


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer as it comes in: claim (None: none is chosen), seconds (None: not known), who, how, when."""

    claim: int | None
    seconds: float | None
    annotator: str
    selector: str
    at: datetime | None = None

    def to(self, question: Question) -> Choice:
        """The choice that it is."""
        return Choice(
            instance_id=question.matter.instance.id,
            response_index=question.matter.response_index,
            claim=self.claim,
            text="" if self.claim is None else question.nodes[self.claim].text,
            offered=question.ranked,
            seconds=None if self.seconds is None else round(self.seconds, 3),
            annotator=self.annotator,
            chosen_at="" if self.at is None else self.at.astimezone(UTC).isoformat(timespec="seconds"),
            selector=self.selector,
        )


def given_choice(path: Path, question: Question) -> Choice | None:
    """The latest choice on this response, if it was made among the very same claims."""
    place = (question.matter.instance.id, question.matter.response_index)
    latest = latest_choices(read_choices(path)).get(place)
    claims = [node.text for node in question.nodes]
    return latest if latest is not None and latest.fits(claims, question.ranked) else None


def latest_choices(choices: Sequence[Choice]) -> dict[tuple[str, int], Choice]:
    """The last choice on each response."""
    return {choice.place: choice for choice in choices}


def choices_behind(outcomes: Sequence[Outcome], choices: Sequence[Choice]) -> tuple[Choice, ...]:
    """The latest choice on each response that the outcome of its instance rests on, in their order."""
    by_place: dict[tuple[str, int], list[Choice]] = {}
    for choice in choices:
        by_place.setdefault(choice.place, []).append(choice)
    found = []
    for outcome in outcomes:
        for index, focus in enumerate(_focuses(outcome)):
            made = [each for each in by_place.get((outcome.instance_id, index), ()) if each.focus == focus]
            found += made[-1:]
    return tuple(found)


def _focuses(outcome: Outcome) -> Iterator[Focus]:
    """What was chosen of each response, as the outcome's detail says."""
    responses = outcome.detail["responses"]
    assert isinstance(responses, Sequence)
    for response in responses:
        yield Focus(tuple(response["focal"]["claims"]), response["focal"]["seconds"])


def choice_line(choice: Choice) -> str:
    """The choice as a line of a file."""
    return json.dumps(asdict(choice), ensure_ascii=False) + "\n"


def read_choices(path: Path) -> tuple[Choice, ...]:
    """The choices in a file, in the order in which they were made; none where there is no file.

    A last line without an end that is no choice was cut short while it was written: nobody was told that
    it is kept, and it counts for nothing.

    Raises:
        DataError: any other line breaks the format; names file and line.
    """
    if not path.is_file():
        return ()
    *lines, rest = path.read_bytes().split(b"\n")
    if rest and is_whole(rest):
        lines.append(rest)
    return tuple(_choice(line, f"{path}:{number}") for number, line in enumerate(lines, start=1))


def append_choice(path: Path, choice: Choice) -> None:
    """Add a choice; when this returns, neither a kill of the process nor of the machine loses it.

    Raises:
        OSError: it could not be kept; the file is as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{path}.lock"):
        add_lines(path, choice_line(choice))


def _choice(line: bytes, where: str) -> Choice:
    try:
        fields = json.loads(line)
        return Choice(**{**fields, "offered": tuple(fields["offered"])})
    except (ValueError, TypeError, KeyError) as error:
        shown = line[:80].decode(errors="replace")
        raise DataError(f"{where}: expected a recorded choice, got {shown!r} ({error})") from None
