"""What the loop needs of a session: a ledger that is written before the loop goes on (DESIGN S2, S3)."""

from __future__ import annotations

from typing import Protocol

from steersman.agent.changes import Change
from steersman.agent.messages import Message, ToolCall


class Ledger(Protocol):
    """A session as the loop sees it. All methods raise ``StorageError`` or ``SessionLockedError`` when they cannot."""

    def load(self) -> list[Message]:
        """Return the whole history, every call closed. Writes nothing."""
        ...

    def append(self, message: Message) -> int:
        """Commit one message (and, first, the closings that ``load`` made up). Return its sequence number, from 0."""
        ...

    async def checkpoint(self, call: ToolCall, changes: tuple[Change, ...]) -> None:
        """Keep what the changes would overwrite, so that they can be taken back (S7)."""
        ...

    def mark_started(self, call: ToolCall, *, durable: bool) -> None:
        """Note that the call starts now; ``durable``: on the disk itself before this returns."""
        ...
