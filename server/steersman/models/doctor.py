"""Looks at every provider as a physician would: what is set, from where, and what really works (DESIGN M1, M5).

Returns data; who prints it is not known here. A key is never part of it, only where it comes from. Nothing costs
tokens unless ``online`` is asked for, and then one tiny request a provider does.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from steersman.agent.errors import AuthenticationError, ModelNotFoundError, SteersmanError, UnavailableError
from steersman.agent.messages import UserMessage
from steersman.agent.model import CallPiece, ModelClient, ModelRequest, ReasoningPiece, TextPiece, ToolSpec
from steersman.agent.model_names import split_model
from steersman.models.catalog import (
    LIST_LIMIT_S,
    ask_models,
    configured_providers,
    local_window,
    suggest_names,
    with_command_key,
)
from steersman.models.endpoint import Endpoint
from steersman.models.http_client import HttpModelClient
from steersman.models.offer import LocalOffer, find_ollama
from steersman.models.prices import ModelFacts
from steersman.models.provider_config import ProviderConfig
from steersman.models.providers import Provider, make_endpoint, resolve_provider
from steersman.models.wires import make_wire

Verdict: TypeAlias = Literal["yes", "no", "unknown", "not tried"]

TRY_LIMIT_S = 120.0
_PUBLIC_LISTS = frozenset({"openrouter", "huggingface"})  # listed to anybody, with or without a key
_SMALL_WINDOW = 16_384
_CHEAP = re.compile(r"nano|mini|haiku|flash|small|lite|fast|instant|[^\d]\db\b", re.IGNORECASE)
_PING = ToolSpec(
    "ping",
    "Answers with pong.",
    {"type": "object", "properties": {"value": {"type": "integer"}}, "required": ["value"]},
)
_REQUEST = ModelRequest("", (UserMessage("Call the tool ping with the value 1."),), (_PING,), 512)


@dataclass(frozen=True, slots=True)
class ProviderReport:
    """What was found out about one provider.

    Attributes:
        name: of the provider.
        kind: its wire format, or "" when it could not be worked out.
        address: scheme, host, port and path.
        address_source: "built-in", "configuration", or an environment variable.
        key_source: where the key comes from or should come from; "" when none is wanted.
        key_set: whether there is one.
        reachable: somebody answers there.
        key_accepted: the provider took the key (or wants none).
        models: how many it lists, None when it did not list any.
        model: the model that was looked for, "" for none.
        model_there: whether its list holds that model.
        streaming: a streamed answer came whole.
        tools: the model called a tool.
        problems: what is wrong, each with what to do; empty when all is well.
    """

    name: str
    kind: str = ""
    address: str = ""
    address_source: str = ""
    key_source: str = ""
    key_set: bool = False
    reachable: Verdict = "not tried"
    key_accepted: Verdict = "not tried"
    models: int | None = None
    model: str = ""
    model_there: Verdict = "not tried"
    streaming: Verdict = "not tried"
    tools: Verdict = "not tried"
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelsReport:
    """All that was found out.

    Attributes:
        model: the model that runs would use.
        providers: one report for each configured provider, the model's own first.
        ollama: an Ollama that answers although nobody configured it, or None.
    """

    model: str
    providers: tuple[ProviderReport, ...]
    ollama: LocalOffer | None = None


async def examine_providers(
    model_name: str,
    configs: Mapping[str, ProviderConfig],
    environ: Mapping[str, str],
    *,
    online: bool = False,
) -> ModelsReport:
    """Look at every configured provider, side by side; never raises for what is wrong with one.

    Args:
        model_name: the model that runs would use.
        configs: what the user configured.
        environ: the environment.
        online: try streaming and tools with one tiny request each, which costs a few tokens.
    """
    own = model_name.partition("/")[0]
    names = [name for name in dict.fromkeys([own, *configured_providers(configs, environ)]) if name and name != "demo"]
    examinations = [_Examination(name, model_name, configs, environ).run(online=online) for name in names]
    reports = await asyncio.gather(*examinations)
    ollama = None if "ollama" in names else await find_ollama(environ)
    return ModelsReport(model_name, tuple(reports), ollama)


class _Examination:
    """One provider; each step notes what it found, and the next builds on it."""

    def __init__(
        self, name: str, model_name: str, configs: Mapping[str, ProviderConfig], environ: Mapping[str, str]
    ) -> None:
        self._model_name = model_name
        self._configs = configs
        self._environ = environ
        self._report = ProviderReport(name)

    async def run(self, *, online: bool) -> ProviderReport:
        try:
            provider, endpoint = await self._configuration()
            models = await self._listing(provider, endpoint)
            if online:
                await self._trial(provider, endpoint, models)
            await self._window(provider, endpoint)
        except SteersmanError as error:
            self._blame(error)
        return self._report

    async def _configuration(self) -> tuple[Provider, Endpoint]:
        provider = resolve_provider(self._report.name, self._configs, self._environ)
        own, model = split_model(self._model_name) if "/" in self._model_name else ("", "")
        endpoint = Endpoint(provider.name, provider.base_url, "")
        self._note(
            kind=provider.kind,
            address=endpoint.shown_url,
            address_source=provider.source,
            key_source=provider.key_env[0] if provider.key_env else "",
            model=model if own == provider.name else "",
        )
        endpoint = make_endpoint(provider, self._report.model, self._environ)
        self._note(key_source=endpoint.key_source)
        endpoint = await with_command_key(endpoint)
        self._note(key_set=endpoint.key is not None)
        return provider, endpoint

    async def _listing(self, provider: Provider, endpoint: Endpoint) -> list[ModelFacts]:
        try:
            models = await ask_models(provider, endpoint, LIST_LIMIT_S)
        except ModelNotFoundError:
            self._note(reachable="yes", key_accepted="unknown")  # somebody is there, without a list
            if provider.kind.startswith("openai") and urlsplit(endpoint.base_url).path in {"", "/"}:
                self._complain(f"There is no list of models below {endpoint.shown_url}; most addresses end in /v1.")
            return []
        except AuthenticationError as error:
            self._note(reachable="yes", key_accepted="no")
            self._blame(error)
            return []
        except UnavailableError as error:
            self._note(reachable="no" if error.status is None else "yes")
            self._blame(error)
            return []
        public = provider.name in _PUBLIC_LISTS
        self._note(reachable="yes", key_accepted="unknown" if public else "yes", models=len(models) or None)
        if self._report.model and models:
            there = any(fact.model == f"{provider.name}/{self._report.model}" for fact in models)
            self._note(model_there="yes" if there else "no")
            if not there:
                near = ", ".join(await suggest_names(provider, endpoint))
                self._complain(f"It does not list the model “{self._report.model}”. It has, for example: {near}.")
        return models

    async def _trial(self, provider: Provider, endpoint: Endpoint, models: Sequence[ModelFacts]) -> None:
        if self._report.reachable != "yes" or self._report.key_accepted == "no":
            return
        model = self._report.model or _cheap_model(models)
        if not model:
            return
        self._note(model=model, streaming="no", tools="no")
        client = HttpModelClient(replace(endpoint, model=model), make_wire(provider, model))
        try:
            async with asyncio.timeout(TRY_LIMIT_S):
                streamed, called = await _try(client)
        except AuthenticationError as error:
            self._note(key_accepted="no")
            self._blame(error)
        except TimeoutError:
            self._complain(f"{model} did not finish a tiny answer within {TRY_LIMIT_S:g} s.")
        else:
            self._note(key_accepted="yes", streaming=_verdict(streamed), tools=_verdict(called))
            if not called:
                self._complain(f"{model} answered, but did not call the tool it was told to call.")
        finally:
            await client.aclose()

    async def _window(self, provider: Provider, endpoint: Endpoint) -> None:
        """Ollama drops what does not fit without a word, and its usual window is small."""
        if provider.kind != "ollama" or self._report.reachable != "yes" or not self._report.model:
            return
        window = await local_window(provider, replace(endpoint, model=self._report.model))
        if window is not None and window < _SMALL_WINDOW:
            self._complain(
                f"{self._report.model} is loaded with room for {window:,} tokens only, and Ollama drops the rest "
                "without a word. Set OLLAMA_CONTEXT_LENGTH=32768 (or more) where Ollama starts."
            )

    def _note(self, **found: object) -> None:
        self._report = replace(self._report, **found)

    def _complain(self, problem: str) -> None:
        self._note(problems=(*self._report.problems, problem))

    def _blame(self, error: SteersmanError) -> None:
        self._complain(f"{error.message} {error.hint}" if error.hint else error.message)


def _verdict(holds: bool) -> Verdict:
    return "yes" if holds else "no"


def _cheap_model(models: Sequence[ModelFacts]) -> str:
    """Return a model for a trial when none is set for the provider: a small one by its name, else the first."""
    names = [fact.model.partition("/")[2] for fact in models]
    return next((name for name in names if _CHEAP.search(name)), next(iter(names), ""))


async def _try(client: ModelClient) -> tuple[bool, bool]:
    """Ask for one tool call; return whether the reply came whole, and whether it holds the call."""
    streamed = called = False
    async with aclosing(client.stream(_REQUEST)) as events:
        async for event in events:
            streamed = streamed or isinstance(event, (TextPiece, ReasoningPiece, CallPiece))
            called = called or (isinstance(event, CallPiece) and event.call.name == _PING.name)
    return streamed, called
