"""From the text of a patch to what it says, whichever format it is in."""

from __future__ import annotations

from steersman_tools.patch.begin_format import is_begin_format, parse_begin_format
from steersman_tools.patch.model import FilePatch, PatchError
from steersman_tools.patch.unified_format import is_unified_format, parse_unified_format


def parse_patch(text: str) -> list[list[FilePatch]]:
    """Return what the patch says about each file, in order; never nothing.

    There is one reading, but for a diff whose lines can be told apart in two ways: then the first one that fits holds.

    Raises:
        PatchError: it is in no format that is known, is cut off, or says nothing.
    """
    if is_begin_format(text):
        readings = [parse_begin_format(text)]
    elif is_unified_format(text):
        readings = parse_unified_format(text)
    else:
        raise PatchError("This is no patch: it begins neither with “*** Begin Patch” nor with “--- ” and “+++ ” lines.")
    if not readings[0]:
        raise PatchError("The patch is empty: it names no file.")
    return readings
