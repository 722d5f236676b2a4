"""Labels of a run to its MLflow run, while people work: who, when, how long, what."""

import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from venire.errors import VenireError

ARTIFACT = "people_labels.jsonl"
EVERY_S = 30.0


class Uploads:
    """Uploads the latest labels at most every `every_s` seconds, and at the end what is left.

    The labels are on the disk before and whatever happens here: what fails is said, and tried again with
    the next change.

    Args:
        text: the artifact's text.
        send: uploads a file.
        every_s: seconds.
    """

    def __init__(
        self, text: Callable[[], str], send: Callable[[Path], None], *, every_s: float = EVERY_S
    ) -> None:
        self._text = text
        self._send = send
        self._every_s = every_s
        self._is_due = threading.Event()
        self._end = threading.Event()

    def due(self) -> None:
        """There are other labels."""
        self._is_due.set()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Upload in a thread until the end of the block, then once more if something is due."""
        thread = threading.Thread(target=self._run, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._end.set()
            thread.join()
            self._upload()

    def _run(self) -> None:
        while not self._end.wait(self._every_s):
            self._upload()

    def _upload(self) -> None:
        if not self._is_due.is_set():
            return
        self._is_due.clear()
        try:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / ARTIFACT
                path.write_text(self._text(), encoding="utf-8")
                self._send(path)
        except (VenireError, OSError) as error:
            self._is_due.set()
            print(f"MLflow: the labels are not uploaded yet: {error}", file=sys.stderr, flush=True)
