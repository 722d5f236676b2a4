"""The range check that all parameters of the simulation share."""

import math

from venire.errors import ConfigError

WIDEST = 50.0  # logits; beyond it a logistic is 0 or 1 to double precision, so a typing error


def check_range(name: str, value: float, low: float, high: float) -> None:
    """Nothing, where `value` is finite and from `low` to `high`.

    Raises:
        ConfigError: it is not; names the parameter, the range and the value.
    """
    if not math.isfinite(value) or not low <= value <= high:
        raise ConfigError(f"{name}: expected {low:g} to {high:g}, got {value}")
