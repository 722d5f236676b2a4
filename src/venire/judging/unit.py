"""What judges rule on."""

from enum import StrEnum


class Unit(StrEnum):
    """The unit of a judgment. Source: spec, section 0."""

    HOLISTIC = "holistic"  # the pair as a whole
    CLAIMS = "claims"  # each claim of each response
