"""How a model is reached: client, address, key, price and limits, as values."""

from dataclasses import dataclass, field
from enum import StrEnum

from venire.errors import ConfigError
from venire.records import BackendKind, Price


class Client(StrEnum):
    """Which backend sends the requests of a model."""

    LITELLM = "litellm"
    DIRECT = "direct"  # OpenAI-compatible HTTP by aiohttp
    LOCAL = "local"  # an xllamacpp server that venire starts and stops
    RECORDED = "recorded"
    SIMULATED = "simulated"

    @property
    def kind(self) -> BackendKind:
        """The kind of the replies."""
        match self:
            case Client.LITELLM | Client.DIRECT:
                return BackendKind.LIVE
            case Client.LOCAL:
                return BackendKind.LOCAL
            case Client.RECORDED:
                return BackendKind.RECORDED
            case Client.SIMULATED:
                return BackendKind.SIMULATED


@dataclass(frozen=True, slots=True)
class Limits:
    """What a provider lets us do. Routes of one `provider` name share them.

    Args:
        concurrency: requests in flight at once.
        requests_per_minute, tokens_per_minute: None for no limit.
        timeout_s: of one attempt.
        retries: attempts after the first.
        backoff_s: base of the jittered exponential backoff; `Retry-After` overrules it.
        backoff_max_s: longest wait between two attempts, `Retry-After` excepted.
    """

    concurrency: int = 16
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    timeout_s: float = 120.0
    retries: int = 5
    backoff_s: float = 1.0
    backoff_max_s: float = 60.0

    def __post_init__(self) -> None:
        if self.concurrency < 1:
            raise ConfigError(f"concurrency: expected at least 1, got {self.concurrency}")
        if self.retries < 0:
            raise ConfigError(f"retries: expected at least 0, got {self.retries}")
        if self.timeout_s <= 0:
            raise ConfigError(f"timeout_s: expected more than 0, got {self.timeout_s}")
        for name in ("requests_per_minute", "tokens_per_minute"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ConfigError(f"{name}: expected at least 1 or null, got {value}")


def check_address(api_base: str | None) -> None:
    """Refuse what is no address: of an empty one litellm would ask the provider's own server.

    Raises:
        ConfigError: it does not begin with http:// or https://.
    """
    if api_base is not None and not api_base.startswith(("http://", "https://")):
        raise ConfigError(f"api_base: expected http(s)://host[:port]/v1 or null, got {api_base!r}")


@dataclass(frozen=True, slots=True)
class Route:
    """How requests with this `model` and `endpoint` are answered.

    Args:
        model: as in `Request.model`.
        endpoint: as in `Request.endpoint`.
        client: which backend sends them.
        provider: routes of one provider share its limits.
        api_base: address of an OpenAI-compatible server (`http://127.0.0.1:8000/v1`), or None.
        api_key_env: the environment variable that holds the key; never the key itself.
        price: None where unknown.
    """

    model: str
    endpoint: str
    client: Client
    provider: str
    api_base: str | None = None
    api_key_env: str | None = None
    price: Price | None = None
    limits: Limits = field(default_factory=Limits)
