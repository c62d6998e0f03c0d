"""From the text of a patch to what it says, whichever format it is in."""

from __future__ import annotations

import re

from steersman.agent.lines import split_lines
from steersman_tools.patch import begin_format, unified_format
from steersman_tools.patch.model import FilePatch, PatchError

_FIRST = re.compile(r"[ \t]+(?=\*\*\* |--- |diff --git )")


def parse_patch(text: str) -> list[list[FilePatch]]:
    """Return what the patch says about each file, in order; never nothing.

    There is one reading, but for a diff whose lines can be told apart in two ways: then the first one that fits holds.

    Raises:
        PatchError: it is in no format that is known, is cut off, or says nothing.
    """
    lines = unindented(split_lines(text))
    text = "".join(lines)
    header, names = begin_format.begins_at(lines), unified_format.begins_at(lines)
    if header is not None and (names is None or header < names):
        readings = [begin_format.parse_begin_format(text)]
    elif names is not None:  # also within the marks of the other format
        readings = unified_format.parse_unified_format(text)
    elif begin_format.has_marker(lines):
        readings = [begin_format.parse_begin_format(text)]
    else:
        raise PatchError("This is no patch: it begins neither with “*** Begin Patch” nor with “--- ” and “+++ ” lines.")
    if not readings[0]:
        raise PatchError("The patch is empty: it names no file.")
    return readings


def unindented(lines: list[str]) -> list[str]:
    """Return the lines of a patch that is indented as a whole (in a list of a chat, in a string) without that.

    It is one only where the indentation of its first line stands before every other line too, up to the end of the
    patch: where it does not, white space at the beginning means what it always means.
    """
    for at, line in enumerate(lines):
        if line.startswith(("*** ", "--- ", "diff --git ")):
            return lines
        if first := _FIRST.match(line):
            return _without(lines, at, first[0])
    return lines


def _without(lines: list[str], start: int, indent: str) -> list[str]:
    end = start
    while end < len(lines) and (lines[end].startswith(indent) or not lines[end].strip()):
        end += 1
    inner = [line.removeprefix(indent) if line.strip() else line.lstrip(" \t") for line in lines[start:end]]
    is_patch = begin_format.ends_in(inner) or any(line.startswith("@@") for line in inner)
    return [*lines[:start], *inner, *lines[end:]] if is_patch else lines
