"""Targets for `tests/test_build.py` that no class of venire stands for."""

from venire.errors import DataError


def broken(kind: str) -> object:
    if kind == "data":
        raise DataError("no such file")
    return 1 / 0


class Plain:
    """A class that is no dataclass; `anything` has no annotation, and positional extras cannot be named."""

    def __init__(self, count: int, anything=None, *rest: int, **more: int) -> None:
        self.count = count
