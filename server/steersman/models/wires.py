"""Picks the wire format of a provider; imports only the one that is wanted."""

from __future__ import annotations

from steersman.models.providers import Provider
from steersman.models.wire_format import WireFormat


def make_wire(provider: Provider, model: str) -> WireFormat:
    """Return the format that this provider speaks, for one of its models."""
    name, extra = provider.name, provider.config.extra_body
    if provider.kind == "anthropic":
        from steersman.models.anthropic import AnthropicMessages  # noqa: PLC0415  # one format at a time

        return AnthropicMessages(provider=name, model=model, extra_body=extra)
    if provider.kind == "openai-responses":
        from steersman.models.openai_responses import OpenAIResponses  # noqa: PLC0415

        return OpenAIResponses(provider=name, model=model, extra_body=extra)
    from steersman.models.dialects import dialect_for  # noqa: PLC0415
    from steersman.models.openai_chat import OpenAIChat  # noqa: PLC0415

    return OpenAIChat(provider=name, model=model, dialect=dialect_for(provider.base_url, model), extra_body=extra)
