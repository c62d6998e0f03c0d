"""Rewinding: buffers are put back through the editor, the disk where nothing is open (DESIGN S7)."""

from dataclasses import replace

from steersman_tools.kit.workspace import SeesBuffers
from support.editor_scene import EditorScene
from support.fake_editor import EGLOT, VSCODE, Habits
from support.virtual_time import run_virtual

TEXT = "one\ntwo\nthree\n"


async def scene(tmp_path, habits=VSCODE, opened=True):
    it = EditorScene(tmp_path, habits)
    it.write("a.txt", TEXT)
    if opened:
        await it.open("a.txt")
    return it


async def edited(it):
    """Keep what a checkpoint keeps, change the file, and return (wanted, expected)."""
    wanted = await it.workspace.snapshot(it.path("a.txt"))
    await it.edit("a.txt", "two", "TWO")
    return wanted, await it.workspace.snapshot(it.path("a.txt"))


def test_an_edit_of_an_open_document_is_put_back_in_its_buffer(tmp_path):
    async def main():
        it = await scene(tmp_path)
        wanted, expected = await edited(it)
        assert await it.workspace.restore(wanted, expected) is None
        assert (it.buffer("a.txt"), it.on_disk("a.txt")) == (TEXT, TEXT)

    run_virtual(main())


def test_a_document_that_was_clean_is_saved_and_one_with_unsaved_edits_of_the_person_is_not(tmp_path):
    async def main():
        it = await scene(tmp_path, replace(VSCODE, can_save=True))
        wanted, expected = await edited(it)
        it.editor.save_file(it.uri("a.txt"))
        await it.moment()
        assert it.on_disk("a.txt") == "one\nTWO\nthree\n"
        assert await it.workspace.restore(wanted, replace(expected, data=b"one\nTWO\nthree\n")) is None
        assert (it.buffer("a.txt"), it.on_disk("a.txt")) == (TEXT, TEXT)

        await it.type("a.txt", 0, "typed\n")
        wanted, expected = await edited(it)
        assert await it.workspace.restore(wanted, expected) is None
        assert (it.buffer("a.txt"), it.on_disk("a.txt")) == (f"typed\n{TEXT}", TEXT)

    run_virtual(main())


def test_unsaved_text_of_before_is_what_comes_back(tmp_path):
    async def main():
        it = await scene(tmp_path)
        await it.type("a.txt", 0, "typed\n")
        wanted, expected = await edited(it)
        assert await it.workspace.restore(wanted, expected) is None
        assert it.buffer("a.txt") == f"typed\n{TEXT}"

    run_virtual(main())


def test_text_typed_since_is_a_conflict_and_stays_unless_forced(tmp_path):
    async def main():
        it = await scene(tmp_path)
        wanted, expected = await edited(it)
        await it.type("a.txt", 0, "typed\n")
        assert await it.workspace.restore(wanted, expected) == "it was changed since"
        assert it.buffer("a.txt") == "typed\none\nTWO\nthree\n"
        assert await it.workspace.restore(wanted, None) is None
        assert it.buffer("a.txt") == TEXT

    run_virtual(main())


def test_a_file_written_while_closed_is_put_back_in_the_buffer_when_it_is_open_now(tmp_path):
    async def main():
        it = await scene(tmp_path, opened=False)
        wanted, expected = await edited(it)
        await it.open("a.txt")
        assert await it.workspace.restore(wanted, expected) is None
        assert it.buffer("a.txt") == TEXT

    run_virtual(main())


def test_a_document_saved_and_closed_since_is_put_back_on_disk_with_its_unsaved_text(tmp_path):
    async def main():
        it = await scene(tmp_path)
        await it.type("a.txt", 0, "typed\n")
        wanted, _ = await edited(it)
        it.editor.save_file(it.uri("a.txt"))
        it.editor.close(it.uri("a.txt"))
        await it.moment()
        assert await it.workspace.restore(wanted, await it.workspace.snapshot(it.path("a.txt"))) is None
        assert it.on_disk("a.txt") == f"typed\n{TEXT}"

    run_virtual(main())


def test_a_document_closed_without_saving_leaves_the_disk_as_it_was(tmp_path):
    async def main():
        it = await scene(tmp_path)
        await it.type("a.txt", 0, "typed\n")
        wanted, _ = await edited(it)
        it.editor.close(it.uri("a.txt"))
        await it.moment()
        assert await it.workspace.restore(wanted, await it.workspace.snapshot(it.path("a.txt"))) is None
        assert it.on_disk("a.txt") == TEXT

    run_virtual(main())


def test_a_new_file_that_was_opened_since_goes_with_its_buffer(tmp_path):
    async def main():
        it = await scene(tmp_path)
        wanted = await it.workspace.snapshot(it.path("new.txt"))
        await it.apply(it.creation("new.txt", "new\n"))
        expected = await it.workspace.snapshot(it.path("new.txt"))
        await it.open("new.txt")
        assert await it.workspace.restore(wanted, replace(expected, buffer="new\n")) is None
        assert not (tmp_path / "new.txt").exists()

    run_virtual(main())


def test_a_new_file_stays_where_the_editor_cannot_close_it(tmp_path):
    async def main():
        it = await scene(tmp_path, EGLOT)
        wanted = await it.workspace.snapshot(it.path("new.txt"))
        await it.apply(it.creation("new.txt", "new\n"))
        await it.open("new.txt")
        assert "close it there" in await it.workspace.restore(wanted, None)
        assert it.on_disk("new.txt") == "new\n"

    run_virtual(main())


def test_a_file_that_was_deleted_comes_back_on_disk(tmp_path):
    async def main():
        it = await scene(tmp_path)
        wanted = await it.workspace.snapshot(it.path("a.txt"))
        await it.apply(await it.removal("a.txt"))
        await it.moment()
        assert await it.workspace.restore(wanted, await it.workspace.snapshot(it.path("a.txt"))) is None
        assert it.on_disk("a.txt") == TEXT

    run_virtual(main())


def test_a_rewind_in_emacs_asks_before_it_edits(tmp_path):
    async def main():
        it = await scene(tmp_path, EGLOT)
        wanted, expected = await edited(it)
        asked = len(it.editor.questions)
        assert await it.workspace.restore(wanted, expected) is None
        assert (len(it.editor.questions), it.buffer("a.txt")) == (asked + 1, TEXT)
        it.editor.habits = replace(EGLOT, agrees=False)
        assert "did not let" in await it.workspace.restore(expected, None)

    run_virtual(main())


def test_a_client_that_cannot_edit_keeps_its_buffer(tmp_path):
    async def main():
        it = await scene(tmp_path)
        wanted, expected = await edited(it)
        it.editor.habits = Habits(can_edit=False)
        assert "cannot be asked" in await it.workspace.restore(wanted, expected)

    run_virtual(main())


def test_a_rewind_can_itself_be_taken_back(tmp_path):
    async def main():
        it = await scene(tmp_path)
        wanted, expected = await edited(it)
        await it.workspace.restore(wanted, expected)
        assert await it.workspace.restore(expected, await it.workspace.snapshot(it.path("a.txt"))) is None
        assert it.buffer("a.txt") == "one\nTWO\nthree\n"

    run_virtual(main())


def test_an_editor_s_workspace_is_known_to_see_its_buffers_and_the_disk_to_see_none(tmp_path):
    async def main():
        it = await scene(tmp_path, opened=False)
        assert isinstance(it.workspace, SeesBuffers)
        assert not isinstance(it.workspace.disk, SeesBuffers)

    run_virtual(main())


def test_a_folder_that_was_made_for_a_file_goes_with_it_also_when_the_file_is_open(tmp_path):
    async def main():
        it = await scene(tmp_path)
        wanted = await it.workspace.snapshot(it.path("made/deep/new.txt"))
        await it.apply(it.creation("made/deep/new.txt", "new\n"))
        await it.open("made/deep/new.txt")
        assert await it.workspace.restore(wanted, None) is None
        assert not (tmp_path / "made").exists()

    run_virtual(main())
