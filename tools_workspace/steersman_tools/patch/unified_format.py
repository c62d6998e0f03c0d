r"""Unified diffs: git's, ``diff -u``'s, and what models take for one.

The counts in ``@@ -1,2 +3,4 @@`` are believed only where the lines agree with them; line numbers are hints.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from steersman.agent.lines import split_lines, strip_ending
from steersman_tools.kit.endings import ending_of
from steersman_tools.patch.git_names import GitNames, is_name_pair, names_of_git_header, names_of_pair, unquoted
from steersman_tools.patch.hunk_reader import HunkReader
from steersman_tools.patch.model import AddFile, DeleteFile, FilePatch, Hunk, PatchError, PatchLine, UpdateFile

_RANGE = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_BINARY = ("GIT binary patch", "Binary files ")
_BOUNDARIES = ("diff --git ", "Index: ", *_BINARY)
_HEADERS = (
    "old mode",
    "new mode",
    "deleted file mode",
    "new file mode",
    "copy from",
    "copy to",
    "rename from",
    "rename to",
)
_PLAIN = "100644"
_LF_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def begins_at(lines: Sequence[str]) -> int | None:
    """Return the index of the first line that names a file as diffs do, or None."""
    found = (at for at, line in enumerate(lines) if line.startswith("diff --git ") or is_name_pair(lines, at))
    return next(found, None)


def parse_unified_format(text: str) -> list[list[FilePatch]]:
    r"""Return what the diff says, in order; more than one reading where a lone ``\r`` may or may not end a line.

    git ends lines at ``\n`` alone, difflib wherever it was told to.

    Raises:
        PatchError: it cannot be read, or says what cannot be done here (binary files, modes).
    """
    lines = split_lines(text)
    git_lines = _LF_LINE.findall(text)
    if len(git_lines) == len(lines):
        return [_parse(lines)]
    readings: list[list[FilePatch]] = []
    for way in (git_lines, lines):
        with suppress(PatchError):
            readings.append(_parse(way, counts_must_hold=True))
    return readings or [_parse(lines)]


@dataclass(slots=True)
class _FileDiff:
    names: GitNames
    headers: dict[str, str] = field(default_factory=dict[str, str])
    hunks: list[Hunk] = field(default_factory=list[Hunk])
    has_names: bool = False


def _parse(lines: list[str], *, counts_must_hold: bool = False) -> list[FilePatch]:
    diffs: list[_FileDiff] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("diff --git "):
            diffs.append(_FileDiff(names_of_git_header(strip_ending(line))))
        elif is_name_pair(lines, at):
            _take_names(diffs, lines[at], lines[at + 1])
            at += 1
        elif line.startswith("@@"):
            if not diffs:
                raise PatchError(f"line {at + 1} of the patch begins a hunk, but no file was named before it")
            at = _take_hunk(diffs[-1], lines, at, counts_must_hold=counts_must_hold)
            continue
        elif line.startswith(_BINARY):
            raise PatchError(f"line {at + 1} of the patch changes a binary file, which cannot be done here")
        elif diffs and not diffs[-1].has_names:
            _take_header(diffs[-1], strip_ending(line))
        at += 1
    return [_file_patch(diff) for diff in diffs]


def _take_names(diffs: list[_FileDiff], old_line: str, new_line: str) -> None:
    names = names_of_pair(strip_ending(old_line)[4:], strip_ending(new_line)[4:])
    if not diffs or diffs[-1].has_names or diffs[-1].hunks:
        diffs.append(_FileDiff(names))
    diffs[-1].names = names
    diffs[-1].has_names = True


def _take_header(diff: _FileDiff, line: str) -> None:
    for name in _HEADERS:
        if line.startswith(name + " "):
            diff.headers[name] = line[len(name) + 1 :]


def _take_hunk(diff: _FileDiff, lines: list[str], at: int, *, counts_must_hold: bool) -> int:
    """Read the hunk that begins at the header ``at``; return the index of the line behind it."""
    header = _RANGE.match(lines[at])
    if header is None:
        end = _end_by_prefix(lines, at + 1)
        reader = HunkReader()
        for line in lines[at:end]:
            reader.take(line)
        for hunk in reader.finish():
            number, line = len(diff.hunks) + 1, hunk.line_number
            diff.hunks.append(Hunk(number, hunk.lines, hunk.anchors, line, hunk.at_end, hunk.loose_blanks))
        return end
    old_count, new_count = int(header[2] or 1), int(header[4] or 1)
    blanks = 0
    end = _end_by_counts(lines, at + 1, old_count, new_count)
    if end is None:
        if counts_must_hold:
            raise PatchError(f"the counts in line {at + 1} of the patch do not hold")
        end = _end_by_prefix(lines, at + 1)
        while end - blanks > at + 1 and not strip_ending(lines[end - 1 - blanks]):
            blanks += 1
    body = _hunk_lines(lines[at + 1 : end])
    if len(body) > blanks:
        diff.hunks.append(Hunk(len(diff.hunks) + 1, body, (), int(header[1]), loose_blanks=blanks))
    return end


def _end_by_counts(lines: list[str], at: int, old: int, new: int) -> int | None:
    """Return where the hunk ends by its counts, or None when they cannot be right."""
    while old > 0 or new > 0:
        if at == len(lines):
            return None
        kind = strip_ending(lines[at])[:1] or " "
        if kind == "\\":
            at += 1
            continue
        if kind not in " +-":
            return None
        old -= kind in " -"
        new -= kind in " +"
        at += 1
    if at < len(lines) and lines[at].startswith("\\"):
        at += 1
    follows_more = at < len(lines) and lines[at][0] in " +-" and not _is_boundary(lines, at)
    is_signature = at < len(lines) and strip_ending(lines[at]) in {"-- ", "--"}
    return None if old < 0 or new < 0 or (follows_more and not is_signature) else at


def _end_by_prefix(lines: list[str], at: int) -> int:
    while at < len(lines) and not _is_boundary(lines, at):
        if strip_ending(lines[at])[:1] not in {"", " ", "+", "-", "\\"}:
            break
        at += 1
    return at


def _is_boundary(lines: list[str], at: int) -> bool:
    return lines[at].startswith(("@@", *_BOUNDARIES)) or is_name_pair(lines, at)


def _hunk_lines(lines: list[str]) -> tuple[PatchLine, ...]:
    result: list[PatchLine] = []
    for line in lines:
        if line.startswith("\\"):
            if result:
                last = result.pop()
                # in a file that has \n the line's \r belongs to it; in a patch that has \r\n throughout it does not
                is_own = last.ending == "\r\n" and ending_of(line) == "\n"
                result.append(PatchLine(last.kind, last.text, "\r" if is_own else ""))
            continue
        kind = line[0] if line[0] in " +-" else " "
        inner = split_lines(line[1:] if line[0] in " +-" else line) or [""]
        for part in inner:  # a line of git's may hold several of ours
            text, ending = strip_ending(part), ending_of(part) or "\n"
            result.append(PatchLine("-" if kind == "-" else "+" if kind == "+" else " ", text, ending))
    return tuple(result)


def _file_patch(diff: _FileDiff) -> FilePatch:
    headers, names, hunks = diff.headers, diff.names, tuple(diff.hunks)
    name = names.new or names.old
    if name is None:
        raise PatchError("a file of the patch has no name")
    _refuse_modes(headers, name)
    if names.old is None or "new file mode" in headers:
        return _added(name, hunks)
    if names.new is None or "deleted file mode" in headers:
        return DeleteFile(names.old, hunks, other_path=names.other)
    for action in ("rename", "copy"):
        if f"{action} from" in headers and f"{action} to" in headers:
            old, new = unquoted(headers[f"{action} from"]), unquoted(headers[f"{action} to"])
            return UpdateFile(old, hunks, new, is_copy=action == "copy")
    if not hunks:
        raise PatchError(f"the update of {name} holds no change")
    if names.new.startswith(names.old + "."):  # diff -u file file.new
        return UpdateFile(names.old, hunks)
    return UpdateFile(names.new, hunks, other_path=names.other)


def _refuse_modes(headers: dict[str, str], name: str) -> None:
    """A patch that would be applied only in part is not applied at all."""
    if headers.get("old mode") != headers.get("new mode") or headers.get("new file mode", _PLAIN).strip() != _PLAIN:
        raise PatchError(
            f"the patch sets a mode of {name} other than a plain file's, which cannot be done here; "
            "leave the mode out and use run_command"
        )


def _added(path: str, hunks: tuple[Hunk, ...]) -> AddFile:
    lines = [line for hunk in hunks for line in hunk.lines[: len(hunk.lines) - hunk.loose_blanks]]
    if any(line.kind != "+" for line in lines):
        raise PatchError(f"the new file {path} has lines that are not added")
    return AddFile(path, "".join(line.text + line.ending for line in lines))
