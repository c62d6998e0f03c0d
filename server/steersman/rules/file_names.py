"""File names of several words without quotes: ``read größe 1.txt`` means one file, not ``1.txt``.

What is wrongly taken for such a name is a file that there is not, which is said; a part of it may name another file.
"""

from __future__ import annotations

from collections.abc import Sequence

from steersman.rules.tokens import Token
from steersman.rules.words import GENERIC_WORDS, STOP_WORDS, families_of, stem_set, word_set

_BEFORE_NAMES = word_set("in inside within of from to into")
_VERBS = stem_set("read show open print cat view display see delete remove erase rm unlink move rename mv")
_NO_NAMES = (
    STOP_WORDS
    | GENERIC_WORDS
    | word_set(
        """module script class function method test tests source document header page config configuration settings main
        readme whole entire full complete following named called contents its first last files lines folders directory
        line word string term phrase file inside within under near until between through and or"""
    )
)
"""Words that speak about a file rather than being part of its name."""


def join_names(text: str, tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens with each such name as one; only blanks may stand between its words."""
    joined: list[Token] = []
    for token in tokens:
        begin = _name_begin(text, joined, token) if token.kind == "path" and token.text[0].isalnum() else len(joined)
        if begin < len(joined):
            start = joined[begin].start
            del joined[begin:]
            token = Token("path", text[start : token.end], start, token.end, token.ends_clause)  # noqa: PLW2901
        joined.append(token)
    return joined


def _name_begin(text: str, before: Sequence[Token], path: Token) -> int:
    """Return the index of the first token that belongs to the name; the number of tokens when none does."""
    begin, start = len(before), path.start
    while begin > 0 and _may_belong(before[begin - 1]) and text[before[begin - 1].end : start] == " ":
        begin -= 1
        start = before[begin].start
    while begin < len(before) and before[begin].kind == "number":
        begin += 1
    named = before[:begin]
    while named and named[-1].kind == "word" and named[-1].lower in {"the", "file"}:
        named = named[:-1]
    expected = bool(named) and named[-1].kind == "word" and _expects_name(named)
    return begin if expected else len(before)


def _may_belong(token: Token) -> bool:
    if token.ends_clause or token.kind not in {"word", "number"}:
        return False
    return token.lower not in _NO_NAMES and not families_of(token.stem)


def _expects_name(named: Sequence[Token]) -> bool:
    """Whether a name follows: behind a preposition, or the verb that is the first of its sentence's words."""
    last = named[-1]
    return last.lower in _BEFORE_NAMES or last.stem in _VERBS
