"""A prompt and what the editor sent along with it, apart (the run puts it behind the prompt, in ``<context>``)."""

from __future__ import annotations

_BEGIN = "\n\n<context>\n"
_END = "\n</context>"


def split_prompt(content: str) -> tuple[str, str]:
    """Return what the person wrote, and what went along with it; "" when nothing did."""
    text = content.rstrip()
    if not text.endswith(_END):
        return content, ""
    prompt, mark, context = text.removesuffix(_END).partition(_BEGIN)
    return (prompt, context) if mark else (content, "")
