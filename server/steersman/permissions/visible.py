"""Make what cannot be seen visible, wherever a person decides (DESIGN A2).

A path, a command or a line of a change may hold characters that a screen does not show, or that reorder what stands
around them. They are written out as ``⟨U+202E⟩``. Nothing in here changes what is done, only what is shown.
"""

from __future__ import annotations

import re
import unicodedata

_HIDDEN_LETTERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
"""Invisible, though Unicode counts them as letters, marks or symbols."""

_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_MAX_MARKS = 2
_EMOJI_GLUE = frozenset("\u200d\ufe0f")
_MIXED = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE")


def visible(text: str, *, keep: str = "\n\t") -> str:
    """Return the text with every character that cannot be seen as it is written out by its number.

    Args:
        text: anything.
        keep: control characters to leave alone.
    """
    if re.fullmatch(f"[ -~{re.escape(keep)}]*", text):
        return text
    shown: list[str] = []
    marks = 0
    for index, char in enumerate(text):
        marks = marks + 1 if unicodedata.category(char) in {"Mn", "Me"} else 0
        if char in keep or not (_is_hidden(char) or marks > _MAX_MARKS) or _glues_emoji(text, index):
            shown.append(char)
        else:
            shown.append(f"⟨U+{ord(char):04X}⟩")
    return "".join(shown)


def visible_name(text: str) -> str:
    """Return a path or a command as one line: line breaks and unusual blanks are written out, long gaps are counted."""
    shown = visible(text.replace("\r\n", "⏎").replace("\n", "⏎"), keep="").replace("⟨U+0009⟩", "⇥")
    shown = "".join(f"⟨U+{ord(c):04X}⟩" if c != " " and unicodedata.category(c) == "Zs" else c for c in shown)
    return re.sub(r" {4,}", lambda gap: f" ⟨{len(gap.group())} blanks⟩ ", shown)


def has_hidden(text: str) -> bool:
    """Whether a command or path holds what cannot be told by looking; line breaks, tabs and blanks excepted."""
    if text.isascii() and text.isprintable():
        return False
    return any(char not in "\n\t " and (_is_hidden(char) or unicodedata.category(char) == "Zs") for char in text)


def mixed_letters(text: str) -> bool:
    """Whether one word of the text mixes alphabets that look alike, as in a Latin word with a Cyrillic letter."""
    return any(len(_alphabets(word)) > 1 for word in re.findall(r"\w+", text))


def _alphabets(word: str) -> set[str]:
    if word.isascii():
        return set()
    names = (unicodedata.name(char, "").partition(" ")[0] for char in word if char.isalpha())
    return {name for name in names if name in _MIXED}


def _is_hidden(char: str) -> bool:
    return unicodedata.category(char) in _HIDDEN_CATEGORIES or _HIDDEN_LETTERS.match(char) is not None


def _glues_emoji(text: str, index: int) -> bool:
    """Whether this is the joiner or variation mark of an emoji, which is part of a visible sign."""
    if text[index] not in _EMOJI_GLUE or index == 0:
        return False
    before = text[index - 1]
    if before == "\ufe0f" and index > 1:
        return text[index] == "\u200d" and unicodedata.category(text[index - 2]) == "So"
    return unicodedata.category(before) in {"So", "Sk"}
