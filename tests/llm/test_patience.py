"""A store that is away is asked again, for so long."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from venire.errors import StoreError
from venire.llm.store.patience import Patience, is_away

GONE = "call store x: cannot be written: server closed the connection unexpectedly"


@dataclass
class Passing:
    """Time that passes by sleeping."""

    now: float = 0.0
    said: list[str] = field(default_factory=list)

    def patience(self, at_most_s: float) -> Patience:
        return Patience(at_most_s, self.said.append, sleep=self.sleep, now=lambda: self.now)

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@dataclass
class Away:
    """Answers after `losses` losses; notes what was made and what it was asked."""

    losses: int
    error: str = GONE
    made: list[str] = field(default_factory=list)
    asked: int = 0

    def make(self, name: str) -> "Handler":
        self.made.append(name)
        return Handler(self)


@dataclass
class Handler:
    away: Away

    def __call__(self, items: Sequence[int], /) -> Sequence[int]:
        self.away.asked += 1
        if self.away.asked <= self.away.losses:
            raise StoreError(self.away.error)
        return [2 * item for item in items]

    def close(self) -> None:
        self.away.made.append("closed")


def test_a_lost_connection_is_made_anew_and_the_group_done_again() -> None:
    time, away = Passing(), Away(losses=2)
    handler = time.patience(60).lasting(lambda: away.make("first"), lambda: away.make("again"))()
    assert list(handler([1, 2])) == [2, 4]
    assert away.made == ["first", "closed", "again", "closed", "again"]
    assert time.now == pytest.approx(0.1 + 0.2)
    assert time.said == [f"{GONE}; trying again for 60 s"]
    handler.close()


def test_patience_ends() -> None:
    time, away = Passing(), Away(losses=1000)
    handler = time.patience(20).lasting(lambda: away.make("w"))()
    with pytest.raises(StoreError, match="server closed"):
        handler([1])
    assert 20 <= time.now < 25  # the longest pause is 5 s


def test_without_patience_the_first_loss_counts() -> None:
    time, away = Passing(), Away(losses=1)
    with pytest.raises(StoreError):
        time.patience(0).lasting(lambda: away.make("w"))()([1])
    assert (away.asked, time.said) == (1, [])


def test_what_is_no_loss_is_not_tried_again() -> None:
    time, away = Passing(), Away(losses=1, error="call store x: cannot be written: no such table: intents")
    with pytest.raises(StoreError, match="no such table"):
        time.patience(60).lasting(lambda: away.make("w"))()([1])
    assert away.asked == 1


@pytest.mark.parametrize(
    ("said", "away"),
    [
        ("connection to server at 127.0.0.1, port 5432 failed: Connection refused", True),
        ("terminating connection due to administrator command", True),
        ("FATAL:  the database system is starting up", True),
        ("FATAL:  the database system is shutting down", True),
        ("the connection is closed", True),
        ("FATAL:  sorry, too many clients already", True),
        ("database is locked", True),
        ('connection failed: FATAL:  password authentication failed for user "me"', False),
        ('connection failed: FATAL:  database "calls" does not exist', False),
        ("no such table: intents", False),
        ("database or disk is full", False),
    ],
)
def test_a_server_that_comes_back_is_told_from_a_wrong_address(said: str, away: bool) -> None:
    assert is_away(StoreError(f"call store x: {said}")) is away
