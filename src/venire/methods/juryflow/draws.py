"""Random streams that hang on what they are for, not on when they are drawn from."""

import hashlib

import numpy as np


def stream(seed: int, *parts: str | int) -> np.random.Generator:
    """The generator of (seed, parts): the same whatever else was drawn."""
    named = "\0".join(map(str, ("juryflow", seed, *parts)))
    return np.random.default_rng(int.from_bytes(hashlib.sha256(named.encode()).digest()))
