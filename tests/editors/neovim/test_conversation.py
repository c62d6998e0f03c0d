"""Going on, steering, modes, models, sessions, rewind: what a person does with conversations (DESIGN A1, S5, S7)."""

from __future__ import annotations

import time
import uuid
from pathlib import Path

import pytest

from steersman.agent.errors import SessionLockedError
from steersman.agent.messages import UserMessage
from steersman.sessions.store import SessionStore
from support.neovim import Neovim
from support.neovim_plugin import PluginWorkspace
from support.scripted_calls import edit, write

Plugin = PluginWorkspace


def test_what_is_selected_and_wrong_goes_along(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script(["I see."])
    plugin.open("a.txt", "one\ntwo\nthree\n")
    nvim.lua("""
        local other = vim.api.nvim_create_namespace("another server")
        vim.diagnostic.set(other, 0, {
          { lnum = 1, col = 0, message = "no such number", severity = 1, source = "checker", code = "E7" },
          { lnum = 2, col = 0, message = "elsewhere" },
        })
    """)
    nvim.command("1,2Steersman explain")
    plugin.wait_until_done()
    text = plugin.conversation()
    context = text[text.index("· sent along: a.txt (text)") :]
    assert context[4:10] == ["Selected, lines 1 to 2:", "```", "one", "two", "```", ""]
    assert context[10:12] == ["Problems reported there:", "- line 2: error: no such number (checker E7)"]
    assert "elsewhere" not in "\n".join(text)


def test_selected_characters_are_exact_also_beside_wide_ones(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script(["I see."])
    plugin.open("a.txt", "one 🎉 zwei\n")
    nvim.keys("0fzve:Steersman explain<CR>")
    plugin.wait_until_done()
    text = plugin.conversation()
    start = text.index("Selected, line 1:")
    assert text[start : start + 4] == ["Selected, line 1:", "```", "zwei", "```"]


def test_a_task_without_words_is_asked_for(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script(["Hello."])
    plugin.open("a.txt", "one\n")
    nvim.command("Steersman")
    assert nvim.lua("return vim.bo.filetype") == "markdown"
    nvim.keys("say<C-j>hello<CR>")
    plugin.wait_until_done()
    assert plugin.conversation()[:2] == ["> say", "> hello"]
    assert nvim.lines() == ["one"]
    assert nvim.mode() == "n"


def test_a_conversation_goes_on_where_it_stands(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script(["First."], ["Second."])
    plugin.open("a.txt", "one\n")
    nvim.command("Steersman begin")
    first = plugin.wait_until_done()
    nvim.command("SteersmanToggle")
    nvim.command("SteersmanToggle")
    nvim.keys("igo on<CR>")
    second = plugin.wait_until_done(2)
    assert first["session_id"] == second["session_id"]
    text = plugin.conversation()
    assert text.index("First.") < text.index("> go on") < text.index("Second.")


def test_an_unsent_text_is_kept_for_the_next_time(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script(["First."])
    plugin.open("a.txt", "one\n")
    nvim.command("Steersman begin")
    plugin.wait_until_done()
    nvim.command("SteersmanToggle")
    nvim.command("SteersmanToggle")
    nvim.keys("ihalf a thought<Esc><Esc>")
    nvim.wait("vim.bo.filetype == 'steersman'", "the window to close")
    nvim.keys("i")
    nvim.wait("vim.bo.filetype == 'markdown'", "the window")
    assert nvim.lines() == ["half a thought"]
    nvim.keys("<Esc><Esc>")


def test_a_run_is_steered(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([{"gate": "start"}, write("b.txt", "x\n")], ["As you say."])
    plugin.open("a.txt", "one\n")
    nvim.command("SteersmanMode auto")
    nvim.command("Steersman write")
    plugin.gates.wait_reached("start")
    nvim.command("Steersman! and be quick")
    plugin.command_server("status", {})
    plugin.gates.open("start")
    plugin.wait_until_done()
    text = plugin.conversation()
    assert text.index("> (meanwhile) and be quick") < text.index("As you say.")
    assert plugin.user_events().count("RunStarted") == 1


def test_a_mode_holds_for_the_run_at_work_and_for_later_ones(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([{"gate": "start"}, edit("one", "1")], ["Done."], [edit("1", "one")], ["Done."])
    plugin.open("a.txt", "one\n")
    nvim.command("Steersman count")
    plugin.gates.wait_reached("start")
    plugin.choose(3)
    nvim.command("SteersmanMode")
    menu = plugin.menus(1)[0]
    assert menu["items"][2] == "accept-edits  edits freely, asks before commands"
    nvim.wait("require('steersman.runs').active()[1].mode == 'accept-edits'", "the new mode")
    plugin.gates.open("start")
    plugin.wait_until_done()
    assert nvim.lines() == ["1"]
    nvim.command("Steersman back")
    plugin.wait_until_done(2)
    assert nvim.lines() == ["one"]
    assert "Question" not in plugin.user_events()


def test_an_unknown_mode_is_named(nvim: Neovim, plugin: Plugin) -> None:
    nvim.command("SteersmanMode yolo")
    assert plugin.notes() == ['Steersman: There is no mode "yolo"; there are plan, ask, accept-edits, auto.']
    assert nvim.lua("return vim.fn.getcompletion('SteersmanMode a', 'cmdline')") == ["ask", "accept-edits", "auto"]


def test_what_is_no_model_s_name_is_refused_at_once(nvim: Neovim, plugin: Plugin) -> None:
    for name in ("bogus", "bogus/", "/bogus"):
        nvim.command(f"SteersmanModel {name}")
        assert f'Steersman: "{name}" is not a model\'s name. Write provider/model' in plugin.notes()[-1]
    assert nvim.lua("return require('steersman.choices').model()") == "demo/rules", "what was chosen before stays"


def test_a_model_is_chosen_from_the_server_s_list(nvim: Neovim, plugin: Plugin) -> None:
    plugin.open("a.txt", "one\n")
    nvim.lua("require('steersman.choices').set_model(nil)")
    plugin.choose(1)
    nvim.command("SteersmanModel")
    assert plugin.menus(1)[0]["items"][0].startswith("demo/rules")
    nvim.command("Steersman read a.txt")
    plugin.wait_until_done()
    assert nvim.lua("return require('steersman.conversation').current().last_model") == "demo/rules"


def test_the_status_line_tells_what_goes_on(nvim: Neovim, plugin: Plugin) -> None:
    statusline = "require('steersman').statusline()"
    plugin.script([{"gate": "start"}, edit("two", "TWO")], ["Done."])
    plugin.open("a.txt", "two\n")
    assert nvim.lua(f"return {statusline}") == ""
    nvim.command("Steersman shout")
    plugin.gates.wait_reached("start")
    nvim.wait(f"{statusline} == 'Steersman: turn 1/40 · waiting for the model'")
    plugin.gates.open("start")
    plugin.wait_for_question("edit a.txt")
    assert nvim.lua(f"return {statusline}") == "Steersman ? edit a.txt"
    plugin.answer("edit a.txt", "a")
    plugin.wait_until_done()
    assert nvim.lua(f"return {statusline}") == ""


def test_a_kept_session_is_found_previewed_and_gone_on_with(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script(["A **tall** tale.", write("b.txt", "x\n")], ["It ends."], ["It goes on."])
    plugin.open("a.txt", "one\n")
    nvim.command("SteersmanMode auto")
    nvim.command("Steersman tell me something")
    told = plugin.wait_until_done()
    nvim.lua("vim.api.nvim_buf_delete(require('steersman.conversation').current().buf, { force = true })")
    plugin.choose(1, 1)
    nvim.command("SteersmanSessions tale")
    sessions, actions = plugin.menus(2)[:2]
    assert sessions["items"][0] == "tell me something · 4 messages · just now · A **tall** tale."
    assert "A **tall** tale." in sessions["preview"]
    assert actions["items"][0] == "Go on"
    plugin.wait_for_text("It ends.")
    text = plugin.conversation()
    assert text[0] == "> tell me something"
    assert any(line.startswith("✓ write_file b.txt") for line in text)
    nvim.keys("igo on<CR>")
    again = plugin.wait_until_done(2)
    assert again["session_id"] == told["session_id"]
    assert "It goes on." in plugin.conversation()


def test_a_session_that_another_program_holds_is_taken_over_only_when_the_person_says_so(
    nvim: Neovim, plugin: Plugin
) -> None:
    plugin.script(["Twice."], ["Mine now."])
    plugin.open("a.txt", "one\n")
    nvim.command("Steersman tell")
    session = plugin.wait_until_done()["session_id"]
    store = SessionStore.open(nvim.home / "steersman", plugin.folder, clock=time.time, new_id=lambda: uuid.uuid4().hex)
    with store.acquire(session, "another editor (pid 4711)") as handle:
        plugin.choose(1)
        nvim.command("Steersman! go on")
        (menu,) = plugin.menus(1)
        assert "another editor (pid 4711)" in menu["prompt"]
        nvim.wait("#_G.notes > 0", "that it was not started")
        assert nvim.lua("return require('steersman.conversation').current().draft") == "go on", "nothing is lost"
        plugin.choose(2)
        nvim.command("Steersman! go on")
        assert plugin.wait_until_done(2)["result"]["answer"] == "Mine now."
        with pytest.raises(SessionLockedError, match="was taken over"):
            handle.append(UserMessage("late"))
    store.close()


def test_a_session_is_renamed_forked_exported_and_deleted(nvim: Neovim, plugin: Plugin, tmp_path: Path) -> None:
    plugin.script(["Once."])
    plugin.open("a.txt", "one\n")
    nvim.command("Steersman tell")
    session = plugin.wait_until_done()["session_id"]
    plugin.choose(1, 3)
    plugin.type_into_prompt("A better title")
    nvim.command("SteersmanSessions Once")
    nvim.wait("require('steersman.conversation').current().title == 'A better title'", "the new title")
    plugin.choose(1, 2)
    nvim.command("SteersmanSessions Once")
    nvim.wait(f"require('steersman.conversation').current().session_id ~= '{session}'", "the fork")
    plugin.wait_for_text("Once.")
    plugin.choose(1, 5)
    plugin.type_into_prompt(str(tmp_path / "story.md"))
    nvim.command("SteersmanSessions Once")
    nvim.wait(f"_G.notes[#_G.notes] == 'Steersman: exported to {tmp_path / 'story.md'}'", "the export")
    assert "Once." in (tmp_path / "story.md").read_text(encoding="utf-8")
    before = plugin.command_server("sessions.list", {})["total"]
    plugin.choose(1, 4, 1)
    nvim.command("SteersmanSessions Once")
    assert plugin.menus(3)[2]["items"] == ["Keep it", "Delete it for good"]
    assert plugin.command_server("sessions.list", {})["total"] == before
    plugin.choose(1, 4, 2)
    nvim.command("SteersmanSessions Once")
    nvim.wait("(_G.notes[#_G.notes] or ''):find('deleted', 1, true)", "the deletion")
    assert plugin.command_server("sessions.list", {})["total"] == before - 1


def test_a_rewind_restores_buffer_and_disk_and_is_taken_back(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([edit("one", "1"), write("b.txt", "new\n")], ["Done."], [edit("1", "I")], ["Done again."])
    plugin.open("a.txt", "one\n")
    nvim.command("SteersmanMode auto")
    nvim.command("Steersman first")
    plugin.wait_until_done()
    nvim.command("Steersman! second")
    plugin.wait_until_done(2)
    assert nvim.lines() == ["I"]
    plugin.choose(2, 1)
    nvim.command("SteersmanRewind")
    assert plugin.menus(2)[0]["items"] == ["second", "first"]
    nvim.wait("vim.api.nvim_buf_get_lines(0, 0, -1, false)[1] == 'one'", "the buffer as it was")
    nvim.wait("#_G.notes > 0", "what was restored")
    assert "2 files put back" in plugin.notes()[-1]
    assert not (plugin.folder / "b.txt").exists()
    assert nvim.lua("return require('steersman.conversation').current().draft") == "first"
    nvim.wait("#vim.api.nvim_buf_get_lines(require('steersman.conversation').current().buf, 0, -1, false) == 1")
    nvim.command("SteersmanRewind!")
    nvim.wait("vim.api.nvim_buf_get_lines(0, 0, -1, false)[1] == 'I'", "the buffer as it had been")
    plugin.wait_for_text("Done again.")
    assert plugin.read("b.txt") == "new\n"


def test_a_rewind_leaves_what_was_changed_since_until_told_otherwise(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([write("b.txt", "new\n")], ["Done."])
    plugin.open("a.txt", "one\n")
    nvim.command("SteersmanMode auto")
    nvim.command("Steersman write")
    plugin.wait_until_done()
    plugin.write("b.txt", "mine\n")
    plugin.choose(1, 2, 1)
    nvim.command("SteersmanRewind")
    assert plugin.menus(3)[2]["prompt"].startswith("1 file changed since (b.txt: ")
    nvim.wait("(_G.notes[#_G.notes] or ''):find('0 files put back', 1, true)", "what was restored")
    assert plugin.read("b.txt") == "mine\n"
    plugin.choose(1, 1, 0)
    nvim.command("SteersmanRewind")
    plugin.menus(3)
    assert plugin.conversation()[0] == "> write", "who leaves the menu leaves everything"
    plugin.choose(1, 1, 2)
    nvim.command("SteersmanRewind")
    assert plugin.menus(3)[2]["items"][1] == "Put them back anyway, over what was changed since"
    nvim.wait(f"vim.uv.fs_stat('{plugin.folder / 'b.txt'}') == nil", "the file to be gone")
    nvim.wait("(_G.notes[#_G.notes] or ''):find('1 file put back', 1, true)", "what was restored")
    nvim.wait("require('steersman.conversation').current().draft == 'write'", "the conversation to have gone back")
    nvim.command("SteersmanRewind!")
    nvim.wait(f"vim.uv.fs_stat('{plugin.folder / 'b.txt'}') ~= nil", "the file to be there again")
    assert plugin.read("b.txt") == "mine\n"


@pytest.mark.parametrize("number", [1, 2])
def test_taking_a_rewind_back_leaves_what_was_changed_since_until_told_otherwise(
    nvim: Neovim, plugin: Plugin, number: int
) -> None:
    plugin.script([write("b.txt", "new\n")], ["Done."])
    plugin.open("a.txt", "one\n")
    nvim.command("SteersmanMode auto")
    nvim.command("Steersman write")
    plugin.wait_until_done()
    plugin.choose(1, 1)
    nvim.command("SteersmanRewind")
    nvim.wait("(_G.notes[#_G.notes] or ''):find('1 file put back', 1, true)", "what was restored")
    plugin.write("b.txt", "mine\n")
    plugin.choose(number)
    nvim.command("SteersmanRewind!")
    assert plugin.menus(1)[0]["prompt"].startswith("1 file changed since (b.txt: ")
    restored = number - 1
    nvim.wait(f"(_G.notes[#_G.notes] or ''):find('{restored} file', 1, true)", "what was put back")
    assert plugin.read("b.txt") == ("mine\n" if number == 1 else "new\n")


def test_folds_hide_what_tools_did_and_open(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script(["Let me.", edit("two", "TWO")], ["Done."])
    plugin.open("a.txt", "two\n")
    nvim.command("SteersmanMode accept-edits")
    nvim.command("Steersman shout")
    plugin.wait_until_done()
    nvim.command("SteersmanToggle")
    nvim.command("SteersmanToggle")
    closed = "vim.tbl_filter(function(n) return vim.fn.foldclosed(n) == n end, vim.fn.range(1, vim.fn.line('$')))"
    heads = [plugin.conversation()[number - 1] for number in nvim.lua(f"return {closed}")]
    assert [head.split("  ")[0] for head in heads] == ["· sent along: a.txt (text)", "✓ edit a.txt"]
    nvim.command("call search('✓ edit')")
    nvim.keys("<Tab>")
    nvim.wait("vim.fn.foldclosed('.') == -1", "the fold to open")
    nvim.keys("g?")
    nvim.wait(
        "vim.iter(vim.api.nvim_list_wins()):any(function(w) return vim.api.nvim_win_get_config(w).relative ~= '' end)"
    )
