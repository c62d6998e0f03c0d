"""What a client without a plugin is offered where the person is: code actions and code lenses (PROTOCOL §4).

Every offer is a command with complete arguments, so a client only has to send it back. Made from the open documents
and the open questions alone: nothing is read, nothing is started.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from lsprotocol import types

from steersman.lsp.capabilities import CODE_ACTION_KIND
from steersman.lsp.contracts import JsonObject, OpenDocument
from steersman.lsp.convert import diagnostic_to_json, from_lsp_range, range_to_json, to_lsp_range
from steersman.lsp.instruction_comments import Instruction, find_instructions
from steersman.lsp.positions import Position, Range
from steersman.permissions.visible import visible_name

if TYPE_CHECKING:
    from steersman.permissions.question import Question

MAX_FIXES = 8
LENS_TITLE = "▶ Steersman"
_MAX_TITLE_CHARS = 60
_FIX = types.CodeActionKind.QuickFix.value
_REWRITE = types.CodeActionKind.RefactorRewrite.value


class EditorTexts(Protocol):
    """The open documents (``editor_texts.EditorTexts``)."""

    def path_of(self, uri: str) -> Path | None:
        """Return the canonical path of a URI, or None for what is no file."""
        ...

    def get(self, uri: str) -> OpenDocument | None:
        """Return the open document, or None."""
        ...

    def offset(self, document: OpenDocument, position: Position) -> int:
        """Return the offset of a position in the document's text."""
        ...

    def range(self, document: OpenDocument, start: int, end: int) -> Range:
        """Return the range between two offsets of the document's text."""
        ...


@dataclass(frozen=True, slots=True)
class _Offer:
    """One action: its title, its kind, its command, and the diagnostic it is for."""

    title: str
    kind: str
    command: str
    argument: JsonObject
    diagnostic: types.Diagnostic | None = None


class CodeActions:
    """Offers actions and lenses.

    Args:
        texts: the open documents.
        display: shows a path as people and the model see it.
        questions: the open questions.
        literals: whether the client takes code actions, or commands only.
    """

    def __init__(
        self,
        texts: EditorTexts,
        display: Callable[[Path], str],
        questions: Callable[[], Sequence[Question]],
        literals: Callable[[], bool],
    ) -> None:
        self._texts = texts
        self._display = display
        self._questions = questions
        self._literals = literals

    def actions(self, params: types.CodeActionParams) -> list[types.Command | types.CodeAction]:
        """Return what is offered for a range of a document."""
        document = self._texts.get(params.text_document.uri)
        if document is None:
            return []
        automatic = params.context.trigger_kind == types.CodeActionTriggerKind.Automatic
        offers = list(self._offers(document, params, automatic=automatic))
        return [self._action(offer) for offer in offers if _is_wanted(offer.kind, params.context.only)]

    def lenses(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        """Return a lens above each instruction comment of a document."""
        document = self._texts.get(params.text_document.uri)
        if document is None:
            return []
        lenses: list[types.CodeLens] = []
        for instruction in find_instructions(document.text, document.language_id):
            where = self._texts.range(document, instruction.start, instruction.end)
            argument = self._instruct(document, instruction, where)
            lenses.append(
                types.CodeLens(to_lsp_range(where), types.Command(LENS_TITLE, "steersman.start", arguments=[argument]))
            )
        return lenses

    def _offers(self, document: OpenDocument, params: types.CodeActionParams, *, automatic: bool) -> Iterator[_Offer]:
        where = from_lsp_range(params.range)
        if not automatic:
            yield from self._answers(document)
        yield from self._instructions(document, where)
        yield from self._fixes(document, params.context.diagnostics)
        if automatic:
            return
        if not params.context.diagnostics:
            yield self._fix_here(document, where)
        if where.start != where.end:
            yield from self._selection(document, where)

    def _answers(self, document: OpenDocument) -> Iterator[_Offer]:
        for question in self._questions():
            targets = [change.path for change in question.plan.changes]
            if targets and str(document.path) not in targets:
                continue
            for option in question.options:
                title = f"Steersman: {option.label} – {_clip(question.plan.title)}"
                argument = {"runId": question.run_id, "callId": question.call_id, "optionId": option.id}
                yield _Offer(title, CODE_ACTION_KIND, "steersman.answer", argument)

    def _instructions(self, document: OpenDocument, where: Range) -> Iterator[_Offer]:
        for instruction in find_instructions(document.text, document.language_id):
            at = self._texts.range(document, instruction.start, instruction.end)
            if at.start.line <= where.end.line and where.start.line <= at.end.line:
                title = f"Steersman: do this – {_clip(instruction.text)}"
                yield _Offer(title, _FIX, "steersman.start", self._instruct(document, instruction, at))

    def _fixes(self, document: OpenDocument, diagnostics: Sequence[types.Diagnostic]) -> Iterator[_Offer]:
        for diagnostic in diagnostics[:MAX_FIXES]:
            where = from_lsp_range(diagnostic.range)
            message = " ".join(diagnostic.message.split())
            prompt = f"Fix this problem in {self._name(document)}, line {where.start.line + 1}: {message}"
            argument = self._start(document, prompt, where, diagnostics=[diagnostic_to_json(diagnostic)])
            yield _Offer(f"Steersman: fix “{_clip(message)}”", _FIX, "steersman.start", argument, diagnostic)

    def _fix_here(self, document: OpenDocument, where: Range) -> _Offer:
        line = where.start.line + 1
        prompt = f"Fix the problem in {self._name(document)} at line {line}."
        return _Offer("Steersman: fix the problem here", _FIX, "steersman.start", self._start(document, prompt, where))

    def _selection(self, document: OpenDocument, where: Range) -> Iterator[_Offer]:
        name, lines = self._name(document), _lines(where)
        explain = self._start(document, f"Explain {lines} of {name}.", where, mode="plan")
        yield _Offer("Steersman: explain", CODE_ACTION_KIND, "steersman.start", explain)
        improve = self._start(document, f"Improve {lines} of {name} without changing what the code does.", where)
        yield _Offer("Steersman: improve", _REWRITE, "steersman.start", improve)

    def _instruct(self, document: OpenDocument, instruction: Instruction, where: Range) -> JsonObject:
        around = _whole_lines(document.text, instruction)
        selected = where if around is None else self._texts.range(document, *around)
        lines = _lines(where)
        goes = "that comment" if around is None else f"that comment with its {lines.partition(' ')[0]}"
        prompt = (
            f"Do what the instruction comment in {self._name(document)}, {lines}, says, "
            f"and remove {goes}:\n\n{instruction.text}"
        )
        return self._start(document, prompt, selected)

    def _start(self, document: OpenDocument, prompt: str, where: Range, **more: Any) -> JsonObject:
        context: JsonObject = {"uri": document.uri, "selection": range_to_json(where)}
        if "diagnostics" in more:
            context["diagnostics"] = more.pop("diagnostics")
        return {"prompt": prompt, "context": context, **more}

    def _name(self, document: OpenDocument) -> str:
        return self._display(document.path) if document.path is not None else document.uri

    def _action(self, offer: _Offer) -> types.Command | types.CodeAction:
        command = types.Command(offer.title, offer.command, arguments=[offer.argument])
        if not self._literals():
            return command
        diagnostics = [offer.diagnostic] if offer.diagnostic is not None else None
        return types.CodeAction(offer.title, kind=offer.kind, diagnostics=diagnostics, command=command)


def _is_wanted(kind: str, only: Sequence[types.CodeActionKind | str] | None) -> bool:
    """Whether the kind is one of those asked for, or below one (LSP, ``CodeActionKind``)."""
    if only is None:
        return True
    wanted = [each.value if isinstance(each, types.CodeActionKind) else each for each in only]
    return any(each in {"", kind} or kind.startswith(f"{each}.") for each in wanted)


def _whole_lines(text: str, instruction: Instruction) -> tuple[int, int] | None:
    """Return the instruction with the blanks before it, where nothing else stands in its lines and another follows."""
    begin = max(text.rfind("\n", 0, instruction.start), text.rfind("\r", 0, instruction.start)) + 1
    alone = not text[begin : instruction.start].strip() and text[instruction.end : instruction.end + 1] in {"\n", "\r"}
    return (begin, instruction.end) if alone else None


def _lines(where: Range) -> str:
    first, last = where.start.line + 1, where.end.line + 1
    if where.end.character == 0 and last > first:
        last -= 1
    return f"line {first}" if first == last else f"lines {first} to {last}"


def _clip(text: str) -> str:
    shown = visible_name(text)
    return shown if len(shown) <= _MAX_TITLE_CHARS else f"{shown[: _MAX_TITLE_CHARS - 1]}…"
