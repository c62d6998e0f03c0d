"""What the configured providers offer, with context window and price where somebody knows them (DESIGN M1, M5)."""

from __future__ import annotations

import asyncio
import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlsplit, urlunsplit

from steersman.agent.errors import ModelError, SteersmanError
from steersman.agent.messages import JsonValue
from steersman.agent.model_names import split_model
from steersman.models.builtin_providers import BUILTIN_PROVIDERS
from steersman.models.endpoint import Endpoint
from steersman.models.http_pool import RequestHandler
from steersman.models.http_probe import get_json
from steersman.models.json_values import as_count, as_list, as_object, as_text
from steersman.models.key_command import read_key
from steersman.models.prices import ModelFacts, facts_of, known_facts
from steersman.models.provider_config import Price, ProviderConfig
from steersman.models.providers import Provider, make_endpoint, resolve_provider

LIST_LIMIT_S = 10.0
SUGGEST_LIMIT_S = 5.0
LOOK_UP_LIMIT_S = 3.0
_WINDOW_FIELDS = (
    "context_length",
    "context_window",
    "max_context_length",
    "max_model_len",
    "max_input_tokens",
    "n_ctx",
)


@dataclass(frozen=True, slots=True)
class Listing:
    """What one provider offers, or why that is not known."""

    provider: str
    models: tuple[ModelFacts, ...] = ()
    error: SteersmanError | None = None


def configured_providers(configs: Mapping[str, ProviderConfig], environ: Mapping[str, str]) -> list[str]:
    """Return the names of the providers that the user set up: in the configuration, by a key, or by an address."""
    names = list(configs)
    for builtin in BUILTIN_PROVIDERS:
        variables = [*builtin.key_env, builtin.url_env]
        if builtin.name not in names and any(environ.get(variable, "").strip() for variable in variables if variable):
            names.append(builtin.name)
    return names


async def list_models(configs: Mapping[str, ProviderConfig], environ: Mapping[str, str]) -> list[Listing]:
    """Ask every configured provider, side by side. A failing one is a listing with its error, never a failure."""
    names = configured_providers(configs, environ)
    listings = await asyncio.gather(*(_list_one(name, configs, environ) for name in names))
    return [Listing("demo", (known_facts("demo/rules", {}, {}),)), *listings]


async def _list_one(name: str, configs: Mapping[str, ProviderConfig], environ: Mapping[str, str]) -> Listing:
    try:
        provider = resolve_provider(name, configs, environ)
        endpoint = await with_command_key(make_endpoint(provider, "", environ))
        return Listing(name, tuple(await ask_models(provider, endpoint, LIST_LIMIT_S)))
    except SteersmanError as error:
        return Listing(name, error=error)


async def with_command_key(endpoint: Endpoint) -> Endpoint:
    """Return the endpoint with the key that its command prints, if it has one.

    Raises:
        AuthenticationError: the command failed.
    """
    if endpoint.key is not None or not endpoint.key_command:
        return endpoint
    return endpoint.with_key(await read_key(endpoint.key_command), endpoint.key_source)


async def ask_models(
    provider: Provider,
    endpoint: Endpoint,
    time_limit_s: float,
    handler: RequestHandler | None = None,
) -> list[ModelFacts]:
    """Return what the provider lists; empty for one that has no list (an Azure deployment).

    Raises:
        ModelError: it cannot be asked.
    """
    if "{model}" in provider.base_url:
        return []
    anthropic = provider.kind == "anthropic"
    url = endpoint.url("/v1/models") + "?limit=1000" if anthropic else endpoint.url("/models")
    headers = {"anthropic-version": "2023-06-01"} if anthropic else None
    answer = await get_json(endpoint, url, headers=headers, time_limit_s=time_limit_s, handler=handler)
    entries = as_list(answer) or as_list(as_object(answer).get("data")) or as_list(as_object(answer).get("models"))
    facts = [_read_entry(provider, as_object(entry)) for entry in entries]
    return [fact for fact in facts if fact is not None]


def _read_entry(provider: Provider, entry: dict[str, JsonValue]) -> ModelFacts | None:
    name = (as_text(entry.get("id")) or as_text(entry.get("name"))).removeprefix("models/")
    if not name:
        return None
    facts = facts_of(provider, name)
    told = as_object(entry.get("meta")) | entry  # llama.cpp puts it one level down
    window = next((count for field in _WINDOW_FIELDS if (count := as_count(told.get(field)))), 0)
    configured = provider.config.context_windows
    if window and name not in configured and "*" not in configured:
        facts = replace(facts, context_window=window)
    price = _listed_price(as_object(entry.get("pricing")))
    if price is not None and facts.price_source not in {"configuration", "this machine"}:
        facts = replace(facts, price=price, price_source="the provider")
    return facts


def _listed_price(pricing: dict[str, JsonValue]) -> Price | None:
    """Read prices in dollars for one token, as OpenRouter lists them."""
    price_in, price_out = _per_million(pricing.get("prompt")), _per_million(pricing.get("completion"))
    if price_in is None or price_out is None:
        return None
    cached, written = _per_million(pricing.get("input_cache_read")), _per_million(pricing.get("input_cache_write"))
    return Price(input=price_in, output=price_out, cached_input=cached, cache_write=written)


def _per_million(value: JsonValue) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    try:
        price = float(value) * 1_000_000
    except ValueError:
        return None
    return price if math.isfinite(price) and price >= 0 else None


async def suggest_names(provider: Provider, endpoint: Endpoint) -> list[str]:
    """Return the provider's own names that are near to a model's name that it does not know; else a few of all."""
    try:
        names = [fact.model.partition("/")[2] for fact in await ask_models(provider, endpoint, SUGGEST_LIMIT_S)]
    except ModelError:
        return []
    wanted = endpoint.model.lower()
    near = difflib.get_close_matches(wanted, names, n=3, cutoff=0.5)
    holding = [name for name in names if wanted in name.lower() or name.lower() in wanted]
    return list(dict.fromkeys([*near, *holding]))[:3] or sorted(names)[:5]


async def look_up_model(
    model_name: str, configs: Mapping[str, ProviderConfig], environ: Mapping[str, str]
) -> ModelFacts:
    """Return what is known about a model, asking its provider for what the configuration and the table do not say.

    A provider that does not answer within moments changes nothing: this never raises for it.

    Raises:
        InvalidRequestError: the name or the provider makes no sense.
    """
    facts = known_facts(model_name, configs, environ)
    name, model = split_model(model_name)
    if name == "demo" or (facts.context_window and facts.price):
        return facts
    provider = resolve_provider(name, configs, environ)
    try:
        endpoint = await with_command_key(make_endpoint(provider, model, environ))
        if not facts.context_window and endpoint.is_loopback:
            facts = replace(facts, context_window=await local_window(provider, endpoint))
        if not (facts.context_window and facts.price):
            listed = await ask_models(provider, endpoint, LOOK_UP_LIMIT_S)
            facts = next((fact for fact in listed if fact.model == model_name), facts)
    except SteersmanError:
        return facts
    return facts


async def local_window(provider: Provider, endpoint: Endpoint) -> int | None:
    """Ask a local server how much the model holds as it is loaded, which may be less than it could."""
    parts = urlsplit(endpoint.base_url)
    root = urlunsplit((parts.scheme, parts.netloc, "", "", ""))
    try:
        if provider.kind == "ollama":
            answer = await get_json(endpoint, f"{root}/api/ps", time_limit_s=LOOK_UP_LIMIT_S)
            loaded = [as_object(entry) for entry in as_list(as_object(answer).get("models"))]
            sizes = [as_count(entry.get("context_length")) for entry in loaded if entry.get("name") == endpoint.model]
            return next(iter(sizes), 0) or None
        answer = await get_json(endpoint, f"{root}/props", time_limit_s=LOOK_UP_LIMIT_S)  # llama.cpp
    except ModelError:
        return None
    return as_count(as_object(as_object(answer).get("default_generation_settings")).get("n_ctx")) or None
