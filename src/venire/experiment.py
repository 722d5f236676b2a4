"""One composed configuration, built: everything that a run needs, as values."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from venire.data.protocol import Loaded
from venire.data.shard import Shard
from venire.errors import ConfigError
from venire.identity import Identity
from venire.llm.budget import Budget
from venire.llm.local import LocalSettings
from venire.llm.settings import LLMSettings
from venire.llm.simulated import Simulation
from venire.methods.protocol import Method
from venire.metrics.choice import check_choice, shape_of
from venire.metrics.measure import MetricSettings
from venire.records import BackendKind, Instance
from venire.schedule import Schedule
from venire.tracking.settings import TrackingSettings


class Replicate(StrEnum):
    """Whether a further seed asks a deterministic judge anew. Source: spec, section 1, "Seeds"."""

    SHARED = "shared"
    PER_SEED = "per_seed"


@dataclass(frozen=True, slots=True)
class Experiment:
    """A run before it runs: its data is read, nothing has been called.

    `concurrency` is the number of instances judged at once; how many calls are under way at once
    is bounded by each provider's own `limits`. `development` is judged first and never evaluated: the
    method's thresholds and curves from confidence to probability are fitted on it; None: nothing is.
    Where `loaded` is a `shard` of a data set, `whole` is that.
    """

    identity: Identity
    loaded: Loaded
    method: Method
    seed: int
    llm: LLMSettings
    budget: Budget
    simulation: Simulation
    local: LocalSettings
    tracking: TrackingSettings
    schedule: Schedule = field(default_factory=Schedule)
    metrics: MetricSettings = field(default_factory=MetricSettings)
    concurrency: int = 32
    development: Loaded | None = None
    replicate: Replicate = Replicate.SHARED
    max_unscored: float = 0.2
    shard: Shard | None = None
    whole: Loaded | None = None

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ConfigError(f"seed: expected at least 0, got {self.seed}")
        if self.concurrency < 1:
            raise ConfigError(f"concurrency: expected at least 1, got {self.concurrency}")
        if not 0 <= self.max_unscored <= 1:
            raise ConfigError(f"max_unscored: expected 0 to 1, got {self.max_unscored}")
        if self.metrics.chosen:
            check_choice(self.metrics.chosen, shape_of(self.loaded.instances, self.loaded.labels))
        kinds = {judge.client.kind for judge in self.method.judges}
        if len(kinds) > 1:
            raise ConfigError(
                f"panel: expected judges of one kind (live, local, recorded or simulated), "
                f"got {', '.join(sorted(kinds))}"
            )

        if self.shard is not None:
            self._check_shard()

    def _check_shard(self) -> None:
        if self.method.order_dependent:
            raise ConfigError(
                f"shard: method={self.method.name} judges an instance on the memory of those before it; a "
                "shard would fold a memory of its own, of its part of them, and all shards together would "
                "not be the run without them; drop shard"
            )
        if self.development is not None:
            raise ConfigError(
                "shard: each shard would fit its method on a development split of its own; drop shard or "
                "development"
            )

    @property
    def known_instances(self) -> Sequence[Instance]:
        """What simulated judges know the gold of: of a shard the whole data set, as without shards."""
        return self.all_instances if self.whole is None else self.whole.instances

    @property
    def all_instances(self) -> Sequence[Instance]:
        """Everything that is judged: the development split, then what is evaluated."""
        if self.development is None:
            return self.loaded.instances
        return (*self.development.instances, *self.loaded.instances)

    @property
    def kind(self) -> BackendKind:
        """What answers: the kind of all its judges; NONE where no model is called."""
        return next((judge.client.kind for judge in self.method.judges), BackendKind.NONE)
