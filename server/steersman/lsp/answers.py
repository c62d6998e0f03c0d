"""How a client without a conversation view gets a run's answer: a message, or a document that begins with it (§3).

A document shows its first line first, so the answer stands there; the transcript of the whole session follows it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol

from steersman.agent.result import StopReason
from steersman.lsp.contracts import ClientFacts
from steersman.lsp.options import ShowAnswer
from steersman.lsp.run_view import ENDINGS, summary

if TYPE_CHECKING:
    from steersman.agent.errors import SteersmanError
    from steersman.runs.report import RunReport

MAX_MESSAGE_CHARS = 300
MAX_MESSAGE_LINES = 4
_CLIPPED_CHARS = 900

_ERROR, _WARNING, _INFO = 1, 2, 3  # the LSP's MessageType


class AnswerClient(Protocol):
    """The client, as far as showing answers needs it."""

    @property
    def facts(self) -> ClientFacts:
        """What is known of it."""
        ...

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        ...


class ShowText(Protocol):
    """Opens texts in the editor (``ShownDocuments``)."""

    async def show(self, name: str, text: str, *, take_focus: bool = True) -> bool:
        """Open a text; say whether the client did."""
        ...


class Answers:
    """Shows how runs ended, to clients that take no events.

    Args:
        client: the editor.
        documents: opens the answer with the transcript.
        transcript: gives a session as Markdown.
        wanted: how the person wants answers.
    """

    def __init__(
        self,
        client: AnswerClient,
        documents: ShowText,
        transcript: Callable[[str], Awaitable[str]],
        wanted: Callable[[], ShowAnswer],
    ) -> None:
        self._client = client
        self._documents = documents
        self._transcript = transcript
        self._wanted = wanted
        self._noted: set[str] = set()

    async def show(self, report: RunReport) -> None:
        """Show the answer of a run that stopped, as the person wants it."""
        self._show_notes(report)
        wanted = self._wanted()
        if self._client.facts.options.events or wanted == "none" or report.result is None:
            return
        if report.result.stop_reason is StopReason.ABORTED and not report.changes:
            return  # the person stopped it, and the progress said so
        words = self._words(report)
        text = f"Steersman: {words}"
        fits = len(text) <= MAX_MESSAGE_CHARS and text.count("\n") < MAX_MESSAGE_LINES and "```" not in text
        as_document = wanted == "document" or (wanted == "auto" and not fits)
        if as_document and await self._show_document(words, report.session_id):
            return
        kind = _INFO if report.result.stop_reason in (StopReason.COMPLETE, StopReason.ABORTED) else _WARNING
        self._message(kind, text if len(text) <= _CLIPPED_CHARS else text[:_CLIPPED_CHARS] + "…")

    def show_failure(self, error: SteersmanError) -> None:
        """Show why a run failed that nobody waits for."""
        if not self._client.facts.options.events:
            self._message(_ERROR, f"Steersman: {error.message}" + (f" {error.hint}" if error.hint else ""))

    def _show_notes(self, report: RunReport) -> None:
        for note in report.notes:
            if note not in self._noted and not self._client.facts.options.events:
                self._noted.add(note)
                self._message(_INFO, f"Steersman: {note}")

    def _words(self, report: RunReport) -> str:
        assert report.result is not None
        answer = report.result.answer.strip()
        if report.result.stop_reason is StopReason.COMPLETE and answer:
            return answer
        ending = f"{ENDINGS[report.result.stop_reason]}{summary(report)}."
        return f"{ending}\n{answer}" if answer else ending

    async def _show_document(self, words: str, session_id: str) -> bool:
        text = f"{words}\n\n---\n\n{await self._transcript(session_id)}"
        return await self._documents.show("steersman.md", text, take_focus=False)

    def _message(self, kind: int, text: str) -> None:
        self._client.notify("window/showMessage", {"type": kind, "message": text})
