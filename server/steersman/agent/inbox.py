"""Texts the person sends into a run that is at work (DESIGN L3b)."""

from __future__ import annotations

from collections import deque


class Inbox:
    """A queue of steering texts; closed when the run ends, so that a late text is never swallowed."""

    def __init__(self) -> None:
        self._texts: deque[str] = deque()
        self._closed = False

    def __len__(self) -> int:
        return len(self._texts)

    def put(self, text: str) -> bool:
        """Queue a text. False when the run has ended: it will not be delivered."""
        if self._closed:
            return False
        self._texts.append(text)
        return True

    def take_all(self) -> list[str]:
        """Return what is queued, in order, and empty the queue."""
        texts = list(self._texts)
        self._texts.clear()
        return texts

    def close(self) -> list[str]:
        """Take no more texts; return those that found no turn."""
        self._closed = True
        return self.take_all()
