"""API keys: which environment variable a route needs, and keeping values out of texts."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from venire.llm.route import Client, Route

# litellm's own names, by the provider prefix of a model string; the first that is set is used.
# Providers that are not here (Bedrock, Vertex AI, ...) take more than one key: litellm finds them.
_LITELLM_KEYS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "anthropic": ("ANTHROPIC_API_KEY",),
        "cerebras": ("CEREBRAS_API_KEY",),
        "cohere": ("COHERE_API_KEY", "CO_API_KEY"),
        "deepinfra": ("DEEPINFRA_API_KEY",),
        "deepseek": ("DEEPSEEK_API_KEY",),
        "fireworks_ai": ("FIREWORKS_AI_API_KEY", "FIREWORKS_API_KEY", "FIREWORKSAI_API_KEY"),
        "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "groq": ("GROQ_API_KEY",),
        "mistral": ("MISTRAL_API_KEY",),
        "openai": ("OPENAI_API_KEY",),
        "openrouter": ("OPENROUTER_API_KEY", "OR_API_KEY"),
        "perplexity": ("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"),
        "together_ai": ("TOGETHERAI_API_KEY", "TOGETHER_API_KEY", "TOGETHER_AI_TOKEN"),
        "xai": ("XAI_API_KEY",),
    }
)
_BARE_MODELS = (("gpt-", "openai"), ("chatgpt-", "openai"), ("o1", "openai"), ("o3", "openai"),
                ("o4", "openai"), ("claude-", "anthropic"))  # fmt: skip


def key_names(route: Route) -> tuple[str, ...]:
    """The environment variables of which one must hold the route's key; empty where none is needed.

    A server of one's own (`api_base`) needs a key only where `api_key_env` says so.
    """
    if route.client not in (Client.LITELLM, Client.DIRECT):
        return ()
    if route.api_key_env is not None:
        return (route.api_key_env,)
    if route.api_base is not None or route.client is Client.DIRECT:
        return ()
    return _LITELLM_KEYS.get(_litellm_provider(route.model), ())


def api_key(route: Route, environ: Mapping[str, str]) -> str | None:
    """The route's key, or None where it has none."""
    return next((environ[name] for name in key_names(route) if environ.get(name)), None)


def missing_keys(routes: Mapping[str, Route], environ: Mapping[str, str]) -> list[str]:
    """One sentence for each judge whose key is not set; `routes` maps judge names to their routes."""
    return [
        f"{names[0]} is not set (judge {judge}); set it, or try without a key: backend=simulated"
        for judge, route in routes.items()
        if (names := key_names(route)) and api_key(route, environ) is None
    ]


def redact(text: str, secrets: Iterable[str]) -> str:
    """`text` with every secret in it replaced: providers quote keys in their error messages."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, "[key]")
    return text


def _litellm_provider(model: str) -> str:
    if "/" in model:
        return model.split("/", 1)[0]
    return next((provider for prefix, provider in _BARE_MODELS if model.startswith(prefix)), "")
