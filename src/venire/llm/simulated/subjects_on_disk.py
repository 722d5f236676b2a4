"""What simulated judges know of pairs, on disk: the knowledge of `subjects.index`, however many there are."""

import sqlite3
import weakref
from collections.abc import Iterable, Iterator, Mapping

from venire.errors import DataError
from venire.llm.simulated.subjects import Pair, Subjects, content, gold_sign, net_sign
from venire.records import Instance, PreferenceGold, Response

_TABLE = """
CREATE TABLE known (
    id TEXT PRIMARY KEY,
    first_generator TEXT,
    second_generator TEXT,
    content BLOB,
    direction INTEGER,
    sign INTEGER,
    topic TEXT
) WITHOUT ROWID
"""
_BY_CONTENT = "CREATE INDEX by_content ON known (content, sign, topic) WHERE content IS NOT NULL"
_ADD = "INSERT INTO known VALUES (?, ?, ?, ?, ?, ?, ?)"


def index_on_disk(instances: Iterable[Instance]) -> Subjects:
    """As `subjects.index`, of `instances` that are gone through once and not kept.

    Those that it gives by id have generators, and neither texts nor gold.

    Raises:
        DataError: two instances share an id.
    """
    known = _Known(instances)
    return Subjects(_Instances(known), _Pairs(known), _Contents(known))


class _Known:
    """A database in a file without a name, which is gone when nobody needs it."""

    def __init__(self, instances: Iterable[Instance]) -> None:
        self._base = sqlite3.connect("", check_same_thread=False, isolation_level=None)
        weakref.finalize(self, self._base.close)
        for setting in ("journal_mode = OFF", "temp_store = FILE"):
            self._base.execute(f"PRAGMA {setting}")
        self._base.execute(_TABLE)
        self._base.execute("BEGIN")
        try:
            self._base.executemany(_ADD, map(_row, instances))
        except sqlite3.IntegrityError as error:
            raise DataError(f"simulation: expected instances with ids of their own: {error}") from error
        self._base.execute(_BY_CONTENT)
        self._base.execute("COMMIT")

    def row(self, query: str, key: object) -> tuple[object, ...] | None:
        """The one row that answers `query`; None where there is none."""
        found: tuple[object, ...] | None = self._base.execute(query, (key,)).fetchone()
        return found

    def column(self, query: str) -> Iterator[str]:
        """The texts that answer `query`."""
        return (str(text) for (text,) in self._base.execute(query))


class _Instances(Mapping[str, Instance]):
    def __init__(self, known: _Known) -> None:
        self._known = known

    def __getitem__(self, name: str) -> Instance:
        query = "SELECT first_generator, second_generator FROM known WHERE id = ?"
        if (row := self._known.row(query, name)) is None:
            raise KeyError(name)
        made = (Response("", generator=None if each is None else str(each)) for each in row)
        return Instance(name, "", tuple(made))

    def __iter__(self) -> Iterator[str]:
        return self._known.column("SELECT id FROM known")

    def __len__(self) -> int:
        return sum(1 for _ in self)


class _Contents(Mapping[str, tuple[str, int]]):
    def __init__(self, known: _Known) -> None:
        self._known = known

    def __getitem__(self, name: str) -> tuple[str, int]:
        query = "SELECT lower(hex(content)), direction FROM known WHERE id = ? AND content IS NOT NULL"
        if (row := self._known.row(query, name)) is None:
            raise KeyError(name)
        return str(row[0]), int(str(row[1]))

    def __iter__(self) -> Iterator[str]:
        return self._known.column("SELECT id FROM known WHERE content IS NOT NULL")

    def __len__(self) -> int:
        return sum(1 for _ in self)


class _Pairs(Mapping[str, Pair]):
    def __init__(self, known: _Known) -> None:
        self._known = known

    def __getitem__(self, name: str) -> Pair:
        query = "SELECT sum(sign), min(topic) FROM known WHERE content = ?"
        net, topic = self._known.row(query, bytes.fromhex(name)) or (None, None)
        if net is None:
            raise KeyError(name)
        return Pair(name, net_sign(int(str(net))), str(topic))

    def __iter__(self) -> Iterator[str]:
        return self._known.column("SELECT DISTINCT lower(hex(content)) FROM known WHERE content IS NOT NULL")

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _row(instance: Instance) -> tuple[object, ...]:
    generators = [response.generator for response in instance.responses][:2]
    generators += [None] * (2 - len(generators))
    if not instance.is_pairwise or not isinstance(instance.gold, PreferenceGold):
        return (instance.id, *generators, None, None, None, None)
    name, direction = content(instance)
    sign = gold_sign(instance) * direction
    return (instance.id, *generators, bytes.fromhex(name), direction, sign, instance.subset)
