"""What is known about an endpoint by its host. Everything else is learned from its answers (``adapt``)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from steersman.models.builtin_providers import is_azure

_UNFIT_IN_ID = re.compile(r"[^a-zA-Z0-9_-]")


@dataclass(frozen=True, slots=True)
class ChatDialect:
    """What an endpoint wants to be different.

    Attributes:
        max_tokens_field: name of the output limit.
        usage_option: ask for usage by ``stream_options``.
        reasoning_back: send reasoning back with the calls it led to: ``own`` under the field it came in, ``always``
            (some even where there was none), or ``never``.
        max_id_length: of a call id.
        unfit_in_id: matches one character that a call id must not hold.
        strict_roles: the user may speak neither twice in a row nor right after a tool (Mistral, and the chat
            templates of its models).
        cache_marks: mark the prefix for the cache of a provider behind the endpoint that wants it said.
    """

    max_tokens_field: str = "max_tokens"
    usage_option: bool = True
    reasoning_back: str = "own"
    max_id_length: int = 40
    unfit_in_id: re.Pattern[str] = _UNFIT_IN_ID
    strict_roles: bool = False
    cache_marks: bool = False


def dialect_for(base_url: str, model: str = "") -> ChatDialect:
    """Return what is known about an endpoint by its host, and by the model behind it; else the common form."""
    host = urlsplit(base_url).hostname or ""
    if host == "api.openai.com" or is_azure(base_url):
        return ChatDialect(max_tokens_field="max_completion_tokens")
    if host.endswith("mistral.ai"):
        return ChatDialect(
            usage_option=False,
            reasoning_back="never",
            max_id_length=9,
            unfit_in_id=re.compile(r"[^a-zA-Z0-9]"),
            strict_roles=True,
        )
    if host.endswith(("deepseek.com", "moonshot.ai", "moonshot.cn")):
        return ChatDialect(reasoning_back="always")
    return ChatDialect(cache_marks=host.endswith("openrouter.ai") and model.startswith("anthropic/"))
