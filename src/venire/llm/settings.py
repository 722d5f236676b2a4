"""How the call store is used, as a value (`llm=live|replay|refresh`)."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from venire.errors import ConfigError


class Mode(StrEnum):
    """What happens where the store holds a reply, and where it does not."""

    LIVE = "live"  # replay what is stored, pay for the rest
    REPLAY = "replay"  # never touch a backend; a miss stops the run
    REFRESH = "refresh"  # pay again, once a key and run, and replace what is stored


@dataclass(frozen=True, slots=True)
class LLMSettings:
    """Settings of the call path.

    Args:
        mode: see `Mode`.
        store: a SQLAlchemy URL (`sqlite:////abs/calls.db`, `postgresql+psycopg://host/db`); None is
            `calls.db` under VENIRE_HOME. SQLite must lie on a local disk (WAL needs shared memory).
    """

    mode: Mode = Mode.LIVE
    store: str | None = None

    def __post_init__(self) -> None:
        if self.mode not in list(Mode):
            raise ConfigError(f"llm.mode: expected {', '.join(Mode)}, got {self.mode!r}")
        if self.store is not None and "://" not in self.store:
            raise ConfigError(
                f"llm.store: expected a URL (sqlite:////path/calls.db, postgresql+psycopg://host/db) "
                f"or null, got {self.store!r}"
            )

    def url(self, home: Path) -> str:
        """The store's URL, where `home` is VENIRE_HOME."""
        return self.store or f"sqlite:///{home.absolute() / 'calls.db'}"
