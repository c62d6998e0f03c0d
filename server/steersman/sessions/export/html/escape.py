"""Text as HTML: the one way by which anything from a session gets into the page.

Control and bidirectional characters are shown as what they are, so that nothing is read in another order than it
stands (DESIGN A2).
"""

from __future__ import annotations

_SIGNS = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
_CONTROLS = [*range(0x09), 0x0B, 0x0C, *range(0x0E, 0x20), *range(0x7F, 0xA0)]
_DIRECTIONS = [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x061C]
_HIDDEN = [0xFEFF, 0x00AD, 0x200B, *range(0xE0000, 0xE0080)]
_HALVES = range(0xD800, 0xE000)

_IN_TEXT = str.maketrans(
    _SIGNS
    | {"\r": ""}
    | {chr(code): f'<span class="ctl">U+{code:04X}</span>' for code in (*_CONTROLS, *_DIRECTIONS, *_HIDDEN)}
    | dict.fromkeys(map(chr, _HALVES), "\ufffd")
)
_IN_ATTRIBUTE = str.maketrans(
    _SIGNS
    | {"\r": "", "\n": " ", "\t": " "}
    | dict.fromkeys(map(chr, (*_CONTROLS, *_DIRECTIONS, *_HIDDEN, *_HALVES)), "\ufffd")
)


def text(value: str) -> str:
    """Return it for the content of an element."""
    return value.translate(_IN_TEXT)


def attribute(value: str) -> str:
    """Return it for an attribute's value, or for an element that takes no elements (``title``), on one line."""
    return value.translate(_IN_ATTRIBUTE)
