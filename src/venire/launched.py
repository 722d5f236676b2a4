"""What the processes of a launched sweep tell each other, by files in the sweep's folder.

A launcher's processes share `VENIRE_HOME` with the one that launched them, on this machine or by a shared
file system; signals and memory they may not share.
"""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

LAUNCHES = "launches"
_STOP, _BREAK_OFF, _STARTED = "stop", "break_off", ".started"
_KEYS, _VARIABLE = "keys.json", "VENIRE_LAUNCH"


@dataclass(frozen=True, slots=True)
class Started:
    """A job of which a process began, how often, and with which overrides."""

    number: int
    times: int
    overrides: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Signs:
    """The files of one launch."""

    folder: Path

    @classmethod
    def of(cls, sweep: Path, launch: str) -> "Signs":
        """Those of the launch called `launch`, in a sweep's folder."""
        return cls(sweep / LAUNCHES / launch)

    def ask_to_stop(self) -> None:
        """Jobs send no further call, keep what is in flight, and no further one starts."""
        self._leave(_STOP)

    def ask_to_break_off(self) -> None:
        """Jobs do not wait for what is in flight, either."""
        self._leave(_STOP)
        self._leave(_BREAK_OFF)

    @property
    def stop_asked(self) -> bool:
        """Whether `ask_to_stop` was called, in whatever process."""
        return (self.folder / _STOP).exists()

    @property
    def break_off_asked(self) -> bool:
        """Whether `ask_to_break_off` was called, in whatever process."""
        return (self.folder / _BREAK_OFF).exists()

    def pass_on(self, keys: Sequence[Sequence[str]] = ()) -> None:
        """Let launchers that Hydra makes in this process see them: `launch_passed_on`.

        `keys`: of each key that jobs need the variables of which one must be set; names, never values.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / _KEYS).write_text(json.dumps([list(names) for names in keys]), encoding="utf-8")
        os.environ[_VARIABLE] = str(self.folder)

    def keys(self) -> list[tuple[str, ...]]:
        """As they were passed on."""
        return [tuple(names) for names in json.loads((self.folder / _KEYS).read_text(encoding="utf-8"))]

    def start(self, number: int, overrides: Sequence[str]) -> int:
        """Note that a process begins job `number`; how often one has by now."""
        self.folder.mkdir(parents=True, exist_ok=True)
        line = json.dumps({"pid": os.getpid(), "overrides": list(overrides)}) + "\n"
        path = self.folder / f"{number:04d}{_STARTED}"
        with path.open("a", encoding="utf-8") as file:
            file.write(line)
        return len(path.read_text(encoding="utf-8").splitlines())

    def started(self) -> Iterator[Started]:
        """Every job that was begun, by number."""
        for path in sorted(self.folder.glob(f"*{_STARTED}")):
            lines = path.read_text(encoding="utf-8").splitlines()
            yield Started(int(path.stem), len(lines), tuple(json.loads(lines[-1])["overrides"]))

    def _leave(self, name: str) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / name).touch()


def launch_passed_on() -> Signs | None:
    """The signs that were last passed on in this process; None where none were."""
    return Signs(Path(os.environ[_VARIABLE])) if _VARIABLE in os.environ else None


def stop_of_launch_asked() -> bool:
    """Whether the launch that was last passed on in this process was asked to stop."""
    signs = launch_passed_on()
    return signs is not None and signs.stop_asked
