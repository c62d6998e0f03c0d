"""The only conversion between the face's own data and the types of the LSP; wire JSON of runs is ``steersman.wire``."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from steersman.lsp.contracts import JsonObject
from steersman.lsp.positions import Position, Range


def to_lsp_range(where: Range) -> types.Range:
    """Return a range as the LSP has it."""
    return types.Range(
        types.Position(where.start.line, where.start.character), types.Position(where.end.line, where.end.character)
    )


def from_lsp_range(where: types.Range) -> Range:
    """Return an LSP range as ours."""
    start, end = where.start, where.end
    return Range(Position(start.line, start.character), Position(end.line, end.character))


def range_to_json(where: Range) -> JsonObject:
    """Return a range as a command's argument."""
    return {
        "start": {"line": where.start.line, "character": where.start.character},
        "end": {"line": where.end.line, "character": where.end.character},
    }


def diagnostic_to_json(diagnostic: types.Diagnostic) -> JsonObject:
    """Return what a run is told of a diagnostic, as a command's argument."""
    fields: dict[str, Any] = {
        "range": range_to_json(from_lsp_range(diagnostic.range)),
        "message": diagnostic.message,
        "severity": int(diagnostic.severity) if diagnostic.severity is not None else None,
        "source": diagnostic.source,
        "code": diagnostic.code,
    }
    return {name: value for name, value in fields.items() if value is not None}
