"""What is saved, what stays unsaved and is said, and how long a reload is waited for (DESIGN W1, W2)."""

import asyncio
from dataclasses import replace

from support.editor_scene import TEXT, opened_scene
from support.fake_editor import VSCODE
from support.virtual_time import run_virtual


def test_a_document_that_was_clean_is_saved_where_the_client_can(tmp_path):
    """PROTOCOL §6."""

    async def main():
        it = await opened_scene(tmp_path, replace(VSCODE, can_save=True))
        applied = await it.edit("a.txt", "three", "THREE")
        assert it.on_disk("a.txt") == TEXT.replace("three", "THREE")
        assert ([c.saved for c in applied.changes], applied.notes) == ([True], ())

    run_virtual(main())


def test_a_document_that_was_dirty_is_not_saved_behind_the_persons_back(tmp_path):
    async def main():
        it = await opened_scene(tmp_path, replace(VSCODE, can_save=True))
        await it.type("a.txt", 0, "typed\n")
        applied = await it.edit("a.txt", "three", "THREE")
        assert (it.on_disk("a.txt"), [c.saved for c in applied.changes]) == (TEXT, [False])
        assert await it.workspace.prepare_for_command() == ("a.txt",)
        assert it.on_disk("a.txt") == TEXT
        assert await it.workspace.save_for_command() == ()
        assert it.on_disk("a.txt") == "typed\none\ntwo\nTHREE\nfour\n"

    run_virtual(main())


def test_unsaved_edits_of_ours_are_named_before_a_command_and_the_persons_own_are_not(tmp_path):
    async def main():
        it = await opened_scene(tmp_path, opened=("a.txt", "b.txt"), a=TEXT, b=TEXT)
        await it.type("b.txt", 0, "typed\n")
        await it.edit("a.txt", "three", "THREE")
        before = await it.workspace.prepare_for_command()
        it.editor.save_file(it.uri("a.txt"))
        await it.moment()
        assert (before, await it.workspace.prepare_for_command()) == (("a.txt",), ())

    run_virtual(main())


def test_after_a_command_the_editor_gets_a_moment_to_reload(tmp_path):
    async def main():
        it = await opened_scene(tmp_path)
        it.write("a.txt", "formatted\n")
        asyncio.get_running_loop().call_later(0.5, it.editor.reload, it.uri("a.txt"), "formatted\n")
        await it.workspace.settle_after_command()
        assert (await it.read("a.txt")).state == "clean"

    run_virtual(main())


def test_an_editor_that_does_not_reload_is_not_waited_for_long(tmp_path):
    async def main():
        it = await opened_scene(tmp_path)
        it.write("a.txt", "formatted\n")
        await it.workspace.settle_after_command()
        assert (await it.read("a.txt")).state == "stale"

    run_virtual(main())
