"""What is known about an endpoint by its host. Everything else is learned from its answers (``adapt``)."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from steersman.models.builtin_providers import is_azure
from steersman.models.openai_chat import ChatDialect


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
