"""Which legacy encoding some bytes are in, when that is certain (DESIGN W3).

Certain means: the file declares it and every byte agrees, or it is a long text in a script whose encodings cannot
be taken for one another (Japanese, Chinese, Korean, Russian). A wrong guess shows the model garbage and writes its new
characters in a second encoding, so this module must never answer with what is merely likely. Western European
encodings differ too little ever to be certain; statistical detectors were tried and are wrong too often.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass

from steersman_tools.kit.scripts import (
    is_japanese,
    is_korean,
    is_russian,
    is_simplified_chinese,
    is_traditional_chinese,
)

_HEAD_BYTES = 1024
_DECLARATIONS = (
    re.compile(rb"\A(?:[^\n]*\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]+)"),  # PEP 263
    re.compile(rb"\A\s*<\?xml[^>]*?\sencoding\s*=\s*[\"']([-\w.]+)[\"']"),
    re.compile(rb"<meta[^>]*?charset\s*=\s*[\"']?\s*([-\w.]+)", re.IGNORECASE),
    re.compile(rb"\A@charset \"([-\w.]+)\";"),
    re.compile(rb"\bvim?:[^\n]*?\b(?:fileencoding|fenc)=([-\w.]+)"),
)
_STATEFUL = ("iso2022", "hz", "utf_7", "utf-7", "idna", "punycode", "unicode", "raw")
_JUDGES: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("cp932", is_japanese),
    ("euc_jp", is_japanese),
    ("gb18030", is_simplified_chinese),
    ("cp950", is_traditional_chinese),
    ("cp949", is_korean),
    ("cp1251", is_russian),
    ("koi8_r", is_russian),
    ("cp866", is_russian),
    ("iso8859_5", is_russian),
    ("mac_cyrillic", is_russian),
)


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
        return _by_script(data)
    codec = _stateless_text_codec(declared)
    if codec is None:
        return Detected(None, reason=f"the encoding it declares, {declared}, is not supported")
    text = _exact(data, codec)
    if text is None:
        return Detected(None, reason=f"its bytes are not all valid in {declared}, the encoding it declares")
    return Detected(codec, text)


def _by_script(data: bytes) -> Detected:
    """Return the one encoding in which the bytes are unmistakably a text, if it is one and one only."""
    found: list[Detected] = []
    for codec, judge in _JUDGES:
        text = _exact(data, codec)
        if text is not None and judge(text):
            found.append(Detected(codec, text))
    if len(found) == 1:
        return found[0]
    return Detected(
        None, reason="its encoding cannot be told for certain; convert it to UTF-8 first (iconv) to edit it"
    )


def _exact(data: bytes, codec: str) -> str | None:
    """Return the text, if the codec gives the very same bytes back."""
    try:
        text = data.decode(codec)
        return text if text.encode(codec) == data else None
    except UnicodeError:
        return None


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
