"""The values of text fields, by what the fields are for."""

from __future__ import annotations

from dataclasses import dataclass

from steersman.rules.phrases import Roles
from steersman.rules.schema import Field
from steersman.rules.supply import GUESSED, STRONG, UNSURE, Supply
from steersman.rules.words import STOP_WORDS, split_words, word_set

_HINTS: tuple[tuple[frozenset[str], frozenset[str]], ...] = (
    (word_set("city location place country region town where"), frozenset({"in", "for", "at", "of", "near"})),
    (word_set("from origin start departure"), frozenset({"from"})),
    (word_set("to destination target recipient language lang"), frozenset({"to", "into", "in", "for"})),
    (word_set("name title label"), frozenset({"named", "called", "titled", "for"})),
    (word_set("date day when"), frozenset({"on", "for", "at"})),
    (word_set("subject topic about"), frozenset({"about", "on"})),
)
"""Which prepositions introduce the value of a field with such a word in its name."""

_INSIDE = frozenset({"in", "inside", "under", "within", "from", "of", "to"})
_PRONOUNS = frozenset({"it", "this", "that", "there", "again"})


@dataclass(frozen=True, slots=True)
class TextFinder:
    """Finds the text for a field in a step.

    Attributes:
        supply: what the step offers.
        roles: what its phrases told.
        last_path: what "it" means, or None.
        is_only: the tool has one field only, so whatever the step says more is for it.
    """

    supply: Supply
    roles: Roles
    last_path: str | None
    is_only: bool = False

    def find(self, field: Field) -> str | None:
        """Return the field's value, or None; an optional field gets one only when the words are clear."""
        match field.role:
            case "path":
                return self._path(field)
            case "new_path":
                return self._told(field) or (self._path(field) if field.required else None)
            case "glob":
                return self._glob(field)
            case "old" | "new":
                return self._told(field)
            case "patch":
                return self._patch()
            case "query":
                return self._told(field) or (self._other(field) if field.required else None)
            case "command":
                return self._told(field) or (self.supply.take_rest() if field.required else None)
            case "content":
                return self._content(field)
            case "other":
                return self._other(field) if field.required or self.is_only else self._hinted(field)

    def _told(self, field: Field) -> str | None:
        """What a phrase told about the field; only a new text may be empty."""
        value = self.roles.texts.pop(field.role, None)
        if value is None or (not value and field.role not in {"new", "content"}):
            return None
        return self.supply.take_text(value, STRONG)

    def _content(self, field: Field) -> str | None:
        told = self._told(field)
        if told is not None or not (field.required or self.is_only):
            return told
        return self.supply.take_quote() or self.supply.take_rest() or self.supply.take_solid()

    def _path(self, field: Field) -> str | None:
        token = next((token for token in self.supply.free() if token.looks_like_path), None)
        told = self.roles.texts.get("path")
        if told and field.role == "path" and (token is None or token.text == told):
            del self.roles.texts["path"]
            return self.supply.take_text(told, STRONG)
        if token is not None:
            return self.supply.take(token, STRONG)
        place = self.supply.place_after(_INSIDE)
        if place is not None and place[1] - place[0] == 1:
            return self.supply.take_span(place, UNSURE if field.required else 0.0)
        return self._guessed_path() if field.required else self._only_word()

    def _only_word(self) -> str | None:
        """The one word behind the verb, as in ``list src``."""
        left = self.supply.left_words()
        return self.supply.take(left[0], 0.0) if left and len(self.supply.step.tokens) == len(left) + 1 == 2 else None

    def _guessed_path(self) -> str | None:
        if self.last_path is not None and self.supply.step.find_word(_PRONOUNS) is not None:
            return self.last_path
        quote = self.supply.take_quote()
        if quote is not None:
            return quote
        left = self.supply.left_words()
        return self.supply.take(left[0], GUESSED) if left else None

    def _glob(self, field: Field) -> str | None:
        token = next((token for token in self.supply.free() if token.looks_like_glob), None)
        if token is not None:
            return self.supply.take(token, STRONG)
        if not field.required:
            return None
        path = next((token for token in self.supply.free() if token.looks_like_path), None)
        if path is not None:
            return self.supply.take(path, 0.0)
        self.supply.quality += 2 * GUESSED
        return self._other(field)

    def _patch(self) -> str | None:
        for token in self.supply.free():
            if token.kind == "quote" and "\n" in token.text:
                return self.supply.take(token, STRONG)
        return None

    def _other(self, field: Field) -> str | None:
        return self._hinted(field) or self.supply.take_anything()

    def _hinted(self, field: Field) -> str | None:
        """The value that a preposition of the field's kind, or the field's own name, introduces."""
        words = set(split_words(field.name))
        for names, prepositions in _HINTS:
            if words & names:
                value = self.supply.take_span(self.supply.place_after(prepositions), STRONG)
                if value is not None:
                    return value
        tokens = self.supply.step.tokens
        index = self.supply.step.find_word({field.name.lower()})
        if index is None or index + 1 >= len(tokens):
            return None
        following = tokens[index + 1]
        if not self.supply.is_free(following) or following.lower in STOP_WORDS:
            return None
        return self.supply.take(following, STRONG)
