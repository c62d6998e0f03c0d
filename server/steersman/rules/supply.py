"""What a step has to offer to a tool's fields; a token that gave a value gives no other."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from steersman.rules.step import PLACE_WORDS, PREPOSITIONS, Step, place_after
from steersman.rules.tokens import Token
from steersman.rules.words import STOP_WORDS, families_of, stems, word_set

STRONG, UNSURE, GUESSED = 1.0, -0.5, -1.0
"""What a value adds to a fit: it was clear from the words, likely, or a guess."""

_ANY_PREPOSITION = word_set("in for of at to about on from with named called near")


class Supply:
    """The tokens of one step, handed out one by one.

    Attributes:
        step: the step.
        own: stems of the tool's own name, which are no values.
        quality: the sum of what the values so far were worth.
    """

    def __init__(self, step: Step, own: Collection[str]) -> None:
        self.step = step
        self.own = frozenset(own)
        self.quality = 0.0
        self._used: set[int] = set()
        self._surely_used: set[int] = set()

    def free(self) -> list[Token]:
        """Return the tokens that no field took."""
        return [token for token in self.step.tokens if token.start not in self._used]

    def is_free(self, token: Token) -> bool:
        """Whether no field took the token."""
        return token.start not in self._used

    def take(self, token: Token, worth: float) -> str:
        """Give a token's text to a field."""
        self._use(token, worth)
        self.quality += worth
        return token.text

    def take_span(self, place: tuple[int, int] | None, worth: float) -> str | None:
        """Give tokens (from, to) to a field as one value."""
        value = self.step.slice(*place) if place is not None else ""
        if place is None or not value:
            return None
        for token in self.step.tokens[place[0] : place[1]]:
            self._use(token, worth)
        self.quality += worth
        return value

    def take_text(self, value: str, worth: float) -> str:
        """Give a value that was made of several tokens."""
        self.quality += worth
        for token in self.free():
            if token.text == value or (token.kind != "quote" and token.text in value):
                self._use(token, worth)
        return value

    def take_quote(self) -> str | None:
        """Give the next quote, or None."""
        token = next((token for token in self.free() if token.kind == "quote"), None)
        return None if token is None else self.take(token, STRONG)

    def take_solid(self) -> str | None:
        """Give the next quote, else the next path, glob or number, else None."""
        token = next((token for token in self.free() if token.kind != "word"), None)
        return self.take_quote() or (None if token is None else self.take(token, 0.0))

    def take_rest(self) -> str | None:
        """Give everything behind the tool's own words, as written, or None when nothing is there."""
        tokens = self.step.tokens
        own = [index for index, token in enumerate(tokens) if token.kind == "word" and self._is_own(token)]
        begins_with_verb = bool(tokens) and bool(families_of(tokens[0].stem))
        begin = own[0] + 1 if own else int(begins_with_verb)
        while begin < len(tokens) and (begin in own or not self.is_free(tokens[begin])):
            begin += 1
        end = begin
        while end < len(tokens) and self.is_free(tokens[end]):
            end += 1
        while end > begin and tokens[end - 1].kind == "word" and tokens[end - 1].lower in PREPOSITIONS:
            end -= 1
        if all(token.kind == "word" and token.lower in STOP_WORDS for token in tokens[begin:end]):
            return None
        return self.take_span((begin, end), UNSURE)

    def take_anything(self) -> str | None:
        """Give what is most likely meant by a field of which nothing is known, or None."""
        return (
            self.take_quote()
            or self.take_span(self._capitals(), STRONG)
            or self.take_span(self.place_after(_ANY_PREPOSITION), 0.0)
            or self.take_span(self._last_run(self.left_words()), UNSURE)
            or self.take_solid()
        )

    def place_after(self, words: Collection[str]) -> tuple[int, int] | None:
        """Return the free tokens (from, to) that name a place after one of ``words``."""
        return place_after(self.step, words, [token for token in self.step.tokens if not self.is_free(token)])

    def left_words(self) -> list[Token]:
        """Return the words that are neither used, nor common, nor the tool's own, nor the verb at the beginning."""
        common = STOP_WORDS | PLACE_WORDS
        return [
            token
            for token in self.step.tokens[1:]
            if token.kind == "word"
            and self.is_free(token)
            and token.lower not in common
            and stems(token.text)
            and not self._is_own(token)
        ]

    def unused_stems(self) -> frozenset[str]:
        """Return the stems of the words that no field took, or only because nothing better was there."""
        words = (token for token in self.step.tokens if token.kind == "word" and token.start not in self._surely_used)
        return frozenset(found for token in words for found in stems(token.text))

    def solid_left(self) -> int:
        """Return how many quotes, paths, globs and numbers no field took."""
        return sum(token.kind != "word" for token in self.free())

    def _use(self, token: Token, worth: float) -> None:
        self._used.add(token.start)
        if worth >= 0:
            self._surely_used.add(token.start)

    def _is_own(self, token: Token) -> bool:
        return bool(set(stems(token.text)) & self.own)

    def _capitals(self) -> tuple[int, int] | None:
        """The first run of capitalised words that does not begin the step."""
        tokens = self.step.tokens
        for begin in range(1, len(tokens)):
            end = begin
            while end < len(tokens) and self._is_capital(tokens[end]):
                end += 1
                if tokens[end - 1].ends_clause:
                    break
            if end > begin:
                return begin, end
        return None

    def _is_capital(self, token: Token) -> bool:
        return token.kind == "word" and token.text[0].isupper() and token.text != "I" and self.is_free(token)

    def _last_run(self, words: Sequence[Token]) -> tuple[int, int] | None:
        """The last unbroken run of some words."""
        starts = {token.start for token in words}
        indexes = {index for index, token in enumerate(self.step.tokens) if token.start in starts}
        if not indexes:
            return None
        begin = end = max(indexes)
        while begin - 1 in indexes:
            begin -= 1
        return begin, end + 1
