"""No order of events loses what a person typed without saying so, or claims an edit that is not there (issue 4).

Hypothesis drives a model of the editor with the holes of the real ones: when messages travel, when collected changes
are sent, when the person types, saves, closes or answers. Each character knows where it came from, so the claims are
checked against what really happened in the buffer.
"""

import asyncio

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from steersman.lsp.apply_edit import DocumentEditor
from steersman.lsp.documents import Documents
from support.fake_editor import FakeEditor, Habits
from support.virtual_time import VirtualTimeLoop

URI = "untitled:one"
TEXT = "".join(f"line {name}\n" for name in ("one", "two", "three", "four", "five", "six", "seven", "eight"))

GUARDED = st.builds(
    Habits,
    guard=st.just("now"),
    skips_version_zero=st.booleans(),
    stale=st.sampled_from(["no", "error", "applied"]),
    sending=st.sampled_from(["each", "list", "merged", "full"]),
    answers=st.sampled_from(["truth", "yes", "no", "never"]),
    does_nothing=st.sampled_from([False, False, False, True]),
    person=st.sampled_from([None, None, None, "yes", "no", "never"]),
    line_feeds_only=st.booleans(),
    first_version=st.sampled_from([0, 1]),
)
UNGUARDED = st.builds(
    Habits,
    guard=st.sampled_from(["sent", "none"]),
    stale=st.sampled_from(["no", "error", "applied"]),
    sending=st.sampled_from(["each", "list"]),
    answers=st.sampled_from(["truth", "yes", "never"]),
    person=st.sampled_from([None, None, "yes", "no", "never"]),
    first_version=st.sampled_from([0, 1]),
)


class AnyInterleaving(RuleBasedStateMachine):
    """The editor, the person, the wire and the clock, in any order."""

    habits_of = GUARDED

    def __init__(self):
        super().__init__()
        self.loop = VirtualTimeLoop()
        self.task = None
        self.tokens = 0
        self.never_landed = set()

    @initialize(data=st.data())
    def start(self, data):
        self.documents = Documents(lambda uri: None)
        self.editor = FakeEditor(self.documents, data.draw(self.habits_of), auto=False)
        self.text_editor = DocumentEditor(self.documents, self.editor)
        self.editor.open(URI, TEXT)
        self.editor.arrive()

    def step(self):
        """Let every task go on as far as it can without the clock moving."""
        for _ in range(6):
            self.loop.run_until_complete(asyncio.sleep(0))

    def token(self, prefix):
        self.tokens += 1
        return f"{prefix}{self.tokens}"

    # --- the run ------------------------------------------------------------------------------------------------

    @precondition(lambda self: self.task is None and self.documents.get(URI) is not None)
    @precondition(lambda self: not self.editor.to_editor and not self.editor.asked)
    @rule(at=st.integers(0, 7), length=st.integers(0, 2), new=st.integers(0, 2))
    def edit(self, at, length, new):
        """The agent replaces some lines by others (or inserts, or removes)."""
        before = self.documents.get(URI).text
        lines = before.splitlines(keepends=True)
        at = min(at, len(lines))
        after = [*lines[:at], *(f"{self.token('agent ')}\n" for _ in range(new)), *lines[at + length :]]
        if after != lines:
            self.first = self.editor.sent + 1
            edit = self.text_editor.edit(URI, before, "".join(after), label="an edit")
            self.task = self.loop.create_task(edit)
            self.step()

    # --- the person ---------------------------------------------------------------------------------------------

    @precondition(lambda self: URI in self.editor.buffers)
    @rule(place=st.floats(0, 1), newline=st.booleans())
    def type(self, place, newline):
        buffer = self.editor.buffers[URI]
        offset = round(place * len(buffer.cells))
        if newline:
            offset = buffer.text.rfind("\n", 0, offset) + 1
        self.editor.type(URI, offset, self.token("typed ") + "\n" * newline)

    @precondition(lambda self: URI in self.editor.buffers)
    @rule(place=st.floats(0, 1), length=st.integers(1, 4))
    def erase(self, place, length):
        buffer = self.editor.buffers[URI]
        start = round(place * len(buffer.cells))
        end = min(start + length, len(buffer.cells))
        if start < end and "\n" not in buffer.text[start:end]:  # whole lines are the agent's: told apart by the text
            self.editor.erase(URI, start, end)

    @precondition(lambda self: URI in self.editor.buffers)
    @rule()
    def close(self):
        self.editor.close(URI)

    @precondition(lambda self: URI not in self.editor.buffers)
    @rule(changed=st.booleans())
    def reopen(self, changed):
        self.editor.open(URI, ("line new\n" if changed else "") + TEXT)

    @rule()
    def answer(self):
        self.editor.answer_question()
        self.step()

    # --- the wire and the clock ---------------------------------------------------------------------------------

    @rule()
    def deliver(self):
        self.editor.deliver()
        self.step()

    @rule()
    def arrive(self):
        self.editor.arrive()
        self.step()

    @rule()
    def flush(self):
        self.editor.flush(URI)

    @rule(seconds=st.sampled_from([0.2, 0.8, 1.1, 6.0]))
    def wait(self, seconds):
        """What an editor has collected is on its way after half a second, and soon there; it may read late itself."""
        if seconds > 0.5:
            self.editor.flush(URI)
            while self.editor.arrive():
                self.step()
        self.loop.run_until_complete(asyncio.sleep(seconds))
        self.step()

    @rule()
    def everything_arrives(self):
        self.editor.flush(URI)
        while self.editor.deliver() or self.editor.arrive():
            self.step()

    # --- what must hold -----------------------------------------------------------------------------------------

    @invariant()
    def the_claim_is_true(self):
        if self.task is None or not self.task.done():
            return
        outcome, self.task = self.task.result(), None
        numbers = range(self.first, self.editor.sent + 1)
        landings = [landing for landing in self.editor.landings if landing.number in numbers]
        if outcome.kind == "confirmed":
            assert [landing.right for landing in landings] == [True]
        if outcome.kind == "refuted":
            assert landings == []
            self.never_landed.update(numbers)
        if any(landing.typed_lost for landing in landings):
            assert outcome.kind in {"misplaced", "unconfirmed", "closed"}
        if outcome.kind == "misplaced":
            assert landings

    @invariant()
    def the_mirror_is_the_last_text_that_was_sent(self):
        document = self.documents.get(URI)
        buffer = self.editor.buffers.get(URI)
        if document is not None and buffer is not None and not self.editor.to_server:
            assert "".join(cell.char for cell in buffer.last_sent) == document.text

    def teardown(self):
        for _ in range(40):
            if self.task is None:
                break
            self.everything_arrives()
            self.editor.answer_question()
            self.wait(31.0)
            self.the_claim_is_true()
        assert self.task is None
        self.everything_arrives()
        assert not self.never_landed & {landing.number for landing in self.editor.landings}
        self.loop.close()


class AnyInterleavingWithoutAGuard(AnyInterleaving):
    """Clients that do not see unsent typing at any version, such as eglot; they tell every single change.

    From one that told only where it all ended, nobody could know what was there between.
    """

    habits_of = UNGUARDED


QUICK = settings(max_examples=120, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck))
AnyInterleaving.TestCase.settings = QUICK
AnyInterleavingWithoutAGuard.TestCase.settings = QUICK
TestGuarded = AnyInterleaving.TestCase
TestUnguarded = AnyInterleavingWithoutAGuard.TestCase
