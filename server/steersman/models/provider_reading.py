"""Reads what a user says about providers; what checks it is loaded only where something is said."""

from __future__ import annotations

from collections.abc import Mapping

from steersman.agent.errors import InvalidRequestError
from steersman.models.provider_config import ProviderConfig


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
    from steersman.models.provider_check import check_provider  # noqa: PLC0415 - brings pydantic

    return check_provider(name, value)
