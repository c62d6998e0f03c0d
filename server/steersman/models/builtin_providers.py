"""The providers that work with nothing but an environment variable: addresses and variables (DESIGN M1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from steersman.models.provider_config import ProviderKind


@dataclass(frozen=True, slots=True)
class BuiltinProvider:
    """One provider.

    Attributes:
        name: first part of a model's full name.
        base_url: its address; "" when only the environment can tell.
        key_env: variables that may hold the key, the usual one first; empty when it wants none.
        url_env: variable that may hold another address, or "".
        kind: the wire format at its own address.
        foreign_kind: the wire format when ``url_env`` leads elsewhere: few speak more than Chat Completions.
    """

    name: str
    base_url: str
    key_env: tuple[str, ...] = ()
    url_env: str = ""
    kind: ProviderKind = "openai-chat"
    foreign_kind: ProviderKind = "openai-chat"

    def kind_at(self, base_url: str) -> ProviderKind:
        """Return the wire format spoken at this address."""
        return self.kind if self.is_home(base_url) else self.foreign_kind

    def is_home(self, base_url: str) -> bool:
        """Whether the address is the provider's own."""
        return urlsplit(base_url).hostname == urlsplit(self.base_url).hostname


BUILTIN_PROVIDERS: tuple[BuiltinProvider, ...] = (
    BuiltinProvider(
        "anthropic",
        "https://api.anthropic.com",
        ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
        "ANTHROPIC_BASE_URL",
        "anthropic",
        "anthropic",
    ),
    BuiltinProvider("openai", "https://api.openai.com/v1", ("OPENAI_API_KEY",), "OPENAI_BASE_URL", "openai-responses"),
    BuiltinProvider("azure", "", ("AZURE_OPENAI_API_KEY",), "AZURE_OPENAI_ENDPOINT"),
    BuiltinProvider(
        "gemini", "https://generativelanguage.googleapis.com/v1beta/openai", ("GEMINI_API_KEY", "GOOGLE_API_KEY")
    ),
    BuiltinProvider("openrouter", "https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",)),
    BuiltinProvider("deepseek", "https://api.deepseek.com/v1", ("DEEPSEEK_API_KEY",)),
    BuiltinProvider("groq", "https://api.groq.com/openai/v1", ("GROQ_API_KEY",)),
    BuiltinProvider("mistral", "https://api.mistral.ai/v1", ("MISTRAL_API_KEY",)),
    BuiltinProvider("xai", "https://api.x.ai/v1", ("XAI_API_KEY",)),
    BuiltinProvider("huggingface", "https://router.huggingface.co/v1", ("HF_TOKEN",)),
    BuiltinProvider("ollama", "http://127.0.0.1:11434/v1", (), "OLLAMA_HOST", "ollama", "ollama"),
    BuiltinProvider("llamacpp", "http://127.0.0.1:8080/v1", (), "LLAMACPP_BASE_URL"),
    BuiltinProvider("lmstudio", "http://127.0.0.1:1234/v1", (), "LMSTUDIO_BASE_URL"),
    BuiltinProvider("vllm", "http://127.0.0.1:8000/v1", ("VLLM_API_KEY",), "VLLM_BASE_URL"),
)


def builtin_provider(name: str) -> BuiltinProvider | None:
    """Return the built-in provider of this name."""
    return next((provider for provider in BUILTIN_PROVIDERS if provider.name == name), None)


def builtin_base_url(provider: BuiltinProvider, environ: Mapping[str, str]) -> str:
    """Return the provider's address, with the environment's word on it; "" when nobody knows one."""
    said = environ.get(provider.url_env, "").strip() if provider.url_env else ""
    if provider.name == "ollama":
        return f"{ollama_address(said)}/v1"
    if provider.name == "azure" and said:
        return _azure_base_url(said, environ.get("OPENAI_API_VERSION", "").strip())
    return said or provider.base_url


def ollama_address(host: str) -> str:
    """Return Ollama's address for a value of ``OLLAMA_HOST``: host, host:port or URL; 0.0.0.0 means this machine."""
    text = host.strip().rstrip("/") or "127.0.0.1"
    text = text if "://" in text else f"http://{text}"
    parts = urlsplit(text)
    name = parts.hostname or "127.0.0.1"
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(name, name)  # noqa: S104  # where to connect, not where to listen
    shown = f"[{name}]" if ":" in name else name
    default = 443 if parts.scheme == "https" else 11434 if "://" not in host else 80
    return f"{parts.scheme}://{shown}:{parts.port or default}{parts.path}"


def _azure_base_url(endpoint: str, version: str) -> str:
    endpoint = endpoint.rstrip("/")
    if "/openai" in endpoint:
        return endpoint
    if version:
        return f"{endpoint}/openai/deployments/{{model}}?api-version={version}"
    return f"{endpoint}/openai/v1"


def is_azure(base_url: str) -> bool:
    """Whether the host is one of Azure's, which take the key in a header of their own."""
    host = urlsplit(base_url).hostname or ""
    return host.endswith((".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com"))
