"""Checks what a user says about a provider; apart from ``provider_reading``, because it brings pydantic."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, ValidationError, field_validator
from pydantic.alias_generators import to_camel

from steersman.agent.errors import InvalidRequestError
from steersman.models.provider_config import Price, ProviderConfig, ProviderKind, check_address

_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def check_provider(name: str, value: object) -> ProviderConfig:
    """Return what is said of one provider; see ``provider_reading``."""
    try:
        said = CheckedProvider.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            known = ", ".join(CheckedProvider.model_fields)
            raise InvalidRequestError(
                f"providers.{name}.{field} is not a setting.", hint=f"A provider has: {known}."
            ) from None
        raise InvalidRequestError(f"providers.{name}.{field}: {first['msg'].removeprefix('Value error, ')}.") from None
    values: dict[str, Any] = dict(said)
    values["prices"] = {model: Price(**dict(price)) for model, price in said.prices.items()}
    return ProviderConfig(**values)


class _Model(BaseModel):
    """Snake case in files, camel case on the wire; a typo is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)


class CheckedPrice(_Model):
    """See ``Price``."""

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    cached_input: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    cache_write: float | None = Field(default=None, ge=0, allow_inf_nan=False)


def _as_command(value: object) -> object:
    return [value] if isinstance(value, str) else value


class CheckedProvider(_Model):
    """See ``ProviderConfig``."""

    kind: ProviderKind | None = None
    base_url: str | None = None
    api_key_env: str | None = None
    api_key_command: Annotated[tuple[str, ...] | None, BeforeValidator(_as_command)] = None
    api_key_header: str | None = None
    headers: dict[str, str] = Field(default_factory=dict)
    extra_body: dict[str, JsonValue] = Field(default_factory=dict)
    prices: dict[str, CheckedPrice] = Field(default_factory=dict)
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
