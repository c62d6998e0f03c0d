"""A tool's JSON schema, read as far as the rules need it: its fields, their kinds and what they are for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from steersman.agent.messages import JsonValue
from steersman.rules.words import split_words, stem, word_set

FieldKind: TypeAlias = Literal["integer", "number", "boolean", "string", "array", "object", "any"]

Role: TypeAlias = Literal[
    "path", "new_path", "glob", "query", "old", "new", "content", "command", "patch", "other"
]  # fmt: skip
"""What a text field is for, as its name tells."""

_KINDS: dict[str, FieldKind] = {
    "integer": "integer", "number": "number", "boolean": "boolean", "string": "string", "array": "array",
    "object": "object",
}  # fmt: skip
_MAX_DEPTH = 8

_PATH_WORDS = word_set("path file filename filepath folder dir directory uri cwd source src")
_TARGET_WORDS = word_set("destination dest dst target")
_OLD_WORDS = word_set("old before original")
_NEW_WORDS = word_set("new replacement replace after")
_QUERY_WORDS = word_set("pattern query regex search term needle keyword q")
_COMMAND_WORDS = word_set("command cmd shell script")
_CONTENT_WORDS = word_set("content contents text body message msg data note input string prompt expression")


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a tool's arguments.

    Attributes:
        name: as in the schema.
        kind: its JSON type; ``any`` when the schema does not tell.
        role: what it is for.
        required: whether the call is invalid without it.
        choices: the values it may have, () for any.
        schema: its own schema, references resolved.
    """

    name: str
    kind: FieldKind
    role: Role
    required: bool
    choices: tuple[JsonValue, ...]
    schema: Mapping[str, JsonValue]

    @property
    def stems(self) -> frozenset[str]:
        """The stems of its name's words."""
        return frozenset(stem(word) for word in split_words(self.name))


def read_fields(parameters: Mapping[str, JsonValue], description: str = "") -> tuple[Field, ...]:
    """Return the fields of an object schema, in its order; nonsense in it is read as "anything goes".

    Args:
        parameters: the schema.
        description: the tool's; it may tell that a pattern is one for file names.
    """
    fields = _fields(parameters, parameters)
    roles = {found.role for found in fields}
    if "glob" in description.lower() and "glob" not in roles:
        fields = tuple(replace(found, role="glob") if found.role == "query" else found for found in fields)
    if "path" not in roles:
        fields = tuple(replace(found, role="other") if found.role == "new_path" else found for found in fields)
    return fields


def item_field(field: Field, root: Mapping[str, JsonValue]) -> Field:
    """Return what an array field holds, as a field of the same name."""
    items = field.schema.get("items")
    return _field(field.name, items if isinstance(items, dict) else {}, root, required=True)


def inner_fields(field: Field, root: Mapping[str, JsonValue]) -> tuple[Field, ...]:
    """Return the fields of an object field."""
    return _fields(field.schema, root)


def _fields(schema: Mapping[str, JsonValue], root: Mapping[str, JsonValue]) -> tuple[Field, ...]:
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return ()
    required = schema.get("required")
    needed = {name for name in required if isinstance(name, str)} if isinstance(required, list) else set[str]()
    return tuple(_field(name, value, root, required=name in needed) for name, value in properties.items())


def _field(name: str, value: JsonValue, root: Mapping[str, JsonValue], *, required: bool) -> Field:
    schema = _resolve(value if isinstance(value, dict) else {}, root, 0)
    kind = _kind(schema)
    return Field(name, kind, _role(name, schema), required, _choices(schema), schema)


def _resolve(schema: Mapping[str, JsonValue], root: Mapping[str, JsonValue], depth: int) -> Mapping[str, JsonValue]:
    """Follow references, and take the first alternative that is not null."""
    if depth >= _MAX_DEPTH:
        return {}
    reference = schema.get("$ref")
    if isinstance(reference, str):
        return _resolve(_at(root, reference), root, depth + 1)
    for key in ("anyOf", "oneOf", "allOf"):
        options = schema.get(key)
        if isinstance(options, list):
            usable = [option for option in options if isinstance(option, dict) and option.get("type") != "null"]
            if usable:
                return {**schema, key: None, **_resolve(usable[0], root, depth + 1)}
    return schema


def _at(root: Mapping[str, JsonValue], reference: str) -> Mapping[str, JsonValue]:
    """Return what a local reference points to, {} when nothing."""
    here: JsonValue = dict(root)
    for part in reference.removeprefix("#").strip("/").split("/"):
        here = here.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(here, dict) else None
    return here if isinstance(here, dict) else {}


def _kind(schema: Mapping[str, JsonValue]) -> FieldKind:
    declared = schema.get("type")
    if isinstance(declared, list):
        declared = next((item for item in declared if item != "null"), None)
    return _KINDS.get(declared, "any") if isinstance(declared, str) else "any"


def _choices(schema: Mapping[str, JsonValue]) -> tuple[JsonValue, ...]:
    if "const" in schema:
        return (schema["const"],)
    choices = schema.get("enum")
    return tuple(choices) if isinstance(choices, list) else ()


def _role(name: str, schema: Mapping[str, JsonValue]) -> Role:
    words = set(split_words(name))
    description = schema.get("description")
    told = description.lower() if isinstance(description, str) else ""
    is_target = bool(words & _TARGET_WORDS) and words <= _TARGET_WORDS | _PATH_WORDS
    by_words: tuple[tuple[bool, Role], ...] = (
        (is_target or ("new" in words and bool(words & _PATH_WORDS)), "new_path"),
        (bool(words & _OLD_WORDS), "old"),
        (bool(words & _NEW_WORDS), "new"),
        ("glob" in words or (bool(words & _QUERY_WORDS) and "glob" in told), "glob"),
        (bool(words & _QUERY_WORDS), "query"),
        (bool(words & _COMMAND_WORDS), "command"),
        (bool(words & {"patch", "diff"}), "patch"),
        (bool(words & _CONTENT_WORDS), "content"),
        (bool(words & _PATH_WORDS), "path"),
    )  # fmt: skip
    for fits, role in by_words:
        if fits:
            return role
    return "other"
