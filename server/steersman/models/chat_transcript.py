"""A history as Chat Completions has it, also where an endpoint is particular about roles or caching (DESIGN M2, M8)."""

from __future__ import annotations

from collections.abc import Mapping

from steersman.agent.messages import AssistantMessage, JsonValue, Message, ToolMessage
from steersman.models.dialects import ChatDialect
from steersman.models.history import IdFitter, fit_name, provider_data, sendable_arguments
from steersman.models.json_values import as_list
from steersman.models.transcript import Entry, Transcript

REASONING_FIELDS = ("reasoning_content", "reasoning")
_NO_REASONING = "(not recorded)"
"""Stands for the reasoning of another provider's message where an endpoint insists on some."""
_BRIDGE = "I have seen the results."
_MARKED = 2


class ChatTranscript(Transcript):
    """The messages of one history.

    Args:
        system: the system prompt; "" for none.
        provider: its configured name; only data of this provider is sent back.
        dialect: where the endpoint differs.
    """

    def __init__(self, system: str, provider: str, dialect: ChatDialect) -> None:
        super().__init__()
        self._provider = provider
        self._dialect = dialect
        self._ids = IdFitter(dialect.unfit_in_id, dialect.max_id_length)
        if system:
            self._put({"role": "system", "content": system})

    def add(self, message: Message) -> None:
        """Take over the next message."""
        entry = self._entry(self._ids.fit(message))
        if entry is None:
            return
        if self._dialect.strict_roles and entry["role"] == "user":
            self._add_strictly(entry)
        else:
            self._put(entry)

    def marked(self) -> Mapping[int, Entry]:
        """Set cache marks behind the system prompt and behind the last two messages that are not the assistant's."""
        if not self._dialect.cache_marks:
            return {}
        places = [0] if self._entries and self._entries[0]["role"] == "system" else []
        behind = 0
        for place in range(len(self._entries) - 1, -1, -1):
            if self._entries[place]["role"] != "assistant" and self._entries[place]["content"]:
                places.append(place)
                behind += 1
                if behind == _MARKED:
                    break
        return {place: _with_mark(self._entries[place]) for place in places}

    def _add_strictly(self, entry: Entry) -> None:
        """Join what the user said twice in a row, and put a word of the assistant between a result and the user."""
        last = self._entries[-1] if self._entries else Entry()
        if last.get("role") == "user":
            self._put_instead({**last, "content": f"{last['content']}\n\n{entry['content']}"})
            return
        if last.get("role") == "tool":
            self._put({"role": "assistant", "content": _BRIDGE})
        self._put(entry)

    def _entry(self, message: Message) -> Entry | None:
        if isinstance(message, AssistantMessage):
            return self._assistant(message)
        if isinstance(message, ToolMessage):
            return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.content}
        return {"role": "user", "content": message.content}

    def _assistant(self, message: AssistantMessage) -> Entry | None:
        text = message.content if message.content.strip() else ""
        if not text and not message.tool_calls:
            return None  # a blank message is refused by some (M8)
        entry: Entry = {"role": "assistant", "content": text or None}
        if not message.tool_calls:
            return entry
        data = provider_data(message, self._provider)
        extras = as_list(data.get("call_extras"))
        calls: list[JsonValue] = []
        for number, call in enumerate(message.tool_calls):
            function: JsonValue = {"name": fit_name(call.name), "arguments": sendable_arguments(call.arguments)}
            item: Entry = {"id": call.id, "type": "function", "function": function}
            if number < len(extras) and extras[number]:
                item["extra_content"] = extras[number]
            calls.append(item)
        entry["tool_calls"] = calls
        return entry | self._reasoning(data)

    def _reasoning(self, data: Mapping[str, JsonValue]) -> Entry:
        if self._dialect.reasoning_back == "never":
            return {}
        back = {name: data[name] for name in (*REASONING_FIELDS, "reasoning_details") if name in data}
        if not back and self._dialect.reasoning_back == "always":
            return {"reasoning_content": _NO_REASONING}
        return back


def _with_mark(entry: Entry) -> Entry:
    mark: JsonValue = {"type": "ephemeral"}
    part: JsonValue = {"type": "text", "text": entry["content"], "cache_control": mark}
    return {**entry, "content": [part]}
