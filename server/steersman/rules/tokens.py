"""A step, taken apart into tokens: words, quotes, numbers, paths and globs, each with its place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from steersman.rules.quotes import find_quotes
from steersman.rules.words import stem

TokenKind: TypeAlias = Literal["word", "quote", "number", "path", "glob"]

_CHUNK = re.compile(r"\S+")
_NUMBER = re.compile(r"[#$€£]?([+-]?(?:\d{1,3}(?:,\d{3})+|\d{1,18})(?:\.\d{1,15})?)(?:%|°?[A-Za-z]{1,2})?")
_SUM = re.compile(r"\d{1,18}(?:\.\d{1,15})?(?:[-+*/x×]\d{1,18}(?:\.\d{1,15})?)+")
_SUM_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d.*|\d\d?:\d\d.*")
_FILE = re.compile(r"\.?[\w@+-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,9}|\.[A-Za-z][\w-]+")
_KNOWN_FILES = frozenset({"makefile", "readme", "license", "dockerfile", "changelog", "justfile", "gemfile"})
_ODD_FILE = re.compile(r"\S[^\r\n\t:;|<>*?]*\.[A-Za-z]\w{0,9}")
_LONGEST_NAME = 120
_OPEN, _CLOSE = "([{<", ")]}>"
_AFTER = ",;:!?"


@dataclass(frozen=True, slots=True)
class Token:
    """One token of a step.

    Attributes:
        kind: what it looks like.
        text: as written, for a quote what stands between its marks, without punctuation around it.
        start: where it begins in the step.
        end: where it ends there, punctuation not counted.
        ends_clause: a comma or the like follows.
    """

    kind: TokenKind
    text: str
    start: int
    end: int
    ends_clause: bool = False

    @property
    def lower(self) -> str:
        """The text in lower case."""
        return self.text.lower()

    @property
    def stem(self) -> str:
        """The stem of a word."""
        return stem(self.lower)

    @property
    def looks_like_path(self) -> bool:
        """Whether it names a file or folder, quoted or not."""
        return self.kind == "path" or (self.kind == "quote" and _is_file_name(self.text))

    @property
    def looks_like_glob(self) -> bool:
        """Whether it is a pattern for file names, quoted or not."""
        return self.kind == "glob" or (self.kind == "quote" and kind_of(self.text) == "glob" and " " not in self.text)

    @property
    def number(self) -> int | float | None:
        """Its value as a number, or None."""
        if self.kind != "number":
            return None
        return float(self.text) if "." in self.text else int(self.text)


def tokenize(step: str) -> list[Token]:
    """Return a step's tokens, in order."""
    tokens: list[Token] = []
    position = 0
    for quote in find_quotes(step):
        tokens.extend(_plain(step, position, quote.start))
        follows = step[quote.end : quote.end + 1]
        tokens.append(Token("quote", quote.value, quote.start, quote.end, follows in {",", ";", ":"}))
        position = quote.end
    tokens.extend(_plain(step, position, len(step)))
    return tokens


def kind_of(text: str) -> TokenKind:
    """Return what a piece of text without white space around it looks like."""
    if _DATE.fullmatch(text):
        return "word"
    if _NUMBER.fullmatch(text):
        return "number"
    if "*" in text or ("?" in text.rstrip("?") and ("." in text or "/" in text)):
        return "glob"
    if text in {".", "..", "~"} or text.lower() in _KNOWN_FILES or _FILE.fullmatch(text):
        return "path"
    if ("/" in text or "\\" in text) and any(character.isalnum() for character in text):
        return "path"
    return "word"


def _is_file_name(quoted: str) -> bool:
    """Whether what is quoted is a file's or folder's name; one with blanks or the like has to end like a file's."""
    if " " not in quoted and kind_of(quoted) != "word":
        return kind_of(quoted) == "path"
    return len(quoted) <= _LONGEST_NAME and _ODD_FILE.fullmatch(quoted) is not None


def _plain(step: str, begin: int, end: int) -> list[Token]:
    """Return the tokens of an unquoted stretch."""
    tokens: list[Token] = []
    for match in _CHUNK.finditer(step, begin, end):
        tokens.extend(_chunk(match.group(), match.start()))
    return tokens


def _chunk(chunk: str, start: int) -> list[Token]:
    """Return the tokens of one stretch without white space: one, or several for a sum."""
    bare = chunk.rstrip(_AFTER)
    ends_clause = len(bare) < len(chunk)
    if "*" not in bare:
        while bare and bare[0] in _OPEN and bare.count(_CLOSE[_OPEN.index(bare[0])]) <= bare.endswith(tuple(_CLOSE)):
            bare, start = bare[1:], start + 1
        while bare and bare[-1] in _CLOSE and bare.count(bare[-1]) > bare.count(_OPEN[_CLOSE.index(bare[-1])]):
            bare = bare[:-1]
    if len(bare) > 1 and bare.endswith(".") and bare[-2].isalnum():
        bare, ends_clause = bare[:-1], True
    if not bare:
        return []
    if _SUM.fullmatch(bare) and not _DATE.fullmatch(bare):
        return [
            Token("number", match.group(), start + match.start(), start + match.end())
            for match in _SUM_NUMBER.finditer(bare)
        ]
    kind = kind_of(bare)
    text = bare
    if kind == "number":
        number = _NUMBER.fullmatch(bare)
        assert number is not None
        text = number.group(1).replace(",", "")
    return [Token(kind, text, start, start + len(bare), ends_clause)]
