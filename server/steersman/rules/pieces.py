"""Pieces to stream: a model's text comes a few characters at a time."""

from __future__ import annotations

import re

_PIECE = re.compile(r"\s*\S{1,16}|\s+")


def split_pieces(text: str) -> list[str]:
    """Return the text in pieces about as long as a word; joined they are the text, and none is empty."""
    return _PIECE.findall(text)
