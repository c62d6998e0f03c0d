"""Questions to the person: put to the client, answerable by command, withdrawn when not wanted (DESIGN A2, A3, A7).

Whichever answer comes first wins; everything that is not a clear answer is silence, and silence is never consent. A
client that cannot ask leaves the question open for ``steersman.answer``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, cast

from steersman.agent.approval import Option
from steersman.lsp.contracts import ClientError, ClientFacts, ClientLacksMethodError, JsonObject
from steersman.lsp.failures import InvalidParamsError
from steersman.permissions.question import Answer, Question

MAX_SHOWS = 50
"""How often one question is put again after its change was shown; a client that always answers so is no person."""

_CLOSING = "\nYour answer"
"""Ends every message: some clients put a colon of theirs behind it, which would look like a part of the code above."""

_WARNING = 2  # the LSP's MessageType.Warning: some clients hide what is less, and this one must be seen


class AskClient(Protocol):
    """The client, as far as asking needs it."""

    @property
    def facts(self) -> ClientFacts:
        """What is known of it."""
        ...

    async def request(self, method: str, params: object, *, timeout_s: float | None = None) -> Any:
        """Send a request (``contracts.Client.request``)."""
        ...


class ShowText(Protocol):
    """Opens texts in the editor (``ShownDocuments``)."""

    @property
    def can_show(self) -> bool:
        """Whether the client shows documents at all."""
        ...

    async def show(self, name: str, text: str, *, take_focus: bool = True) -> bool:
        """Open a text; say whether the client did."""
        ...


@dataclass(frozen=True, slots=True)
class _OpenQuestion:
    question: Question
    by_command: asyncio.Future[Answer]


class _Unaskable:
    """The client cannot put a question to its person."""


_Outcome: TypeAlias = Answer | _Unaskable | None


class Approvals:
    """The open questions of all runs; implements ``permissions.question.Asker``.

    Args:
        client: the editor.
        documents: shows changes and long commands.
        on_change: called whenever a question opens, closes, or turns out to need ``steersman.answer``.
    """

    def __init__(self, client: AskClient, documents: ShowText, on_change: Callable[[], None]) -> None:
        self._client = client
        self._documents = documents
        self._on_change = on_change
        self._open: dict[tuple[str, str], _OpenQuestion] = {}
        self._unaskable: set[str] = set()

    @property
    def questions(self) -> list[Question]:
        """The questions that wait, oldest first."""
        return [opened.question for opened in self._open.values()]

    def needs_command(self, run_id: str) -> bool:
        """Whether the run waits for ``steersman.answer`` because the client cannot ask."""
        return run_id in self._unaskable

    async def ask(self, question: Question) -> Answer | None:
        """Put the question; return the first answer, or None for silence (``Asker.ask``)."""
        opened = _OpenQuestion(question, asyncio.get_running_loop().create_future())
        key = question.run_id, question.call_id
        self._open[key] = opened
        self._on_change()
        asking = asyncio.ensure_future(self._put(question))
        try:
            await asyncio.wait({asking, opened.by_command}, return_when=asyncio.FIRST_COMPLETED)
            if opened.by_command.done():
                return opened.by_command.result()
            outcome = asking.result()
            if not isinstance(outcome, _Unaskable):
                return outcome
            self._unaskable.add(question.run_id)
            self._on_change()
            return await opened.by_command
        finally:
            if self._open.get(key) is opened:
                del self._open[key]
            self._unaskable.discard(question.run_id)
            asking.cancel()  # withdraws the question at the client
            self._on_change()

    def answer(self, run_id: str, call_id: str, option_id: str, reason: str | None) -> bool:
        """Answer an open question by command; False when it is not open any more.

        Raises:
            InvalidParamsError: the question has no such option.
        """
        opened = self._open.get((run_id, call_id))
        if opened is None or opened.by_command.done():
            return False
        options = [option.id for option in opened.question.options]
        if option_id not in options:
            raise InvalidParamsError(
                f"optionId: {option_id!r} is none of the question's answers: {', '.join(options)}.", fields=["optionId"]
            )
        opened.by_command.set_result(Answer(option_id, reason))
        return True

    async def _put(self, question: Question) -> _Outcome:
        try:
            if self._client.facts.options.approvals:
                try:
                    return await self._put_richly(question)
                except ClientLacksMethodError:
                    pass  # it declared more than it can; every client may be asked plainly
            return await self._put_plainly(question)
        except ClientLacksMethodError:
            return _Unaskable()
        except ClientError:
            return None

    async def _put_richly(self, question: Question) -> Answer | None:
        raw = await self._client.request("steersman/requestApproval", question_to_wire(question, full=True))
        if not isinstance(raw, dict):
            return None
        fields = cast("dict[str, Any]", raw)
        option, reason = fields.get("optionId"), fields.get("reason")
        if option not in [known.id for known in question.options]:
            return None
        return Answer(option, reason if isinstance(reason, str) and reason.strip() else None)

    async def _put_plainly(self, question: Question) -> Answer | None:
        from steersman.permissions.render import (  # noqa: PLC0415 - loads the shell's grammar
            MAX_CHARS,
            buttons,
            question_text,
        )

        message, room = question_text(question), MAX_CHARS - len(_CLOSING)
        if len(message) > room:
            message = message[: room - 1] + "…"
        offered = [button for button in buttons(question) if button.id != "show" or self._documents.can_show]
        for _ in range(MAX_SHOWS):
            chosen = await self._choose(message + _CLOSING, offered)
            if chosen is None:
                return None
            if chosen.id != "show":
                return Answer(chosen.id)
            if not await self._show(question):
                message = f"{message}\n(The editor did not show it.)"
                offered = [button for button in offered if button.id != "show"]
        return None

    async def _choose(self, message: str, offered: list[Option]) -> Option | None:
        actions = [{"title": button.label} for button in offered]
        params = {"type": _WARNING, "message": message, "actions": actions}
        item = await self._client.request("window/showMessageRequest", params)
        title = item.title if item is not None else None
        return next((button for button in offered if button.label == title), None)

    async def _show(self, question: Question) -> bool:
        from steersman.permissions.render import full_text  # noqa: PLC0415 - loads the shell's grammar

        plan = question.plan
        name = "command.sh" if plan.command is not None else "change.diff"
        # Without the focus it comes beside what the person looks at; clients put what takes the focus in its place.
        return await self._documents.show(name, full_text(plan), take_focus=False)


def question_to_wire(question: Question, *, full: bool) -> JsonObject:
    """Return a question as PROTOCOL §2 (``approvals.list``) or, ``full``, §6 (``requestApproval``) has it."""
    from steersman.wire import planned_change_to_wire  # noqa: PLC0415 - kept out of the start

    wire: JsonObject = {
        "runId": question.run_id,
        "sessionId": question.session_id,
        "callId": question.call_id,
        "tool": question.tool,
        "title": question.plan.title,
        "changes": [planned_change_to_wire(change, full=full) for change in question.plan.changes],
        "command": question.plan.command,
        "options": [{"id": option.id, "label": option.label} for option in question.options],
    }
    if question.warning is not None:
        wire["warning"] = question.warning
    return wire
