"""From a command's parameters to a run's request: paths for URIs, and what the person looks at, in words.

What the client passes along (a selection, diagnostics) is told to the model apart from the prompt, bounded. Reads the
editor's open documents, never a file.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from steersman.agent.errors import InvalidRequestError
from steersman.lsp.contracts import OpenDocument
from steersman.lsp.positions import Position

if TYPE_CHECKING:
    from steersman.lsp.params import ContextParams, DiagnosticParams, RangeParams, RunParams
    from steersman.runs.request import RunRequest

MAX_SELECTION_CHARS = 20_000
MAX_DIAGNOSTICS = 50
_MAX_MESSAGE_CHARS = 500
_SEVERITIES = {1: "error", 2: "warning", 3: "information", 4: "hint"}


class EditorTexts(Protocol):
    """The open documents, with the client's way of counting columns."""

    def path_of(self, uri: str) -> Path | None:
        """Return the canonical path of a URI, or None for what is no file."""
        ...

    def get(self, uri: str) -> OpenDocument | None:
        """Return the open document, or None."""
        ...

    def offset(self, document: OpenDocument, position: Position) -> int:
        """Return the offset of a position in the document's text."""
        ...


class RunRequests:
    """Makes requests of parameters.

    Args:
        texts: the open documents.
        display: shows a path as people and the model see it.
    """

    def __init__(self, texts: EditorTexts, display: Callable[[Path], str]) -> None:
        self._texts = texts
        self._display = display

    def make(self, params: RunParams) -> RunRequest:
        """Return the request; raises ``InvalidRequestError`` for a folder that is no folder."""
        from steersman.permissions.modes import Mode  # noqa: PLC0415 - kept out of the start
        from steersman.runs.request import RunLimits, RunRequest  # noqa: PLC0415 - likewise

        limits = params.limits
        return RunRequest(
            prompt=params.prompt,
            folder=self.folder(params.folder),
            session_id=params.session_id,
            continue_latest=params.continue_,
            take_over=params.take_over,
            context=self.context(params.context) if params.context is not None else "",
            focus=self._texts.path_of(params.context.uri) if params.context is not None else None,
            mode=Mode(params.mode) if params.mode is not None else None,
            model=params.model,
            max_turns=params.max_turns,
            limits=RunLimits(limits.max_tokens, limits.max_cost, limits.deadline_seconds) if limits else RunLimits(),
        )

    def folder(self, uri: str | None) -> Path | None:
        """Return the path of a folder's URI; None for None."""
        if uri is None:
            return None
        path = self._texts.path_of(uri)
        if path is None:
            raise InvalidRequestError(f"{uri} is not the URI of a folder on this machine.")
        return path

    def context(self, context: ContextParams) -> str:
        """Return what the person looks at, for the model."""
        document = self._texts.get(context.uri)
        path = self._texts.path_of(context.uri)
        name = self._display(path) if path is not None else f"the unsaved document {context.uri}"
        language = f" ({document.language_id})" if document is not None and document.language_id else ""
        parts = [f"The person has {name}{language} open in the editor."]
        if context.selection is not None:
            parts.append(self._selection(document, context.selection))
        elif path is None and document is not None:
            parts.append(f"Its text:\n{_fenced(document.text)}")
        if context.diagnostics:
            parts.append(_diagnostics(context.diagnostics))
        return "\n\n".join(parts)

    def _selection(self, document: OpenDocument | None, selection: RangeParams) -> str:
        first, last = selection.start.line + 1, selection.end.line + 1
        if selection.end.character == 0 and last > first:
            last -= 1
        lines = f"line {first}" if first == last else f"lines {first} to {last}"
        if selection.start == selection.end:
            return f"The cursor is in line {first}."
        if document is None:
            return f"Selected: {lines}."
        start, end = (
            self._texts.offset(document, Position(each.line, each.character))
            for each in (selection.start, selection.end)
        )
        return f"Selected, {lines}:\n{_fenced(document.text[start:end])}"


def _diagnostics(diagnostics: list[DiagnosticParams]) -> str:
    lines = ["Problems reported there:"]
    for each in diagnostics[:MAX_DIAGNOSTICS]:
        message = " ".join(each.message.split())[:_MAX_MESSAGE_CHARS]
        severity = _SEVERITIES.get(each.severity or 0, "problem")
        origin = " ".join(str(part) for part in (each.source, each.code) if part not in (None, ""))
        lines.append(f"- line {each.range.start.line + 1}: {severity}: {message}" + (f" ({origin})" if origin else ""))
    if len(diagnostics) > MAX_DIAGNOSTICS:
        lines.append(f"… and {len(diagnostics) - MAX_DIAGNOSTICS} more")
    return "\n".join(lines)


def _fenced(text: str) -> str:
    if len(text) > MAX_SELECTION_CHARS:
        more = len(text) - MAX_SELECTION_CHARS
        text = f"{text[:MAX_SELECTION_CHARS]}\n… ({more} more characters; read the file for them)"
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text.removesuffix(chr(10))}\n{fence}"
