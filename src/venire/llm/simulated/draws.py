"""Seeded draws: the same parts give the same numbers, in any process, on any machine."""

import hashlib
import struct
from functools import cache
from statistics import NormalDist
from typing import Union

import numpy as np

Part = Union[str, int, float, tuple["Part", ...], None]  # noqa: UP007  (recursive)
_STANDARD = NormalDist()


def generator(*parts: Part) -> np.random.Generator:
    """A generator whose stream only `parts` decide (SHA-256 of them is Philox's 128-bit key)."""
    return np.random.Generator(np.random.Philox(key=int(digest(*parts)[:32], 16)))


def normal(*parts: Part) -> float:
    """One standard normal number that only `parts` decide."""
    return float(generator(*parts).standard_normal())


def digest(*parts: Part) -> str:
    """SHA-256 (hex) over `parts`; no two different tuples of parts are written alike."""
    # ascii(), not repr(): which characters repr() escapes depends on Python's Unicode tables
    return hashlib.sha256(ascii(parts).encode()).hexdigest()


def uniform(*parts: Part) -> float:
    """A number in (0, 1) that only `parts` decide, read off their digest: much cheaper than `generator`."""
    return (int(digest(*parts)[:13], 16) + 0.5) / 2**52


def quick_normal(*parts: Part) -> float:
    """One standard normal number that only `parts` decide, by the inverse of its distribution function."""
    return _STANDARD.inv_cdf(uniform(*parts))


def uniforms(count: int, *parts: Part) -> tuple[float, ...]:
    """`count` numbers in (0, 1) that only `parts` decide: one digest for all of them."""
    drawn = hashlib.shake_256(ascii(parts).encode()).digest(6 * count)
    return tuple((int.from_bytes(drawn[at : at + 6]) + 0.5) / 2**48 for at in range(0, 6 * count, 6))


def normals(count: int, *parts: Part) -> tuple[float, ...]:
    """`count` standard normal numbers that only `parts` decide, each one of 4096 equally likely values."""
    table = _quantiles()
    drawn = hashlib.shake_256(ascii(parts).encode()).digest(2 * count)
    return tuple(table[each >> 4] for each in struct.unpack(f"<{count}H", drawn))


@cache
def _quantiles() -> tuple[float, ...]:
    """The standard normal quantiles in the middles of 4096 equal shares."""
    return tuple(_STANDARD.inv_cdf((k + 0.5) / 4096) for k in range(4096))


def hex_names(count: int, *parts: Part) -> tuple[str, ...]:
    """`count` names of six hex digits that only `parts` decide."""
    drawn = hashlib.shake_256(ascii(parts).encode()).hexdigest(3 * count)
    return tuple(drawn[at : at + 6] for at in range(0, 6 * count, 6))
