"""A thread that answers what has queued up since its last answer, all at once."""

import asyncio
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

from venire.errors import StoreError

Item = TypeVar("Item")
Answer = TypeVar("Answer")
ItemIn = TypeVar("ItemIn", contravariant=True)
AnswerOut = TypeVar("AnswerOut", covariant=True)


class Handler(Protocol[ItemIn, AnswerOut]):
    """What the thread runs; made, called and closed in it."""

    def __call__(self, items: Sequence[ItemIn], /) -> Sequence[AnswerOut]:
        """One answer an item, in order."""
        ...

    def close(self) -> None:
        """Let go of the connection."""
        ...


class Worker(Generic[Item, Answer]):
    """Takes items from the event loop, gives answers to it; groups what comes while it is busy.

    What is submitted in one turn of the loop is handed over at its end, so that the thread is woken once
    and does not contend with a loop that has more to submit.

    A failing group fails its waiters and, because what follows may build on it, everything after.
    """

    def __init__(self, name: str, handler: Callable[[], Handler[Item, Answer]], *, group: int) -> None:
        self._make_handler = handler
        self._group = group
        self._submitted: list[tuple[Item, asyncio.Future[Answer]]] = []
        self._queue: queue.SimpleQueue[list[tuple[Item, asyncio.Future[Answer]]] | None] = queue.SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._started = False

    def submit(self, item: Item) -> asyncio.Future[Answer]:
        """The answer to `item`, once its group is done.

        Whether or not anybody waits for it (or stops waiting), the item is handled.
        """
        future: asyncio.Future[Answer] = self._loop.create_future()
        if not self._submitted:
            self._loop.call_soon(self._hand_over)
        self._submitted.append((item, future))
        return future

    def close(self) -> None:
        """Handle all that was submitted, and stop.

        Raises:
            StoreError: a group failed.
        """
        self._hand_over()
        if self._started:
            self._queue.put(None)
            self._thread.join()
        if self._failure is not None:
            raise StoreError(str(self._failure)) from self._failure

    def _hand_over(self) -> None:
        if not self._submitted:  # `close` was quicker
            return
        if not self._started:
            self._started = True
            self._thread.start()
        self._queue.put(self._submitted)
        self._submitted = []

    def _run(self) -> None:
        handler: Handler[Item, Answer] | None = None
        for entries in self._groups():
            try:
                if self._failure is not None:
                    raise StoreError(str(self._failure)) from self._failure
                handler = handler or self._make_handler()
                answers = handler([item for item, _ in entries])
            except Exception as error:  # not swallowed: it is raised in every waiter and at close
                self._failure = self._failure or error
                self._tell(_fail, [future for _, future in entries], error)
            else:
                self._tell(_resolve, [future for _, future in entries], answers)
        if handler is not None:
            handler.close()

    def _groups(self) -> Iterator[list[tuple[Item, asyncio.Future[Answer]]]]:
        """What was handed over, in order and in groups, until `close`."""
        waiting: list[tuple[Item, asyncio.Future[Answer]]] = []
        is_open = True
        while is_open or waiting:
            while is_open and (not waiting or (len(waiting) < self._group and not self._queue.empty())):
                handed = self._queue.get()
                is_open = handed is not None
                waiting += handed or []
            if waiting:
                yield waiting[: self._group]
                waiting = waiting[self._group :]

    def _tell(
        self, how: Callable[..., None], futures: Sequence[asyncio.Future[Answer]], what: object
    ) -> None:
        self._loop.call_soon_threadsafe(how, futures, what)


def _resolve(futures: Sequence[asyncio.Future[Answer]], answers: Sequence[Answer]) -> None:
    for future, answer in zip(futures, answers, strict=True):
        if not future.done():  # its waiter may have been cancelled
            future.set_result(answer)


def _fail(futures: Sequence[asyncio.Future[Answer]], error: Exception) -> None:
    for future in futures:
        if not future.done():
            future.set_exception(error)
            future.exception()  # nobody may be waiting; `close` raises it in any case
