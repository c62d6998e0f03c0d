"""Screens that a README shows: held against what the editor really shows, or written by ``STEERSMAN_WRITE_CAPTURES=1``.

In a README each stands in a text block behind ``<!-- screen: NAME -->``.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

_SPINNER = re.compile("[\u2800-\u28ff]")  # it turns
_EMPTY_LINES = re.compile("\n{4,}")


def hold(readme: Path, name: str, screen: str) -> None:
    """Compare a screen with the README's.

    Raises:
        AssertionError: it is not the same, or the README has no such screen.
    """
    shown = _SPINNER.sub(" ", screen).strip("\n") + "\n"
    shown = "".join(f"{line.rstrip()}\n" for line in shown.split("\n")[:-1])
    shown = _EMPTY_LINES.sub("\n\n", shown)
    text = readme.read_text(encoding="utf-8")
    found = re.search(rf"<!-- screen: {re.escape(name)} -->\n+```text\n(.*?)```", text, re.DOTALL)
    assert found is not None, f"{readme} has no screen {name}"
    if os.environ.get("STEERSMAN_WRITE_CAPTURES"):
        readme.write_text(text[: found.start(1)] + shown + text[found.end(1) :], encoding="utf-8")
        return
    assert found[1] == shown
