"""Which parts of a text a model was shown, so that reading it in portions counts as having read it (DESIGN W4)."""

from __future__ import annotations

from collections.abc import Iterable


class Portions:
    """Canonical path -> the spans shown of the text with one digest; another digest starts anew."""

    def __init__(self) -> None:
        self._shown: dict[str, tuple[str, list[tuple[int, int]]]] = {}

    def add(self, path: str, digest: str, spans: Iterable[tuple[int, int]], length: int) -> bool:
        """Note what was shown, and return whether all ``length`` characters have been by now."""
        known, old = self._shown.get(path, (digest, []))
        merged = _merge([*(old if known == digest else []), *spans])
        self._shown[path] = digest, merged
        return merged == [(0, length)]


def _merge(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged
