"""What a rewind keeps of a file on disk, what it would make of it, and how it puts it back (DESIGN S7).

What touches the disk blocks.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from dataclasses import replace as replaced
from itertools import takewhile
from pathlib import Path

from steersman.agent.tool import ToolError
from steersman_tools.kit.anchored import Folder, TooLargeError, read_regular, reason_of
from steersman_tools.kit.endings import adopt_endings
from steersman_tools.kit.leftovers import Leftover, StoreMaker, note
from steersman_tools.kit.paths import Confinement
from steersman_tools.kit.placing import Original, place_new, replace, write_beside
from steersman_tools.kit.steps import temporary_name
from steersman_tools.kit.text import decode, encode
from steersman_tools.kit.workspace import FileMissingError, Location, Snapshot


def take_snapshot(confinement: Confinement, location: Location, max_bytes: int) -> Snapshot:
    """Return the bytes and mode of a file, or a snapshot of nothing.

    Raises:
        ToolError: it is not a regular file, is too large, or may not be read.
    """
    path = str(location.path)
    try:
        with confinement.parent(location.path) as folder:
            data, status = read_regular(folder, location.path.name, location.display, max_bytes)
    except FileMissingError:
        return Snapshot(path, None, None, None, _missing_above(location))
    except TooLargeError as error:
        raise TooLargeError(
            f"{location.display} is too large to be kept for a rewind ({error.size / 1e6:,.1f} MB); "
            "use run_command (mv, rm) for it",
            error.size,
        ) from None
    return Snapshot(path, data, stat.S_IMODE(status.st_mode), None)


def _missing_above(location: Location) -> int:
    folders = takewhile(lambda folder: folder != location.root.path, location.path.parents)
    return sum(1 for _ in takewhile(lambda folder: not os.path.lexists(folder), folders))


def text_of(snapshot: Snapshot) -> str | None:
    """Return the text that stood there: the buffer's, else the file's; None for nothing and for what is no text."""
    if snapshot.buffer is not None:
        return snapshot.buffer
    if snapshot.data is None:
        return None
    try:
        return decode(snapshot.data).text
    except ToolError:
        return None


def wanted_on_disk(wanted: Snapshot, expected: Snapshot | None) -> Snapshot:
    """Return what to write where no document is open: unsaved text of then counts, if ours has been saved since."""
    if wanted.buffer is None or (expected is not None and expected.data == wanted.data):
        return wanted
    like = wanted.data if wanted.data is not None else (expected.data if expected is not None else None)
    try:
        text, encoding, has_bom = decode(like or b"")
        data = encode(adopt_endings(text, wanted.buffer.removeprefix("\ufeff")), encoding, has_bom)
    except ToolError:
        return wanted
    return replaced(wanted, data=data)


def text_after(wanted: Snapshot, now: Snapshot, *, force: bool) -> str | None:
    """Return the text that putting a path back would leave there; None for nothing and for what is no text."""
    if now.buffer is not None:
        return text_of(wanted)
    return text_of(replaced(wanted_on_disk(wanted, None if force else now), buffer=None))


def put_back(
    confinement: Confinement,
    location: Location,
    wanted: Snapshot,
    expected: Snapshot | None,
    max_bytes: int,
    leftovers: StoreMaker | None = None,
) -> str | None:
    """Make a file what ``wanted`` says. Return None, or why it was left alone.

    Where nothing was there, the folders that were not there either go with it, unless something else is in them now.
    ``expected`` is what our last change left there; anything else is a conflict. None: do it anyway.
    """
    try:
        present = take_snapshot(confinement, location, max_bytes)
        if present.data == wanted.data and (wanted.data is None or present.mode == wanted.mode):
            return None
        if expected is not None and present.data != expected.data:
            return _conflict(present, expected)
        made: list[str] | None = None if wanted.data is None else []
        with confinement.parent(location.path, made) as folder:
            _write(folder, location.path, wanted, leftovers)
            folder.sync()
    except ToolError as error:
        return str(error)
    except OSError as error:
        return str(reason_of(error, f"put back {location.display}"))
    if wanted.data is None:
        remove_folders(confinement, location.path, wanted.missing)
    return None


def remove_folders(confinement: Confinement, path: Path, count: int) -> None:
    """Remove the innermost ``count`` folders above a path that is gone, as far as they are empty. Never raises."""
    for folder in [*path.parents][:count]:
        try:
            with confinement.parent(folder) as outer:
                outer.rmdir(folder.name)
        except (ToolError, OSError):
            return


def _conflict(present: Snapshot, expected: Snapshot) -> str:
    if present.data is None:
        return "it was deleted since"
    if expected.data is None:
        return "it was created again since"
    return "it was changed since"


def _write(folder: Folder, path: Path, wanted: Snapshot, leftovers: StoreMaker | None) -> None:
    name = path.name
    there = folder.lstat(name)
    if wanted.data is None:
        if there is not None:
            folder.unlink(name)
        return
    temp = temporary_name(lambda: secrets.token_hex(6))
    record = note(leftovers, [Leftover("temporary", str(path.parent / temp))])
    try:
        if there is None:
            write_beside(folder, temp, wanted.data, None)
            place_new(folder, temp, folder, name)
        else:
            is_beside = write_beside(folder, temp, wanted.data, Original(folder, name, there))
            replace(folder, name, temp if is_beside else None, wanted.data)
    finally:
        if record is not None:
            record.end()
    if wanted.mode is not None:
        with contextlib.suppress(OSError, NotImplementedError):
            folder.set_mode(name, wanted.mode)
