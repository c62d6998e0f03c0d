"""Several files in one change: all or none, open and closed together (DESIGN W2, W6)."""

import asyncio
from dataclasses import replace

import pytest

from steersman.agent.changes import text_digest
from steersman.agent.tool import ToolError
from steersman_tools.kit.workspace import ApplyError, ChangedError
from support.editor_scene import TEXT, opened_scene
from support.virtual_time import run_virtual


def test_open_and_closed_files_are_changed_together(tmp_path):
    async def main():
        it = await opened_scene(tmp_path, opened=("a.txt", "b.txt"), a=TEXT, b=TEXT, c=TEXT)
        changes = [await it.change(f"{name}.txt", "three", "THREE") for name in "abc"]
        applied = await it.apply(*changes, it.creation("new.txt", "new\n"))
        expected = TEXT.replace("three", "THREE")
        assert [expected] * 3 == [it.buffer("a.txt"), it.buffer("b.txt"), it.on_disk("c.txt")]
        assert [c.saved for c in applied.changes] == [False, False, True, True]
        assert it.on_disk("new.txt") == "new\n"

    run_virtual(main())


def test_a_change_that_cannot_be_made_leaves_every_other_file_untouched(tmp_path):
    """Situation 5."""

    async def main():
        it = await opened_scene(tmp_path, opened=("a.txt",), a=TEXT, c=TEXT)
        changes = [await it.change("a.txt", "three", "THREE"), await it.change("c.txt", "three", "THREE")]
        it.write("c.txt", "changed\n")
        with pytest.raises(ChangedError):
            await it.apply(*changes, it.creation("new.txt", "new\n"))
        assert (it.buffer("a.txt"), it.on_disk("c.txt")) == (TEXT, "changed\n")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "c.txt"]

    run_virtual(main())


def test_edits_before_one_that_fails_are_taken_back_and_nothing_is_written(tmp_path):
    async def main():
        it = await opened_scene(tmp_path, opened=("a.txt", "b.txt"), a=TEXT, b=TEXT, c=TEXT)
        changes = [await it.change(f"{name}.txt", "three", "THREE") for name in "abc"]

        def refuse(edit):
            if edit.uri == it.uri("b.txt"):
                it.editor.type(it.uri("b.txt"), TEXT.index("three"), "typed ")

        it.editor.before_edit = refuse
        with pytest.raises(ChangedError, match="taken back"):
            await it.apply(*changes)
        assert (it.buffer("a.txt"), it.on_disk("c.txt")) == (TEXT, TEXT)
        assert it.buffer("b.txt") == TEXT.replace("three", "typed three")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b.txt", "c.txt"]

    run_virtual(main())


def test_what_was_typed_meanwhile_survives_the_taking_back(tmp_path):
    async def main():
        it = await opened_scene(tmp_path, opened=("a.txt", "b.txt"), a=TEXT, b=TEXT)
        changes = [await it.change(f"{name}.txt", "three", "THREE") for name in "ab"]

        def refuse(edit):
            if edit.uri == it.uri("b.txt"):
                it.editor.before_edit = None
                it.editor.type(it.uri("a.txt"), 0, "typed\n")
                it.editor.close(it.uri("b.txt"))

        it.editor.before_edit = refuse
        with pytest.raises(ApplyError, match="taken back"):
            await it.apply(*changes)
        assert it.buffer("a.txt") == f"typed\n{TEXT}"

    run_virtual(main())


def test_what_cannot_be_taken_back_is_named(tmp_path):
    async def main():
        it = await opened_scene(tmp_path, opened=("a.txt", "b.txt"), a=TEXT, b=TEXT)
        changes = [await it.change(f"{name}.txt", "three", "THREE") for name in "ab"]

        def refuse(edit):
            if edit.uri == it.uri("b.txt"):
                it.editor.before_edit = None
                it.editor.type(it.uri("a.txt"), TEXT.index("three") + 2, "typed")
                it.editor.close(it.uri("b.txt"))

        it.editor.before_edit = refuse
        with pytest.raises(ApplyError, match=r"partly applied: .*a\.txt could not be taken back"):
            await it.apply(*changes)
        assert it.buffer("a.txt") == "one\ntwo\nTHtypedREE\nfour\n"

    run_virtual(main())


def test_buffers_are_taken_back_when_the_disk_refuses_in_the_end(tmp_path):
    async def main():
        it = await opened_scene(tmp_path, opened=("a.txt",), a=TEXT, c=TEXT)
        changes = [await it.change(f"{name}.txt", "three", "THREE") for name in "ac"]
        it.editor.after_edit = lambda edit: it.write("c.txt", "changed\n")
        with pytest.raises(ToolError):
            await it.apply(*changes)
        assert (it.buffer("a.txt"), it.on_disk("c.txt")) == (TEXT, "changed\n")

    run_virtual(main())


def test_one_open_document_changed_twice_in_a_call_is_refused_before_anything_happens(tmp_path):
    async def main():
        it = await opened_scene(tmp_path)
        first = await it.change("a.txt", "one", "ONE")
        after = first.after.replace("two", "TWO")
        second = replace(first, before=first.after, before_digest=text_digest(first.after), after=after)
        with pytest.raises(ApplyError, match="twice"):
            await it.apply(first, second)
        assert it.buffer("a.txt") == TEXT

    run_virtual(main())


def test_two_runs_change_one_file_one_after_the_other(tmp_path):
    async def main():
        it = await opened_scene(tmp_path)
        one, other = await it.change("a.txt", "one", "ONE"), await it.change("a.txt", "four", "FOUR")
        await asyncio.gather(it.apply(one), it.apply(other))
        assert (it.buffer("a.txt"), it.editor.most_unanswered) == ("ONE\ntwo\nthree\nFOUR\n", 1)

    run_virtual(main())


def test_a_document_saved_and_closed_right_after_the_edit_is_told_so(tmp_path):
    async def main():
        it = await opened_scene(tmp_path)

        def close(edit):
            it.editor.save_file(it.uri("a.txt"))
            it.editor.close(it.uri("a.txt"))

        it.editor.after_edit = close
        applied = await it.edit("a.txt", "three", "THREE")
        assert it.on_disk("a.txt") == TEXT.replace("three", "THREE")
        assert "saved and closed" in applied.notes[0]

    run_virtual(main())


def test_a_document_closed_without_saving_is_not_claimed(tmp_path):
    async def main():
        it = await opened_scene(tmp_path)
        it.editor.after_edit = lambda edit: it.editor.close(it.uri("a.txt"))
        with pytest.raises(ApplyError, match="was closed"):
            await it.edit("a.txt", "three", "THREE")

    run_virtual(main())
