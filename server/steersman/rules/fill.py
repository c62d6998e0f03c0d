"""A tool's arguments, filled from a step's words by the tool's JSON schema (DESIGN M7)."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from steersman.agent.messages import JsonValue
from steersman.agent.model import ToolSpec
from steersman.rules.phrases import find_roles
from steersman.rules.schema import Field, inner_fields, item_field, read_fields
from steersman.rules.step import Step
from steersman.rules.supply import GUESSED, STRONG, Supply
from steersman.rules.texts import TextFinder
from steersman.rules.tokens import Token
from steersman.rules.words import split_words, stem, stem_set

_LEFT_OVER = -0.5
_NEEDED = 0.5
_MAX_DEPTH = 4

_UP_TO_TWENTY = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen twenty"""
_NUMBER_WORDS = {word: value for value, word in enumerate(_UP_TO_TWENTY.split())} | {
    "thirty": 30, "forty": 40, "fifty": 50, "hundred": 100,
}  # fmt: skip

_NEIGHBOURS = {
    "limit": stem_set("max maximum first top lines results"),
    "offset": stem_set("line"),
    "depth": stem_set("deep level"),
    "context": stem_set("around"),
    "timeout": stem_set("second"),
}
"""Words beside a number that make it the value of an optional field."""

_DENIALS = frozenset({"not", "no", "without", "ignore", "ignoring", "don't"})
_ROLE_ORDER = ("old", "new", "command", "query", "glob", "new_path", "path", "patch", "other", "content")


@dataclass(slots=True)
class Fit:
    """How well a step fills a tool's arguments.

    Attributes:
        arguments: the values found, in the schema's order.
        missing: required fields without one.
        unused: stems of the words that are part of no value, or of one that was only guessed.
        quality: above 0 when the values were clear from the words, below when they were guessed.
    """

    arguments: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    missing: list[str] = field(default_factory=list[str])
    unused: frozenset[str] = frozenset()
    quality: float = 0.0


def fill(step: Step, tool: ToolSpec, own: Collection[str], last_path: str | None = None) -> Fit:
    """Fill a tool's arguments from a step.

    Args:
        step: the step.
        tool: the tool.
        own: stems of the tool's own name, which are no values.
        last_path: what "it" means: the last path named before this step.
    """
    fields = read_fields(tool.parameters, tool.description)
    given = _given_object(step.text, fields)
    if given is not None:
        missing = [found.name for found in fields if found.required and found.name not in given]
        return Fit(given, missing, frozenset(step.stems), STRONG)
    supply = Supply(step, own)
    roles = find_roles(step)
    for found in fields:
        if found.name in roles.numbers:
            supply.take_text(str(roles.numbers[found.name]), STRONG)
    fit = _Filler(
        supply, TextFinder(supply, roles, last_path, is_only=len(fields) == 1), roles.numbers, tool.parameters
    ).fill(fields)
    fit.unused = supply.unused_stems()
    needed = sum(found.required for found in fields)
    fit.quality = supply.quality + _LEFT_OVER * supply.solid_left() + _NEEDED * needed
    return fit


def _given_object(text: str, fields: Sequence[Field]) -> dict[str, JsonValue] | None:
    """Return the JSON object that stands in the step, if its keys are the tool's."""
    start = text.find("{")
    if start < 0:
        return None
    try:
        value: JsonValue = json.JSONDecoder(parse_constant=_no_constant).raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return None
    names = {found.name for found in fields}
    return value if isinstance(value, dict) and (not names or set(value) <= names) else None


def _no_constant(name: str) -> JsonValue:
    raise ValueError(name)


@dataclass(frozen=True, slots=True)
class _Filler:
    """Fills one call.

    Attributes:
        supply: what the step offers.
        texts: finds the values of text fields.
        numbers: what phrases told about number fields, by name.
        root: the whole schema, for references in it.
    """

    supply: Supply
    texts: TextFinder
    numbers: Mapping[str, int]
    root: Mapping[str, JsonValue]

    def fill(self, fields: Sequence[Field], depth: int = 0) -> Fit:
        """Fill fields in an order that lets the clearest take their tokens first."""
        values: dict[str, JsonValue] = {}
        for found in sorted(fields, key=_clearness):
            value = self._value(found, depth)
            if value is not None:
                values[found.name] = value
        arguments = {found.name: values[found.name] for found in fields if found.name in values}
        return Fit(arguments, [found.name for found in fields if found.required and found.name not in values])

    def _value(self, found: Field, depth: int) -> JsonValue:
        """Return a field's value, or None."""
        assigned = self._assigned(found)
        if assigned is not None:
            return assigned
        if found.choices:
            return self._choice(found)
        match found.kind:
            case "integer" | "number":
                return self._number(found)
            case "boolean":
                return self._boolean(found)
            case "array":
                return self._array(found, depth)
            case "object":
                return self._object(found, depth)
            case "string" | "any":
                return self.texts.find(found)

    def _assigned(self, found: Field) -> JsonValue:
        """``name=value``; the value may be quoted or stand behind a space."""
        tokens = self.supply.step.tokens
        for index, token in enumerate(tokens):
            if token.kind in {"quote", "number"} or not self.supply.is_free(token):
                continue
            name, equals, value = token.text.partition("=")
            if not equals or name != found.name:
                continue
            self.supply.take(token, STRONG)
            if not value and index + 1 < len(tokens):
                value = self.supply.take(tokens[index + 1], 0.0)
            return _typed(value, found)
        return None

    def _choice(self, found: Field) -> JsonValue:
        """The choice that the step names; for a required field the first when it names none."""
        for choice in found.choices:
            spelled = {str(choice).lower(), *split_words(str(choice))}
            like = {stem(word) for word in spelled}
            for token in self.supply.free():
                if token.lower in spelled or (token.kind == "word" and token.stem in like):
                    self.supply.take(token, STRONG)
                    return choice
        if not found.required:
            return None
        self.supply.quality += GUESSED if len(found.choices) > 1 else 0
        return next(iter(found.choices))

    def _number(self, found: Field) -> JsonValue:
        told = self.numbers.get(found.name)
        if told is not None:
            return told
        for index, token in enumerate(self.supply.step.tokens):
            if not self.supply.is_free(token) or not (found.required or self._is_beside(index, found)):
                continue
            value = _number_of(token, words=found.required)
            if value is None or (found.kind == "integer" and value != int(value)):
                continue
            self.supply.take(token, STRONG)
            return int(value) if found.kind == "integer" else value
        return None

    def _is_beside(self, index: int, found: Field) -> bool:
        """Whether a word of the field's meaning stands beside the token."""
        words = {name for part in split_words(found.name) for name in _NEIGHBOURS.get(part, ())} | found.stems
        beside = self.supply.step.tokens[max(index - 2, 0) : index + 2]
        return any(token.kind == "word" and token.stem in words for token in beside)

    def _boolean(self, found: Field) -> JsonValue:
        words = {token.lower for token in self.supply.step.tokens if token.kind == "word"}
        if found.name == "literal" and words & {"regex", "regexp", "regular"}:
            return False
        if found.stems and found.stems <= {stem(word) for word in words}:
            return not words & _DENIALS
        return False if found.required else None

    def _array(self, found: Field, depth: int) -> JsonValue:
        if not found.required or depth >= _MAX_DEPTH:
            return None
        item = item_field(found, self.root)
        if item.kind in {"object", "array"}:
            value = self._value(item, depth + 1)
            return None if value is None else [value]
        items: list[JsonValue] = []
        for _ in self.supply.step.tokens:
            value = self._number(item) if item.kind in {"integer", "number"} else self.supply.take_solid()
            if value is None:
                break
            items.append(value)
        if not items and item.kind not in {"integer", "number"}:
            value = self._value(item, depth + 1)
            items = [] if value is None else [value]
        return items or None

    def _object(self, found: Field, depth: int) -> JsonValue:
        if not found.required or depth >= _MAX_DEPTH:
            return None
        inner = self.fill(inner_fields(found, self.root), depth + 1)
        return None if inner.missing else inner.arguments


def _number_of(token: Token, *, words: bool) -> int | float | None:
    """Return what a token counts, spelled-out numbers too where ``words``."""
    if token.kind == "word" and words:
        return _NUMBER_WORDS.get(token.lower)
    return token.number


def _clearness(found: Field) -> tuple[bool, int]:
    """Sort key: required fields before optional ones, and the clearest kinds first."""
    if found.choices:
        return not found.required, 0
    return not found.required, 1 if found.kind not in {"string", "any"} else 2 + _ROLE_ORDER.index(found.role)


def _typed(value: str, found: Field) -> JsonValue:
    """Return an assigned value in the field's type, as text where it does not fit."""
    if found.kind != "string":
        try:
            parsed: JsonValue = json.loads(value, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            return value
        return parsed
    return value.strip("\"'")
