"""Edits of open buffers in a real Neovim: odd texts, typing meanwhile, version 0, undo, rewind (DESIGN W1, W2, §8)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.neovim import Neovim
from support.neovim_workspace import Workspace

ALLOW_ONCE = "Allow once"


def edit_of(path: str, old: str, new: str) -> dict[str, object]:
    """Return a scripted call of ``edit_file``."""
    return {"call": "edit_file", "arguments": {"path": path, "old_text": old, "new_text": new}}


@pytest.fixture
def answering(plain: Neovim) -> Iterator[Neovim]:
    """Answer every question with *Allow once*, after what ``_G.meanwhile`` does, in a later turn of the editor."""
    plain.lua(
        """
        local wanted = ...
        _G.questions = {}
        _G.meanwhile = nil
        _G.original_select, _G.original_apply = vim.ui.select, vim.lsp.handlers["workspace/applyEdit"]
        vim.ui.select = function(items, options, choose)
          table.insert(_G.questions, options.prompt)
          vim.schedule(function()
            if _G.meanwhile then _G.meanwhile(#_G.questions) end
            for _, item in ipairs(items) do
              local title = type(item) == "table" and item.title or item
              if title == wanted then return choose(item) end
            end
            choose(nil)
          end)
        end
        """,
        ALLOW_ONCE,
    )
    yield plain
    plain.lua("""
        vim.ui.select = _G.original_select
        vim.lsp.handlers["workspace/applyEdit"] = _G.original_apply
    """)


def type_when_applying(nvim: Neovim, code: str) -> None:
    """Run Lua in the editor right before it looks at an edit that the server has sent; ``number`` counts them."""
    nvim.lua(f"""
        local number = 0
        vim.lsp.handlers["workspace/applyEdit"] = function(error, params, context)
          number = number + 1
          {code}
          return _G.original_apply(error, params, context)
        end
    """)


def run(nvim: Neovim, work: Workspace) -> str:
    """Start the task and wait until the run ends; return what it ended with."""
    nvim.command("Steersman do it")
    return work.wait_for_end()


def test_odd_texts_are_edited_where_they_are_and_every_other_byte_stays(answering: Neovim, work: Workspace) -> None:
    """CRLF, emoji before the place, form feeds and other separators that end no line (situations 31 and 35)."""
    text = "one\fpage\r\n🎉 öbc two 🎉\r\nsep\u2028arator\x85 two\r\nlast\r\n"
    work.script(
        [edit_of("a.txt", "öbc two", "öbc zwei")],
        [edit_of("a.txt", "\x85 two", "\x85 drei\nnew line")],
        ["Done."],
    )
    work.open("a.txt", text)
    assert run(answering, work).startswith("complete")
    answering.command("silent write")
    expected = text.replace("öbc two", "öbc zwei").replace("\x85 two", "\x85 drei\r\nnew line")
    assert work.read("a.txt") == expected
    answering.command("silent undo")
    answering.command("silent undo")
    answering.command("silent write")
    assert work.read("a.txt") == text


def test_mixed_line_ends_stay_where_nothing_is_edited(answering: Neovim, work: Workspace) -> None:
    """Situation 3: Neovim shows the returns as characters of their lines."""
    text = "a\r\nb\rc\r\nd\n"
    work.script([edit_of("a.txt", "c", "C")], [edit_of("a.txt", "d\n", "d\ne\n")], ["Done."])
    work.open("a.txt", text)
    assert run(answering, work).startswith("complete")
    answering.command("silent write")
    assert work.read("a.txt") == "a\r\nb\rC\r\nd\ne\n"


@pytest.mark.parametrize("changed_before", [False, True], ids=["version 0", "changed before"])
def test_lines_typed_during_the_question_move_the_edit(
    answering: Neovim, work: Workspace, changed_before: bool
) -> None:
    work.script([edit_of("a.txt", "three", "THREE")], ["Done."])
    work.open("a.txt", "one\ntwo\nthree\nfour\n")
    if changed_before:
        answering.nvim.current.buffer.append("five")
    answering.lua("_G.meanwhile = function() vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'typed' }) end")
    assert run(answering, work).startswith("complete")
    assert answering.lines() == ["typed", "one", "two", "THREE", "four"] + ["five"] * changed_before
    assert len(answering.lua("return _G.questions")) == 1


@pytest.mark.parametrize("changed_before", [False, True], ids=["version 0", "changed before"])
@pytest.mark.parametrize("number", [1, 2])
def test_lines_typed_just_before_the_edit_arrives_move_it_too(
    answering: Neovim, work: Workspace, changed_before: bool, number: int
) -> None:
    """The server has not heard of them; Neovim takes the edit for done and does nothing (situation 36)."""
    work.script([edit_of("a.txt", "three", "THREE")], ["Done."])
    work.open("a.txt", "one\ntwo\nthree\nfour\n")
    if changed_before:
        answering.nvim.current.buffer.append("five")
    type_when_applying(
        answering, f"if number == {number} then vim.api.nvim_buf_set_lines(0, 0, 0, false, {{ 'typed' }}) end"
    )
    assert run(answering, work).startswith("complete")
    typed = ["typed"] * (number == 1 or not changed_before)
    assert answering.lines() == [*typed, "one", "two", "THREE", "four"] + ["five"] * changed_before


def test_typing_right_behind_the_edit_is_kept(answering: Neovim, work: Workspace) -> None:
    work.script([edit_of("a.txt", "three", "THREE")], ["Done."])
    work.open("a.txt", "one\ntwo\nthree\nfour\n")
    type_when_applying(
        answering,
        "vim.schedule(function() if number == 2 then vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'typed' }) end end)",
    )
    assert run(answering, work).startswith("complete")
    assert answering.lines() == ["typed", "one", "two", "THREE", "four"]


def test_a_text_that_was_typed_in_at_the_same_place_is_given_back_and_asked_again(
    answering: Neovim, work: Workspace
) -> None:
    """What is replaced would not be what was shown: the call is worked out anew and fails, nothing is changed."""
    work.script([edit_of("a.txt", "three", "THREE")], ["I see."])
    work.open("a.txt", "one\ntwo\nthree\nfour\n")
    answering.lua("_G.meanwhile = function() vim.api.nvim_buf_set_lines(0, 2, 3, false, { 'typed over' }) end")
    assert run(answering, work) == "complete · 2 turns"
    assert answering.lines() == ["one", "two", "typed over", "four"]


def test_one_undo_takes_an_edit_of_many_places_back(answering: Neovim, work: Workspace) -> None:
    lines = [f"line {number}" for number in range(40)]
    text = "".join(f"{line}\n" for line in lines)
    changed = text.replace("line 3\n", "line three\n").replace("line 30\n", "line thirty\nand one more\n")
    work.script(
        [{"call": "read_file", "arguments": {"path": "a.txt"}}],
        [{"call": "write_file", "arguments": {"path": "a.txt", "content": changed}}],
        ["Done."],
    )
    work.open("a.txt", text)
    assert run(answering, work).startswith("complete")
    assert "".join(f"{line}\n" for line in answering.lines()) == changed
    answering.command("silent undo")
    assert answering.lines() == lines


def test_the_first_and_the_last_line_and_everything_are_edited(answering: Neovim, work: Workspace) -> None:
    """Neovim cannot address the place behind the last line."""
    work.script(
        [edit_of("a.txt", "one\n", "zero\none\n")],
        [edit_of("a.txt", "three\n", "three\nfour\nfive\n")],
        [edit_of("a.txt", "two\nthree\nfour\nfive\n", "two\n")],
        [edit_of("a.txt", "zero\none\ntwo\n", "everything\n")],
        ["Done."],
    )
    work.open("a.txt", "one\ntwo\nthree\n")
    assert run(answering, work).startswith("complete")
    assert answering.lines() == ["everything"]
    answering.command("silent write")
    assert work.read("a.txt") == "everything\n"


def test_open_files_are_moved_and_deleted_with_their_buffers(answering: Neovim, work: Workspace) -> None:
    work.script(
        [{"call": "move_file", "arguments": {"path": "a.txt", "new_path": "sub/c.txt"}}],
        [{"call": "delete_file", "arguments": {"path": "b.txt"}}],
        ["Done."],
    )
    work.open("b.txt", "gone\n")
    work.open("a.txt", "moved\n")
    assert run(answering, work).startswith("complete")
    assert work.read("sub/c.txt") == "moved\n"
    assert [work.folder.joinpath(name).exists() for name in ("a.txt", "b.txt")] == [False, False]
    names = answering.lua(
        "return vim.tbl_map(vim.api.nvim_buf_get_name, vim.tbl_filter(vim.api.nvim_buf_is_loaded, vim.api.nvim_list_bufs()))"
    )
    assert [name for name in names if name.endswith(("a.txt", "b.txt"))] == []
    assert [name for name in names if name.endswith("sub/c.txt")] != []


def test_several_open_files_are_changed_by_one_patch_or_none_is(answering: Neovim, work: Workspace) -> None:
    patch = """*** Begin Patch
*** Update File: a.txt
@@
-one
+ONE
*** Update File: b.txt
@@
-two
+TWO
*** Add File: c.txt
+three
*** End Patch"""
    work.script([{"call": "apply_patch", "arguments": {"patch": patch}}], ["Not done."])
    work.open("b.txt", "two\n")
    work.open("a.txt", "one\n")
    type_when_applying(
        answering,
        "for _, change in ipairs(params.edit.documentChanges) do "
        "if change.textDocument.uri:find('b.txt', 1, true) and #change.edits[1].newText > 0 then "
        "vim.api.nvim_buf_set_lines(vim.fn.bufnr('b.txt'), 0, 1, false, { 'typed over' }) end end",
    )
    assert run(answering, work) == "complete · 2 turns"
    assert answering.lines() == ["one"]
    assert answering.lines(answering.lua("return vim.fn.bufnr('b.txt')")) == ["typed over"]
    assert not (work.folder / "c.txt").exists()


def test_an_open_buffer_is_rewound(answering: Neovim, work: Workspace) -> None:
    """DESIGN S7: through the editor, unsaved text of before and all."""
    work.script([edit_of("a.txt", "two", "TWO")], ["Done."])
    work.open("a.txt", "one\ntwo\n")
    answering.nvim.current.buffer.append("typed, not saved")
    assert run(answering, work).startswith("complete")
    assert answering.lines() == ["one", "TWO", "typed, not saved"]
    answering.lua("""
        _G.rewound = nil
        local client = vim.lsp.get_clients({ name = "steersman" })[1]
        local function ask(command, arguments, answer)
          client:request("workspace/executeCommand", { command = command, arguments = { arguments } }, answer)
        end
        ask("steersman.sessions.list", vim.empty_dict(), function(_, list)
          ask("steersman.rewind", { sessionId = list.sessions[1].id, toMessage = -1 }, function(error, result)
            _G.rewound = error or result
          end)
        end)
    """)
    result = answering.wait("_G.rewound", "the rewind")
    assert (len(result["restored"]), result["conflicts"]) == (1, [])
    assert answering.lines() == ["one", "two", "typed, not saved"]
