"""From the text of a patch to what it says, whichever format it is in."""

from __future__ import annotations

from steersman.agent.lines import split_lines
from steersman_tools.patch import begin_format, unified_format
from steersman_tools.patch.model import FilePatch, PatchError


def parse_patch(text: str) -> list[list[FilePatch]]:
    """Return what the patch says about each file, in order; never nothing.

    There is one reading, but for a diff whose lines can be told apart in two ways: then the first one that fits holds.

    Raises:
        PatchError: it is in no format that is known, is cut off, or says nothing.
    """
    lines = split_lines(text)
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
