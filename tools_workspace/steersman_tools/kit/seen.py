"""What the model has seen of each file, so that it never overwrites what it has not (DESIGN W4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from steersman.agent.messages import Message, ToolMessage


class SeenTexts:
    """Canonical path -> digest of the whole text last seen or written; "" when only a part was seen."""

    def __init__(self) -> None:
        self._digests: dict[str, str] = {}

    @classmethod
    def from_history(cls, messages: Iterable[Message]) -> SeenTexts:
        """Rebuild it from the recorded results, so that it holds after a restart."""
        seen = cls()
        for message in messages:
            if isinstance(message, ToolMessage):
                seen.update(message.seen)
        return seen

    def update(self, seen: Mapping[str, str]) -> None:
        """Take over what a result showed. Seeing a part does not undo having seen the whole of the same text."""
        for path, digest in seen.items():
            if digest or path not in self._digests:
                self._digests[path] = digest

    def digest(self, path: str) -> str | None:
        """Return the digest last seen; "" for a partial view, None when never seen."""
        return self._digests.get(path)

    def forget(self, path: str) -> None:
        """The file is gone or was moved away."""
        self._digests.pop(path, None)
