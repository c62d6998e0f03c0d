"""A model of an editor with the holes of the real ones (DESIGN §8), for tests of everything that edits open documents.

Every character of a buffer knows where it came from, so a test can ask what no real editor tells: whether an edit hit
exactly the text it was made for, and whether it took away something a person typed. Messages travel in two queues;
``FakeEditor(auto=True)`` moves them along by the event loop's clock, otherwise the test does, one at a time.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from steersman.lsp.client_quirks import ClientQuirks
from steersman.lsp.contracts import ClientFacts, ClientOptions
from steersman.lsp.documents import ContentChange, Documents
from steersman.lsp.editor_client import DeleteFile, DocumentEdit, EditAnswer, RenameFile, ResourceOperation
from steersman.lsp.positions import LineRule, Range, offset_to_position, position_to_offset

_Answer: TypeAlias = Callable[[EditAnswer], None]


@dataclass(frozen=True)
class Habits:
    """How this editor behaves. The defaults are those of a well-behaved client.

    Attributes:
        guard: what an edit's version is compared with: the buffer ("now"), the version last sent, which unsent typing
            does not raise ("sent"), or nothing ("none").
        skips_version_zero: an edit of version 0 is never compared.
        stale: what it does to a stale edit: says no, answers with an error, or says "applied" and does nothing.
        sending: each change at once; a list of changes after ``debounce_s``; the same as one change that spans them;
            or the whole text.
        answers: what it says of an edit that it does apply.
        does_nothing: it says what ``answers`` says and does nothing.
        person: what the person answers when it asks before an edit; None: it does not ask. "never": nobody answers.
        line_ends: what becomes of line endings in inserted text: kept, or the buffer's own.
        line_feeds_only: a lone carriage return ends no line.
        forces_final_newline: a buffer always ends with a line feed.
        resources: the resource operations it knows.
        can_edit: it knows ``workspace/applyEdit``.
        can_save: it declares ``saveDocuments``.
        agrees: what the person answers to a plain question of ours.
        first_version: the version of a document that was just opened.
        debounce_s: how long changes are collected.
        latency_s: how long a message travels.
    """

    guard: Literal["now", "sent", "none"] = "now"
    skips_version_zero: bool = False
    stale: Literal["no", "error", "applied"] = "no"
    sending: Literal["each", "list", "merged", "full"] = "each"
    answers: Literal["truth", "yes", "no", "never"] = "truth"
    does_nothing: bool = False
    person: Literal["yes", "no", "never"] | None = None
    line_ends: Literal["kept", "buffer"] = "kept"
    line_feeds_only: bool = False
    forces_final_newline: bool = False
    resources: frozenset[str] = frozenset()
    can_edit: bool = True
    can_save: bool = False
    agrees: bool = True
    first_version: int = 1
    debounce_s: float = 0.15
    latency_s: float = 0.01


NEOVIM = Habits(
    skips_version_zero=True,
    stale="applied",
    sending="list",
    answers="yes",
    line_ends="buffer",
    line_feeds_only=True,
    forces_final_newline=True,
    first_version=0,
    resources=frozenset({"create", "rename", "delete"}),
)
EGLOT = Habits(
    guard="sent", stale="error", sending="list", answers="yes", line_feeds_only=True, first_version=0, debounce_s=0.5
)
VSCODE = Habits(line_ends="buffer", resources=frozenset({"create", "rename", "delete"}))
HELIX = Habits(line_feeds_only=True, first_version=0, resources=frozenset({"create", "rename", "delete"}))


@dataclass(eq=False)
class Cell:
    """One character of a buffer, and who put it there: "file", "typed", or the number of an edit of ours."""

    char: str
    origin: str | int


@dataclass
class Landing:
    """One edit of ours that was made in a buffer.

    Attributes:
        number: counts the edits that this editor was sent.
        right: it removed no other characters than it was made for, beside a neighbour it was made for.
        typed_lost: what a person had typed and this edit took away.
    """

    number: int
    right: bool
    typed_lost: str


@dataclass(eq=False)
class Buffer:
    """One open document, as the editor has it."""

    uri: str
    cells: list[Cell]
    tick: int
    sent_version: int
    rule: LineRule
    pending: list[ContentChange] = field(default_factory=list[ContentChange])
    last_sent: list[Cell] = field(default_factory=list[Cell])
    timer: asyncio.TimerHandle | None = None

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(cell.char for cell in self.cells)


class FakeEditor:
    """Implements ``EditorClient`` and feeds ``Documents``. See the module."""

    def __init__(self, documents: Documents, habits: Habits = Habits(), *, auto: bool = True) -> None:
        self.documents = documents
        self.habits = habits
        self.auto = auto
        self.buffers: dict[str, Buffer] = {}
        self.to_editor: deque[Callable[[], None]] = deque()
        self.to_server: deque[Callable[[], None]] = deque()
        self.landings: list[Landing] = []
        self.sent = 0
        self.unanswered = 0
        self.most_unanswered = 0
        self.questions: list[str] = []
        self.before_edit: Callable[[DocumentEdit], None] | None = None
        self.after_edit: Callable[[DocumentEdit], None] | None = None
        self.asked: list[Callable[[], None]] = []
        self._known: dict[str, list[Cell]] = {}
        self._files: dict[str, list[Cell]] = {}
        documents.configure("utf-16", self.quirks)

    # --- what the server asks of it -----------------------------------------------------------------------------

    @property
    def facts(self) -> ClientFacts:
        """What it declares."""
        return ClientFacts(
            name="fake",
            apply_edit=self.habits.can_edit,
            document_changes=True,
            resource_operations=self.habits.resources,
            options=ClientOptions(save_documents=self.habits.can_save),
        )

    @property
    def quirks(self) -> ClientQuirks:
        """What is known of it."""
        return ClientQuirks(
            line_feeds_only=self.habits.line_feeds_only,
            skips_version_zero=self.habits.skips_version_zero,
            hides_typing=self.habits.guard != "now",
            owns_final_newline=self.habits.forces_final_newline,
            tells_every_change=self.habits.sending in {"each", "list"},
            may_ask=self.habits.person is not None,
        )

    async def edit(self, edit: DocumentEdit, *, label: str, timeout_s: float) -> EditAnswer:
        """Take a ``workspace/applyEdit``."""
        self.sent += 1
        number, meant = self.sent, self._known[edit.uri]
        return await self._request(lambda answer: self._receive_edit(number, edit, meant, answer), timeout_s)

    async def operate(self, operation: ResourceOperation, *, label: str, timeout_s: float) -> EditAnswer:
        """Take a resource operation."""
        return await self._request(lambda answer: self._receive_operation(operation, answer), timeout_s)

    async def confirm(self, message: str) -> bool:
        """Ask the person."""
        self.questions.append(message)
        await asyncio.sleep(0)
        return self.habits.agrees

    async def save(self, uris: Sequence[str]) -> frozenset[str]:
        """Take a ``steersman/saveDocuments``."""
        if not self.habits.can_save:
            return frozenset()
        saved = frozenset(uri for uri in uris if uri in self.buffers)
        for uri in saved:
            self.save_file(uri)
        while self.to_server and self.auto:
            await asyncio.sleep(self.habits.latency_s)
        return saved

    async def _request(self, receive: Callable[[_Answer], None], timeout_s: float) -> EditAnswer:
        answered: asyncio.Future[EditAnswer] = asyncio.get_running_loop().create_future()
        self.unanswered += 1
        self.most_unanswered = max(self.most_unanswered, self.unanswered)

        def arrive(answer: EditAnswer) -> None:
            if not answered.done():  # a late answer is discarded
                answered.set_result(answer)

        self._to_editor(lambda: receive(lambda answer: self._to_server(lambda: arrive(answer))))
        try:
            async with asyncio.timeout(timeout_s):
                return await answered
        except TimeoutError:
            return EditAnswer("nothing")
        finally:
            self.unanswered -= 1

    # --- what the person does -----------------------------------------------------------------------------------

    def open(self, uri: str, text: str) -> None:
        """Open a document."""
        rule: LineRule = "lf" if self.habits.line_feeds_only else "lsp"
        cells = self._cells_of_file(uri, text)
        first = self.habits.first_version
        self.buffers[uri] = Buffer(uri, cells, first, first, rule, last_sent=cells.copy())
        self._to_server(lambda: self.documents.open(uri, "plaintext", first, text), uri, cells.copy())

    def type(self, uri: str, offset: int, text: str) -> None:
        """Type (or paste) a text."""
        self._change(self.buffers[uri], offset, offset, [Cell(char, "typed") for char in text])

    def erase(self, uri: str, start: int, end: int) -> None:
        """Remove a piece of the text."""
        self._change(self.buffers[uri], start, end, [])

    def save_file(self, uri: str) -> None:
        """Save a buffer to its file; what was not sent yet is sent before."""
        buffer = self.buffers[uri]
        self.flush(uri)
        if uri.startswith("file://"):
            self.path_of(uri).write_bytes(buffer.text.encode())
        self._to_server(lambda: self.documents.save(uri))

    def close(self, uri: str) -> None:
        """Close a document; what was not sent yet is sent before."""
        self.flush(uri)
        del self.buffers[uri]
        self._to_server(lambda: self.documents.close(uri))

    def reload(self, uri: str, text: str) -> None:
        """Take over what the disk holds now."""
        buffer = self.buffers[uri]
        self._change(buffer, 0, len(buffer.cells), [Cell(char, "file") for char in text])

    def answer_question(self) -> None:
        """The person answers the editor's own question before an edit."""
        if self.asked:
            self.asked.pop(0)()

    # --- what happens by itself ---------------------------------------------------------------------------------

    def deliver(self) -> bool:
        """Hand the oldest message on its way to the editor over to it."""
        if not self.to_editor:
            return False
        self.to_editor.popleft()()
        return True

    def arrive(self) -> bool:
        """Hand the oldest message on its way to the server over to it."""
        if not self.to_server:
            return False
        self.to_server.popleft()()
        return True

    def flush(self, uri: str) -> None:
        """Send the changes that were collected."""
        buffer = self.buffers.get(uri)
        if buffer is None:
            return
        if buffer.timer is not None:
            buffer.timer.cancel()
            buffer.timer = None
        changes = buffer.pending
        if not changes:
            return
        if self.habits.sending == "merged":
            changes = [_spanning(buffer)]
        if self.habits.sending == "full":
            changes = [ContentChange(buffer.text)]
        buffer.pending = []
        buffer.sent_version = version = buffer.tick if self.habits.guard == "now" else buffer.sent_version + 1
        buffer.last_sent = buffer.cells.copy()
        self._to_server(lambda: self.documents.change(uri, version, changes), uri, buffer.last_sent)

    def _cells_of_file(self, uri: str, text: str) -> list[Cell]:
        """What is read from a file anew is the same as before as far as the text's end is the same."""
        old = self._files.get(uri, [])
        same = 0
        while same < min(len(old), len(text)) and old[-1 - same].char == text[-1 - same]:
            same += 1
        cells = [Cell(char, "file") for char in text[: len(text) - same]] + old[len(old) - same :]
        self._files[uri] = cells.copy()
        return cells

    # --- inside -------------------------------------------------------------------------------------------------

    def _to_editor(self, message: Callable[[], None]) -> None:
        self.to_editor.append(message)
        if self.auto:
            asyncio.get_running_loop().call_later(self.habits.latency_s, self.deliver)

    def _to_server(self, message: Callable[[], object], uri: str = "", cells: list[Cell] | None = None) -> None:
        def arrive() -> None:
            if cells is not None:
                self._known[uri] = cells
            message()

        self.to_server.append(arrive)
        if self.auto:
            asyncio.get_running_loop().call_later(self.habits.latency_s, self.arrive)

    def _change(self, buffer: Buffer, start: int, end: int, cells: list[Cell]) -> None:
        text = buffer.text
        where = Range(
            offset_to_position(text, start, "utf-16", buffer.rule), offset_to_position(text, end, "utf-16", buffer.rule)
        )
        buffer.cells[start:end] = cells
        if self.habits.forces_final_newline and not buffer.text.endswith("\n"):
            buffer.cells.append(Cell("\n", "file"))
            buffer.pending.append(ContentChange(buffer.text))
        else:
            buffer.pending.append(ContentChange("".join(cell.char for cell in cells), where))
        buffer.tick += 1
        if self.habits.sending == "each":
            self.flush(buffer.uri)
        elif self.auto:
            if buffer.timer is not None:
                buffer.timer.cancel()
            loop = asyncio.get_running_loop()
            buffer.timer = loop.call_later(self.habits.debounce_s, self.flush, buffer.uri)

    def _receive_edit(self, number: int, edit: DocumentEdit, meant: list[Cell], answer: _Answer) -> None:
        if self.habits.person is None:
            self._apply(number, edit, meant, answer)
        elif self.habits.person == "yes":
            self._ask(lambda: self._apply(number, edit, meant, answer))
        elif self.habits.person == "no":
            self._ask(lambda: answer(EditAnswer("applied")))

    def _ask(self, then: Callable[[], None]) -> None:
        self.asked.append(then)
        if self.auto:
            asyncio.get_running_loop().call_later(3.0, self.answer_question)

    def _apply(self, number: int, edit: DocumentEdit, meant: list[Cell], answer: _Answer) -> None:
        if self.before_edit is not None:
            self.before_edit(edit)
        buffer = self.buffers.get(edit.uri)
        if buffer is None or self._is_stale(buffer, edit):
            says = {"no": "refused", "error": "refused", "applied": "applied"}[self.habits.stale]
            answer(EditAnswer("applied" if says == "applied" else "refused", "the document is newer"))
            return
        if not self.habits.does_nothing:
            self._land(number, buffer, edit, meant)
        if self.after_edit is not None:
            self.after_edit(edit)
        if self.habits.answers != "never":
            answer(EditAnswer("refused" if self.habits.answers == "no" else "applied"))

    def _is_stale(self, buffer: Buffer, edit: DocumentEdit) -> bool:
        if self.habits.guard == "none" or (self.habits.skips_version_zero and edit.version == 0):
            return False
        return edit.version != (buffer.tick if self.habits.guard == "now" else buffer.sent_version)

    def _land(self, number: int, buffer: Buffer, edit: DocumentEdit, meant: list[Cell]) -> None:
        text = buffer.text
        meant_text = "".join(cell.char for cell in meant)
        right, lost, changes = True, "", list[tuple[int, int, str]]()
        for one in edit.edits:
            start, end = (
                position_to_offset(text, place, "utf-16", buffer.rule) for place in (one.range.start, one.range.end)
            )
            goal, goal_end = (
                position_to_offset(meant_text, place, "utf-16", buffer.rule)
                for place in (one.range.start, one.range.end)
            )
            neighbours = _before_and_after(buffer.cells, start, end), _before_and_after(meant, goal, goal_end)
            same_place = any(here is there for here, there in zip(*neighbours, strict=True))
            right = right and same_place and set(buffer.cells[start:end]) <= set(meant[goal:goal_end])
            lost += "".join(
                cell.char for cell in buffer.cells[start:end] if cell.origin == "typed" and cell not in meant
            )
            changes.append((start, end, one.text))
        for start, end, new in sorted(changes, reverse=True):
            self._change(buffer, start, end, [Cell(char, number) for char in self._with_line_ends(buffer, new)])
        if edit.edits and any(one.text or one.range.start != one.range.end for one in edit.edits):
            self.landings.append(Landing(number, right, lost))

    def _with_line_ends(self, buffer: Buffer, text: str) -> str:
        if self.habits.line_ends == "kept":
            return text
        return text.replace("\r\n", "\n").replace("\n", "\r\n" if "\r\n" in buffer.text else "\n")

    def _receive_operation(self, operation: ResourceOperation, answer: _Answer) -> None:
        kind = "rename" if isinstance(operation, RenameFile) else "delete"
        if kind not in self.habits.resources or operation.uri not in self.buffers:
            answer(EditAnswer("refused", f"{kind} is not supported"))
            return
        if not self.habits.does_nothing:
            self._operate(operation)
        answer(EditAnswer("applied"))

    def _operate(self, operation: ResourceOperation) -> None:
        text, path = self.buffers[operation.uri].text, self.path_of(operation.uri)
        self.close(operation.uri)
        if isinstance(operation, DeleteFile):
            path.unlink()
            return
        operation.new_path.parent.mkdir(parents=True, exist_ok=True)
        path.rename(operation.new_path)
        self.open(operation.new_path.as_uri(), text)

    def path_of(self, uri: str) -> Path:
        """The file of a URI, as the editor itself understands it."""
        path = self.documents.path_of(uri)
        assert path is not None
        return path


def _before_and_after(cells: list[Cell], start: int, end: int) -> tuple[Cell | None, Cell | None]:
    return (cells[start - 1] if start else None), (cells[end] if end < len(cells) else None)


def _spanning(buffer: Buffer) -> ContentChange:
    """One change from the first to the last difference since the last notification."""
    old, new = buffer.last_sent, buffer.cells
    head = 0
    while head < min(len(old), len(new)) and old[head] is new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] is new[-1 - tail]:
        tail += 1
    old_text = "".join(cell.char for cell in old)
    where = Range(
        offset_to_position(old_text, head, "utf-16", buffer.rule),
        offset_to_position(old_text, len(old) - tail, "utf-16", buffer.rule),
    )
    return ContentChange("".join(cell.char for cell in new[head : len(new) - tail]), where)
