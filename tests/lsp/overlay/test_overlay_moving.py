"""Moving and deleting open files, by the editor where it can (DESIGN W2, W7)."""

from dataclasses import replace

import pytest

from steersman.agent.tool import ToolError
from steersman_tools.kit.workspace import ApplyError, ChangedError
from support.editor_scene import TEXT, EditorScene, opened_scene
from support.fake_editor import EGLOT, NEOVIM, VSCODE
from support.virtual_time import run_virtual


def test_an_open_file_is_moved_by_the_editor_and_stays_open(tmp_path):
    async def main():
        it = await opened_scene(tmp_path)
        await it.apply(await it.move("a.txt", "sub/b.txt"))
        await it.moment()
        assert (it.buffer("sub/b.txt"), it.on_disk("sub/b.txt"), (tmp_path / "a.txt").exists()) == (TEXT, TEXT, False)

    run_virtual(main())


def test_an_open_file_is_edited_and_moved_in_one_change(tmp_path):
    async def main():
        it = await opened_scene(tmp_path)
        after = TEXT.replace("three", "THREE")
        applied = await it.apply(await it.move("a.txt", "b.txt", after))
        await it.moment()
        assert (after, after) == (it.buffer("b.txt"), applied.after[it.path("b.txt")])

    run_virtual(main())


def test_an_open_file_is_moved_on_disk_where_the_editor_cannot(tmp_path):
    async def main():
        it = await opened_scene(tmp_path, EGLOT)
        applied = await it.apply(await it.move("a.txt", "b.txt"))
        assert (it.on_disk("b.txt"), (tmp_path / "a.txt").exists()) == (TEXT, False)
        assert "still open" in applied.notes[0]

    run_virtual(main())


def test_unsaved_text_goes_with_a_file_that_the_editor_cannot_move(tmp_path):
    async def main():
        it = await opened_scene(tmp_path, EGLOT)
        await it.type("a.txt", 0, "typed\n")
        await it.apply(await it.move("a.txt", "b.txt"))
        assert (f"typed\n{TEXT}", f"typed\n{TEXT}") == (it.on_disk("b.txt"), it.buffer("a.txt"))

    run_virtual(main())


def test_nothing_is_moved_onto_an_open_document(tmp_path):
    async def main():
        it = await opened_scene(tmp_path)
        await it.open("new.txt", "draft\n")
        with pytest.raises(ChangedError, match="open in the editor"):
            await it.apply(await it.move("a.txt", "new.txt"))

    run_virtual(main())


@pytest.mark.parametrize("habits", [NEOVIM, VSCODE])
def test_an_open_file_is_deleted_by_the_editor(tmp_path, habits):
    async def main():
        it = await opened_scene(tmp_path, habits)
        await it.apply(await it.removal("a.txt"))
        await it.moment()
        assert (it.editor.buffers, (tmp_path / "a.txt").exists()) == ({}, False)

    run_virtual(main())


def test_typing_that_was_not_told_yet_keeps_neovim_from_deleting(tmp_path):
    async def main():
        it = await opened_scene(tmp_path, NEOVIM)
        change = await it.removal("a.txt")
        it.editor.before_edit = lambda edit: it.editor.type(it.uri("a.txt"), 0, "typed ")
        with pytest.raises(ChangedError):
            await it.apply(change)
        assert (f"typed {TEXT}", TEXT) == (it.buffer("a.txt"), it.on_disk("a.txt"))

    run_virtual(main())


def test_an_open_file_is_deleted_on_disk_where_the_editor_cannot(tmp_path):
    async def main():
        it = await opened_scene(tmp_path, EGLOT)
        applied = await it.apply(await it.removal("a.txt"))
        assert (it.buffer("a.txt"), (tmp_path / "a.txt").exists()) == (TEXT, False)
        assert "still open" in applied.notes[0]

    run_virtual(main())


def test_an_editor_that_says_deleted_and_does_not_is_not_believed(tmp_path):
    async def main():
        it = await opened_scene(tmp_path, replace(VSCODE, does_nothing=True))
        with pytest.raises(ApplyError, match="did not delete"):
            await it.apply(await it.removal("a.txt"))

    run_virtual(main())


def test_a_move_is_taken_back_when_a_later_step_fails(tmp_path):
    async def main():
        it = await opened_scene(tmp_path, opened=("a.txt", "b.txt"), a=TEXT, b=TEXT)
        moved, gone = await it.move("a.txt", "c.txt"), await it.removal("b.txt")
        operate = it.editor.operate

        async def first_only(operation, **options):
            it.editor.operate = operate
            answer = await operate(operation, **options)
            it.editor.habits = replace(it.editor.habits, resources=frozenset({"rename"}))
            return answer

        it.editor.operate = first_only
        with pytest.raises(ApplyError, match="taken back"):
            await it.apply(moved, gone)
        await it.moment()
        assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b.txt"]
        assert it.buffer("a.txt") == TEXT

    run_virtual(main())


def test_a_path_that_was_turned_into_a_link_meanwhile_is_not_followed(tmp_path):
    """DESIGN W7: also when the editor deletes or moves."""

    async def main():
        folder, outside = tmp_path / "ws", tmp_path / "outside"
        outside.mkdir()
        (outside / "a.txt").write_text(TEXT)
        it = EditorScene(folder, VSCODE)
        it.write("sub/a.txt", TEXT)
        await it.open("sub/a.txt")
        removal, move = await it.removal("sub/a.txt"), await it.move("sub/a.txt", "b.txt")
        (folder / "sub").rename(folder / "old")
        (folder / "sub").symlink_to(outside)
        for change in (removal, move):
            with pytest.raises(ToolError):
                await it.apply(change)
        assert (outside / "a.txt").read_text() == TEXT

    run_virtual(main())
