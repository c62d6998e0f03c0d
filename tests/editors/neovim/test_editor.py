"""What else happens in an editor: windows, leaving, odd texts, other servers, a server that dies (DESIGN W2, W3, §8)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from support.neovim import BIN, PLUGIN, GateFiles, Neovim, isolated, write_script
from support.neovim_plugin import PluginWorkspace, start_plugin
from support.polling import wait_until
from support.scripted_calls import edit, write

Plugin = PluginWorkspace


def test_two_windows_on_a_file_see_the_edit_and_keep_their_places(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([edit("line 3\n", "line 3\nmore\n")], ["Done."])
    plugin.open("a.txt", "".join(f"line {number}\n" for number in range(1, 41)))
    nvim.command("normal! 35G")
    nvim.command("split")
    nvim.command("normal! 2G")
    nvim.command("SteersmanMode auto")
    nvim.command("Steersman add")
    plugin.wait_until_done()
    lines = nvim.lua("""
        return vim.tbl_map(function(window)
          return vim.api.nvim_win_call(window, function() return vim.fn.getline(".") end)
        end, vim.fn.win_findbuf(vim.api.nvim_get_current_buf()))
    """)
    assert sorted(lines) == ["line 2", "line 35"]


def test_windows_at_the_end_of_a_conversation_follow_it_and_others_stay(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script(["\n".join(f"line {n}" for n in range(60)), {"gate": "mid"}, "\nthe end"])
    plugin.open("a.txt", "one\n")
    nvim.command("Steersman talk")
    plugin.wait_for_text("line 59")
    nvim.command("SteersmanToggle")
    nvim.command("SteersmanToggle")
    nvim.command("split")
    nvim.command("normal! gg")
    plugin.gates.open("mid")
    plugin.wait_until_done()
    at = nvim.lua("""
        return vim.tbl_map(function(window) return vim.api.nvim_win_get_cursor(window)[1] end,
          vim.fn.win_findbuf(vim.api.nvim_get_current_buf()))
    """)
    assert sorted(at) == [1, len(plugin.conversation())]


def test_two_runs_go_side_by_side_and_their_questions_wait_for_each_other(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([edit("one", "1")], [edit("two", "2", "b.txt")], ["Done."], ["Done."])
    plugin.write("b.txt", "two\n")
    plugin.open("a.txt", "one\n")
    nvim.command("Steersman first")
    plugin.wait_for_question("edit a.txt")
    nvim.command("Steersman second")
    nvim.wait("#require('steersman.approval').questions() == 2", "both questions")
    assert nvim.lua("return require('steersman').statusline()") == "Steersman ? edit a.txt"
    plugin.answer("edit a.txt", "a")
    plugin.answer("edit b.txt", "a")
    plugin.wait_until_done(2)
    assert nvim.lines() == ["1"]
    assert plugin.read("b.txt") == "2\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("one\r\nzwei 🎉 drei\r\n", "one\r\nzwei 🎊 DREI\r\n"),
        ("e\u0301te\u0301 🏳️‍🌈 drei", "e\u0301te\u0301 🏳️‍🌈 🎊 DREI"),
        ("\ufeff日本語 drei\n", "\ufeff日本語 🎊 DREI\n"),
    ],
    ids=["CRLF and emoji", "combining, no final newline", "byte order mark"],
)
def test_bytes_beside_the_edit_survive(nvim: Neovim, plugin: Plugin, before: str, after: str) -> None:
    old, new = ("🎉 drei", "🎊 DREI") if "🎉" in before else ("drei", "🎊 DREI")
    plugin.script([edit(old, new)], ["Done."])
    plugin.open("a.txt", before)
    nvim.command("setlocal nofixendofline")
    original = nvim.lines()
    nvim.command("Steersman celebrate")
    plugin.answer("edit a.txt", "a")
    plugin.wait_until_done()
    nvim.command("silent write")
    assert plugin.read("a.txt") == after
    nvim.command("silent undo")
    assert nvim.lines() == original
    nvim.command("silent write")
    assert plugin.read("a.txt") == before


def test_a_file_that_no_type_is_known_for_is_seen_as_it_is_in_the_buffer(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([{"call": "read_file", "arguments": {"path": "LICENCE"}}], ["Read."])
    plugin.open("a.txt", "one\n")
    nvim.edit(plugin.write("LICENCE", "on disk\n"))
    assert nvim.lua("return vim.bo.filetype") == ""
    nvim.nvim.current.buffer[:] = ["in the buffer"]
    nvim.command("Steersman read")
    plugin.wait_until_done()
    assert "in the buffer" in "\n".join(plugin.conversation())


def test_the_model_reads_what_other_servers_report(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([{"call": "get_diagnostics", "arguments": {"path": "a.txt"}}], ["I see."])
    plugin.open("a.txt", "one\n")
    nvim.lua("""
        vim.diagnostic.set(vim.api.nvim_create_namespace("another"), 0,
          { { lnum = 0, col = 0, message = "no such number", severity = 1, source = "checker" } })
    """)
    nvim.command("Steersman look")
    plugin.wait_until_done()
    assert "a.txt:1: error: no such number (checker)" in plugin.conversation()


def test_a_code_action_fixes_what_another_server_reports(nvim: Neovim, plugin: Plugin) -> None:
    plugin.open("a.txt", "one\n")
    nvim.lua("""
        vim.diagnostic.set(vim.api.nvim_create_namespace("another"), 0,
          { { lnum = 0, col = 0, message = "no such number", severity = 1 } })
    """)
    plugin.choose(1)
    nvim.lua("vim.lsp.buf.code_action()")
    assert "Steersman: fix “no such number”" in plugin.menus(1)[0]["items"][0]
    plugin.wait_until_done()
    assert plugin.conversation()[0].startswith("> Fix this problem in a.txt, line 1: no such number")


def test_an_instruction_comment_has_a_lens(nvim: Neovim, plugin: Plugin) -> None:
    plugin.open("a.py", "import os\n# steersman: read a.py\n")
    lenses = "vim.lsp.codelens.get(vim.api.nvim_get_current_buf())"
    nvim.wait(f"#{lenses} == 1", "the lens")
    assert nvim.lua(f"return {lenses}[1].command.title") == "▶ Steersman"
    nvim.command("normal! 2G")
    nvim.lua("vim.lsp.codelens.run()")
    plugin.answer("edit a.py", "a")  # the comment goes, with its line
    plugin.wait_until_done()
    assert "comment in a.py" in plugin.conversation()[0]


def test_a_file_changed_on_the_disk_is_not_saved_over(nvim: Neovim, plugin: Plugin) -> None:
    path = plugin.open("a.txt", "one\n")
    nvim.nvim.current.buffer[:] = ["in the buffer"]
    path.write_text("by somebody else\n", encoding="utf-8")
    os.utime(path, (1, 1))
    saved = nvim.lua("return require('steersman.documents').on_save(nil, { uris = { ... } })", path.as_uri())
    assert saved == {"saved": []}
    assert path.read_text(encoding="utf-8") == "by somebody else\n"
    assert nvim.mode() == "n"


def test_an_edit_of_a_text_that_is_gone_is_refused(nvim: Neovim, plugin: Plugin) -> None:
    path = plugin.open("a.txt", "one\n")
    nvim.nvim.current.buffer[:] = ["one", "two"]
    answer = nvim.lua(
        """
        local client = vim.lsp.get_clients({ name = "steersman" })[1]
        local range = { start = { line = 0, character = 0 }, ["end"] = { line = 0, character = 3 } }
        local change = { textDocument = { uri = ..., version = 0 }, edits = { { range = range, newText = "ONE" } } }
        local edit = { edit = { documentChanges = { change } } }
        return require("steersman.documents").on_apply_edit(nil, edit, { client_id = client.id })
        """,
        path.as_uri(),
    )
    assert answer == {"applied": False, "failureReason": "the buffer has changed since"}
    assert nvim.lines() == ["one", "two"]


def test_a_server_that_dies_ends_its_runs_and_the_next_task_starts_another(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([{"gate": "start"}, "Hello."], ["Again."])
    plugin.open("a.txt", "one\n")
    nvim.command("Steersman talk")
    plugin.gates.wait_reached("start")
    wait_until(lambda: "RunStarted" in plugin.user_events(), "the run in the editor")
    nvim.signal(nvim.children(), "sigkill")
    ended = plugin.wait_until_done()
    assert ended["error"] == "The server has ended; what had been recorded is kept."
    plugin.script(["Again."])
    nvim.command("Steersman! talk")
    again = plugin.wait_until_done(2)
    assert again["session_id"] == ended["session_id"]
    assert "Again." in plugin.conversation()


def test_a_server_that_dies_before_it_answers_leaves_the_task_to_be_sent_again(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script(["Hello."])
    plugin.open("a.txt", "one\n")
    plugin.command_server("status", {})
    servers = nvim.children()
    nvim.signal(servers, "sigstop")
    nvim.command("Steersman talk")
    nvim.signal(servers, "sigkill")
    plugin.wait_for_text("not started: The server has ended before it answered.")
    assert any("The server has ended before it answered." in note for note in plugin.notes())
    nvim.command("Steersman! talk")
    assert plugin.wait_until_done()["stop_reason"] == "complete"


def test_wqa_during_a_run_saves_leaves_and_ends_the_server(tmp_path: Path) -> None:
    script = tmp_path / "script.jsonl"
    environment = write_script(script, [[write("b.txt", "x\n")], [{"gate": "mid"}, "never"]])
    folder = tmp_path / "work"
    (folder / ".git").mkdir(parents=True)
    (folder / "a.txt").write_text("one\n", encoding="utf-8")
    with start_plugin(tmp_path, environment=environment, mode="auto") as nvim:
        nvim.edit(folder / "a.txt")
        nvim.command("Steersman write and talk")
        GateFiles(script).wait_reached("mid")
        nvim.nvim.current.buffer.append("mine")
        servers = nvim.children()
        status = nvim.leave("wqa")
    assert status == 0
    assert (folder / "a.txt").read_text(encoding="utf-8") == "one\nmine\n"
    assert servers != []
    wait_until(lambda: not any(map(is_alive, servers)), "the server's end")
    shown = subprocess.run(
        [BIN / "steersman", "sessions", "list", "-C", folder],
        env={**os.environ, **isolated(tmp_path, {})},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "write and talk" in shown.stdout


def is_alive(process: int) -> bool:
    """Whether the process is there."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_health_is_told(nvim: Neovim, plugin: Plugin) -> None:
    plugin.open("a.txt", "one\n")
    nvim.command("Steersman read a.txt")
    plugin.wait_until_done()
    nvim.command("checkhealth steersman")
    report = "\n".join(nvim.lines())
    assert "ERROR" not in report
    assert "steersman 0." in report
    assert f"a server works in {plugin.folder}" in report
    assert "model demo/rules, mode ask" in report


def test_health_says_when_the_program_is_missing(tmp_path: Path) -> None:
    with start_plugin(tmp_path, cmd=["no-such-program", "lsp"]) as nvim:
        nvim.command("checkhealth steersman")
        report = "\n".join(nvim.lines())
        assert 'the program "no-such-program" is not there' in report
        nvim.command("enew")
        nvim.command("Steersman talk")
        nvim.wait("#_G.notes > 0", "a word")
        assert nvim.lua("return _G.notes[1]").startswith('Steersman: The program "no-such-program" is not there.')


def test_without_setup_the_commands_are_there_and_nothing_is_loaded(tmp_path: Path) -> None:
    with Neovim(tmp_path, "--cmd", f"set runtimepath^={PLUGIN}") as nvim:
        assert nvim.lua("return vim.fn.exists(':Steersman')") == 2
        loaded = nvim.lua(
            "return vim.tbl_filter(function(n) return vim.startswith(n, 'steersman') end, vim.tbl_keys(package.loaded))"
        )
        assert loaded == []
        folder = tmp_path / "work"
        folder.mkdir()
        nvim.edit(folder / "a.txt")
        nvim.command("Steersman read a.txt")
        nvim.wait("#require('steersman.conversation').current().view.writer.levels > 5", "the conversation")


def test_wrong_options_are_named(tmp_path: Path) -> None:
    with Neovim(tmp_path, "--cmd", f"set runtimepath^={PLUGIN}") as nvim:
        message = nvim.lua("return select(2, pcall(require('steersman').setup, { mode = 'yolo' }))")
        assert "plan, ask, accept-edits or auto" in message
        nvim.lua("_G.notes = {}; vim.notify = function(text) table.insert(_G.notes, text) end")
        nvim.lua("require('steersman').setup({ conversaton = {}, question = { keys = { yes = 'y' } } })")
        assert nvim.lua("return _G.notes") == ["Steersman: no such option: conversaton, question.keys.yes"]


def test_help_has_its_tags(tmp_path: Path) -> None:
    with Neovim(tmp_path, "--cmd", f"set runtimepath^={PLUGIN}") as nvim:
        nvim.lua("vim.fn.mkdir(... .. '/doc', 'p')", str(tmp_path))
        (tmp_path / "doc" / "steersman.txt").write_bytes((PLUGIN / "doc" / "steersman.txt").read_bytes())
        nvim.command(f"helptags {tmp_path / 'doc'}")
        tags = (tmp_path / "doc" / "tags").read_text(encoding="utf-8")
        for command in nvim.lua("return vim.fn.getcompletion('Steersman', 'command')"):
            assert f":{command}\t" in tags, command
