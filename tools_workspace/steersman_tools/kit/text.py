"""Bytes to text and back without losing one byte (DESIGN W3).

``encode(*decode(data)) == data`` holds for everything ``decode`` accepts; what cannot be held to that is refused with
the reason. This module must never guess: a legacy encoding counts only when ``legacy.detect`` is certain. It opens no
file.
"""

from __future__ import annotations

import codecs
import hashlib
from typing import NamedTuple

from steersman.agent.changes import text_digest
from steersman.agent.tool import ToolError
from steersman_tools.kit.workspace import NotTextError

_BOMS = (  # the UTF-32 mark begins with the UTF-16 one, so it is looked at first
    (codecs.BOM_UTF8, "utf-8", "UTF-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)
_BOM_OF = {encoding: mark for mark, encoding, _ in _BOMS}
_NO_TEXT_CONTROLS = bytes(
    set(range(0x20)) - set(b"\t\n\r\f\v\b\x1a\x1b")
)  # text files hold the others: tabs, page breaks, terminal colours, DOS ends
_MAX_CONTROL_SHARE = 0.1
_SAMPLE_CHARS = 65_536
_PIECE_CHARS = 65_536


class UnencodableError(ToolError):
    """A text holds a character that the file's encoding has no bytes for."""


class Decoded(NamedTuple):
    """What bytes say.

    Attributes:
        text: without byte order mark, with its own line endings.
        encoding: Python codec name, such as ``utf-8`` or ``utf-16-le``.
        has_bom: whether the bytes begin with a byte order mark.
    """

    text: str
    encoding: str
    has_bom: bool


def decode(data: bytes, expected: str | None = None) -> Decoded:
    """Return the text that ``data`` holds.

    Args:
        data: all bytes of a file.
        expected: a text that it may hold; if it does, in UTF-8, this very object is returned and no text made anew.

    Raises:
        NotTextError: it is binary, or no encoding is certain; the message says which and why.
    """
    decoded = _decode_marked(data, expected) or _decode_unmarked(data, expected)
    if _is_mostly_controls(decoded.text):
        raise NotTextError("it is a binary file (control characters)")
    return decoded


def encode(text: str, encoding: str, has_bom: bool) -> bytes:
    """Return the bytes of ``text``, with the byte order mark if the file has one.

    Raises:
        UnencodableError: a character does not exist in the encoding; nothing is ever replaced by "?".
    """
    if text.startswith("\ufeff") and not has_bom and encoding in _BOM_OF:
        raise UnencodableError(
            "the text begins with a byte order mark (U+FEFF); leave it out: a file that has one keeps it by itself"
        )
    try:
        data = text.encode(encoding)
    except UnicodeEncodeError as error:
        raise _unencodable(text, error.start, encoding) from None
    if encoding not in _BOM_OF:
        _check_round_trip(text, data, encoding)
    return _BOM_OF[encoding] + data if has_bom else data


def check_encodable(text: str, encoding: str, has_bom: bool) -> None:
    """Raise ``UnencodableError`` when ``encode`` would; plain ASCII can always be said in UTF-8."""
    if encoding != "utf-8" or not text.isascii():
        encode(text, encoding, has_bom)


def decoded_digest(data: bytes, decoded: Decoded) -> str:
    """Return ``text_digest`` of what ``data`` was decoded to; UTF-8 is not encoded anew for that."""
    if decoded.encoding != "utf-8":
        return text_digest(decoded.text)
    return bytes_digest(data[len(codecs.BOM_UTF8) :] if decoded.has_bom else data)


def bytes_digest(data: bytes) -> str:
    """SHA-256 of the bytes, hexadecimal: the digest of a binary file (``Change.before_digest``)."""
    return hashlib.sha256(data).hexdigest()


def _decode_marked(data: bytes, expected: str | None) -> Decoded | None:
    for mark, encoding, family in _BOMS:
        if not data.startswith(mark):
            continue
        if family == "UTF-32" and len(data) % 4:
            continue  # UTF-16 that begins with a NUL character; what follows decides
        try:
            text = _decoded_as(encoding, data, len(mark), expected)
        except UnicodeDecodeError as error:
            raise NotTextError(
                f"it begins with a {family} byte order mark, but byte {len(mark) + error.start} is not valid {family}"
            ) from None
        if family != "UTF-8" and _is_no_text(text):
            raise NotTextError("it is a binary file")
        return Decoded(text, encoding, has_bom=True)
    return None


def _decode_unmarked(data: bytes, expected: str | None) -> Decoded:
    if b"\0" in data:
        raise NotTextError(_name_nul_bytes(data))
    try:
        return Decoded(_decoded_as("utf-8", data, 0, expected), "utf-8", has_bom=False)
    except UnicodeDecodeError as error:
        from steersman_tools.kit.legacy import detect  # noqa: PLC0415 - nearly every file is UTF-8

        found = detect(data)
        if found.encoding is None:
            line = data.count(b"\n", 0, error.start) + 1
            raise NotTextError(f"it is not valid UTF-8 (byte {error.start}, line {line}) and {found.reason}") from None
        return Decoded(found.text, found.encoding, has_bom=False)


def _decoded_as(encoding: str, data: bytes, start: int, expected: str | None) -> str:
    if expected is not None and encoding == "utf-8" and _is_utf8_of(expected, data, start):
        return expected
    return (data[start:] if start else data).decode(encoding)


def _is_utf8_of(text: str, data: bytes, start: int) -> bool:
    """Whether the bytes from ``start`` are the text in UTF-8; by pieces, which stay in the processor's cache."""
    for at in range(0, len(text), _PIECE_CHARS):
        try:
            piece = text[at : at + _PIECE_CHARS].encode("utf-8")
        except UnicodeEncodeError:
            return False
        if not data.startswith(piece, start):
            return False
        start += len(piece)
    return start == len(data)


def _name_nul_bytes(data: bytes) -> str:
    sample = data[:4096]
    if len(data) % 2 == 0 and len(sample) > 3:
        even, odd = sample[0::2].count(0), sample[1::2].count(0)
        if min(even, odd) == 0 and max(even, odd) > len(sample) // 4:
            return "it looks like UTF-16 without a byte order mark, which cannot be told for certain"
    return "it is a binary file"


def _is_no_text(text: str) -> bool:
    """Random bytes after what happens to be a byte order mark decode to such characters."""
    return any(char in text for char in ("\0", "\ufffe", "\uffff"))


def _is_mostly_controls(text: str) -> bool:
    sample = text[:_SAMPLE_CHARS]
    data = sample.encode("utf-8", "surrogatepass")  # a byte below 0x20 is always a character by itself
    controls = len(data) - len(data.translate(None, _NO_TEXT_CONTROLS))
    return controls > _MAX_CONTROL_SHARE * len(sample)


def _check_round_trip(text: str, data: bytes, encoding: str) -> None:
    """Some legacy codecs map two characters to the same bytes (Shift-JIS: the yen sign to the backslash)."""
    back = data.decode(encoding, "replace")
    if back == text:
        return
    position = next((i for i, (a, b) in enumerate(zip(text, back, strict=False)) if a != b), min(len(text), len(back)))
    raise _unencodable(text, min(position, len(text) - 1), encoding)


def _unencodable(text: str, position: int, encoding: str) -> UnencodableError:
    char = text[position]
    line = text.count("\n", 0, position) + 1
    shown = char if char.isprintable() else "�"
    return UnencodableError(
        f"“{shown}” (U+{ord(char):04X}, line {line}) does not exist in {encoding}, the encoding of this file; "
        "use characters that it has"
    )
