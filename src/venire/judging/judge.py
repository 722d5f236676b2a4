"""Judges: one model with decoding parameters, or one recorded model and strategy."""

from dataclasses import dataclass, field
from enum import StrEnum

from venire.errors import ConfigError
from venire.llm.route import Client, Limits, Route, check_address
from venire.records import Persona, Price


class ReplyFormat(StrEnum):
    """How a judge is held to the reply schema."""

    JSON_SCHEMA = "json_schema"  # the provider constrains decoding
    JSON_OBJECT = "json_object"  # the provider promises JSON, the prompt shows the schema
    TEXT = "text"  # only the prompt asks for JSON


class RecordedParser(StrEnum):
    """How a recorded completion is read."""

    AS_PUBLISHED = "as_published"  # the source's first-match rule and rating-tie rule, exactly
    STRICT = "strict"  # two verdicts in one text, or equal ratings, are no verdict


@dataclass(frozen=True, slots=True)
class PromptedJudge:
    """A model that is asked with our prompts.

    Args:
        name: short, unique on its panel; the judge's role in calls and tables.
        model: the model string as the client takes it (litellm's, or the server's own name).
        family: who made it (`openai`, `anthropic`, ...); panels and bias audits look at it.
        client: how it is reached; `backend=simulated|local` replaces it.
        provider: judges of one provider share its limits; defaults to `family`.
        api_base: an OpenAI-compatible server of one's own.
        api_key_env: environment variable of the key.
        temperature, top_p, max_tokens, sampling_seed: sent where not null.
        reply_format: see `ReplyFormat`.
        max_reasks: how often an unusable reply is asked again (bounded; each is a call).
        max_tokens_growth: factor on `max_tokens` when a reply was cut.
        endpoint_tag: set by the builder for local and simulated judges: what answers, as in
            `Request.endpoint`.
        persona: who it is asked to be, in the system message of all its prompts.
        top_logprobs: of how many candidates the provider tells the log probability, where a method asks
            for them; 0 where it tells none, where nobody knows, or where the model thinks first.
    """

    name: str
    model: str
    family: str
    client: Client = Client.LITELLM
    provider: str | None = None
    api_base: str | None = None
    api_key_env: str | None = None
    temperature: float | None = 0.0
    top_p: float | None = None
    max_tokens: int = 1024
    sampling_seed: int | None = None
    reply_format: ReplyFormat = ReplyFormat.JSON_SCHEMA
    max_reasks: int = 2
    max_tokens_growth: float = 2.0
    price: Price | None = None
    limits: Limits = field(default_factory=Limits)
    endpoint_tag: str = ""
    persona: Persona | None = None
    top_logprobs: int = 0

    def __post_init__(self) -> None:
        if self.top_logprobs < 0:
            raise ConfigError(f"top_logprobs: expected at least 0, got {self.top_logprobs}")
        if self.max_tokens < 1:
            raise ConfigError(f"max_tokens: expected at least 1, got {self.max_tokens}")
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise ConfigError(f"temperature: expected 0 to 2, got {self.temperature}")
        if self.max_reasks < 0:
            raise ConfigError(f"max_reasks: expected at least 0, got {self.max_reasks}")
        if self.client is Client.DIRECT and self.api_base is None:
            raise ConfigError("client: 'direct' needs api_base (the server's address, up to /v1)")
        check_address(self.api_base)

    @property
    def endpoint(self) -> str:
        """What answers its requests, as in `Request.endpoint`."""
        return self.endpoint_tag or self.api_base or ""

    @property
    def route(self) -> Route:
        """How its requests are answered."""
        return Route(
            model=self.model,
            endpoint=self.endpoint,
            client=self.client,
            provider=self.provider or self.family,
            api_base=self.api_base,
            api_key_env=self.api_key_env,
            price=self.price,
            limits=self.limits,
        )


@dataclass(frozen=True, slots=True)
class RecordedJudge:
    """Published verdicts of a real model, replayed as a judge (LLMBar's evaluators).

    Args:
        model: `GPT-4`, `ChatGPT`, `ChatGPT-0301`, `LLaMA2`, `PaLM2` or `Falcon`.
        strategy: the source's name (`Vanilla`, `CoT`, `Rating`, ...).
        parser: see `RecordedParser`.
        root: the data root that holds `llmbar_recorded/`.
        digest: of the recordings that were used, set by `venire replay` where the file is not at hand.
    """

    model: str
    strategy: str
    parser: RecordedParser = RecordedParser.AS_PUBLISHED
    root: str = "data"
    digest: str = ""

    @property
    def name(self) -> str:
        """`GPT-4`: the model, unique on a panel of one strategy."""
        return self.model

    @property
    def family(self) -> str:
        """Who made it."""
        return _FAMILY.get(self.model, self.model)

    @property
    def client(self) -> Client:
        """Always recorded."""
        return Client.RECORDED

    @property
    def endpoint(self) -> str:
        """`recorded:llmbar/<strategy>`."""
        return f"recorded:llmbar/{self.strategy}"

    @property
    def route(self) -> Route:
        """How its requests are answered: at once, from the recordings."""
        return Route(
            model=self.model,
            endpoint=self.endpoint,
            client=Client.RECORDED,
            provider="recorded",
            limits=Limits(concurrency=256, retries=0),
        )


_FAMILY = {
    "GPT-4": "openai",
    "ChatGPT": "openai",
    "ChatGPT-0301": "openai",
    "LLaMA2": "meta",
    "PaLM2": "google",
    "Falcon": "tii",
}

Judge = PromptedJudge | RecordedJudge
