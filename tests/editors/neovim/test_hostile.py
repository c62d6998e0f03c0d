"""A hostile world and a clumsy user: what fails around the plugin must not hang a state or lose what was written."""

from __future__ import annotations

import pytest

from support.neovim import Neovim
from support.neovim_plugin import PluginWorkspace
from support.polling import wait_until
from support.scripted_calls import edit, write

Plugin = PluginWorkspace

CURRENT = "require('steersman.conversation').current()"


def test_a_start_that_nobody_answers_can_be_stopped_and_its_task_is_a_draft(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([{"gate": "start"}, "never"])
    plugin.open("a.txt", "one\n")
    plugin.command_server("status", {})
    servers = nvim.children()
    nvim.signal(servers, "sigstop")
    nvim.command("Steersman talk")
    nvim.command("Steersman! and softly")
    nvim.command("SteersmanStop")
    assert nvim.lua(f"return {CURRENT}.draft") == "talk\nand softly"
    assert nvim.lua(f"return {CURRENT}.starting") is None
    nvim.signal(servers, "sigcont")
    ended = plugin.wait_until_done()
    assert ended["stop_reason"] == "aborted", "what the server took all the same is stopped"


def test_words_told_to_a_run_that_dies_are_kept_for_the_next_message(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([{"gate": "start"}, "never"])
    plugin.open("a.txt", "one\n")
    nvim.command("Steersman talk")
    plugin.gates.wait_reached("start")
    nvim.wait("#require('steersman.runs').active() == 1", "the run")
    nvim.command("Steersman! and be quick")
    nvim.wait(f"#{CURRENT}.told == 1", "the server's word for it")
    nvim.signal(nvim.children(), "sigkill")
    plugin.wait_until_done()
    assert nvim.lua(f"return {CURRENT}.draft") == "and be quick"


def test_words_that_a_dead_server_was_told_are_kept_before_those_begun_since(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([{"gate": "start"}, "never"])
    plugin.open("a.txt", "one\n")
    nvim.command("Steersman talk")
    plugin.gates.wait_reached("start")
    nvim.wait("#require('steersman.runs').active() == 1", "the run")
    servers = nvim.children()
    nvim.signal(servers, "sigstop")
    nvim.command("Steersman! first words")
    nvim.lua(f"{CURRENT}:keep('later words')")
    nvim.signal(servers, "sigkill")
    plugin.wait_until_done()
    nvim.wait(f"{CURRENT}.draft ~= 'later words'", "the words")
    assert nvim.lua(f"return {CURRENT}.draft") == "first words\nlater words"


def test_a_menu_that_never_answers_holds_up_nothing(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script(["Once."], ["Twice."])
    plugin.open("a.txt", "one\n")
    nvim.command("Steersman tell")
    plugin.wait_until_done()
    nvim.lua("vim.ui.select = function() end")
    nvim.lua(f"""
        local conversation = {CURRENT}
        local start = {{ task = "go on" }}
        conversation.starting = start
        local connected = vim.lsp.get_clients({{ name = "steersman" }})[1]
        conversation:answered(start, connected, nil, {{ message = "held elsewhere", kind = "session_locked" }})
    """)
    assert nvim.lua(f"return {CURRENT}.draft") == "go on"
    nvim.command("Steersman! go on, then")
    assert plugin.wait_until_done(2)["result"]["answer"] == "Twice."


@pytest.mark.parametrize("menu", ["error('no menus today')", "choose(items[2], 2); choose(items[2], 2)"])
def test_a_menu_that_fails_or_answers_twice_counts_once(nvim: Neovim, plugin: Plugin, menu: str) -> None:
    nvim.lua(f"vim.ui.select = function(items, _, choose) {menu} end")
    nvim.lua("_G.chosen = {}")
    nvim.lua("""
        require("steersman.pick").select({ "a", "b" }, {}, function(item) table.insert(_G.chosen, item or "left") end)
    """)
    assert nvim.lua("return _G.chosen") == (["left"] if "error" in menu else ["b"])


def test_a_task_about_a_buffer_that_is_wiped_while_it_is_written_is_still_sent(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script(["Hello."])
    plugin.open("a.txt", "one\n")
    file = nvim.lua("return vim.api.nvim_get_current_buf()")
    nvim.command("Steersman")
    nvim.wait("vim.bo.filetype == 'markdown'", "the window")
    nvim.lua("vim.api.nvim_buf_delete(..., { force = true })", file)
    nvim.keys("say hello<CR>")
    assert plugin.wait_until_done()["stop_reason"] == "complete"
    assert plugin.conversation()[0] == "> say hello"


def test_a_new_task_that_is_left_unsent_is_there_the_next_time(nvim: Neovim, plugin: Plugin) -> None:
    plugin.open("a.txt", "one\n")
    nvim.command("Steersman")
    nvim.keys("half a task<Esc><Esc>")
    nvim.wait("vim.bo.filetype ~= 'markdown'", "the window to close")
    nvim.command("Steersman")
    nvim.wait("vim.bo.filetype == 'markdown'", "the window")
    assert nvim.lines() == ["half a task"]
    nvim.keys("<Esc>ggdG<Esc>")
    nvim.wait("vim.bo.filetype ~= 'markdown'", "the window to close")


def test_a_conversation_that_was_wiped_while_its_server_died_shows_nothing_and_fails_nowhere(
    nvim: Neovim, plugin: Plugin
) -> None:
    plugin.script(["Hello."])
    plugin.open("a.txt", "one\n")
    plugin.command_server("status", {})
    servers = nvim.children()
    nvim.signal(servers, "sigstop")
    nvim.command("Steersman talk")
    nvim.lua(f"vim.api.nvim_buf_delete({CURRENT}.buf, {{ force = true }})")
    nvim.signal(servers, "sigkill")
    wait_until(plugin.notes, "what went wrong")
    assert "ended before it answered" in plugin.notes()[0]
    assert "Invalid buffer" not in nvim.messages()


def test_only_the_very_buffer_is_saved_whatever_its_name_matches(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([edit("one", "1", "[id].txt")], ["Done."])
    plugin.write("[id].txt", "one\n")
    plugin.open("i.txt", "mine\n")
    nvim.command("normal! ccnot to be saved")
    nvim.lua("vim.cmd.badd(...)", str(plugin.folder / "[id].txt").replace("[", "\\["))
    saved = nvim.lua(
        "return require('steersman.documents').on_save(nil, { uris = ... })",
        [(plugin.folder / "[id].txt").as_uri(), (plugin.folder / "txt").as_uri()],
    )
    assert saved == {"saved": []}
    assert plugin.read("i.txt") == "mine\n"


def test_a_title_is_never_evaluated_by_a_status_line(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([edit("one", "1")], ["Done."])
    plugin.open("a.txt", "one\n")
    nvim.command("Steersman edit")
    plugin.wait_for_question("edit a.txt")
    nvim.lua("require('steersman.approval').questions()[1].params.title = ...", "edit %{execute('let g:owned=1')}.txt")
    shown = nvim.lua("return vim.api.nvim_eval_statusline(require('steersman').statusline(), {}).str")
    assert shown == "Steersman ? edit ％{execute('let g:owned=1')}.txt"
    assert nvim.lua("return vim.g.owned") is None


def test_titles_stay_on_one_line_of_a_menu(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script(["Once."])
    plugin.open("a.txt", "one\n")
    nvim.command("Steersman tell")
    session = plugin.wait_until_done()["session_id"]
    plugin.command_server("sessions.rename", {"sessionId": session, "title": "x"})
    nvim.lua("""
        local client = require("steersman.client")
        _G.command = client.command
        client.command = function(connected, name, params, done)
          _G.command(connected, name, params, function(result, failure)
            for _, each in ipairs(result and result.sessions or {}) do
              each.title = "harmless\\n1: Delete \\27[8m"
            end
            done(result, failure)
          end)
        end
    """)
    plugin.choose(1, 4, 1)
    nvim.command("SteersmanSessions")
    menus = plugin.menus(3)
    nvim.lua("require('steersman.client').command = _G.command")
    assert all("\n" not in menu["prompt"] and "\x1b" not in menu["prompt"] for menu in menus)
    assert "harmless⏎1: Delete ⟨U+001B⟩" in menus[1]["prompt"]


def test_a_question_that_comes_in_the_command_line_window_can_be_answered_later(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([{"gate": "start"}, write("b.txt", "x\n")], ["Done."])
    plugin.open("a.txt", "one\n")
    nvim.command("Steersman write")
    plugin.gates.wait_reached("start")
    nvim.keys("q:")
    nvim.wait("vim.fn.getcmdwintype() == ':'", "the command-line window")
    plugin.gates.open("start")
    plugin.wait_for_question("create b.txt")
    nvim.keys(":q<CR>")
    nvim.wait("vim.fn.getcmdwintype() == ''", "the command-line window's end")
    plugin.answer("create b.txt", "a")
    assert plugin.wait_until_done()["stop_reason"] == "complete"
    assert plugin.read("b.txt") == "x\n"


def test_a_failure_where_one_answer_goes_keeps_no_other_from_its_own(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script(["Hello."])
    plugin.open("a.txt", "one\n")
    plugin.command_server("status", {})
    servers = nvim.children()
    nvim.signal(servers, "sigstop")
    nvim.lua("""
        local connected = vim.lsp.get_clients({ name = "steersman" })[1]
        for _ = 1, 5 do
          require("steersman.client").command(connected, "status", {}, function() error("broken here") end)
        end
    """)
    nvim.command("Steersman talk")
    nvim.signal(servers, "sigkill")
    plugin.wait_for_text("not started: The server has ended before it answered.")


def test_line_ends_of_windows_are_not_shown_as_hidden_characters(nvim: Neovim) -> None:
    assert nvim.lua("return require('steersman.text').visible(...)", "é\r\nb\r\n") == "é\r\nb\r\n"
    assert nvim.lua("return require('steersman.text').one_line(...)", "é\r\nb\rc\td") == "é⏎b⏎c⇥d"


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ("'ask'", "options"),
        ("{ conversation = true }", "conversation"),
        ("{ question = { keys = 'a' } }", "question.keys"),
        ("{ question = { keys = { reject = '' } } }", "keys.reject"),
        ("{ icons = { ok = {} } }", "icons.ok"),
    ],
)
def test_an_option_of_the_wrong_type_is_named_and_nothing_is_taken_over(nvim: Neovim, options: str, named: str) -> None:
    ok, problem = nvim.lua(f"return {{ pcall(require('steersman').setup, {options}) }}")
    assert not ok
    assert f"{named}: expected" in problem
    assert nvim.lua("return require('steersman.config').get().question.keys.reject") == "r"


def test_what_is_said_between_a_call_and_its_question_stays(nvim: Neovim) -> None:
    lines = nvim.lua(
        """
        local buf = vim.api.nvim_create_buf(false, true)
        local view = require("steersman.conversation.view").new(require("steersman.conversation.writer").new(buf))
        local change = { uri = "file:///a.txt", kind = "edit", added = 1, removed = 1, diff = "@@ -1 +1 @@\\n-one\\n+ONE\\n" }
        view:call("c1", "edit_file", '{"path": "a.txt"}')
        view:note("a warning")
        for _ = 1, 2 do
          view:ask({ callId = "c1", title = "edit a.txt", changes = { change } })
        end
        return vim.api.nvim_buf_get_lines(buf, 0, -1, false)
        """
    )
    assert any("a warning" in line for line in lines)
    assert "+ONE" in lines
