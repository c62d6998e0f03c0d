"""Writing: open documents through the editor, all files or none, what stays unsaved is said (DESIGN W2, W6)."""

import asyncio
from dataclasses import replace

import pytest

from steersman.agent.changes import text_digest
from steersman.agent.tool import ToolError
from steersman_tools.kit.workspace import ApplyError, ChangedError
from support.editor_scene import EditorScene
from support.fake_editor import EGLOT, HELIX, NEOVIM, VSCODE, Habits
from support.virtual_time import run_virtual

TEXT = "one\ntwo\nthree\nfour\n"
REAL = [
    pytest.param(NEOVIM, id="neovim"),
    pytest.param(EGLOT, id="eglot"),
    pytest.param(VSCODE, id="vscode"),
    pytest.param(HELIX, id="helix"),
]


async def scene(tmp_path, habits=VSCODE, *, opened=("a.txt",), **files):
    it = EditorScene(tmp_path, habits)
    for name, text in (files or {"a": TEXT}).items():
        it.write(f"{name}.txt", text)
    for name in opened:
        await it.open(name)
    return it


@pytest.mark.parametrize("habits", REAL)
def test_an_open_document_is_changed_in_its_buffer_and_stays_unsaved(tmp_path, habits):
    async def main():
        it = await scene(tmp_path, habits)
        applied = await it.edit("a.txt", "three", "THREE")
        expected = TEXT.replace("three", "THREE")
        assert (expected, TEXT) == (it.buffer("a.txt"), it.on_disk("a.txt"))
        assert applied.after == {it.path("a.txt"): expected}
        assert [(c.kind, c.added, c.removed, c.saved) for c in applied.changes] == [("edit", 1, 1, False)]
        assert applied.notes == ("a.txt is open in the editor and not saved.",)

    run_virtual(main())


def test_a_closed_file_is_written_on_disk(tmp_path):
    async def main():
        it = await scene(tmp_path, opened=())
        applied = await it.edit("a.txt", "three", "THREE")
        assert it.on_disk("a.txt") == TEXT.replace("three", "THREE")
        assert ([c.saved for c in applied.changes], applied.notes) == ([True], ())

    run_virtual(main())


def test_a_new_file_is_made_on_disk(tmp_path):
    async def main():
        it = await scene(tmp_path)
        await it.apply(it.creation("sub/new.txt", "new\n"))
        assert it.on_disk("sub/new.txt") == "new\n"

    run_virtual(main())


def test_a_new_file_that_is_already_open_and_empty_is_written_in_its_buffer(tmp_path):
    async def main():
        it = await scene(tmp_path)
        await it.open("new.txt", "")
        await it.apply(it.creation("new.txt", "new\n"))
        assert (it.buffer("new.txt"), (tmp_path / "new.txt").exists()) == ("new\n", False)

    run_virtual(main())


def test_our_own_edit_is_followed_by_another_without_reading_again(tmp_path):
    """Situation 6."""

    async def main():
        it = await scene(tmp_path)
        applied = await it.edit("a.txt", "one", "ONE")
        assert (await it.read("a.txt")).digest == text_digest(applied.after[it.path("a.txt")])
        await it.edit("a.txt", "four", "FOUR")
        assert it.buffer("a.txt") == "ONE\ntwo\nthree\nFOUR\n"

    run_virtual(main())


def test_text_typed_since_the_change_was_worked_out_is_kept(tmp_path):
    async def main():
        it = await scene(tmp_path)
        change = await it.change("a.txt", "three", "THREE")
        await it.type("a.txt", 0, "typed\n")
        applied = await it.apply(change)
        assert it.buffer("a.txt") == "typed\none\ntwo\nTHREE\nfour\n"
        assert applied.after == {it.path("a.txt"): it.buffer("a.txt")}

    run_virtual(main())


def test_a_change_whose_own_text_was_typed_in_changes_nothing(tmp_path):
    async def main():
        it = await scene(tmp_path)
        change = await it.change("a.txt", "three", "THREE")
        await it.type("a.txt", TEXT.index("three"), "typed ")
        with pytest.raises(ChangedError, match="nothing was changed"):
            await it.apply(change)
        assert it.buffer("a.txt") == "one\ntwo\ntyped three\nfour\n"

    run_virtual(main())


def test_a_lost_edit_tells_the_model_what_stands_there_now(tmp_path):
    """Situation 36: applied without being applied."""

    async def main():
        it = await scene(tmp_path, Habits(does_nothing=True, answers="yes"))
        with pytest.raises(ApplyError, match="could not be confirmed") as caught:
            await it.edit("a.txt", "three", "THREE")
        assert "3: three" in str(caught.value)

    run_virtual(main())


def test_a_client_without_apply_edit_keeps_its_documents(tmp_path):
    async def main():
        it = await scene(tmp_path, Habits(can_edit=False), opened=("a.txt",), a=TEXT, b=TEXT)
        with pytest.raises(ApplyError, match="cannot be asked to change open documents"):
            await it.edit("a.txt", "three", "THREE")
        await it.edit("b.txt", "three", "THREE")
        assert (it.buffer("a.txt"), it.on_disk("a.txt")) == (TEXT, TEXT)
        assert "THREE" in it.on_disk("b.txt")

    run_virtual(main())


def test_an_edit_of_a_stale_buffer_brings_it_to_the_disk_and_the_edit(tmp_path):
    async def main():
        it = await scene(tmp_path)
        it.write("a.txt", "formatted\n" + TEXT)
        await it.edit("a.txt", "three", "THREE")
        assert it.buffer("a.txt") == "formatted\none\ntwo\nTHREE\nfour\n"
        assert (await it.read("a.txt")).state == "dirty"

    run_virtual(main())


def test_a_document_in_conflict_is_not_edited(tmp_path):
    async def main():
        it = await scene(tmp_path)
        await it.type("a.txt", 0, "typed ")
        change = await it.change("a.txt", "three", "THREE")
        it.write("a.txt", "formatted\n")
        with pytest.raises(ApplyError, match="changed on disk too"):
            await it.apply(change)
        assert it.buffer("a.txt") == f"typed {TEXT}"

    run_virtual(main())


def test_both_names_of_one_open_file_are_kept_alike(tmp_path):
    async def main():
        it = await scene(tmp_path)
        (tmp_path / "link.txt").symlink_to("a.txt")
        await it.open("link.txt")
        await it.edit("a.txt", "three", "THREE")
        assert it.buffer("a.txt") == it.buffer("link.txt") == TEXT.replace("three", "THREE")

    run_virtual(main())


def test_line_ends_of_a_buffer_are_its_own_and_the_files_stay(tmp_path):
    """Emacs shows a file with CRLF with LF; what the model sees and writes has the file's."""

    async def main():
        it = await scene(tmp_path, EGLOT, opened=(), a="one\r\ntwo\r\n")
        await it.open("a.txt", "one\ntwo\n")
        applied = await it.edit("a.txt", "two\r\n", "two\r\nthree\r\n")
        assert it.buffer("a.txt") == "one\ntwo\nthree\n"
        assert applied.after == {it.path("a.txt"): "one\r\ntwo\r\nthree\r\n"}
        assert (await it.read("a.txt")).text == "one\r\ntwo\r\nthree\r\n"

    run_virtual(main())


def test_lines_of_a_mixed_file_keep_their_ends(tmp_path):
    """Situation 3."""

    async def main():
        it = await scene(tmp_path, a="a\r\nb\rc\r\nd\n")
        await it.edit("a.txt", "c", "C")
        assert it.buffer("a.txt") == "a\r\nb\rC\r\nd\n"

    run_virtual(main())


def test_a_byte_order_mark_in_the_buffer_stays_and_is_not_shown(tmp_path):
    """Situation 4."""

    async def main():
        it = await scene(tmp_path, opened=(), a=b"\xef\xbb\xbfone\ntwo\n")
        await it.open("a.txt", "\ufeffone\ntwo\n")
        assert (await it.read("a.txt")).text == "one\ntwo\n"
        await it.edit("a.txt", "one", "ONE")
        assert it.buffer("a.txt") == "\ufeffONE\ntwo\n"

    run_virtual(main())


def test_a_change_of_line_ends_alone_is_refused_in_an_open_document(tmp_path):
    async def main():
        it = await scene(tmp_path)
        change = replace(await it.change("a.txt", "one", "ONE"), after=TEXT.replace("\n", "\r\n"))
        with pytest.raises(ApplyError, match="line ends"):
            await it.apply(change)

    run_virtual(main())


def test_an_edit_in_emacs_asks_first_unless_its_question_was_answered(tmp_path):
    """DESIGN §8: eglot hides unsent typing, so an edit comes after a question, in every mode."""

    async def main():
        it = await scene(tmp_path, EGLOT)
        await it.edit("a.txt", "one", "ONE")
        assert len(it.editor.questions) == 1
        change = await it.change("a.txt", "two", "TWO")
        it.answered.record((change,))
        await it.apply(change)
        assert (len(it.editor.questions), it.buffer("a.txt")) == (1, "ONE\nTWO\nthree\nfour\n")

    run_virtual(main())


def test_a_no_to_the_question_leaves_the_document_alone(tmp_path):
    async def main():
        it = await scene(tmp_path, replace(EGLOT, agrees=False))
        with pytest.raises(ApplyError, match="did not let"):
            await it.edit("a.txt", "one", "ONE")
        assert (it.buffer("a.txt"), it.editor.sent) == (TEXT, 0)

    run_virtual(main())


def test_text_that_an_edit_hit_by_mistake_is_told_with_the_patch_that_puts_it_right(tmp_path):
    async def main():
        it = await scene(tmp_path, EGLOT)

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
        it = await scene(tmp_path, NEOVIM, opened=(), a="one\ntwo")
        await it.open("a.txt", "one\ntwo\n")
        document = await it.read("a.txt")
        assert (document.state, document.text) == ("clean", "one\ntwo")
        applied = await it.edit("a.txt", "one", "ONE")
        assert (it.buffer("a.txt"), applied.after[it.path("a.txt")]) == ("ONE\ntwo\n", "ONE\ntwo")

    run_virtual(main())


# --- saving ---------------------------------------------------------------------------------------------------------


def test_a_document_that_was_clean_is_saved_where_the_client_can(tmp_path):
    """PROTOCOL §6."""

    async def main():
        it = await scene(tmp_path, replace(VSCODE, can_save=True))
        applied = await it.edit("a.txt", "three", "THREE")
        assert it.on_disk("a.txt") == TEXT.replace("three", "THREE")
        assert ([c.saved for c in applied.changes], applied.notes) == ([True], ())

    run_virtual(main())


def test_a_document_that_was_dirty_is_not_saved_behind_the_persons_back(tmp_path):
    async def main():
        it = await scene(tmp_path, replace(VSCODE, can_save=True))
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
        it = await scene(tmp_path, opened=("a.txt", "b.txt"), a=TEXT, b=TEXT)
        await it.type("b.txt", 0, "typed\n")
        await it.edit("a.txt", "three", "THREE")
        before = await it.workspace.prepare_for_command()
        it.editor.save_file(it.uri("a.txt"))
        await it.moment()
        assert (before, await it.workspace.prepare_for_command()) == (("a.txt",), ())

    run_virtual(main())


def test_after_a_command_the_editor_gets_a_moment_to_reload(tmp_path):
    async def main():
        it = await scene(tmp_path)
        it.write("a.txt", "formatted\n")
        asyncio.get_running_loop().call_later(0.5, it.editor.reload, it.uri("a.txt"), "formatted\n")
        await it.workspace.settle_after_command()
        assert (await it.read("a.txt")).state == "clean"

    run_virtual(main())


def test_an_editor_that_does_not_reload_is_not_waited_for_long(tmp_path):
    async def main():
        it = await scene(tmp_path)
        it.write("a.txt", "formatted\n")
        await it.workspace.settle_after_command()
        assert (await it.read("a.txt")).state == "stale"

    run_virtual(main())


# --- several files --------------------------------------------------------------------------------------------------


def test_open_and_closed_files_are_changed_together(tmp_path):
    async def main():
        it = await scene(tmp_path, opened=("a.txt", "b.txt"), a=TEXT, b=TEXT, c=TEXT)
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
        it = await scene(tmp_path, opened=("a.txt",), a=TEXT, c=TEXT)
        changes = [await it.change("a.txt", "three", "THREE"), await it.change("c.txt", "three", "THREE")]
        it.write("c.txt", "changed\n")
        with pytest.raises(ChangedError):
            await it.apply(*changes, it.creation("new.txt", "new\n"))
        assert (it.buffer("a.txt"), it.on_disk("c.txt")) == (TEXT, "changed\n")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "c.txt"]

    run_virtual(main())


def test_edits_before_one_that_fails_are_taken_back_and_nothing_is_written(tmp_path):
    async def main():
        it = await scene(tmp_path, opened=("a.txt", "b.txt"), a=TEXT, b=TEXT, c=TEXT)
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
        it = await scene(tmp_path, opened=("a.txt", "b.txt"), a=TEXT, b=TEXT)
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
        it = await scene(tmp_path, opened=("a.txt", "b.txt"), a=TEXT, b=TEXT)
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
        it = await scene(tmp_path, opened=("a.txt",), a=TEXT, c=TEXT)
        changes = [await it.change(f"{name}.txt", "three", "THREE") for name in "ac"]
        it.editor.after_edit = lambda edit: it.write("c.txt", "changed\n")
        with pytest.raises(ToolError):
            await it.apply(*changes)
        assert (it.buffer("a.txt"), it.on_disk("c.txt")) == (TEXT, "changed\n")

    run_virtual(main())


def test_one_open_document_changed_twice_in_a_call_is_refused_before_anything_happens(tmp_path):
    async def main():
        it = await scene(tmp_path)
        first = await it.change("a.txt", "one", "ONE")
        after = first.after.replace("two", "TWO")
        second = replace(first, before=first.after, before_digest=text_digest(first.after), after=after)
        with pytest.raises(ApplyError, match="twice"):
            await it.apply(first, second)
        assert it.buffer("a.txt") == TEXT

    run_virtual(main())


def test_two_runs_change_one_file_one_after_the_other(tmp_path):
    async def main():
        it = await scene(tmp_path)
        one, other = await it.change("a.txt", "one", "ONE"), await it.change("a.txt", "four", "FOUR")
        await asyncio.gather(it.apply(one), it.apply(other))
        assert (it.buffer("a.txt"), it.editor.most_unanswered) == ("ONE\ntwo\nthree\nFOUR\n", 1)

    run_virtual(main())


def test_a_document_saved_and_closed_right_after_the_edit_is_told_so(tmp_path):
    async def main():
        it = await scene(tmp_path)

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
        it = await scene(tmp_path)
        it.editor.after_edit = lambda edit: it.editor.close(it.uri("a.txt"))
        with pytest.raises(ApplyError, match="was closed"):
            await it.edit("a.txt", "three", "THREE")

    run_virtual(main())


# --- moving and deleting --------------------------------------------------------------------------------------------


def test_an_open_file_is_moved_by_the_editor_and_stays_open(tmp_path):
    async def main():
        it = await scene(tmp_path)
        await it.apply(await it.move("a.txt", "sub/b.txt"))
        await it.moment()
        assert (it.buffer("sub/b.txt"), it.on_disk("sub/b.txt"), (tmp_path / "a.txt").exists()) == (TEXT, TEXT, False)

    run_virtual(main())


def test_an_open_file_is_edited_and_moved_in_one_change(tmp_path):
    async def main():
        it = await scene(tmp_path)
        after = TEXT.replace("three", "THREE")
        applied = await it.apply(await it.move("a.txt", "b.txt", after))
        await it.moment()
        assert (after, after) == (it.buffer("b.txt"), applied.after[it.path("b.txt")])

    run_virtual(main())


def test_an_open_file_is_moved_on_disk_where_the_editor_cannot(tmp_path):
    async def main():
        it = await scene(tmp_path, EGLOT)
        applied = await it.apply(await it.move("a.txt", "b.txt"))
        assert (it.on_disk("b.txt"), (tmp_path / "a.txt").exists()) == (TEXT, False)
        assert "still open" in applied.notes[0]

    run_virtual(main())


def test_unsaved_text_goes_with_a_file_that_the_editor_cannot_move(tmp_path):
    async def main():
        it = await scene(tmp_path, EGLOT)
        await it.type("a.txt", 0, "typed\n")
        await it.apply(await it.move("a.txt", "b.txt"))
        assert (f"typed\n{TEXT}", f"typed\n{TEXT}") == (it.on_disk("b.txt"), it.buffer("a.txt"))

    run_virtual(main())


def test_nothing_is_moved_onto_an_open_document(tmp_path):
    async def main():
        it = await scene(tmp_path)
        await it.open("new.txt", "draft\n")
        with pytest.raises(ChangedError, match="open in the editor"):
            await it.apply(await it.move("a.txt", "new.txt"))

    run_virtual(main())


@pytest.mark.parametrize("habits", [NEOVIM, VSCODE])
def test_an_open_file_is_deleted_by_the_editor(tmp_path, habits):
    async def main():
        it = await scene(tmp_path, habits)
        await it.apply(await it.removal("a.txt"))
        await it.moment()
        assert (it.editor.buffers, (tmp_path / "a.txt").exists()) == ({}, False)

    run_virtual(main())


def test_typing_that_was_not_told_yet_keeps_neovim_from_deleting(tmp_path):
    async def main():
        it = await scene(tmp_path, NEOVIM)
        change = await it.removal("a.txt")
        it.editor.before_edit = lambda edit: it.editor.type(it.uri("a.txt"), 0, "typed ")
        with pytest.raises(ChangedError):
            await it.apply(change)
        assert (f"typed {TEXT}", TEXT) == (it.buffer("a.txt"), it.on_disk("a.txt"))

    run_virtual(main())


def test_an_open_file_is_deleted_on_disk_where_the_editor_cannot(tmp_path):
    async def main():
        it = await scene(tmp_path, EGLOT)
        applied = await it.apply(await it.removal("a.txt"))
        assert (it.buffer("a.txt"), (tmp_path / "a.txt").exists()) == (TEXT, False)
        assert "still open" in applied.notes[0]

    run_virtual(main())


def test_an_editor_that_says_deleted_and_does_not_is_not_believed(tmp_path):
    async def main():
        it = await scene(tmp_path, replace(VSCODE, does_nothing=True))
        with pytest.raises(ApplyError, match="did not delete"):
            await it.apply(await it.removal("a.txt"))

    run_virtual(main())


def test_a_move_is_taken_back_when_a_later_step_fails(tmp_path):
    async def main():
        it = await scene(tmp_path, opened=("a.txt", "b.txt"), a=TEXT, b=TEXT)
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
