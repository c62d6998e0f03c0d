"""Diffs in colour, and the table of files that were changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from steersman.agent.messages import ToolMessage
from steersman.sessions.export.diffs import FileDiff, Mark
from steersman.sessions.export.html.escape import text
from steersman.sessions.export.transcript import Transcript, changed_files
from steersman.sessions.words import relative

_MAX_LINES = 1500
_MAX_PLACES = 12
_MAX_LINE_CHARS = 2000
_CLASSES: dict[Mark, str] = {"+": "add", "-": "del", " ": "ctx", "@": "hunk"}
_SIGNS: dict[Mark, str] = {"+": "+", "-": "−", " ": " ", "@": " "}


def render_diff(diff: FileDiff) -> str:
    """Return one file's change."""
    counts = f'<span class="plus">+{diff.added}</span> <span class="minus">−{diff.removed}</span>' if diff.lines else ""
    heading = f'<div class="file"><span>{text(diff.title)}</span><span>{counts}</span></div>'
    if not diff.lines:
        return f'<div class="diff">{heading}</div>'
    left_out = len(diff.lines) - _MAX_LINES
    more = f'<span class="hunk"> … {left_out} more lines</span>' if left_out > 0 else ""
    return f'<div class="diff">{heading}<pre>{"".join(_lines(diff.lines[:_MAX_LINES]))}{more}</pre></div>'


def files_section(transcript: Transcript) -> str:
    """Return the section, or "" when nothing was changed."""
    changes = changed_files(transcript)
    if not changes:
        return ""
    rows: list[str] = []
    places = _places(transcript)
    for change in changes:
        name = text(relative(change.path, transcript.session.folder))
        if change.moved_from is not None:
            name = f"{text(relative(change.moved_from, transcript.session.folder))} → {name}"
        saved = "" if change.saved else ' <span class="badge">not saved</span>'
        rows.append(
            f'<tr><td class="path">{name}{saved}</td><td>{text(change.kind)}</td>'
            f'<td class="plus">+{change.added}</td><td class="minus">−{change.removed}</td>'
            f"<td>{places[change.path]}</td></tr>"
        )
    head = "<thead><tr><th>file</th><th>what</th><th>added</th><th>removed</th><th>where</th></tr></thead>"
    return (
        f'<section id="files"><h2>Files changed</h2><div class="scroll"><table>{head}'
        f"<tbody>{''.join(rows)}</tbody></table></div></section>"
    )


def _places(transcript: Transcript) -> dict[str, str]:
    """Return links to the calls that changed each path."""
    found: dict[str, dict[int, None]] = {}
    for stored in transcript.messages:
        if isinstance(stored.message, ToolMessage):
            for change in stored.message.changes:
                found.setdefault(change.path, {})[stored.seq] = None
    links: dict[str, str] = {}
    for path, numbers in found.items():
        shown = [f'<a class="anchor" href="#m{seq}">#{seq}</a>' for seq in list(numbers)[:_MAX_PLACES]]
        links[path] = " ".join([*shown, *(["…"] if len(numbers) > _MAX_PLACES else [])])
    return links


def _lines(lines: Sequence[tuple[Mark, str]]) -> Iterator[str]:
    """Yield the lines; where as many were added as removed, what differs in each pair stands out."""
    position = 0
    while position < len(lines):
        mark = lines[position][0]
        removed = _run(lines, position, "-") if mark == "-" else 0
        added = _run(lines, position + removed, "+") if removed else 0
        if removed and removed == added:
            old = [lines[position + index][1] for index in range(removed)]
            new = [lines[position + removed + index][1] for index in range(added)]
            pairs = [_pair(before, after) for before, after in zip(old, new, strict=True)]
            yield from (_line("-", before) for before, _ in pairs)
            yield from (_line("+", after) for _, after in pairs)
            position += removed + added
        else:
            yield _line(mark, text(_clip(lines[position][1])))
            position += 1


def _run(lines: Sequence[tuple[Mark, str]], start: int, mark: Mark) -> int:
    end = start
    while end < len(lines) and lines[end][0] == mark:
        end += 1
    return end - start


def _pair(before: str, after: str) -> tuple[str, str]:
    """Return both lines with their differing middle marked, if they have enough in common."""
    before, after = _clip(before), _clip(after)
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    common = len(before[:start].strip()) + len(before[len(before) - end :].strip())
    if common * 3 < min(len(before.strip()), len(after.strip())) or not common:
        return text(before), text(after)
    return _marked(before, start, end), _marked(after, start, end)


def _marked(line: str, start: int, end: int) -> str:
    middle = line[start : len(line) - end]
    marked = f"<mark>{text(middle)}</mark>" if middle else ""
    return f"{text(line[:start])}{marked}{text(line[len(line) - end :])}"


def _line(mark: Mark, html: str) -> str:
    return f'<span class="{_CLASSES[mark]}">{_SIGNS[mark]}{html}\n</span>'


def _clip(line: str) -> str:
    return line if len(line) <= _MAX_LINE_CHARS else f"{line[:_MAX_LINE_CHARS]}…"
