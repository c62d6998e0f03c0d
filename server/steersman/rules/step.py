"""One step of a task, read: its words, its tokens and the slices that phrases are found in."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from steersman.rules.file_names import join_names
from steersman.rules.quotes import find_quotes
from steersman.rules.tokens import Token, tokenize
from steersman.rules.words import stems, word_set

_VERBS = re.compile(
    r"\b(?:look(?:ing)?\s+(?:for|up|at|into|in)|what(?:'?s|\s+is)\s+in|get\s+rid\s+of)\b", re.IGNORECASE
)
PREPOSITIONS = word_set(
    """in into inside within of on onto at to from for with by about as near under named called titled saying containing
    using via between until through and or"""
)
_TIMES = word_set("today now tomorrow tonight yesterday currently please")
_FILLERS = word_set("the a an this that word text string line value name term phrase called named")
PLACE_WORDS = word_set(
    """file files folder folders directory directories dir workspace project repo repository code codebase here tree
    everything everywhere all every any my the this that it its your our root top"""
)
"""Words after "in" that name no particular place."""


@dataclass(frozen=True)
class Step:
    """One step; ``text`` as written, but for verbs of several words, which are put as one."""

    text: str

    @cached_property
    def tokens(self) -> list[Token]:
        """Its tokens; a file's name of several words that stands where a name is expected is one."""
        return join_names(self.text, tokenize(self.text))

    @cached_property
    def stems(self) -> list[str]:
        """The stems of its own words, in order; what is quoted, a path, a glob or a number is no word."""
        return [found for token in self.tokens if token.kind == "word" for found in stems(token.text)]

    def slice(self, begin: int, end: int) -> str:
        """Return tokens ``begin`` to ``end`` as one value: what is quoted if they hold one quote, else as written.

        Words such as "the" and "file" at the beginning are left out when more follows.
        """
        tokens = self.tokens[begin:end]
        quotes = [token for token in tokens if token.kind == "quote"]
        if len(quotes) == 1:
            return quotes[0].text
        while len(tokens) > 1 and tokens[0].kind == "word" and tokens[0].lower in _FILLERS:
            tokens = tokens[1:]
        return self.text[tokens[0].start : tokens[-1].end] if tokens else ""

    def find_word(self, words: Collection[str], begin: int = 0) -> int | None:
        """Return the index of the first word token that is one of ``words`` (lower case), from ``begin`` on."""
        for index in range(begin, len(self.tokens)):
            token = self.tokens[index]
            if token.kind == "word" and token.lower in words:
                return index
        return None

    def find_stem(self, wanted: Collection[str], begin: int = 0) -> int | None:
        """Return the index of the first word token whose stem is one of ``wanted``."""
        for index in range(begin, len(self.tokens)):
            token = self.tokens[index]
            if token.kind == "word" and token.stem in wanted:
                return index
        return None

    def clause_end(self, begin: int) -> int:
        """Return the index behind the clause that begins at a token: before a preposition, or behind a comma."""
        for index in range(begin, len(self.tokens)):
            token = self.tokens[index]
            if index > begin and token.kind == "word" and token.lower in PREPOSITIONS | _TIMES:
                return index
            if token.ends_clause:
                return index + 1
        return len(self.tokens)


def read_step(text: str) -> Step:
    """Read a step."""
    quotes = find_quotes(text)

    def plain(match: re.Match[str]) -> str:
        if any(quote.start <= match.start() < quote.end for quote in quotes):
            return match.group()
        verb = match.group().lower()
        if verb.endswith("up"):
            return "lookup"
        return "search for" if verb.endswith("for") else "delete" if verb.startswith("get") else "read"

    return Step(_VERBS.sub(plain, text))


def place_after(step: Step, words: Collection[str], used: Sequence[Token] = ()) -> tuple[int, int] | None:
    """Return the tokens (from, to) that name a place after one of ``words``, generic words left out; None when none."""
    index = step.find_word(words)
    while index is not None:
        end = step.clause_end(index + 1)
        named = [
            at for at in range(index + 1, end)
            if step.tokens[at] not in used and step.tokens[at].lower not in PLACE_WORDS
        ]  # fmt: skip
        if named and named[-1] - named[0] + 1 == len(named):
            return named[0], named[-1] + 1
        index = step.find_word(words, index + 1)
    return None
