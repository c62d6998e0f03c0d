"""One edit of one open document, from the wish to the proof that it is there (DESIGN W2, §8).

Versioned, smallest edits, one document a request. The outcome is decided by the document's later texts; the client's
answer only says when to stop waiting for it. This module never writes a file and never judges a permission.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, ParamSpec, TypeAlias, TypeVar

from steersman.lsp.documents import Documents, OpenDocument, Present, Watch
from steersman.lsp.editor_client import DocumentEdit, EditAnswer, EditorClient
from steersman.lsp.merge import plain, rebase
from steersman.lsp.positions import LineRule, Position, Range, Splice, TextEdit, apply_splices
from steersman.lsp.text_diff import has_one_ending, text_edits, text_splices
from steersman.lsp.verdict import Evidence, SentEdit, Verdict
from steersman_tools.kit.endings import with_endings

OutcomeKind: TypeAlias = Literal["confirmed", "refuted", "unconfirmed", "misplaced", "closed"]
"""confirmed: it is in place. refuted: nothing of it is there, and nothing was changed. unconfirmed: it cannot be told.
misplaced: it hit text it was not meant for. closed: the document was closed meanwhile, which leaves it untold."""

P = ParamSpec("P")
T = TypeVar("T")

_ATTEMPTS = 3
_LONG_CHARS = 200_000
_TOUCH = TextEdit(Range(Position(0, 0), Position(0, 0)), "")


@dataclass(frozen=True, slots=True)
class Timing:
    """How long to wait, in seconds.

    Attributes:
        confirm_s: for a text that shows the edit, after the client's answer; also for the answer itself.
        ask_s: for the answer of a client that may ask the person first.
        settle_s: without another change, before a text without the edit is believed.
        quiet_s: without a change, before a client that hides unsent typing is sent an edit.
        busy_s: for such a quiet moment to come.
    """

    confirm_s: float = 5.0
    ask_s: float = 120.0
    settle_s: float = 1.0
    quiet_s: float = 0.7
    busy_s: float = 30.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an edit.

    Attributes:
        kind: see ``OutcomeKind``.
        now: the document's present text; None when it was closed.
        sent: the edit as last sent; None when nothing was sent.
        moved: the text it was made for had changed; nothing else stood in its way.
        reason: the client's own words for refusing, or None.
        repaired: for a misplaced edit, the text that would put it right, or None.
    """

    kind: OutcomeKind
    now: str | None
    sent: SentEdit | None = None
    moved: bool = False
    reason: str | None = None
    repaired: str | None = None


class DocumentEditor:
    """Edits open documents of one client. Callers hold the document's lock (one change at a time a file)."""

    def __init__(self, documents: Documents, client: EditorClient, timing: Timing | None = None) -> None:
        self._documents = documents
        self._client = client
        self._timing = timing or Timing()

    async def edit(self, uri: str, before: str, after: str, *, label: str) -> Outcome:
        """Change the document ``uri`` from ``before`` to ``after``.

        When the person typed elsewhere meanwhile, the change is carried to where its text is now, the same lines
        replaced and inserted (A4), and sent again; only after a proof that nothing of it had arrived.
        """
        outcome = Outcome("refuted", before, moved=True)
        for _ in range(_ATTEMPTS):
            not_ready = await self._make_ready(uri)
            if not_ready is not None:
                return not_ready
            document = self._documents.get_exactly(uri)
            if document is None:
                return Outcome("closed", None)
            if document.text != before:
                carried = rebase(before, after, document.text)
                if carried is None:
                    return Outcome("refuted", document.text, moved=True)
                before, after = document.text, carried
            outcome = await self._send(document, after, label)
            if outcome.kind != "refuted" or not outcome.moved or self._client.quirks.hides_typing:
                break
        return outcome

    async def touch(self, uri: str) -> Outcome:
        """Have the client apply an edit that changes nothing, so that its version moves on (Neovim, version 0).

        Confirmed means that the client had no newer text at that moment than ``now``.
        """
        document = self._documents.get_exactly(uri)
        if document is None:
            return Outcome("closed", None)
        before = document.text
        with self._documents.watch(uri) as watch:
            edit = DocumentEdit(uri, document.version, (_TOUCH,))
            answer = await self._client.edit(edit, label="Steersman", timeout_s=self._timing.confirm_s)
            if not watch.seen and answer.said != "refused":
                await _more(watch, self._timing.confirm_s)
            if watch.closed:
                return Outcome("closed", None)
            if not watch.seen:
                kind = "refuted" if answer.said == "refused" else "unconfirmed"
                return Outcome(kind, document.text, reason=answer.reason)
        moved = document.text != before
        return Outcome("refuted" if moved else "confirmed", document.text, moved=moved)

    async def _make_ready(self, uri: str) -> Outcome | None:
        """Close the holes of the client's guard against stale edits. None when an edit may be sent."""
        quirks, document = self._client.quirks, self._documents.get_exactly(uri)
        if document is None:
            return Outcome("closed", None)
        if quirks.hides_typing and not await self._wait_for_quiet(uri):
            return Outcome("refuted", document.text, reason="the document is being typed in")
        if quirks.skips_version_zero and document.version == 0:
            touched = await self.touch(uri)
            if touched.kind in {"unconfirmed", "closed"} or (touched.kind == "refuted" and not touched.moved):
                return Outcome(
                    "closed" if touched.kind == "closed" else "refuted",
                    touched.now,
                    reason=touched.reason or "the editor did not react to an edit that changes nothing",
                )
        return None

    async def _wait_for_quiet(self, uri: str) -> bool:
        deadline = asyncio.get_running_loop().time() + self._timing.busy_s
        with self._documents.watch(uri) as watch:
            while await _more(watch, self._timing.quiet_s):
                if watch.closed or asyncio.get_running_loop().time() > deadline:
                    return watch.closed
        return True

    async def _send(self, document: OpenDocument, after: str, label: str) -> Outcome:
        with self._documents.watch(document.uri) as watch:
            version = document.version
            sent = await _work_on(document.text, self._prepare, document.text, document.lines.rule, after)
            edit = DocumentEdit(document.uri, version, sent.edits)
            waiting = self._timing.ask_s if self._client.quirks.may_ask else self._timing.confirm_s
            answer = await self._client.edit(edit, label=label, timeout_s=waiting)
            outcome = await self._follow(sent, watch, answer)
        if outcome.kind == "confirmed" and outcome.now is not None and plain(outcome.now) != plain(sent.expected):
            self._documents.epoch += 1  # the person typed meanwhile
        return outcome

    def _prepare(self, text: str, rule: LineRule, after: str) -> SentEdit:
        quirks, encoding = self._client.quirks, self._documents.encoding
        if quirks.levels_line_ends:
            after = with_line_feeds(text, after)
        return SentEdit(
            text,
            after,
            tuple(text_edits(text, after, encoding, rule)),
            encoding,
            rule,
            ignores_final_newline=quirks.owns_final_newline,
            is_guarded=not quirks.hides_typing,
            is_seen_through=quirks.tells_every_change,
        )

    async def _follow(self, sent: SentEdit, watch: Watch, answer: EditAnswer) -> Outcome:
        """Look at the document's texts until they tell, or the time is up."""
        evidence, looked_at = await _work_on(sent.before, Evidence, sent), 0
        deadline = asyncio.get_running_loop().time() + self._timing.confirm_s
        while True:
            news, looked_at = watch.seen[looked_at:], len(watch.seen)
            verdict = await _work_on(sent.before, _judge, evidence, news)
            if verdict.kind in {"confirmed", "misplaced"} or watch.closed:
                return self._told(sent, watch, verdict, answer)
            left = deadline - asyncio.get_running_loop().time()
            told = answer.said == "refused" or (answer.said == "applied" and looked_at > 0)
            wait = min(left, self._timing.settle_s) if told else left
            if wait <= 0 or not await _more(watch, wait):
                return self._told(sent, watch, verdict, answer, believed=told)

    def _told(
        self, sent: SentEdit, watch: Watch, verdict: Verdict, answer: EditAnswer, *, believed: bool = False
    ) -> Outcome:
        if watch.closed:
            return Outcome("closed", None, sent)
        if verdict.kind == "misplaced":
            return Outcome("misplaced", verdict.now, sent, repaired=verdict.repaired)
        if verdict.kind == "confirmed":
            return Outcome("confirmed", verdict.now, sent)
        moved = plain(verdict.now) != plain(sent.before)
        unguarded = moved and self._client.quirks.hides_typing  # it may have hit text that looks like typing now
        if verdict.kind == "absent" and believed and not unguarded:
            return Outcome("refuted", verdict.now, sent, moved=moved, reason=answer.reason)
        return Outcome("unconfirmed", verdict.now, sent, reason=answer.reason)


def _judge(evidence: Evidence, news: Sequence[Present]) -> Verdict:
    for present in news:
        if present.text is not None:
            evidence.see(present.text, opened=present.opened)
    return evidence.verdict()


async def _work_on(text: str, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a pure function; in a thread where the text is so long that the event loop would stand still."""
    if len(text) > _LONG_CHARS:
        return await asyncio.to_thread(function, *args, **kwargs)
    return function(*args, **kwargs)


def with_line_feeds(text: str, after: str) -> str:
    r"""Return ``after`` with every new line ended by ``\n`` where ``text`` has mixed line endings."""
    if has_one_ending(text):
        return after
    splices = [Splice(one.start, one.end, with_endings(one.text, "\n")) for one in text_splices(text, after)]
    return apply_splices(text, splices)


async def _more(watch: Watch, timeout_s: float) -> bool:
    """Wait for something new to be seen; False when the time is up."""
    try:
        async with asyncio.timeout(timeout_s):
            await watch.more()
    except TimeoutError:
        return False
    return True
