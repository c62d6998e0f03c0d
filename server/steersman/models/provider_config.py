"""What a user may say about a provider, in ``config.toml`` or ``initializationOptions`` (DESIGN M1, A6).

Never read from a workspace: whoever chooses an address gets the key. Plain data; what is written is checked by
``provider_reading``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from steersman.agent.messages import JsonValue

ProviderKind: TypeAlias = Literal["openai-chat", "openai-responses", "anthropic", "ollama"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars for a million tokens.

    Attributes:
        input: of input that is neither read from nor written to the provider's cache.
        output: of output, reasoning included.
        cached_input: of input read from the cache; None: as ``input``.
        cache_write: of input written to the cache; None: as ``input``.
    """

    input: float
    output: float
    cached_input: float | None = None
    cache_write: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderConfig:
    """One provider.

    Attributes:
        kind: the wire format; None: the built-in provider's own, else ``openai-chat``.
        base_url: address up to the version, as in ``http://127.0.0.1:8080/v1``; None: the built-in one's.
        api_key_env: environment variable that holds the key.
        api_key_command: program and arguments that print the key (``["pass", "show", "openai"]``); no shell.
        api_key_header: header that carries the key as it is; None: what the kind and host usually want.
        headers: more headers.
        extra_body: fields laid over each request's body.
        prices: by model name; ``*`` for all others.
        context_windows: tokens, by model name; ``*`` for all others.
    """

    kind: ProviderKind | None = None
    base_url: str | None = None
    api_key_env: str | None = None
    api_key_command: tuple[str, ...] | None = None
    api_key_header: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    extra_body: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    prices: Mapping[str, Price] = field(default_factory=dict[str, Price])
    context_windows: Mapping[str, int] = field(default_factory=dict[str, int])


def check_address(url: str) -> None:
    """Check that an address can be called.

    Raises:
        ValueError: it cannot; says why, without the address.
    """
    parts = urlsplit(url)
    if parts.scheme.lower() not in {"http", "https"}:
        raise ValueError("must begin with http:// or https://")
    if not parts.hostname or any(character.isspace() for character in url):
        raise ValueError("names no host")
    if parts.port == 0:
        raise ValueError("has no usable port")
