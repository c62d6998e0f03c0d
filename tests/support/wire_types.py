"""The types that docs/protocol.md gives to what goes over the wire, and a check of real JSON against them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from support.documents import Page, Table, code_words

Fields = dict[str, str]
"""Field name, with "?" behind it when it may be absent -> its type."""

_PLAIN: dict[str, tuple[type, ...]] = {"string": (str,), "number": (int, float), "boolean": (bool,), "object": (dict,)}


def fields_of(table: Table) -> Fields:
    """Read a table with the columns ``field`` and ``type``."""
    return {code_words(row["field"])[0]: row["type"] for row in table}


def read_objects(page: Page) -> dict[str, Fields]:
    """Return the objects that the page describes, by name."""
    named = [
        section for section in page.sections if re.fullmatch(r"[A-Z][A-Za-z]+", section.title) and section.level == 3
    ]
    return {section.title: fields_of(section.tables[0]) for section in named if section.tables}


def read_fields(text: str) -> Fields:
    """Read ``name: type`` pairs, each between backticks or all in one pair of braces."""
    inside = re.search(r"`\{(.*?)\}`", text)
    pairs = inside[1].split(",") if inside else [word for word in code_words(text) if ":" in word]
    return {name.strip(): kind.strip() for name, _, kind in (pair.partition(":") for pair in pairs)}


class WireTypes:
    """Checks JSON values against documented types."""

    def __init__(self, objects: Mapping[str, Fields]) -> None:
        self._objects = objects

    def problems(self, value: Any, kind: str, where: str = "$") -> Iterator[str]:
        """Yield what does not fit; nothing for a value that is as documented."""
        if kind.endswith(" or null"):
            if value is not None:
                yield from self.problems(value, kind.removesuffix(" or null"), where)
        elif kind.endswith("[]"):
            if not isinstance(value, list):
                yield f"{where} is no array"
                return
            for index, item in enumerate(cast("list[Any]", value)):
                yield from self.problems(item, kind.removesuffix("[]"), f"{where}[{index}]")
        elif kind in _PLAIN:
            if not isinstance(value, _PLAIN[kind]) or (kind == "number" and isinstance(value, bool)):
                yield f"{where} is {value!r}, not a {kind}"
        elif kind in self._objects:
            yield from self.object_problems(value, self._objects[kind], where)
        else:
            yield f"{where}: {kind} is not described"

    def object_problems(self, value: Any, fields: Fields, where: str = "$") -> Iterator[str]:
        """Yield what does not fit in one object: missing fields, fields of another type, fields not documented."""
        if not isinstance(value, dict):
            yield f"{where} is no object"
            return
        known = {field.removesuffix("?"): kind for field, kind in fields.items()}
        present = cast("dict[str, Any]", value)
        yield from (f"{where}.{key} is not documented" for key in present.keys() - known.keys())
        for field, kind in fields.items():
            plain = field.removesuffix("?")
            if plain in present:
                yield from self.problems(present[plain], kind, f"{where}.{plain}")
            elif plain == field:
                yield f"{where}.{field} is missing"
