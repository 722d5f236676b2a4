"""The backend of recorded judges: a request names a recorded reply, and gets it."""

from collections.abc import Collection
from pathlib import Path

from venire.errors import BackendError
from venire.llm.protocol import Reply
from venire.llm.recordings import (
    Locator,
    RecordedReply,
    RecordingKey,
    Recordings,
    Run,
    read_recordings,
)
from venire.records import BackendKind, Order, Request


class RecordedBackend:
    """Answers requests whose one message is a `Locator`, from the recordings below `root`.

    The file is read when the first request comes: a replayed run never opens it. Replies carry no
    token counts (the source recorded none), so their cost is unknown; nothing is billed. A reply is
    there or it is not: no attempt is worth repeating.

    Args:
        root: the data root.
        runs: (model, strategy) of the judges to keep in memory; None keeps all.
    """

    def __init__(self, root: str | Path, runs: Collection[Run] | None = None) -> None:
        self._root = root
        self._runs = runs
        self._read: Recordings | None = None

    @property
    def kind(self) -> BackendKind:
        """Recorded: real verdicts, given years ago to the source's prompts."""
        return BackendKind.RECORDED

    async def send(self, request: Request) -> Reply:
        """The reply that the request's locator names.

        Raises:
            DataError: the file is missing or breaks its format.
            BackendError: the request holds no locator, one of another file, or one of a reply that
                was not recorded.
        """
        reply = self._find(request.model, _locator(request))
        return Reply(text=reply.text, finish=reply.finish, model=request.model)

    async def aclose(self) -> None:
        """Nothing to let go of."""

    def _recordings(self) -> Recordings:
        if self._read is None:
            self._read = read_recordings(self._root, self._runs)
        return self._read

    def _find(self, model: str, locator: Locator) -> RecordedReply:
        recordings = self._recordings()
        if not recordings.digest.startswith(locator.digest):
            raise BackendError(
                f"{recordings.path}: the judge names the recordings {locator.digest}, these are "
                f"{recordings.digest[:12]}: judge.root and data_root differ, or the file has changed"
            )
        order = locator.order or Order.AS_GIVEN  # scores stand in both rows alike
        key = RecordingKey(model, locator.strategy, locator.subset, locator.index, order)
        row = recordings.rows.get(key)
        if row is None or locator.part not in row.replies:
            raise BackendError(
                f"{recordings.path}: no reply of {model} at '{locator}'; "
                "a run's `check` refuses such instances before any call"
            )
        return row.replies[locator.part]


def _locator(request: Request) -> Locator:
    texts = [message.content for message in request.messages]
    locator = Locator.parse(texts[0]) if len(texts) == 1 else None
    if locator is None:
        raise BackendError(
            f"recorded judge {request.model}: expected one message that names a recorded reply, got "
            f"{len(texts)} message(s), the first {texts[0][:60] if texts else ''!r}. Recorded verdicts exist "
            "for pairwise comparison only: use method=pairwise or method=majority"
        )
    return locator
