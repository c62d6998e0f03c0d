"""Neovim's own LSP client and the documented lines of configuration: the whole job without a plugin (PROTOCOL §4)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from support.neovim import PLUGIN, Neovim
from support.neovim_workspace import Workspace

REJECT, SHOW_DIFF, ALLOW_ONCE = "1<CR>", "2<CR>", "3<CR>"
EDIT = {"call": "edit_file", "arguments": {"path": "a.txt", "old_text": "two", "new_text": "TWO"}}


def test_the_readme_shows_the_lines_that_are_tested() -> None:
    readme = (PLUGIN / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```lua\n(.*?)^```$", readme, flags=re.DOTALL | re.MULTILINE)
    assert (PLUGIN / "plain.lua").read_text(encoding="utf-8") in blocks


def test_a_task_runs_with_progress_and_a_question_and_one_undo_takes_the_edit_back(
    plain: Neovim, work: Workspace
) -> None:
    work.write("a.txt", "one\ntwo\nthree\n")
    work.open("a.txt")
    plain.command('Steersman replace "two" with "TWO" in a.txt; then write "done" to b.txt')
    question = plain.wait_for_prompt("edit a.txt")
    assert question.startswith("Steersman wants to edit a.txt (+1 −1)")
    assert "- two\n+ TWO" in question
    plain.keys(ALLOW_ONCE)
    plain.wait_for_prompt("create b.txt")
    plain.keys(ALLOW_ONCE)
    assert work.wait_for_end() == "complete · 3 turns · 2 files changed"
    kinds = [each["kind"] for each in work.progress()]
    assert (kinds[0], kinds.count("begin"), kinds.count("end")) == ("begin", 1, 1)
    assert any(str(each["message"]).startswith("turn 1/40 · ") for each in work.progress())
    assert plain.lines() == ["one", "TWO", "three"]
    assert work.read("a.txt") == "one\ntwo\nthree\n", "the buffer was changed, not the disk"
    assert work.read("b.txt") == "done"
    plain.command("silent undo")
    assert plain.lines() == ["one", "two", "three"]


def test_a_task_where_nothing_is_attached_is_told_so_and_is_no_error(tmp_path: Path) -> None:
    with Neovim(tmp_path, "-u", str(PLUGIN / "plain.lua")) as empty:
        for command in ("Steersman do it", "Steersman! go on", "SteersmanStop"):
            empty.command("messages clear")
            empty.command(command)
            assert "Steersman is not attached here: open a file" in empty.messages()


def test_a_task_given_as_soon_as_a_file_is_opened_waits_for_the_server(plain: Neovim, work: Workspace) -> None:
    work.script(["Forty-three."])  # told so soon that there may have been no progress to show
    path = work.write("a.txt", "one\n")
    plain.lua("local path = ...; vim.cmd.edit(path); vim.cmd('Steersman what is it?')", str(path))
    plain.wait("vim.fn.execute('messages'):find('Steersman: Forty-three.', 1, true)", "the answer")


def test_unsaved_text_is_what_is_read_and_edited(plain: Neovim, work: Workspace) -> None:
    work.script(
        [{"call": "read_file", "arguments": {"path": "a.txt"}}],
        [{"call": "edit_file", "arguments": {"path": "a.txt", "old_text": "typed", "new_text": "TYPED"}}],
        ["Done."],
    )
    work.open("a.txt", "one\n")
    plain.nvim.current.buffer.append("typed, not saved")
    plain.command("Steersman shout")
    plain.wait_for_prompt("edit a.txt")
    plain.keys(ALLOW_ONCE)
    work.wait_for_end()
    assert plain.lines() == ["one", "TYPED, not saved"]
    plain.command("silent undo")
    assert plain.lines() == ["one", "typed, not saved"]


def test_the_answer_is_shown(plain: Neovim, work: Workspace) -> None:
    work.script(["Forty-two."])
    work.open("a.txt", "one\n")
    plain.command("Steersman what is it?")
    plain.wait("vim.fn.execute('messages'):find('Steersman: Forty-two.', 1, true)", "the answer")


def test_a_long_answer_is_shown_from_its_beginning_beside_the_file(plain: Neovim, work: Workspace) -> None:
    answer = ["It is this:", *(f"- number {number}" for number in range(60))]
    work.script(["\n".join(answer)])
    work.open("a.txt", "one\n")
    plain.command("Steersman what is it?")
    plain.wait("#vim.api.nvim_tabpage_list_wins(0) == 2", "the answer beside the file")
    shown = dict(windows(plain))
    assert shown.pop("a.txt") == ["one"]
    ((name, lines),) = shown.items()
    assert name.endswith("steersman.md")
    assert lines[: len(answer)] == answer
    assert "# what is it?" in lines[len(answer) :], "the whole conversation follows"
    first = "vim.fn.line('w0', vim.iter(vim.api.nvim_tabpage_list_wins(0)):find(function(w)"
    first += " return w ~= vim.api.nvim_get_current_win() end))"
    assert plain.lua(f"return {first}") == 1


def test_the_next_task_goes_on_with_the_conversation(plain: Neovim, work: Workspace) -> None:
    work.open("a.txt", "one\n")
    plain.command('Steersman write "x" to b.txt')
    plain.wait_for_prompt("create b.txt")
    plain.keys(ALLOW_ONCE)
    work.wait_for_end()
    plain.command("Steersman! read b.txt")
    plain.wait("#vim.tbl_filter(function(v) return v.kind == 'end' end, _G.progress) == 2", "the second run's end")
    assert _sessions(plain, work) == 1


def test_a_dismissed_question_is_a_refusal(plain: Neovim, work: Workspace) -> None:
    work.script([EDIT], ["Then not."])
    work.open("a.txt", "two\n")
    plain.command("Steersman do it")
    plain.wait_for_prompt("edit a.txt")
    plain.keys("<Esc>")
    assert work.wait_for_end() == "complete · 2 turns"
    assert plain.lines() == ["two"]


def test_the_diff_can_be_seen_before_the_answer(plain: Neovim, work: Workspace) -> None:
    work.script([EDIT], ["Then not."])
    work.open("a.txt", "two\n")
    plain.command("Steersman do it")
    plain.wait_for_prompt("edit a.txt")
    plain.keys(SHOW_DIFF)
    plain.wait("#vim.api.nvim_tabpage_list_wins(0) == 2", "the diff beside the file")
    question = plain.wait_for_prompt("edit a.txt")
    assert question.splitlines()[0].startswith("Steersman wants to edit a.txt")
    assert "\nYour answer:" in question, "the code above has no colon that is not its own"
    shown = {name: set(lines) for name, lines in windows(plain)}
    assert shown.pop("a.txt") == {"two"}, "the file stays in sight"
    ((name, diff),) = shown.items()
    assert name.endswith("change.diff")
    assert {"-two", "+TWO"} <= diff
    assert plain.lines() == ["two"], "the cursor stays in the file"
    plain.keys(REJECT)
    work.wait_for_end()


def test_a_stopped_run_ends_and_its_question_s_late_answer_does_nothing(plain: Neovim, work: Workspace) -> None:
    work.script([EDIT], ["Never said."])
    path = work.open("a.txt", "two\n")
    plain.lua("""
        vim.ui.select = function(items, _, choose) _G.choose = function() choose(items[#items]) end end
    """)
    plain.command("Steersman do it")
    plain.wait("_G.choose ~= nil", "the question")
    plain.command("SteersmanStop")
    assert work.wait_for_end() == "stopped · 1 turn"
    plain.lua("_G.choose(); _G.choose = nil; package.loaded['vim.ui'] = nil; vim.ui.select = require('vim.ui').select")
    assert _sessions(plain, work) == 1, "the server answers after the late answer"
    plain.edit(path)
    assert plain.lines() == ["two"]


def test_a_stream_is_stopped_in_the_middle(plain: Neovim, work: Workspace) -> None:
    work.script(["I begin ", {"gate": "mid"}, "and end."])
    work.open("a.txt", "one\n")
    plain.command("Steersman talk")
    work.gates.wait_reached("mid")
    plain.command("SteersmanStop")
    assert work.wait_for_end() == "stopped · 0 turns"


def test_an_instruction_comment_is_started_by_code_action(plain: Neovim, work: Workspace) -> None:
    work.script(
        [
            {
                "call": "edit_file",
                "arguments": {"path": "a.py", "old_text": "# steersman: say hello\n", "new_text": 'print("hello")\n'},
            }
        ],
        ["Done."],
    )
    work.open("a.py", "import os\n# steersman: say hello\n")
    plain.command("normal! 2G")
    plain.keys("gra")
    plain.wait_for_prompt("Steersman: do this – say hello")
    plain.keys("1<CR>")
    plain.wait_for_prompt("edit a.py")
    plain.keys(ALLOW_ONCE)
    work.wait_for_end()
    assert plain.lines() == ["import os", 'print("hello")']


def windows(nvim: Neovim) -> list[tuple[str, list[str]]]:
    """Return the name of the file in each window of the tab page, and its lines."""
    found: list[list[Any]] = nvim.lua("""
        return vim.tbl_map(function(window)
          local buf = vim.api.nvim_win_get_buf(window)
          return { vim.fs.basename(vim.api.nvim_buf_get_name(buf)), vim.api.nvim_buf_get_lines(buf, 0, -1, false) }
        end, vim.api.nvim_tabpage_list_wins(0))
    """)
    return [(name, lines) for name, lines in found]


def _sessions(nvim: Neovim, work: Workspace) -> int:
    """Ask the server how many sessions the workspace has."""
    nvim.lua("""
        _G.total = nil
        local client = vim.lsp.get_clients({ name = "steersman" })[1]
        client:request("workspace/executeCommand", { command = "steersman.sessions.list", arguments = {} },
          function(_, result) _G.total = result and result.total or -1 end)
    """)
    total: int = nvim.wait("_G.total", "the list of sessions")
    return total
