"""What one judge's judgment of one instance in one order is: a vote, and the calls it took."""

from dataclasses import dataclass

from venire.records import Call, Vote


@dataclass(frozen=True, slots=True)
class Ballot:
    """A vote with every call that made it, re-asks included, in the order they were made."""

    vote: Vote
    calls: tuple[Call, ...]
