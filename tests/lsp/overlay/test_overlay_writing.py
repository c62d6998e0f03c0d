"""Writing: open documents through the editor, closed files on disk, nothing typed is lost (DESIGN W2)."""

from dataclasses import replace

import pytest

from steersman.agent.changes import text_digest
from steersman_tools.kit.workspace import ApplyError, ChangedError
from support.editor_scene import TEXT, opened_scene
from support.fake_editor import EGLOT, HELIX, NEOVIM, VSCODE, Habits
from support.virtual_time import run_virtual

REAL = [
    pytest.param(NEOVIM, id="neovim"),
    pytest.param(EGLOT, id="eglot"),
    pytest.param(VSCODE, id="vscode"),
    pytest.param(HELIX, id="helix"),
]


@pytest.mark.parametrize("habits", REAL)
def test_an_open_document_is_changed_in_its_buffer_and_stays_unsaved(tmp_path, habits):
    async def main():
        it = await opened_scene(tmp_path, habits)
        applied = await it.edit("a.txt", "three", "THREE")
        expected = TEXT.replace("three", "THREE")
        assert (expected, TEXT) == (it.buffer("a.txt"), it.on_disk("a.txt"))
        assert applied.after == {it.path("a.txt"): expected}
        assert [(c.kind, c.added, c.removed, c.saved) for c in applied.changes] == [("edit", 1, 1, False)]
        assert applied.notes == ("a.txt is open in the editor and not saved.",)

    run_virtual(main())


def test_a_closed_file_is_written_on_disk(tmp_path):
    async def main():
        it = await opened_scene(tmp_path, opened=())
        applied = await it.edit("a.txt", "three", "THREE")
        assert it.on_disk("a.txt") == TEXT.replace("three", "THREE")
        assert ([c.saved for c in applied.changes], applied.notes) == ([True], ())

    run_virtual(main())


def test_a_new_file_is_made_on_disk(tmp_path):
    async def main():
        it = await opened_scene(tmp_path)
        await it.apply(it.creation("sub/new.txt", "new\n"))
        assert it.on_disk("sub/new.txt") == "new\n"

    run_virtual(main())


def test_a_new_file_that_is_already_open_and_empty_is_written_in_its_buffer(tmp_path):
    async def main():
        it = await opened_scene(tmp_path)
        await it.open("new.txt", "")
        await it.apply(it.creation("new.txt", "new\n"))
        assert (it.buffer("new.txt"), (tmp_path / "new.txt").exists()) == ("new\n", False)

    run_virtual(main())


def test_our_own_edit_is_followed_by_another_without_reading_again(tmp_path):
    """Situation 6."""

    async def main():
        it = await opened_scene(tmp_path)
        applied = await it.edit("a.txt", "one", "ONE")
        assert (await it.read("a.txt")).digest == text_digest(applied.after[it.path("a.txt")])
        await it.edit("a.txt", "four", "FOUR")
        assert it.buffer("a.txt") == "ONE\ntwo\nthree\nFOUR\n"

    run_virtual(main())


def test_text_typed_since_the_change_was_worked_out_is_kept(tmp_path):
    async def main():
        it = await opened_scene(tmp_path)
        change = await it.change("a.txt", "three", "THREE")
        await it.type("a.txt", 0, "typed\n")
        applied = await it.apply(change)
        assert it.buffer("a.txt") == "typed\none\ntwo\nTHREE\nfour\n"
        assert applied.after == {it.path("a.txt"): it.buffer("a.txt")}

    run_virtual(main())


def test_a_change_whose_own_text_was_typed_in_changes_nothing(tmp_path):
    async def main():
        it = await opened_scene(tmp_path)
        change = await it.change("a.txt", "three", "THREE")
        await it.type("a.txt", TEXT.index("three"), "typed ")
        with pytest.raises(ChangedError, match="nothing was changed"):
            await it.apply(change)
        assert it.buffer("a.txt") == "one\ntwo\ntyped three\nfour\n"

    run_virtual(main())


def test_a_lost_edit_tells_the_model_what_stands_there_now(tmp_path):
    """Situation 36: applied without being applied."""

    async def main():
        it = await opened_scene(tmp_path, Habits(does_nothing=True, answers="yes"))
        with pytest.raises(ApplyError, match="could not be confirmed") as caught:
            await it.edit("a.txt", "three", "THREE")
        assert "3: three" in str(caught.value)

    run_virtual(main())


def test_a_client_without_apply_edit_keeps_its_documents(tmp_path):
    async def main():
        it = await opened_scene(tmp_path, Habits(can_edit=False), opened=("a.txt",), a=TEXT, b=TEXT)
        with pytest.raises(ApplyError, match="cannot be asked to change open documents"):
            await it.edit("a.txt", "three", "THREE")
        await it.edit("b.txt", "three", "THREE")
        assert (it.buffer("a.txt"), it.on_disk("a.txt")) == (TEXT, TEXT)
        assert "THREE" in it.on_disk("b.txt")

    run_virtual(main())


def test_an_edit_of_a_stale_buffer_brings_it_to_the_disk_and_the_edit(tmp_path):
    async def main():
        it = await opened_scene(tmp_path)
        it.write("a.txt", "formatted\n" + TEXT)
        await it.edit("a.txt", "three", "THREE")
        assert it.buffer("a.txt") == "formatted\none\ntwo\nTHREE\nfour\n"
        assert (await it.read("a.txt")).state == "dirty"

    run_virtual(main())


def test_a_document_in_conflict_is_not_edited(tmp_path):
    async def main():
        it = await opened_scene(tmp_path)
        await it.type("a.txt", 0, "typed ")
        change = await it.change("a.txt", "three", "THREE")
        it.write("a.txt", "formatted\n")
        with pytest.raises(ApplyError, match="changed on disk too"):
            await it.apply(change)
        assert it.buffer("a.txt") == f"typed {TEXT}"

    run_virtual(main())


def test_both_names_of_one_open_file_are_kept_alike(tmp_path):
    async def main():
        it = await opened_scene(tmp_path)
        (tmp_path / "link.txt").symlink_to("a.txt")
        await it.open("link.txt")
        await it.edit("a.txt", "three", "THREE")
        assert it.buffer("a.txt") == it.buffer("link.txt") == TEXT.replace("three", "THREE")

    run_virtual(main())


def test_line_ends_of_a_buffer_are_its_own_and_the_files_stay(tmp_path):
    """Emacs shows a file with CRLF with LF; what the model sees and writes has the file's."""

    async def main():
        it = await opened_scene(tmp_path, EGLOT, opened=(), a="one\r\ntwo\r\n")
        await it.open("a.txt", "one\ntwo\n")
        applied = await it.edit("a.txt", "two\r\n", "two\r\nthree\r\n")
        assert it.buffer("a.txt") == "one\ntwo\nthree\n"
        assert applied.after == {it.path("a.txt"): "one\r\ntwo\r\nthree\r\n"}
        assert (await it.read("a.txt")).text == "one\r\ntwo\r\nthree\r\n"

    run_virtual(main())


def test_lines_of_a_mixed_file_keep_their_ends(tmp_path):
    """Situation 3."""

    async def main():
        it = await opened_scene(tmp_path, a="a\r\nb\rc\r\nd\n")
        await it.edit("a.txt", "c", "C")
        assert it.buffer("a.txt") == "a\r\nb\rC\r\nd\n"

    run_virtual(main())


def test_a_byte_order_mark_in_the_buffer_stays_and_is_not_shown(tmp_path):
    """Situation 4."""

    async def main():
        it = await opened_scene(tmp_path, opened=(), a=b"\xef\xbb\xbfone\ntwo\n")
        await it.open("a.txt", "\ufeffone\ntwo\n")
        assert (await it.read("a.txt")).text == "one\ntwo\n"
        await it.edit("a.txt", "one", "ONE")
        assert it.buffer("a.txt") == "\ufeffONE\ntwo\n"

    run_virtual(main())


def test_a_change_of_line_ends_alone_is_refused_in_an_open_document(tmp_path):
    async def main():
        it = await opened_scene(tmp_path)
        change = replace(await it.change("a.txt", "one", "ONE"), after=TEXT.replace("\n", "\r\n"))
        with pytest.raises(ApplyError, match="line ends"):
            await it.apply(change)

    run_virtual(main())


def test_an_edit_in_emacs_asks_first_unless_its_question_was_answered(tmp_path):
    """DESIGN §8: eglot hides unsent typing, so an edit comes after a question, in every mode."""

    async def main():
        it = await opened_scene(tmp_path, EGLOT)
        await it.edit("a.txt", "one", "ONE")
        assert len(it.editor.questions) == 1
        change = await it.change("a.txt", "two", "TWO")
        it.answered.record((change,))
        await it.apply(change)
        assert (len(it.editor.questions), it.buffer("a.txt")) == (1, "ONE\nTWO\nthree\nfour\n")

    run_virtual(main())


def test_a_no_to_the_question_leaves_the_document_alone(tmp_path):
    async def main():
        it = await opened_scene(tmp_path, replace(EGLOT, agrees=False))
        with pytest.raises(ApplyError, match="did not let"):
            await it.edit("a.txt", "one", "ONE")
        assert (it.buffer("a.txt"), it.editor.sent) == (TEXT, 0)

    run_virtual(main())


def test_text_that_an_edit_hit_by_mistake_is_told_with_the_patch_that_puts_it_right(tmp_path):
    async def main():
        it = await opened_scene(tmp_path, EGLOT)

        def typing(edit):
            it.editor.before_edit = None
            it.editor.type(it.uri("a.txt"), 0, "typed\n")

        it.editor.before_edit = typing
        with pytest.raises(ApplyError, match="not meant for") as caught:
            await it.edit("a.txt", "three", "THREE")
        assert " one\n+two\n THREE\n-three\n four\n" in str(caught.value)

    run_virtual(main())


def test_a_file_without_a_final_newline_is_edited_in_an_editor_that_puts_one(tmp_path):
    """Neovim tells a text that ends with a line feed, whatever the file does; situation 8 is the editor's to hold."""

    async def main():
        it = await opened_scene(tmp_path, NEOVIM, opened=(), a="one\ntwo")
        await it.open("a.txt", "one\ntwo\n")
        document = await it.read("a.txt")
        assert (document.state, document.text) == ("clean", "one\ntwo")
        applied = await it.edit("a.txt", "one", "ONE")
        assert (it.buffer("a.txt"), applied.after[it.path("a.txt")]) == ("ONE\ntwo\n", "ONE\ntwo")

    run_virtual(main())
