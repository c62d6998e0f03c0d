"""From a name to a client: what is configured, from where, and what is missing (DESIGN M1)."""

import subprocess
import sys

import pytest

from steersman.agent.errors import AuthenticationError, InvalidRequestError
from steersman.agent.model_names import split_model
from steersman.models.anthropic import AnthropicMessages
from steersman.models.builtin_providers import BUILTIN_PROVIDERS, ollama_address
from steersman.models.clients import make_client
from steersman.models.demo import DemoClient
from steersman.models.endpoint import Endpoint, is_loopback
from steersman.models.openai_chat import OpenAIChat
from steersman.models.openai_responses import OpenAIResponses
from steersman.models.provider_config import ProviderConfig
from steersman.models.provider_reading import read_providers
from steersman.models.providers import make_endpoint, resolve_provider
from steersman.models.wires import make_wire

KEYS = {name: "sk-0123456789" for provider in BUILTIN_PROVIDERS for name in provider.key_env}


def endpoint_of(model_name: str, environ: dict[str, str], **configs: ProviderConfig) -> Endpoint:
    name, model = split_model(model_name)
    return make_endpoint(resolve_provider(name, configs, environ), model, environ)


def url_of(model_name: str, environ: dict[str, str], **configs: ProviderConfig) -> str:
    """Return the address that a request of this model goes to."""
    name, model = split_model(model_name)
    provider = resolve_provider(name, configs, environ)
    return make_endpoint(provider, model, environ).url(make_wire(provider, model).path)


@pytest.mark.parametrize("name", [provider.name for provider in BUILTIN_PROVIDERS if provider.base_url])
def test_a_key_is_all_that_a_built_in_provider_needs(name: str):
    assert make_client(f"{name}/some-model", {}, KEYS).model == f"{name}/some-model"


@pytest.mark.parametrize(
    ("model", "environ", "url"),
    [
        ("openai/gpt-5", KEYS, "https://api.openai.com/v1/responses"),
        ("openai/q", {"OPENAI_BASE_URL": "http://127.0.0.1:8471/v1"}, "http://127.0.0.1:8471/v1/chat/completions"),
        ("openai/q", {"OPENAI_BASE_URL": "http://127.0.0.1:8471/v1/"}, "http://127.0.0.1:8471/v1/chat/completions"),
        ("anthropic/claude-opus-5", KEYS, "https://api.anthropic.com/v1/messages"),
        ("anthropic/c", KEYS | {"ANTHROPIC_BASE_URL": "https://proxy.test/a"}, "https://proxy.test/a/v1/messages"),
        ("anthropic/c", KEYS | {"ANTHROPIC_BASE_URL": "https://proxy.test/v1"}, "https://proxy.test/v1/messages"),
        ("openrouter/anthropic/claude-opus-5", KEYS, "https://openrouter.ai/api/v1/chat/completions"),
        ("ollama/qwen3:4b", {}, "http://127.0.0.1:11434/v1/chat/completions"),
        ("ollama/q", {"OLLAMA_HOST": "0.0.0.0:9999"}, "http://127.0.0.1:9999/v1/chat/completions"),
        (
            "azure/dep",
            KEYS | {"AZURE_OPENAI_ENDPOINT": "https://r.openai.azure.com/"},
            "https://r.openai.azure.com/openai/v1/chat/completions",
        ),
        (
            "azure/dep",
            KEYS | {"AZURE_OPENAI_ENDPOINT": "https://r.openai.azure.com", "OPENAI_API_VERSION": "2024-10-21"},
            "https://r.openai.azure.com/openai/deployments/dep/chat/completions?api-version=2024-10-21",
        ),
    ],
)
def test_requests_go_to_the_right_address(model: str, environ: dict[str, str], url: str):
    assert url_of(model, environ) == url


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("http://h/v1", "http://h/v1/chat/completions"),
        ("http://h", "http://h/chat/completions"),
        ("http://h/v1/chat/completions", "http://h/v1/chat/completions"),
        ("http://h/v1?api-version=3", "http://h/v1/chat/completions?api-version=3"),
        ("http://h/d/{model}?v=1", "http://h/d/m/chat/completions?v=1"),
    ],
)
def test_any_configured_address_is_completed(base_url: str, url: str):
    assert url_of("mine/m", {}, mine=ProviderConfig(base_url=base_url)) == url


@pytest.mark.parametrize(
    ("model", "part"),
    [("org/m", "org/m"), ("m:free", "m:free"), ("a?b#c", "a%3Fb%23c"), ("50%", "50%25"), ("a b", "a%20b")],
)
def test_a_models_name_in_an_address_changes_no_other_part_of_it(model: str, part: str):
    endpoint = Endpoint("mine", "http://h/d/{model}?v=1", model)
    assert endpoint.url("/chat/completions") == f"http://h/d/{part}/chat/completions?v=1"


@pytest.mark.parametrize(
    ("model", "environ", "header", "value"),
    [
        ("openai/m", KEYS, "authorization", "Bearer sk-0123456789"),
        ("anthropic/m", KEYS, "x-api-key", "sk-0123456789"),
        ("anthropic/m", {"ANTHROPIC_AUTH_TOKEN": "tok-123"}, "authorization", "Bearer tok-123"),
        ("azure/m", KEYS | {"AZURE_OPENAI_ENDPOINT": "https://r.openai.azure.com"}, "api-key", "sk-0123456789"),
    ],
)
def test_the_key_is_in_the_header_that_the_provider_reads(model: str, environ: dict[str, str], header: str, value: str):
    assert endpoint_of(model, environ).request_headers() == {header: value}


def test_configured_headers_win_and_a_key_header_can_be_chosen():
    config = ProviderConfig(
        base_url="https://h.test/v1", api_key_env="K", api_key_header="X-Key", headers={"X-Team": "a"}
    )
    assert endpoint_of("mine/m", {"K": "k1"}, mine=config).request_headers() == {"x-team": "a", "x-key": "k1"}


@pytest.mark.parametrize(
    ("kind", "format_"),
    [
        ("openai-chat", OpenAIChat),
        ("openai-responses", OpenAIResponses),
        ("anthropic", AnthropicMessages),
        ("ollama", OpenAIChat),
    ],
)
def test_the_kind_chooses_the_format(kind, format_: type):
    provider = resolve_provider("mine", {"mine": ProviderConfig(kind=kind, base_url="http://h/v1")}, {})
    assert isinstance(make_wire(provider, "m"), format_)


def test_the_configuration_wins_over_the_environment():
    config = ProviderConfig(base_url="https://mine.test/v1", api_key_env="MINE")
    environ = {"OPENAI_BASE_URL": "https://other.test/v1", "OPENAI_API_KEY": "sk-other", "MINE": "sk-mine"}
    provider = resolve_provider("openai", {"openai": config}, environ)
    endpoint = make_endpoint(provider, "m", environ)
    assert (provider.base_url, provider.source, endpoint.key) == ("https://mine.test/v1", "configuration", "sk-mine")


def test_a_missing_key_says_which_variable_to_set():
    with pytest.raises(AuthenticationError) as raised:
        make_client("anthropic/claude-opus-5", {}, {})
    assert raised.value.message == "anthropic wants a key and none is set."
    assert raised.value.hint == "Set ANTHROPIC_API_KEY and start again."


def test_a_server_on_this_machine_needs_no_key():
    make_client("openai/m", {}, {"OPENAI_BASE_URL": "http://localhost:8080/v1"})


@pytest.mark.parametrize("key", ["sk-1\nsk-2", "sk 1 2", "clé", "k\x00"])
def test_what_cannot_be_a_key_is_refused_without_showing_it(key: str):
    with pytest.raises(AuthenticationError) as raised:
        make_client("openai/m", {}, {"OPENAI_API_KEY": key})
    assert key not in f"{raised.value.message} {raised.value.hint}"
    assert "OPENAI_API_KEY" in raised.value.message


def test_blanks_around_a_key_are_no_part_of_it():
    assert endpoint_of("openai/m", {"OPENAI_API_KEY": " sk-1\n"}).key == "sk-1"


@pytest.mark.parametrize("name", ["", "openai", "/m", "openai/", "  "])
def test_a_name_that_is_none_says_how_to_write_one(name: str):
    with pytest.raises(InvalidRequestError) as raised:
        make_client(name, {}, KEYS)
    assert "provider/model" in (raised.value.hint or "")


def test_a_misspelt_provider_is_named_with_the_nearest_one():
    with pytest.raises(InvalidRequestError) as raised:
        make_client("antropic/claude", {}, KEYS)
    assert raised.value.hint == "Did you mean “anthropic”?"


def test_an_unknown_provider_is_told_which_there_are():
    with pytest.raises(InvalidRequestError) as raised:
        make_client("zzz/m", {"mine": ProviderConfig()}, KEYS)
    assert "openai" in (raised.value.hint or "")
    assert "mine" in (raised.value.hint or "")


def test_a_provider_without_an_address_says_where_to_set_it():
    with pytest.raises(InvalidRequestError) as raised:
        make_client("mine/m", {"mine": ProviderConfig()}, {})
    assert raised.value.hint == "Set base_url under [providers.mine]."


def test_the_built_in_model_needs_nothing():
    assert isinstance(make_client("demo/rules", {}, {}), DemoClient)
    with pytest.raises(InvalidRequestError):
        make_client("demo/other", {}, {})


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("", "http://127.0.0.1:11434"),
        ("127.0.0.1", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("[::]:11434", "http://[::1]:11434"),
        ("gpu.test:1234", "http://gpu.test:1234"),
        ("http://gpu.test", "http://gpu.test:80"),
        ("https://gpu.test/ollama/", "https://gpu.test:443/ollama"),
    ],
)
def test_ollamas_variable_is_read_as_ollama_reads_it(host: str, address: str):
    assert ollama_address(host) == address


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://localhost:1/v1", True),
        ("http://LOCALHOST./v1", True),
        ("http://api.localhost/v1", True),
        ("http://127.0.0.1/v1", True),
        ("http://127.9.9.9/v1", True),
        ("http://[::1]:8080/v1", True),
        ("http://[::ffff:127.0.0.1]/v1", True),
        ("http://0.0.0.0:80/v1", True),
        ("http://192.168.0.1/v1", False),
        ("http://localhost.evil.test/v1", False),
        ("http://127.0.0.1.evil.test/v1", False),
        ("https://api.openai.com/v1", False),
    ],
)
def test_this_machine_is_told_from_all_others(url: str, here: bool):
    assert is_loopback(url) == here


def test_a_key_is_not_in_what_python_shows_of_an_endpoint():
    assert "sk-0123456789" not in repr(endpoint_of("openai/m", KEYS))


@pytest.mark.parametrize(
    "raw", [{"baseUrl": "http://h/v1", "apiKeyEnv": "K"}, {"base_url": "http://h/v1", "api_key_env": "K"}]
)
def test_both_spellings_are_read(raw: dict):
    assert read_providers({"mine": raw}) == {"mine": ProviderConfig(base_url="http://h/v1", api_key_env="K")}


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ({"mine": {"base_ulr": "http://h"}}, "providers.mine.base_ulr"),
        ({"mine": {"base_url": "ftp://h"}}, "http://"),
        ({"mine": {"base_url": "http://"}}, "names no host"),
        ({"mine": {"base_url": "http://a b/"}}, "names no host"),
        ({"mine": {"base_url": "http://[::1"}}, "providers.mine.base_url"),
        ({"mine": {"base_url": "http://h:99999"}}, "providers.mine.base_url"),
        ({"mine": {"headers": {"X-Y": "a\nb"}}}, "X-Y"),
        ({"mine": {"headers": {"X Y": "a"}}}, "X Y"),
        ({"mine": {"headers": {"X-Y": "é"}}}, "X-Y"),
        ({"mine": {"api_key_header": "a:b"}}, "providers.mine.api_key_header"),
        ({"mine": {"extra_body": {"t": float("inf")}}}, "providers.mine.extra_body"),
        ({"mine": {"kind": "grpc"}}, "providers.mine.kind"),
        ({"mine": {"prices": {"m": {"input": -1, "output": 1}}}}, "providers.mine.prices.m.input"),
        ({"mine": {"context_windows": {"m": 0}}}, "providers.mine.context_windows.m"),
        ({"mine": 5}, "providers.mine"),
        ({"demo": {}}, "demo"),
        ({"a/b": {}}, "a/b"),
    ],
)
def test_a_mistake_in_the_configuration_is_named(raw: dict, words: str):
    with pytest.raises(InvalidRequestError) as raised:
        read_providers(raw)
    assert words in raised.value.message


@pytest.mark.parametrize(
    ("model", "variable", "value"),
    [
        ("openai/m", "OPENAI_BASE_URL", "127.0.0.1:8080"),
        ("openai/m", "OPENAI_BASE_URL", "http://[::1"),
        ("anthropic/m", "ANTHROPIC_BASE_URL", "https://h:port/"),
        ("ollama/m", "OLLAMA_HOST", "h:99999"),
    ],
)
def test_a_variable_that_holds_no_address_is_named(model: str, variable: str, value: str):
    with pytest.raises(InvalidRequestError) as raised:
        make_client(model, {}, KEYS | {variable: value})
    assert variable in raised.value.message


def test_a_mistake_in_the_configuration_shows_no_value():
    with pytest.raises(InvalidRequestError) as raised:
        read_providers({"mine": {"headers": {"authorization": ["sk-secret-in-the-wrong-place"]}}})
    assert "sk-secret" not in str(raised.value)


def test_httpx_is_not_loaded_before_a_client_is_made():
    code = "import sys, steersman.models.providers, steersman.models.prices; sys.exit('httpx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
