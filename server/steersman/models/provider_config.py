"""What a user may say about a provider, in ``config.toml`` or ``initializationOptions`` (DESIGN M1, A6).

Never read from a workspace: whoever chooses an address gets the key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, ValidationError, field_validator
from pydantic.alias_generators import to_camel

from steersman.agent.errors import InvalidRequestError

_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")

ProviderKind: TypeAlias = Literal["openai-chat", "openai-responses", "anthropic", "ollama"]


class _Model(BaseModel):
    """Snake case in files, camel case on the wire; a typo is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)


class Price(_Model):
    """US dollars for a million tokens.

    Attributes:
        input: of input that is neither read from nor written to the provider's cache.
        output: of output, reasoning included.
        cached_input: of input read from the cache; None: as ``input``.
        cache_write: of input written to the cache; None: as ``input``.
    """

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    cached_input: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    cache_write: float | None = Field(default=None, ge=0, allow_inf_nan=False)


def _as_command(value: object) -> object:
    return [value] if isinstance(value, str) else value


class ProviderConfig(_Model):
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
    api_key_command: Annotated[tuple[str, ...] | None, BeforeValidator(_as_command)] = None
    api_key_header: str | None = None
    headers: dict[str, str] = Field(default_factory=dict)
    extra_body: dict[str, JsonValue] = Field(default_factory=dict)
    prices: dict[str, Price] = Field(default_factory=dict)
    context_windows: dict[str, Annotated[int, Field(gt=0)]] = Field(default_factory=dict)

    @field_validator("base_url")
    @classmethod
    def _is_address(cls, value: str | None) -> str | None:
        if value is not None:
            check_address(value)
        return value

    @field_validator("headers")
    @classmethod
    def _are_headers(cls, value: dict[str, str]) -> dict[str, str]:
        for name, text in value.items():
            if not _HEADER_NAME.fullmatch(name) or not (text.isascii() and text.isprintable()):
                raise ValueError(f"“{name}” is not a header that can be sent")
        return value

    @field_validator("api_key_header")
    @classmethod
    def _is_header_name(cls, value: str | None) -> str | None:
        if value is not None and not _HEADER_NAME.fullmatch(value):
            raise ValueError("is not a header's name")
        return value

    @field_validator("extra_body")
    @classmethod
    def _can_be_sent(cls, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
        json.dumps(value, allow_nan=False)  # TOML has infinities, JSON has not
        return value


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


def read_providers(raw: Mapping[str, object]) -> dict[str, ProviderConfig]:
    """Read the ``providers`` table of a settings source; keys may be snake_case or camelCase.

    Raises:
        InvalidRequestError: names the provider, the field and what is wrong with it.
    """
    return {name: _read_provider(name, value) for name, value in raw.items()}


def _read_provider(name: str, value: object) -> ProviderConfig:
    if isinstance(value, ProviderConfig):
        return value
    if not name or "/" in name or name == "demo":
        raise InvalidRequestError(f"“{name}” cannot be a provider's name", hint="Use letters, digits, - and _.")
    try:
        return ProviderConfig.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            known = ", ".join(ProviderConfig.model_fields)
            raise InvalidRequestError(
                f"providers.{name}.{field} is not a setting.", hint=f"A provider has: {known}."
            ) from None
        raise InvalidRequestError(f"providers.{name}.{field}: {first['msg'].removeprefix('Value error, ')}.") from None
