"""What a person typed into a search, as terms, and the line of a text that they are found in (issue "Conversations").

Pure. Case and accents do not matter; a phrase in double quotes stays together; a term may be the beginning of a word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from steersman.sessions.rows import clean

MAX_TERMS = 16
LINE_CHARS = 160

_TERM = re.compile(r'"([^"]*)"|(\S+)')
_WORD = re.compile(r"\w")
_UNSPACED = (
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Thai, Lao, Burmese, Khmer, Japanese, Chinese: written without spaces, so that words cannot be told apart.
Compiled at the first search, since that takes some milliseconds."""


@dataclass(frozen=True, slots=True)
class Terms:
    """All of these must be found.

    Attributes:
        words: single terms and phrases, as typed.
        has_words: each of them holds a letter or digit of a script that parts its words.
    """

    words: tuple[str, ...]
    has_words: bool

    @property
    def folded(self) -> tuple[str, ...]:
        """The words without case and accents."""
        return tuple(fold(word) for word in self.words)

    def match_expression(self) -> str:
        """Return the FTS5 expression: every term, each as the beginning of a word."""
        return " AND ".join(f'"{word.replace(chr(34), chr(34) * 2)}"*' for word in self.words)

    def like_patterns(self) -> tuple[str, ...]:
        r"""Return a LIKE pattern a term, with ``\`` as the escape character."""
        return tuple("%" + re.sub(r"([%_\\])", r"\\\1", word) + "%" for word in self.words)


def parse_terms(text: str) -> Terms:
    """Return the terms of a query; at most ``MAX_TERMS`` of them."""
    words = [phrase.strip() or word for phrase, word in _TERM.findall(clean(text))]
    words = [word.replace("\0", "") for word in words]
    words = [word for word in words if word.strip('"')][:MAX_TERMS]
    return Terms(tuple(words), all(_WORD.search(word) and not re.search(_UNSPACED, word) for word in words))


def matching_line(text: str, terms: Terms) -> str | None:
    """Return the line in which most of the terms are found, clipped around the first of them; None for none."""
    folded = terms.folded
    best, best_count = None, 0
    for line in re.split(r"[\r\n]+", text):
        candidate = fold(line)
        count = sum(word in candidate for word in folded)
        if count > best_count:
            best, best_count = line, count
            if count == len(folded):
                break
    return None if best is None else clip_around(best, folded)


def holds_all(text: str, terms: Terms) -> bool:
    """Say whether all terms are found in the text."""
    folded = fold(text)
    return all(word in folded for word in terms.folded)


def fold(text: str) -> str:
    """Return the text without case and accents."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFD", text)
    return "".join(char for char in decomposed if not unicodedata.combining(char)).casefold()


def clip_around(line: str, folded_words: Sequence[str]) -> str:
    """Return at most ``LINE_CHARS`` of a line, with the first term in it, on one line and printable."""
    start = min((at for word in folded_words if (at := fold(line).find(word)) >= 0), default=0)
    begin = max(0, min(start - LINE_CHARS // 4, len(line) - LINE_CHARS))
    piece = line[begin : begin + LINE_CHARS]
    piece = "".join(char if char.isprintable() else " " for char in piece).strip()
    return ("…" if begin else "") + piece + ("…" if begin + LINE_CHARS < len(line) else "")
