r"""A buffer's text as tools see it, and a change of that text as the buffer takes it (DESIGN W2, W3). Pure.

The editor owns byte order mark and line ends of an open document: a file with ``\r\n`` may be in a buffer with ``\n``.
Tools see the text with the file's own line ends, so that what the model has seen stays true when the document is
saved and closed (W4).
"""

from __future__ import annotations

from steersman.agent.lines import split_lines
from steersman.lsp.merge import plain
from steersman.lsp.positions import TextEdit, apply_text_edits
from steersman.lsp.text_diff import text_edits
from steersman_tools.kit.endings import adopt_endings, commonest_ending, with_endings

_BOM = "\ufeff"
_REPLACEMENT = "\ufffd"


def presented(buffer: str, disk: str | None) -> str:
    """Return the buffer's text with the line ends of the text on disk (None: nothing is there), without a mark."""
    text = buffer.removeprefix(_BOM)
    if disk is None:
        return text
    return disk if plain(text) == plain(disk) else adopt_endings(disk, text)


def changed_buffer(buffer: str, before: str, after: str) -> str:
    """Return the buffer's text after a change from ``before``, which it shows, to ``after``.

    Lines that do not change keep the buffer's line ends, new ones get those that most of its lines have.

    Raises:
        ValueError: the buffer does not show ``before``.
    """
    mark = _BOM if buffer.startswith(_BOM) else ""
    text = buffer.removeprefix(_BOM)
    if text == before:
        return mark + after
    if plain(text) != plain(before):
        raise ValueError("the buffer shows another text")
    ending = commonest_ending(split_lines(text)) or "\n"
    edits = text_edits(plain(before), plain(after), "utf-32")
    own_endings = [TextEdit(edit.range, with_endings(edit.text, ending)) for edit in edits]
    return mark + apply_text_edits(text, own_endings, "utf-32")


def replaced_buffer(buffer: str, wanted: str) -> str:
    """Return the buffer's text when it is to show ``wanted`` as a whole, line ends its own."""
    mark = _BOM if buffer.startswith(_BOM) else ""
    text = buffer.removeprefix(_BOM)
    if plain(text) == plain(wanted):
        return buffer
    return mark + adopt_endings(text, wanted)


def changes_line_ends_only(before: str, after: str) -> bool:
    """Whether two texts differ, and in nothing but the style of their line ends."""
    return before != after and plain(before) == plain(after)


def is_lossy(buffer: str, disk: str | bytes | None) -> bool:
    """Whether the buffer holds characters that the editor could not read: U+FFFD where the disk has none (W2)."""
    if _REPLACEMENT not in buffer or disk is None:
        return False
    return _REPLACEMENT.encode() not in disk if isinstance(disk, bytes) else _REPLACEMENT not in disk
