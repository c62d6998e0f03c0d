r"""The ``*** Begin Patch`` format that models are trained on.

Lenient where models are sloppy and nothing can be meant otherwise: wrappers around the patch, padded markers, blank
context lines without their space, context lines without their space. A patch without ``*** End Patch`` may have been
cut off, and is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from steersman.agent.lines import split_lines, strip_ending
from steersman_tools.patch.git_names import is_name_pair
from steersman_tools.patch.hunk_reader import END_OF_FILE, NO_NEWLINE, HunkReader
from steersman_tools.patch.model import AddFile, DeleteFile, FilePatch, PatchError, UpdateFile

BEGIN = "*** Begin Patch"
END = "*** End Patch"
_HEADER = re.compile(r"\*\*\*\s*(add|create|delete|remove|update|modify) file:\s*(.+)", re.IGNORECASE)
_MOVE = re.compile(r"\*\*\*\s*move to:\s*(.+)", re.IGNORECASE)
_QUOTES = "`\"'"
_HEADERS = "*** Add File: PATH, *** Update File: PATH, *** Delete File: PATH"


def begins_at(lines: Sequence[str]) -> int | None:
    """Return the index of the first file header of this format, or None."""
    return next((at for at, line in enumerate(lines) if _HEADER.match(line.strip())), None)


def has_marker(lines: Sequence[str]) -> bool:
    """Whether the first line of this format stands somewhere."""
    return any(_is_marker(line, BEGIN) for line in lines)


def ends_in(lines: Sequence[str]) -> bool:
    """Whether the last line of this format stands somewhere."""
    return any(_is_marker(line, END) for line in lines)


def parse_begin_format(text: str) -> list[FilePatch]:
    """Return what the patch says, in order.

    Raises:
        PatchError: it cannot be read; the message names the line.
    """
    lines = split_lines(text)
    first, end = _body(lines)
    reader = _Reader(lines, first, end)
    patches: list[FilePatch] = []
    while (header := reader.next_header()) is not None:
        action, path = header
        if action in {"add", "create"}:
            patches.append(AddFile(path, _read_content(reader), may_overwrite=True))
        elif action in {"delete", "remove"}:
            patches.append(DeleteFile(path))
        else:
            patches.append(_read_update(reader, path))
    return patches


def _is_marker(line: str, marker: str) -> bool:
    text = line.strip().lower()
    return text.startswith("*** ") and text.rstrip("* ") == marker.lower()


def _body(lines: list[str]) -> tuple[int, int]:
    """Return the indices of the first line behind the beginning and of the end marker."""
    end = next((at for at in reversed(range(len(lines))) if _is_marker(lines[at], END)), None)
    if end is None:
        raise PatchError(f"the patch does not end with {END}; was it cut off? Nothing was changed")
    begin = next((at for at in range(end) if _is_marker(lines[at], BEGIN)), None)
    if begin is not None:
        return begin + 1, end
    return next((at for at in range(end) if _HEADER.match(lines[at].strip())), end), end


def _name(text: str) -> str:
    """Return a path without the quotes that some put around it."""
    text = text.strip()
    is_quoted = len(text) > 2 and text[0] == text[-1] and text[0] in _QUOTES
    return text[1:-1] if is_quoted else text


@dataclass(slots=True)
class _Reader:
    lines: list[str]
    at: int
    end: int

    @property
    def line(self) -> str | None:
        return self.lines[self.at] if self.at < self.end else None

    def next_header(self) -> tuple[str, str] | None:
        """Go to the next file header and behind it; return its word and its path, or None at the end."""
        while self.line is not None:
            text = self.line.strip()
            self.at += 1
            if not text or _is_marker(text, BEGIN) or _is_marker(text, END):
                continue
            header = _HEADER.match(text)
            if header is None:
                raise PatchError(f"line {self.at} of the patch is no file header: “{text[:80]}”. There are {_HEADERS}")
            return header[1].lower(), _name(header[2])
        return None

    def is_header(self) -> bool:
        """Whether a new file begins here; a padded one counts only where no hunk is open."""
        return self.line is not None and (bool(_HEADER.match(self.line)) or self.line.rstrip() in {BEGIN, END})


def _read_content(reader: _Reader) -> str:
    content: list[str] = []
    blanks: list[str] = []
    while (line := reader.line) is not None and not _HEADER.match(line.strip()) and not reader.is_header():
        if line.startswith("+"):
            content += [*blanks, line[1:]]
            blanks.clear()
        elif not line.strip():
            blanks.append(line.lstrip(" \t"))
        elif line.startswith(NO_NEWLINE) and content:
            content[-1] = strip_ending(content[-1])
        elif content or not line.startswith("@@"):
            raise PatchError(
                f"line {reader.at + 1} of the patch, in a new file, does not begin with “+”: “{line.strip()[:80]}”"
            )
        reader.at += 1
    return "".join(content)


def _read_update(reader: _Reader, path: str) -> UpdateFile:
    new_path: str | None = None
    if reader.line is not None and (move := _MOVE.match(reader.line.strip())):
        new_path = _name(move[1])
        reader.at += 1
    if is_name_pair(reader.lines, reader.at):  # a diff's names once more
        reader.at += 2
    hunks = HunkReader()
    while (line := reader.line) is not None and not reader.is_header():
        if line.startswith("***") and line.rstrip() != END_OF_FILE:
            break
        hunks.take(line)
        reader.at += 1
    found = hunks.finish()
    if not found and new_path is None:
        raise PatchError(f"the update of {path} holds no change")
    return UpdateFile(path, found, new_path, may_overwrite=True)
