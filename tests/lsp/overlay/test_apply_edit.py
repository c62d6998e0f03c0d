"""One edit of one open document: in place or said not to be, with every hole that real clients have."""

import asyncio
from dataclasses import replace

import pytest

from steersman.lsp.apply_edit import DocumentEditor
from steersman.lsp.documents import Documents
from support.fake_editor import EGLOT, HELIX, NEOVIM, VSCODE, FakeEditor, Habits
from support.virtual_time import run_virtual

URI = "untitled:one"
TEXT = "one\ntwo\nthree\nfour\n"
EDITED = "one\ntwo\nTHREE\nfour\n"
REAL = [
    pytest.param(NEOVIM, id="neovim"),
    pytest.param(EGLOT, id="eglot"),
    pytest.param(VSCODE, id="vscode"),
    pytest.param(HELIX, id="helix"),
]


class Scene:
    """An editor with one open document, and what edits it."""

    def __init__(self, habits, text=TEXT):
        self.documents = Documents(lambda uri: None)
        self.editor = FakeEditor(self.documents, habits)
        self.text_editor = DocumentEditor(self.documents, self.editor)
        self.editor.open(URI, text)

    @property
    def buffer(self):
        return self.editor.buffers[URI].text

    async def opened(self):
        await asyncio.sleep(0.1)
        return self

    async def edit(self, before=TEXT, after=EDITED):
        return await self.text_editor.edit(URI, before, after, label="Steersman: edit one")

    def type_before_the_edit(self, offset, text):
        """The person's typing is in the buffer before the edit is looked at, and the server does not know yet."""

        def typing(edit):
            if any(one.text for one in edit.edits):
                self.editor.before_edit = None
                self.editor.type(URI, offset, text)

        self.editor.before_edit = typing

    def type_after_the_edit(self, offset, text):
        def typing(edit):
            if any(one.text for one in edit.edits):
                self.editor.after_edit = None
                self.editor.type(URI, offset, text)

        self.editor.after_edit = typing


async def scene(habits, text=TEXT):
    return await Scene(habits, text).opened()


@pytest.mark.parametrize("habits", REAL)
def test_an_edit_of_a_quiet_document_is_confirmed(habits):
    async def main():
        it = await scene(habits)
        outcome = await it.edit()
        assert (outcome.kind, outcome.now, it.buffer) == ("confirmed", EDITED, EDITED)

    run_virtual(main())


@pytest.mark.parametrize("habits", REAL)
def test_typing_right_after_the_edit_arrived_with_it_and_both_are_kept(habits):
    """Neovim and eglot send both in one notification."""

    async def main():
        it = await scene(habits)
        it.type_after_the_edit(0, "typed\n")
        outcome = await it.edit()
        assert ("confirmed", f"typed\n{EDITED}") == (outcome.kind, it.buffer)

    run_virtual(main())


@pytest.mark.parametrize("habits", [HELIX, VSCODE, NEOVIM])
def test_an_edit_whose_text_moved_is_applied_where_it_is_now(habits):
    """A line typed above while the edit was on its way: the stale edit does nothing, the one after it is right."""

    async def main():
        it = await scene(habits)
        it.type_before_the_edit(0, "typed\n")
        outcome = await it.edit()
        assert ("confirmed", f"typed\n{EDITED}") == (outcome.kind, it.buffer)
        assert [(landing.right, landing.typed_lost) for landing in it.editor.landings] == [(True, "")]

    run_virtual(main())


@pytest.mark.parametrize("habits", [HELIX, VSCODE, NEOVIM])
def test_an_edit_whose_own_text_was_typed_in_is_given_back(habits):
    async def main():
        it = await scene(habits)
        it.type_before_the_edit(TEXT.index("three"), "not ")
        outcome = await it.edit()
        assert (outcome.kind, outcome.moved, it.buffer) == ("refuted", True, "one\ntwo\nnot three\nfour\n")
        assert outcome.now == it.buffer

    run_virtual(main())


def test_neovim_answering_applied_to_a_stale_edit_is_not_believed():
    """Situation 36."""

    async def main():
        it = await scene(NEOVIM)
        it.editor.type(URI, 0, "x")
        await asyncio.sleep(1)
        it.editor.before_edit = lambda edit: it.editor.type(URI, it.buffer.index("three"), "y")
        outcome = await it.edit(f"x{TEXT}", f"x{EDITED}")
        assert (outcome.kind, outcome.moved) == ("refuted", True)
        assert it.editor.landings == []

    run_virtual(main())


def test_an_unchanged_document_of_neovim_is_touched_before_it_is_edited():
    """An edit of version 0 is not compared there: the real one carries another version."""

    async def main():
        it = await scene(NEOVIM)
        versions = []
        it.editor.before_edit = lambda edit: versions.append((edit.version, edit.edits[0].text))
        await it.edit()
        assert versions == [(0, ""), (1, "THREE")]

    run_virtual(main())


def test_typing_during_neovims_touch_moves_the_edit_to_its_place():
    async def main():
        it = await scene(NEOVIM)

        def typing(edit):
            it.editor.before_edit = None
            it.editor.type(URI, 0, "typed\n")

        it.editor.before_edit = typing
        outcome = await it.edit()
        assert ("confirmed", f"typed\n{EDITED}") == (outcome.kind, it.buffer)

    run_virtual(main())


def test_a_client_that_says_applied_and_does_nothing_is_not_believed():
    async def main():
        it = await scene(Habits(does_nothing=True, answers="yes"))
        outcome = await it.edit()
        assert (outcome.kind, outcome.now) == ("unconfirmed", TEXT)

    run_virtual(main())


def test_a_client_that_says_applied_after_the_persons_no_is_not_believed():
    async def main():
        it = await scene(replace(EGLOT, person="no"))
        assert (await it.edit()).kind == "unconfirmed"

    run_virtual(main())


def test_an_edit_that_the_person_allowed_late_is_waited_for():
    async def main():
        it = await scene(replace(EGLOT, person="yes"))
        assert (await it.edit()).kind == "confirmed"

    run_virtual(main())


def test_a_question_that_nobody_answers_ends_unconfirmed():
    """C-g in Emacs: no answer is ever sent."""

    async def main():
        it = await scene(replace(EGLOT, person="never"))
        assert (await it.edit()).kind == "unconfirmed"

    run_virtual(main())


def test_a_client_that_says_no_and_does_it_all_the_same_is_seen_through():
    async def main():
        it = await scene(Habits(answers="no"))
        assert (await it.edit()).kind == "confirmed"

    run_virtual(main())


def test_a_client_that_never_answers_is_believed_by_its_text():
    async def main():
        it = await scene(Habits(answers="never"))
        assert (await it.edit()).kind == "confirmed"

    run_virtual(main())


def test_a_refused_edit_of_an_unchanged_document_changed_nothing():
    async def main():
        it = await scene(Habits(does_nothing=True, answers="no"))
        outcome = await it.edit()
        assert (outcome.kind, outcome.moved, outcome.now) == ("refuted", False, TEXT)

    run_virtual(main())


def test_a_document_closed_while_it_is_edited_leaves_the_outcome_untold():
    async def main():
        it = await scene(VSCODE)
        it.editor.before_edit = lambda edit: it.editor.close(URI)
        assert (await it.edit()).kind == "closed"

    run_virtual(main())


def test_an_edit_of_a_document_that_is_not_open_is_not_sent():
    async def main():
        it = await scene(VSCODE)
        it.editor.close(URI)
        await asyncio.sleep(0.1)
        assert ((await it.edit()).kind, it.editor.sent) == ("closed", 0)

    run_virtual(main())


def test_unsent_typing_in_emacs_is_waited_for():
    """Its version does not know of it; after a moment of quiet everything typed has been sent."""

    async def main():
        it = await scene(EGLOT)
        it.editor.type(URI, 0, "typed\n")
        outcome = await it.edit()
        assert ("confirmed", f"typed\n{EDITED}") == (outcome.kind, it.buffer)

    run_virtual(main())


def test_a_person_who_does_not_stop_typing_in_emacs_is_not_disturbed():
    async def main():
        it = await scene(replace(EGLOT, sending="each"))

        async def typing():
            while True:
                it.editor.type(URI, 0, "x")
                await asyncio.sleep(0.3)

        person = asyncio.create_task(typing())
        outcome = await it.edit()
        person.cancel()
        assert (outcome.kind, it.editor.sent) == ("refuted", 0)
        assert "typed in" in outcome.reason

    run_virtual(main())


@pytest.mark.parametrize("sending", ["list", "merged", "full"])
def test_an_edit_that_hit_other_text_is_said_to_have_done_so(sending):
    """A line typed in Emacs just before the edit made it land one line off (DESIGN §8)."""

    async def main():
        it = await scene(replace(EGLOT, sending=sending))
        it.type_before_the_edit(0, "typed\n")
        outcome = await it.edit()
        assert it.buffer == "typed\none\nTHREE\nthree\nfour\n"
        assert outcome.kind == ("misplaced" if sending == "list" else "unconfirmed")

    run_virtual(main())


def test_the_repair_of_a_misplaced_edit_is_offered():
    async def main():
        it = await scene(EGLOT)
        it.type_before_the_edit(0, "typed\n")
        outcome = await it.edit()
        assert outcome.repaired == f"typed\n{EDITED}"

    run_virtual(main())


def test_line_ends_that_the_editor_puts_right_do_not_hide_the_edit():
    async def main():
        it = await scene(VSCODE, "one\r\ntwo\r\n")
        outcome = await it.edit("one\r\ntwo\r\n", "one\r\nnew\ntwo\r\n")
        assert (outcome.kind, it.buffer) == ("confirmed", "one\r\nnew\r\ntwo\r\n")

    run_virtual(main())


def test_a_final_newline_that_the_editor_insists_on_does_not_hide_the_edit():
    async def main():
        it = await scene(NEOVIM)
        outcome = await it.edit(TEXT, "one\ntwo\nthree\n4")
        assert (outcome.kind, it.buffer) == ("confirmed", "one\ntwo\nthree\n4\n")

    run_virtual(main())


def test_a_document_that_the_editor_reloads_during_the_edit_is_judged_by_its_new_text():
    async def main():
        it = await scene(VSCODE)
        it.editor.after_edit = lambda edit: it.editor.reload(URI, TEXT)
        outcome = await it.edit()
        assert (outcome.kind, outcome.now) == ("confirmed", TEXT)  # it was there, and is gone: the caller tells

    run_virtual(main())


def test_the_clients_answer_is_waited_for_even_when_the_text_shows_the_edit_first():
    async def main():
        it = await scene(VSCODE)
        assert ((await it.edit()).kind, it.editor.unanswered, it.editor.sent) == ("confirmed", 0, 1)

    run_virtual(main())


def test_a_long_document_is_edited_like_a_short_one():
    """What takes its time is done in a thread; what is typed meanwhile counts."""

    async def main():
        text = "".join(f"line {number}\n" for number in range(20_000))
        it = await scene(VSCODE, text)
        outcome = await it.edit(text, text.replace("line 3\n", "line three\n").replace("line 19000\n", ""))
        assert (outcome.kind, outcome.now) == ("confirmed", it.buffer)
        assert "line three\n" in it.buffer

    run_virtual(main())
