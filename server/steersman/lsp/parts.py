"""The parts of the face that an idle editor does not need: loaded and made when the first of them is used."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from steersman.lsp.answers import Answers
from steersman.lsp.approvals import Approvals
from steersman.lsp.code_actions import CodeActions
from steersman.lsp.dispatch import Dispatch
from steersman.lsp.editor_texts import EditorTexts
from steersman.lsp.folders import WorkspaceFolders
from steersman.lsp.options import ShowAnswer
from steersman.lsp.progress import ProgressTokens
from steersman.lsp.run_request import RunRequests
from steersman.lsp.run_view import RunViews
from steersman.lsp.shown_documents import ShownDocuments


class Parts:
    """What shows runs to one client, asks its person, and offers actions.

    Args:
        client: the connection.
        keep: owns a piece of work that nobody waits for.
        shown: shows texts of ours.
        texts: the open documents.
        folders: the workspace folders.
        transcript: gives a session as Markdown.
        show_answer: how the person wants answers.
    """

    def __init__(
        self,
        client: Dispatch,
        *,
        keep: Callable[[Awaitable[Any]], None],
        shown: ShownDocuments,
        texts: EditorTexts,
        folders: WorkspaceFolders,
        transcript: Callable[[str], Awaitable[str]],
        show_answer: Callable[[], ShowAnswer],
    ) -> None:
        loop = asyncio.get_running_loop()
        self.approvals = Approvals(client, shown, self._refresh)
        self.views = RunViews(client, ProgressTokens(client, loop, keep), self.approvals, loop)
        self.answers = Answers(client, shown, transcript, show_answer)
        self.requests = RunRequests(texts, folders.display)
        self.actions = CodeActions(
            texts,
            folders.display,
            lambda: self.approvals.questions,
            lambda: client.facts.code_action_literals,
        )

    def _refresh(self) -> None:
        self.views.refresh()
