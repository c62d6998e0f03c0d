"""Rewrites a list of chat messages for endpoints that are particular about who speaks after whom, or about caching."""

from __future__ import annotations

from steersman.agent.messages import JsonValue

_BRIDGE = "I have seen the results."
_MARKED = 2


def with_strict_roles(messages: list[dict[str, JsonValue]]) -> list[dict[str, JsonValue]]:
    """Join what the user said twice in a row, and put a word of the assistant between a result and the user."""
    strict: list[dict[str, JsonValue]] = []
    for message in messages:
        before = strict[-1]["role"] if strict else None
        if message["role"] == before == "user":
            strict[-1] = strict[-1] | {"content": f"{strict[-1]['content']}\n\n{message['content']}"}
            continue
        if message["role"] == "user" and before == "tool":
            strict.append({"role": "assistant", "content": _BRIDGE})
        strict.append(message)
    return strict


def mark_prefixes(messages: list[dict[str, JsonValue]]) -> None:
    """Set cache marks behind the system prompt and behind the last two messages that are not the assistant's."""
    places = [at for at, message in enumerate(messages) if message["role"] != "assistant" and message["content"]]
    chosen = {at for at in places if messages[at]["role"] == "system"} | set(places[-_MARKED:])
    for at in chosen:
        mark: JsonValue = {"type": "ephemeral"}
        part: JsonValue = {"type": "text", "text": messages[at]["content"], "cache_control": mark}
        marked: dict[str, JsonValue] = {"content": [part]}
        messages[at] = messages[at] | marked
