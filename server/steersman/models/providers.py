"""From a model's name to its provider, and where and with which key that is asked (DESIGN M1). Imports no HTTP."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from steersman.agent.errors import AuthenticationError, InvalidRequestError
from steersman.models.builtin_providers import (
    BUILTIN_PROVIDERS,
    BuiltinProvider,
    builtin_base_url,
    builtin_provider,
    is_azure,
)
from steersman.models.endpoint import Endpoint, is_loopback
from steersman.models.provider_config import ProviderConfig, ProviderKind, check_address

DEFAULT_MODEL = "demo/rules"


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider as it is really configured.

    Attributes:
        name: first part of a model's full name.
        kind: the wire format.
        base_url: its address.
        key_env: environment variables that may hold the key, in order; empty when it wants none.
        config: what the user said about it.
        source: where the address comes from: ``built-in``, ``configuration``, or an environment variable.
    """

    name: str
    kind: ProviderKind
    base_url: str
    key_env: tuple[str, ...]
    config: ProviderConfig
    source: str

    @property
    def needs_key(self) -> bool:
        """Whether a request without a key is pointless."""
        return bool(self.key_env) and not is_loopback(self.base_url)


def resolve_provider(name: str, configs: Mapping[str, ProviderConfig], environ: Mapping[str, str]) -> Provider:
    """Put together what is built in, what the environment says, and what the user configured (which wins).

    Raises:
        InvalidRequestError: nobody knows the provider, or where it is.
    """
    config, builtin = configs.get(name), builtin_provider(name)
    if config is None and builtin is None:
        raise InvalidRequestError(f"There is no provider named “{name}”.", hint=_known_providers(name, configs))
    said = config or ProviderConfig()
    key_env = (said.api_key_env,) if said.api_key_env else builtin.key_env if builtin else ()
    base_url, source = said.base_url or "", "configuration"
    if not base_url and builtin is not None:
        base_url, source = _builtin_address(builtin, environ)
    if not base_url:
        wanted = f"Set {builtin.url_env}" if builtin else f"Set base_url under [providers.{name}]"
        raise InvalidRequestError(f"The address of {name} is not known.", hint=f"{wanted}.")
    kind = said.kind or (builtin.kind_at(base_url) if builtin else "openai-chat")
    return Provider(name, kind, base_url.rstrip("/"), key_env, said, source)


def _builtin_address(builtin: BuiltinProvider, environ: Mapping[str, str]) -> tuple[str, str]:
    """Return the address and where it comes from."""
    source = builtin.url_env if environ.get(builtin.url_env, "").strip() else "built-in"
    try:
        base_url = builtin_base_url(builtin, environ)
        if base_url:
            check_address(base_url)
    except ValueError as error:
        raise InvalidRequestError(f"What {source} holds is not an address: {error}.") from None
    return base_url, source


def _known_providers(name: str, configs: Mapping[str, ProviderConfig]) -> str:
    known = ["demo", *(provider.name for provider in BUILTIN_PROVIDERS), *configs]
    near = difflib.get_close_matches(name, known, n=1)
    if near:
        return f"Did you mean “{near[0]}”?"
    return f"There are: {', '.join(dict.fromkeys(known))}. Others can be configured under [providers.…]."


def make_endpoint(provider: Provider, model: str, environ: Mapping[str, str]) -> Endpoint:
    """Find the key, or what will print it.

    Raises:
        AuthenticationError: a key is wanted and there is none, or it cannot be one.
    """
    endpoint = Endpoint(
        provider.name,
        provider.base_url,
        model,
        key_source=provider.key_env[0] if provider.key_env else "",
        key_header=provider.config.api_key_header or default_key_header(provider),
        key_command=provider.config.api_key_command,
        headers=dict(provider.config.headers),
    )
    if endpoint.key_command:
        return replace(endpoint, key_source=f"the command “{endpoint.key_command[0]}”")
    for variable in provider.key_env:
        key = environ.get(variable, "").strip()
        if key and variable == "ANTHROPIC_AUTH_TOKEN":
            return replace(endpoint, key_header="authorization").with_key(key, variable)
        if key:
            return endpoint.with_key(key, variable)
    if provider.needs_key:
        raise AuthenticationError(
            f"{provider.name} wants a key and none is set.", hint=f"Set {endpoint.key_source} and start again."
        )
    return endpoint


def default_key_header(provider: Provider) -> str:
    """Return the header that carries the key: ``authorization`` takes it as a bearer token, others as it is."""
    if provider.kind == "anthropic":
        return "x-api-key"
    return "api-key" if is_azure(provider.base_url) else "authorization"
