"""The changes that calls asked for, as diffs made of the calls themselves.

Only what stands in the conversation anyway: the files' other contents, kept in checkpoints, stay on the machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, TypeAlias

from steersman.agent.lines import split_lines, strip_ending
from steersman.agent.messages import JsonValue, ToolCall
from steersman.sessions.export.transcript import arguments_of

Mark: TypeAlias = Literal["+", "-", " ", "@"]
"""Added, removed, the same, or a line between parts."""

_MAX_COMPARED_LINES = 2000
_CONTEXT_LINES = 3


@dataclass(frozen=True, slots=True)
class FileDiff:
    """A change to one file. ``lines``: marks and texts without line endings."""

    title: str
    lines: tuple[tuple[Mark, str], ...]

    @property
    def added(self) -> int:
        """Lines added."""
        return sum(mark == "+" for mark, _ in self.lines)

    @property
    def removed(self) -> int:
        """Lines removed."""
        return sum(mark == "-" for mark, _ in self.lines)


def diffs_of(call: ToolCall) -> list[FileDiff]:
    """Return what the call asked for; nothing for a call that changes no file, or whose arguments cannot be read."""
    arguments = arguments_of(call)
    if arguments is None:
        return []
    path = _text(arguments, "path")
    match call.name:
        case "edit_file":
            return [FileDiff(path, compare(_text(arguments, "old_text"), _text(arguments, "new_text")))]
        case "write_file":
            return [FileDiff(path, tuple(_marked("+", _lines(_text(arguments, "content")))))]
        case "apply_patch":
            return list(_read_patch(_text(arguments, "patch")))
        case "move_file":
            return [FileDiff(f"{path} → {_text(arguments, 'new_path')}", ())]
        case "delete_file":
            return [FileDiff(f"{path} (deleted)", ())]
        case _:
            return []


def compare(old: str, new: str) -> tuple[tuple[Mark, str], ...]:
    """Return the lines of both texts, marked, with a little of what is the same around each change."""
    before, after = _lines(old), _lines(new)
    if len(before) + len(after) > _MAX_COMPARED_LINES:
        return (*_marked("-", before), *_marked("+", after))
    marked: list[tuple[Mark, str]] = []
    groups = SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(_CONTEXT_LINES)
    for number, group in enumerate(groups):
        if number:
            marked.append(("@", "⋯"))
        for tag, start, end, new_start, new_end in group:
            if tag == "equal":
                marked += _marked(" ", before[start:end])
                continue
            marked += _marked("-", before[start:end])
            marked += _marked("+", after[new_start:new_end])
    return tuple(marked)


def _marked(mark: Mark, lines: Sequence[str]) -> list[tuple[Mark, str]]:
    return [(mark, line) for line in lines]


def _read_patch(patch: str) -> list[FileDiff]:
    """Split a patch of either form into its files; lines that are neither become lines between parts."""
    files: list[FileDiff] = []
    title, lines = "", list[tuple[Mark, str]]()

    def close() -> None:
        if title or lines:
            files.append(FileDiff(title or "patch", tuple(lines)))

    for line in _lines(patch):
        heading = _heading(line)
        if heading is not None:
            if heading and (lines or heading != title):
                close()
                title, lines = heading, []
        elif line[:1] in {"+", "-", " "}:
            lines.append((line[0], line[1:]))  # pyright: ignore[reportArgumentType]
        elif line.startswith("@@") or line.strip():
            lines.append(("@", line))
    close()
    return files


def _heading(line: str) -> str | None:
    """Return the file that a line of a patch begins, "" for another line of its frame, None for its body."""
    for start in ("*** Add File: ", "*** Update File: ", "*** Delete File: "):
        if line.startswith(start):
            return line.removeprefix(start).strip() + (" (deleted)" if "Delete" in start else "")
    if line.startswith("+++ "):
        return line[4:].split("\t", maxsplit=1)[0].removeprefix("b/").strip()
    if line.startswith(("*** ", "--- ", "diff ", "index ")):
        return ""
    return None


def _lines(text: str) -> list[str]:
    return [strip_ending(line) for line in split_lines(text)]


def _text(arguments: Mapping[str, JsonValue], name: str) -> str:
    value = arguments.get(name)
    return value if isinstance(value, str) else ""
