"""Calls that the tests' scripts are made of."""

from __future__ import annotations

from typing import Any


def edit(old: str, new: str, path: str = "a.txt") -> dict[str, Any]:
    """Replace a text in a file."""
    return {"call": "edit_file", "arguments": {"path": path, "old_text": old, "new_text": new}}


def write(path: str, content: str) -> dict[str, Any]:
    """Write a file."""
    return {"call": "write_file", "arguments": {"path": path, "content": content}}
