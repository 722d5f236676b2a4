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
        litellm_workers: processes through which judges of `client: litellm` are asked; 1 is venire's own.
            Each takes seconds to start and some 250 MB, so more than 1 is for more than a hundred calls a
            second. Limits, budget and retries hold over all of them.
        shared_limits: whether the limits of providers that are billed hold over all processes that use the
            same store (docs/scale.md); false: in each process.
        patience_s: how long to try again where the connection to the store is lost, before the run stops.
    """

    mode: Mode = Mode.LIVE
    store: str | None = None
    litellm_workers: int = 1
    shared_limits: bool = True
    patience_s: float = 120.0

    def __post_init__(self) -> None:
        if self.mode not in list(Mode):
            raise ConfigError(f"llm.mode: expected {', '.join(Mode)}, got {self.mode!r}")
        if self.store is not None and "://" not in self.store:
            raise ConfigError(
                f"llm.store: expected a URL (sqlite:////path/calls.db, postgresql+psycopg://host/db) "
                f"or null, got {self.store!r}"
            )
        if self.litellm_workers < 1:
            raise ConfigError(f"llm.litellm_workers: expected at least 1, got {self.litellm_workers}")
        if not self.patience_s >= 0:
            raise ConfigError(f"llm.patience_s: expected at least 0, got {self.patience_s}")

    def url(self, home: Path) -> str:
        """The store's URL, where `home` is VENIRE_HOME."""
        return self.store or f"sqlite:///{home.absolute() / 'calls.db'}"
