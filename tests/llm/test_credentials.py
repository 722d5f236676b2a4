"""Keys: which are needed, which are missing, and that they stay out of texts."""

from venire.llm.credentials import api_key, key_names, missing_keys, redact
from venire.llm.route import Client, Route


def route(model: str, client: Client = Client.LITELLM, **rest: str) -> Route:
    return Route(model=model, endpoint="", client=client, provider="p", **rest)  # type: ignore[arg-type]


def test_a_missing_key_is_named_with_its_judge_and_the_way_without_one() -> None:
    routes = {"gpt_4o": route("openai/gpt-4o"), "sonnet": route("anthropic/claude-x")}
    assert missing_keys(routes, {"ANTHROPIC_API_KEY": "k"}) == [
        "OPENAI_API_KEY is not set (judge gpt_4o); set it, or try without a key: backend=simulated"
    ]


def test_an_empty_variable_is_no_key() -> None:
    assert len(missing_keys({"j": route("gpt-4")}, {"OPENAI_API_KEY": ""})) == 1


def test_any_of_a_providers_names_will_do() -> None:
    gemini = route("gemini/gemini-2.5-pro")
    assert key_names(gemini) == ("GEMINI_API_KEY", "GOOGLE_API_KEY")
    assert api_key(gemini, {"GOOGLE_API_KEY": "g"}) == "g"


def test_a_configured_name_overrules_the_providers() -> None:
    own = route("openai/gpt-4o", api_key_env="TEAM_KEY")
    assert api_key(own, {"OPENAI_API_KEY": "wrong", "TEAM_KEY": "right"}) == "right"


def test_a_server_of_ones_own_is_never_sent_a_providers_key() -> None:
    environ = {"OPENAI_API_KEY": "secret"}
    for client in (Client.LITELLM, Client.DIRECT):
        own = route("openai/llama", client, api_base="http://127.0.0.1:8000/v1")
        assert api_key(own, environ) is None
        assert missing_keys({"own": own}, {}) == []


def test_local_recorded_and_simulated_judges_need_no_key() -> None:
    clients = (Client.LOCAL, Client.RECORDED, Client.SIMULATED)
    assert missing_keys({c.value: route("openai/gpt-4o", c) for c in clients}, {}) == []


def test_a_provider_with_credentials_of_its_own_kind_is_left_to_litellm() -> None:
    assert missing_keys({"j": route("bedrock/anthropic.claude")}, {}) == []


def test_redaction_replaces_every_occurrence_and_ignores_an_empty_secret() -> None:
    assert redact("key s3cret, again s3cret", ["s3cret", ""]) == "key [key], again [key]"
