"""The dimensions that judges tag claims with: a fixed, small set a domain."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from venire.errors import ConfigError

_FEWEST, _MOST = 5, 7


@dataclass(frozen=True, slots=True)
class TagSet:
    """Names (`factual_accuracy`) with a one-line description each, as judges are shown them.

    Args:
        tags: name to description.

    Source: JuryFlow, "Panel judging": a fixed, domain-configurable set of 5 to 7 dimensions.
    """

    tags: Mapping[str, str]

    def __post_init__(self) -> None:
        if not _FEWEST <= len(self.tags) <= _MOST:
            raise ConfigError(f"tags: expected {_FEWEST} to {_MOST} dimensions, got {len(self.tags)}")
        for name, description in self.tags.items():
            if name != _normal(name) or not name:
                raise ConfigError(f"tags: expected names like factual_accuracy, got {name!r}")
            if not description.strip() or "\n" in description.strip():
                raise ConfigError(f"tags.{name}: expected a description of one line, got {description!r}")

    @property
    def names(self) -> tuple[str, ...]:
        """In the configured order."""
        return tuple(self.tags)

    def known(self, given: Iterable[str]) -> tuple[str, ...]:
        """Those of `given` that are in the set, once each, in its order; `Factual accuracy` is known."""
        found = {_normal(name) for name in given}
        return tuple(name for name in self.tags if name in found)


def _normal(name: str) -> str:
    return "_".join(name.strip().casefold().replace("-", " ").replace("_", " ").split())
