"""A history in the words of a wire format, each message mapped and serialised once (DESIGN §9).

A run's history only grows, and each of its requests holds all of it: what was worked out for one request is kept for
the next. This must never change an entry in place whose bytes may have been given out already.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TypeAlias

from steersman.agent.messages import JsonValue, Message
from steersman.models.json_values import encode_json

Entry: TypeAlias = dict[str, JsonValue]


class Transcript(ABC):
    """The entries of a history that is added to message by message; each format has one of its own."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._encoded: list[bytes] = []

    @abstractmethod
    def add(self, message: Message) -> None:
        """Take over the next message of the history."""

    def marked(self) -> Mapping[int, Entry]:
        """Return the entries that are sent otherwise as long as nothing is behind them, by their place."""
        return {}

    def encoded(self) -> list[bytes]:
        """Return the entries as JSON, those that were encoded before as they were; not to be changed.

        Raises:
            ValueError: a number is not finite.
        """
        encoded = self._encoded
        encoded.extend(encode_json(entry) for entry in self._entries[len(encoded) :])
        marked = self.marked()
        if not marked:
            return encoded
        sent = list(encoded)
        for place, entry in marked.items():
            sent[place] = encode_json(entry)
        return sent

    @property
    def _last_place(self) -> int:
        return len(self._entries) - 1

    def _put(self, entry: Entry) -> None:
        """Add an entry."""
        self._entries.append(entry)

    def _put_instead(self, entry: Entry) -> None:
        """Put an entry in the place of the last one."""
        self._entries[-1] = entry
        del self._encoded[len(self._entries) - 1 :]
