"""A session's title: one short line (DESIGN S5)."""

from __future__ import annotations

MAX_TITLE_CHARS = 80
UNTITLED = "Untitled"


def title_from(prompt: str) -> str:
    """Return the first line of the prompt that says something, clipped at a word."""
    for line in prompt.split("\n"):
        title = one_line(line)
        if title:
            return clip(title, MAX_TITLE_CHARS)
    return UNTITLED


def one_line(text: str) -> str:
    """Return the text with every run of white space as one space, and without control or bidirectional characters."""
    return "".join(char for char in " ".join(text.split()) if char.isprintable()).strip()


def clip(text: str, max_chars: int) -> str:
    """Return the text, or its beginning up to a word's end with an ellipsis."""
    if len(text) <= max_chars:
        return text
    head = text[: max_chars - 1]
    cut = head.rfind(" ", max_chars // 2)
    return (head[:cut] if cut > 0 else head).rstrip() + "…"
