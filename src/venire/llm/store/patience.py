"""A store that is away for a while: what was asked is asked again, on a new connection, for some time."""

import time
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from venire.errors import StoreError
from venire.llm.store.worker import Answer, Handler, Item

Made = TypeVar("Made")

_FIRST_S, _LONGEST_S = 0.1, 5.0
# What drivers say of a server that is gone, starting, stopping or full, and of a file that others write.
_SIGNS = (
    *(
        "connection",
        "terminat",
        "shutting down",
        "starting up",
        "recovery mode",
        "server closed",
        "ssl syscall",
    ),
    *("too many clients", "remaining connection slots", "database is locked", "timeout expired"),
)
# A wrong address, password or database does not mend itself.
_FOR_GOOD = ("password", "does not exist", "no pg_hba", "could not translate", "name or service not known")


class Patience:
    """How long a lost store is waited for.

    Args:
        at_most_s: in a row; 0 for not at all.
        say: tells the user once a loss.
        sleep, now: injected by tests.
    """

    def __init__(
        self,
        at_most_s: float,
        say: Callable[[str], None] = lambda _: None,
        *,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._at_most_s = at_most_s
        self._say = say
        self._sleep = sleep
        self._now = now

    def kept(self, work: Callable[[], Made]) -> Made:
        """What `work` returns, tried again as long as it says that the store is away.

        Raises:
            StoreError: it is away for longer than patience lasts, or something else is wrong.
        """
        until, pause_s = None, _FIRST_S
        while True:
            try:
                return work()
            except StoreError as error:
                if until is None:
                    until = self._now() + self._at_most_s
                    lost = is_away(error) and self._at_most_s > 0
                    if lost:
                        self._say(f"{error}; trying again for {self._at_most_s:g} s")
                if not is_away(error) or self._now() >= until:
                    raise
            self._sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_S)

    def lasting(
        self,
        make: Callable[[], Handler[Item, Answer]],
        again: Callable[[], Handler[Item, Answer]] | None = None,
    ) -> Callable[[], Handler[Item, Answer]]:
        """`make`, whose handlers outlive their connection: a new one is made, and does the group again.

        `again` makes those that come after a break, where what was committed before must not be done twice.
        """
        return lambda: _Lasting(make, again or make, self)


class _Lasting(Generic[Item, Answer]):
    def __init__(
        self,
        make: Callable[[], Handler[Item, Answer]],
        again: Callable[[], Handler[Item, Answer]],
        patience: Patience,
    ) -> None:
        self._make = make
        self._again = again
        self._patience = patience
        self._handler: Handler[Item, Answer] | None = None

    def __call__(self, items: Sequence[Item], /) -> Sequence[Answer]:
        return self._patience.kept(lambda: self._once(items))

    def close(self) -> None:
        if self._handler is not None:
            self._handler.close()

    def _once(self, items: Sequence[Item]) -> Sequence[Answer]:
        try:
            self._handler = self._handler or self._make()
            return self._handler(items)
        except StoreError:
            self._let_go()
            raise

    def _let_go(self) -> None:
        """Of a connection that is perhaps broken, which closing it may say once more."""
        handler, self._handler = self._handler, None
        if handler is None:
            return
        self._make = self._again
        try:
            handler.close()
        except Exception as error:
            if not is_away(error):
                raise


def is_away(error: BaseException) -> bool:
    """Whether `error` says that the database cannot be reached now, or broke off the connection."""
    said = str(error).lower()
    return any(sign in said for sign in _SIGNS) and not any(sign in said for sign in _FOR_GOOD)
