"""A ledger in memory that keeps the order of everything it was told, and fails where a test wants it to."""

from __future__ import annotations

from collections.abc import Callable

from steersman.agent.changes import Change
from steersman.agent.closing import close_open_calls
from steersman.agent.messages import AssistantMessage, Message, ToolCall


class MemoryLedger:
    """``log`` holds ("append", role), ("checkpoint", id), ("start", id) in order; ``fail`` may raise before any."""

    def __init__(self, messages: list[Message] | None = None, fail: Callable[[str], None] | None = None) -> None:
        self.messages: list[Message] = list(messages or [])
        self.log: list[tuple[str, str]] = []
        self.started: set[str] = set()
        self._fail: Callable[[str], None] = fail or _never

    def load(self) -> list[Message]:
        self._fail("load")
        return [*self.messages, *close_open_calls(self.messages, self.started)]

    def append(self, message: Message) -> int:
        self._fail(f"append {message.role}")
        self.messages.extend(close_open_calls(self.messages, self.started) if message.role != "tool" else [])
        self.messages.append(message)
        if isinstance(message, AssistantMessage):
            self.started.clear()
        self.log.append(("append", message.role))
        return len(self.messages) - 1

    async def checkpoint(self, call: ToolCall, changes: tuple[Change, ...]) -> None:
        self._fail("checkpoint")
        self.log.append(("checkpoint", call.id))

    def mark_started(self, call: ToolCall, *, durable: bool) -> None:
        self._fail("mark_started")
        self.started.add(call.id)
        self.log.append(("start", call.id))


def _never(_what: str) -> None:
    """Do not fail."""
