"""What a model costs and how much it holds, without asking anybody (DESIGN L13, M1).

The user's configuration wins over the table; a server on this machine costs nothing unless a price is configured.
An unknown price is None, never zero: a cost limit without a price must be an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from steersman.agent.model import Usage
from steersman.agent.model_names import split_model
from steersman.models.builtin_providers import builtin_provider
from steersman.models.endpoint import is_loopback
from steersman.models.price_table import AS_OF, TABLE
from steersman.models.provider_config import Price, ProviderConfig
from steersman.models.providers import Provider, resolve_provider

_DATE = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|\d{3}|latest)$")
_FREE = Price(input=0, output=0)


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known about one model.

    Attributes:
        model: ``provider/model``.
        context_window: tokens it holds, or None.
        price: None when nobody knows; then only tokens are shown.
        price_source: for people: "configuration", "table of 2026-07-24", "this machine", "the provider", or "".
    """

    model: str
    context_window: int | None = None
    price: Price | None = None
    price_source: str = ""


def known_facts(model_name: str, configs: Mapping[str, ProviderConfig], environ: Mapping[str, str]) -> ModelFacts:
    """Return what is known about a model without asking its provider.

    Raises:
        InvalidRequestError: the name or the provider makes no sense.
    """
    name, model = split_model(model_name)
    if name == "demo":
        return ModelFacts(model_name, price=_FREE, price_source="this machine")
    return facts_of(resolve_provider(name, configs, environ), model)


def facts_of(provider: Provider, model: str) -> ModelFacts:
    """Return what is known about a model of this provider."""
    said = provider.config
    row = _table_row(provider, model)
    window = said.context_windows.get(model) or said.context_windows.get("*") or (row[1] if row else None)
    full = f"{provider.name}/{model}"
    price = said.prices.get(model) or said.prices.get("*")
    if price is not None:
        return ModelFacts(full, window, price, "configuration")
    if is_loopback(provider.base_url):
        return ModelFacts(full, window, _FREE, "this machine")
    if row is not None:
        return ModelFacts(full, window, row[0], f"table of {AS_OF}")
    return ModelFacts(full, window)


def cost_usd(usage: Usage, price: Price) -> float:
    """Return the estimated cost of some tokens in US dollars."""
    fresh = max(0, usage.input_tokens - usage.cached_input_tokens - usage.cache_write_tokens)
    cached = price.input if price.cached_input is None else price.cached_input
    written = price.input if price.cache_write is None else price.cache_write
    millionths = (
        fresh * price.input
        + usage.cached_input_tokens * cached
        + usage.cache_write_tokens * written
        + usage.output_tokens * price.output
    )
    return millionths / 1_000_000


def _table_row(provider: Provider, model: str) -> tuple[Price, int] | None:
    """Look the model up; a provider's name alone proves nothing when its address is somebody else's."""
    builtin = builtin_provider(provider.name)
    if builtin is None or (builtin.base_url and not builtin.is_home(provider.base_url)):
        return None
    table = "openai" if provider.name == "azure" else provider.name
    wanted = {model, _DATE.sub("", model)}
    for line in TABLE.strip().split("\n"):
        of, name, *columns = line.split()
        if of == table and name in wanted:
            return _read_row(columns)
    return None


def _read_row(columns: Sequence[str]) -> tuple[Price, int]:
    price_in, price_out, cached, written, window = columns
    price = Price(
        input=float(price_in),
        output=float(price_out),
        cached_input=None if cached == "-" else float(cached),
        cache_write=None if written == "-" else float(written),
    )
    return price, int(window)
