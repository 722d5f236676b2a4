"""How long people were with what they were shown: kept on the disk while they look, summed over visits.

A visit is one load of a page by one browser; its time grows while the page is in front. An undo, a reload
or a restart begins another visit, and what the earlier ones took still counts. A visit whose time nobody
knows makes the sum unknown: nothing is made up.
"""

import hashlib
import json
import math
import re
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from venire.errors import DataError
from venire.lines import GrowingFile, Line, add_lines
from venire.page.security import form_of, visitor_of
from venire.runs.strict_json import dumps

MOST_SECONDS = 24 * 3600.0  # of one visit
_VISIT = re.compile(r"[A-Za-z0-9_\-]{1,40}")
_WHAT = re.compile(r"[A-Za-z0-9_:\-]{1,100}")


def is_visit(text: str) -> bool:
    """Whether `text` can name a visit."""
    return _VISIT.fullmatch(text) is not None


def seconds_of(text: str) -> float | None:
    """The time that a browser counted; None where it did not, or cannot have."""
    try:
        seconds = float(text)
    except ValueError:
        return None
    return round(seconds, 2) if math.isfinite(seconds) and 0 < seconds <= MOST_SECONDS else None


def times_path(kept: Path) -> Path:
    """Where the times lie that belong to a file of labels or choices."""
    return kept.with_name(f"{kept.name}.times")


@dataclass(frozen=True, slots=True)
class Visit:
    """Somebody's visit to something.

    Args:
        annotator: who.
        what: what was shown, by a name that stays the same over restarts.
        name: of the visit.
    """

    annotator: str
    what: str
    name: str


@dataclass(slots=True)
class _Spent:
    """Of one person and one thing: seconds by visit (None: not known), and the labels that say the sum."""

    visits: dict[str, float | None] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)


class Times:
    """The times of a file, for many threads, and beside other processes.

    Args:
        path: of the file; made where there is none.
        clock: the time, with its zone.
    """

    def __init__(self, path: Path, clock: Callable[[], datetime]) -> None:
        self.path = path
        self._clock = clock
        self._file = GrowingFile(path)
        self._turn = threading.Lock()
        self._spent: dict[tuple[str, str], _Spent] = {}

    @property
    def key(self) -> str:
        """Names the file: a browser may still hold a time that belongs to another one."""
        return hashlib.sha256(str(self.path.resolve()).encode()).hexdigest()[:12]

    def add(self, visit: Visit, seconds: float | None, *, told: str = "") -> float | None:
        """Keep that a visit has taken `seconds` so far; it is on the disk when this returns.

        Args:
            seconds: less than is known already changes nothing; None: its time is not known.
            told: names the label that says the sum.

        Returns: the seconds of all visits of this person to this, None where one of them is not known.

        Raises:
            DataError: the file is damaged; nothing is added.
            OSError: it could not be written; nothing is added.
        """
        with self._turn:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{self.path}.lock"):
                self._read()
                spent = self._of(visit.annotator, visit.what)
                known = spent.visits.get(visit.name, -1.0)
                is_more = known is not None and (seconds is None or seconds > known)
                if is_more or told not in ("", *spent.told):
                    now = seconds if is_more else known
                    self._write(visit, now, told)
            return _sum(spent)

    def is_told(self, annotator: str, what: str, label: str) -> bool:
        """Whether the visits behind `label` (its name) are kept here; if not, it came from elsewhere."""
        with self._turn:
            self._read()
            return label in self._of(annotator, what).told

    def _write(self, visit: Visit, seconds: float | None, told: str) -> None:
        fields = {
            "annotator": visit.annotator,
            "what": visit.what,
            "visit": visit.name,
            "seconds": seconds,
            "at": self._clock().astimezone(UTC).isoformat(timespec="milliseconds"),
            **({"told": told} if told else {}),
        }
        add_lines(self.path, f"{dumps(fields)}\n")
        self._read()

    def _read(self) -> None:
        if self._file.is_another:
            self._file.restart()
            self._spent = {}
        for line in self._file.new_lines():
            self._take(line)

    def _take(self, line: Line) -> None:
        try:
            fields = json.loads(line.text)
            annotator, what, visit = (str(fields[name]) for name in ("annotator", "what", "visit"))
            seconds = None if fields["seconds"] is None else float(fields["seconds"])
            told = str(fields.get("told", ""))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            shown = line.text[:80].decode(errors="replace")
            raise DataError(
                f"{line.where}: expected the time of a visit, got {shown!r} ({error!r}); a damaged line "
                "can be taken out: only the sum that it belongs to depends on it"
            ) from None
        spent = self._of(annotator, what)
        known = spent.visits.get(visit, 0.0)
        spent.visits[visit] = None if seconds is None or known is None else max(seconds, known)
        if told:
            spent.told.add(told)

    def _of(self, annotator: str, what: str) -> _Spent:
        return self._spent.setdefault((annotator, what), _Spent())


def _sum(spent: _Spent) -> float | None:
    known = [seconds for seconds in spent.visits.values() if seconds is not None]
    return round(math.fsum(known), 1) if known and len(known) == len(spent.visits) else None


def new_visit() -> str:
    """A name for one load of a page."""
    return secrets.token_urlsafe(9)


def visit_in(form: Mapping[str, str], annotator: str, what: str) -> Visit:
    """The visit that a form names; one of its own where it names none."""
    given = form.get("visit", "")
    return Visit(annotator, what, given if is_visit(given) else new_visit())


def take_time(request: Request, times: Times) -> Response:
    """Keep the time that a browser tells: of a visit under way, or of one that it could not tell earlier.

    What it looked at need not be shown any more: a question that is answered, an item beyond a new limit.
    """
    form, annotator = form_of(request), visitor_of(request).annotator or ""
    what, seconds = form.get("what", ""), seconds_of(form.get("seconds", ""))
    if (form.get("times"), form.get("annotator")) != (times.key, annotator):
        return PlainTextResponse("This time is of something else.\n", 409)
    if seconds is None or not is_visit(form.get("visit", "")) or not _WHAT.fullmatch(what):
        return PlainTextResponse("Expected a visit and its seconds.\n", 400)
    times.add(visit_in(form, annotator, what), seconds)
    return Response(status_code=204)
