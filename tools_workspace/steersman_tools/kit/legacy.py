"""Which legacy encoding some bytes are in, when that is certain (DESIGN W3).

Certain means: the file declares it and every byte agrees. A wrong guess shows the model garbage and writes its new
characters in a second encoding, so this module must never answer with what is merely likely.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_HEAD_BYTES = 1024
_DECLARATIONS = (
    re.compile(rb"\A(?:[^\n]*\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]+)"),  # PEP 263
    re.compile(rb"\A\s*<\?xml[^>]*?\sencoding\s*=\s*[\"']([-\w.]+)[\"']"),
    re.compile(rb"<meta[^>]*?charset\s*=\s*[\"']?\s*([-\w.]+)", re.IGNORECASE),
    re.compile(rb"\A@charset \"([-\w.]+)\";"),
    re.compile(rb"\bvim?:[^\n]*?\b(?:fileencoding|fenc)=([-\w.]+)"),
)
_STATEFUL = ("iso2022", "hz", "utf_7", "utf-7", "idna", "punycode", "unicode", "raw")


@dataclass(frozen=True, slots=True)
class Detected:
    """What was found.

    Attributes:
        encoding: Python codec name, or None when nothing is certain.
        text: the decoded text; "" when nothing is certain.
        reason: why nothing is certain, to follow "it is not valid UTF-8 and"; "" otherwise.
    """

    encoding: str | None
    text: str = ""
    reason: str = ""


def detect(data: bytes) -> Detected:
    """Return the encoding of bytes that are not UTF-8, or why it is not certain."""
    declared = _declared(data)
    if declared is None:
        return Detected(None, reason="its encoding cannot be told for certain")
    codec = _stateless_text_codec(declared)
    if codec is None:
        return Detected(None, reason=f"the encoding it declares, {declared}, is not supported")
    try:
        text = data.decode(codec)
    except UnicodeDecodeError as error:
        return Detected(None, reason=f"not valid {declared} either, which it declares (byte {error.start})")
    if text.encode(codec, "replace") != data:
        return Detected(None, reason=f"its {declared} bytes would not survive being written again")
    return Detected(codec, text)


def _declared(data: bytes) -> str | None:
    head = data[:_HEAD_BYTES]
    for pattern in _DECLARATIONS:
        found = pattern.search(head)
        if found:
            return found[1].decode("ascii", "replace").lower()
    return None


def _stateless_text_codec(name: str) -> str | None:
    """Stateful encodings are left out: an edit in the middle could change what later bytes mean."""
    try:
        info = codecs.lookup(name)
    except LookupError:
        return None
    if info.name.startswith(_STATEFUL) or not getattr(info, "_is_text_encoding", False):
        return None
    return info.name
