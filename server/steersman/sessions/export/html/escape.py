"""Text as HTML: the one way by which anything from a session gets into the page.

Control and bidirectional characters are shown as what they are, so that nothing is read in another order than it
stands (DESIGN A2).
"""

from __future__ import annotations

from steersman.sessions.export.wording import CONTROLS

_SIGNS = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
_HALVES = tuple(map(chr, range(0xD800, 0xE000)))

_IN_TEXT = str.maketrans(
    _SIGNS
    | {"\r": ""}
    | {char: f'<span class="ctl">U+{ord(char):04X}</span>' for char in CONTROLS}
    | dict.fromkeys(_HALVES, "\ufffd")
)
_IN_ATTRIBUTE = str.maketrans(
    _SIGNS | {"\r": "", "\n": " ", "\t": " "} | dict.fromkeys((*CONTROLS, *_HALVES), "\ufffd")
)


def text(value: str) -> str:
    """Return it for the content of an element."""
    return value.translate(_IN_TEXT)


def attribute(value: str) -> str:
    """Return it for an attribute's value, or for an element that takes no elements (``title``), on one line."""
    return value.translate(_IN_ATTRIBUTE)
