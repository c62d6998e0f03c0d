"""The little of Markdown that models write, as HTML: paragraphs, headings, lists, quotes, code, emphasis.

Links and images are not made: an address is text, so that nothing in the page leads or loads anything from elsewhere.
Whatever is not understood stays as it was written. Takes time in proportion to the text, whatever the text is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from steersman.sessions.export.html.escape import text as escaped
from steersman.sessions.export.inline import split_code

_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})((?<=`)[^`]*|(?<=~).*)$")
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_ITEM = re.compile(r"(\s{0,12})(?:[-*+]|(\d{1,9})[.)])\s+(.*)")
_RULE = re.compile(r"\s{0,3}(?:-{3,}|\*{3,}|_{3,})\s*")
_STRONG = re.compile(r"\*\*([^*\n]{1,300})\*\*")
_EMPHASIS = re.compile(r"(?<![\w*])\*([^*\s][^*\n]{0,300})\*(?![\w*])")


def prose(markdown: str) -> str:
    """Return the text as HTML blocks."""
    return "\n".join(_blocks(markdown.replace("\r\n", "\n").replace("\r", "\n").split("\n")))


def code_block(source: str, language: str = "") -> str:
    """Return the text as a block of code, as it is."""
    label = f'<span class="language">{escaped(language)}</span>' if language else ""
    return f'<div class="code">{label}<pre><code>{escaped(source)}</code></pre></div>'


def _blocks(lines: list[str]) -> Iterator[str]:
    position = 0
    while position < len(lines):
        line = lines[position]
        fence = _FENCE.match(line)
        if fence is not None:
            end = _end_of_fence(lines, position + 1, fence[1])
            yield code_block("\n".join(lines[position + 1 : end]), fence[2].strip())
            position = end + 1
        elif not line.strip():
            position += 1
        elif heading := _HEADING.match(line):
            level = min(len(heading[1]) + 3, 6)
            yield f"<h{level}>{_inline(heading[2])}</h{level}>"
            position += 1
        elif _RULE.fullmatch(line):
            yield "<hr>"
            position += 1
        else:
            end = position + 1
            kind = _kind(line)
            while end < len(lines) and lines[end].strip() and _goes_on(kind, lines[end]):
                end += 1
            yield _block(kind, lines[position:end])
            position = end


def _end_of_fence(lines: list[str], start: int, fence: str) -> int:
    for position in range(start, len(lines)):
        stripped = lines[position].strip()
        if stripped.startswith(fence) and not stripped.strip(fence[0]):
            return position
    return len(lines)


def _kind(line: str) -> str:
    item = _ITEM.match(line)
    if item is not None:
        return "ol" if item[2] else "ul"
    return "blockquote" if line.startswith(">") else "p"


def _goes_on(kind: str, line: str) -> bool:
    if _FENCE.match(line) or _HEADING.match(line):
        return False
    if kind in {"ol", "ul"}:
        return _kind(line) == kind or line.startswith("  ")
    return _kind(line) == kind


def _block(kind: str, lines: list[str]) -> str:
    if kind == "blockquote":
        return f"<blockquote>{_inline(chr(10).join(line[1:].removeprefix(' ') for line in lines))}</blockquote>"
    if kind == "p":
        return f"<p>{_inline(chr(10).join(lines))}</p>"
    items: list[list[str]] = []
    for line in lines:
        item = _ITEM.match(line)
        if item is not None:
            items.append([item[3]])
        else:
            items[-1].append(line.strip())
    first = _ITEM.match(lines[0])
    start = f' start="{first[2]}"' if first and first[2] and first[2] != "1" else ""
    body = "".join(f"<li>{_inline(chr(10).join(item))}</li>" for item in items)
    return f"<{kind}{start}>{body}</{kind}>"


def _inline(source: str) -> str:
    """Code first, then emphasis in what lies between."""
    return "".join(
        f"<code>{escaped(piece.strip())}</code>" if fence else _emphasized(piece) for fence, piece in split_code(source)
    )


def _emphasized(source: str) -> str:
    html = escaped(source)
    return _EMPHASIS.sub(r"<em>\1</em>", _STRONG.sub(r"<strong>\1</strong>", html))
