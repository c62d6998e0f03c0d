"""The plugin's circle: task, conversation, question, edit, undo, stop (issue "Neovim at home")."""

from __future__ import annotations

from support.neovim import Neovim
from support.neovim_plugin import PluginWorkspace
from support.scripted_calls import edit, write

Plugin = PluginWorkspace


def test_a_task_is_asked_about_done_told_and_undone(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script(["I shall **shout**.", edit("two", "TWO")], [write("b.txt", "x\n")], ["All done."])
    plugin.open("a.txt", "one\ntwo\nthree\n")
    nvim.command("Steersman shout")
    shown = plugin.answer("edit a.txt", "a")
    assert shown[:3] == [
        "a  Allow once",
        "s  Allow for this session (edits of a.txt)",
        "A  Always allow (edits of a.txt)",
    ]
    assert shown[3] == "r  Reject (you may say why)"
    assert {"@@ -1,3 +1,3 @@", "-two", "+TWO"} <= set(shown)
    plugin.answer("create b.txt", "a")
    result = plugin.wait_until_done()
    assert (result["stop_reason"], result["result"]["answer"]) == ("complete", "All done.")
    assert nvim.lines() == ["one", "TWO", "three"], "the cursor is back in the file"
    assert plugin.read("b.txt") == "x\n"
    assert plugin.user_events() == [
        "RunStarted",
        *("Question", "QuestionClosed") * 2,
        "RunEnded",
    ]
    text = plugin.conversation()
    assert text[0] == "> shout"
    assert "I shall **shout**." in text
    assert any(line.startswith("✓ edit a.txt  +1 −1") for line in text)
    assert any(line.startswith("✓ create b.txt  +1 −0") for line in text)
    assert text[-1].startswith("· complete · 3 turns · 2 files changed")
    nvim.command("silent undo")
    assert nvim.lines() == ["one", "two", "three"]
    assert plugin.notes() == []


def test_a_clean_file_is_saved_after_an_edit_and_a_dirty_one_stays_unsaved(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([edit("two", "TWO")], ["Done."], [edit("TWO", "Two")], ["Done."])
    plugin.open("a.txt", "two\n")
    nvim.command("SteersmanMode accept-edits")
    nvim.command("Steersman shout")
    result = plugin.wait_until_done()
    assert result["result"]["changes"][0]["saved"] is True
    assert plugin.read("a.txt") == "TWO\n"
    nvim.nvim.current.buffer.append("mine")
    nvim.command("Steersman! whisper")
    result = plugin.wait_until_done(2)
    assert result["result"]["changes"][0]["saved"] is False
    assert nvim.lines() == ["Two", "mine"]
    assert plugin.read("a.txt") == "TWO\n"


def test_allowed_for_the_session_is_not_asked_again(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([edit("one", "1")], [edit("two", "2")], ["Done."])
    plugin.open("a.txt", "one\ntwo\n")
    nvim.command("Steersman count")
    plugin.answer("edit a.txt", "s")
    plugin.wait_until_done()
    assert nvim.lines() == ["1", "2"]
    assert plugin.user_events().count("Question") == 1


def test_always_is_remembered_by_later_conversations(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([edit("one", "1")], ["Done."], [edit("two", "2")], ["Done."])
    plugin.open("a.txt", "one\ntwo\n")
    nvim.command("Steersman count")
    plugin.answer("edit a.txt", "A")
    plugin.wait_until_done()
    nvim.command("Steersman count on")
    plugin.wait_until_done(2)
    assert nvim.lines() == ["1", "2"]
    assert plugin.user_events().count("Question") == 1


def test_a_rejection_gives_the_model_its_reason(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([edit("two", "TWO")], ["Then not."])
    plugin.open("a.txt", "two\n")
    plugin.type_into_prompt("I like it quiet")
    nvim.command("Steersman shout")
    plugin.answer("edit a.txt", "r")
    plugin.wait_until_done()
    assert nvim.lines() == ["two"]
    text = "\n".join(plugin.conversation())
    assert "✗ edit a.txt  refused" in text
    assert "the person said no: I like it quiet" in text


def test_leaving_the_reason_s_prompt_is_no_answer(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([edit("two", "TWO")], ["Done."])
    plugin.open("a.txt", "two\n")
    nvim.lua("vim.ui.input = function(_, done) done(nil) end")
    nvim.command("Steersman shout")
    plugin.answer("edit a.txt", "r")
    plugin.answer("edit a.txt", "a")
    plugin.wait_until_done()
    assert nvim.lines() == ["TWO"]


def test_a_dismissed_question_stays_open_and_can_be_answered_late(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([edit("two", "TWO")], ["Done."])
    plugin.open("a.txt", "two\n")
    nvim.command("Steersman shout")
    for leave in ("q", "<Esc>", ":quit<CR>"):
        plugin.answer("edit a.txt", leave)
        nvim.wait("require('steersman.approval').questions()[1].shown == nil", "the window to close")
        assert nvim.lines() == ["two"]
        assert nvim.lua("return #require('steersman.approval').questions()") == 1
        nvim.command("SteersmanAnswer")
    plugin.answer("edit a.txt", "a")
    plugin.wait_until_done()
    assert nvim.lines() == ["TWO"]


def test_a_stopped_run_withdraws_its_question_without_a_word(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([edit("two", "TWO")], ["Never said."])
    plugin.open("a.txt", "two\n")
    nvim.command("Steersman shout")
    plugin.wait_for_question("edit a.txt")
    nvim.command("SteersmanAnswer")
    nvim.keys("<C-c>")
    assert plugin.wait_until_done()["stop_reason"] == "aborted"
    assert nvim.lua("return #require('steersman.approval').questions()") == 0
    floats = nvim.lua(
        "return vim.tbl_filter(function(w) return vim.api.nvim_win_get_config(w).relative ~= '' end,"
        " vim.api.nvim_list_wins())"
    )
    assert floats == []
    assert nvim.lines() == ["two"]
    assert (nvim.messages().strip(), plugin.notes()) == ("", [])
    assert "✗ edit a.txt  refused" not in plugin.conversation()
    assert plugin.conversation()[-1].startswith("· stopped")


def test_a_question_answered_by_command_closes_here(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([edit("two", "TWO")], ["Done."])
    plugin.open("a.txt", "two\n")
    nvim.command("Steersman shout")
    plugin.wait_for_question("edit a.txt")
    nvim.lua("""
        local params = require("steersman.approval").questions()[1].params
        local client = vim.lsp.get_clients({ name = "steersman" })[1]
        local answer = { runId = params.runId, callId = params.callId, optionId = "allow_once" }
        client:request("workspace/executeCommand", { command = "steersman.answer", arguments = { answer } })
    """)
    plugin.wait_until_done()
    assert nvim.lines() == ["TWO"]
    assert nvim.lua("return #require('steersman.approval').questions()") == 0
    assert nvim.messages().strip() == ""


def test_keys_go_where_they_are_typed_while_a_question_stands(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([{"gate": "start"}, edit("two", "TWO")], ["Done."])
    plugin.open("a.txt", "one\ntwo\n")
    nvim.command("Steersman shout")
    plugin.gates.wait_reached("start")
    nvim.keys("ggO")
    plugin.gates.open("start")
    plugin.wait_for_question("edit a.txt")
    nvim.keys("a as A r")
    nvim.wait("vim.api.nvim_buf_get_lines(0, 0, 1, false)[1] == 'a as A r'", "the typed line")
    assert nvim.mode() == "i"
    assert nvim.lua("return #require('steersman.approval').questions()") == 1, "typing answered nothing"
    nvim.keys("<Esc>")
    plugin.answer("edit a.txt", "a")
    plugin.wait_until_done()
    assert nvim.lines() == ["a as A r", "one", "TWO"], "what was typed meanwhile and the edit are both there"


def test_a_change_that_typing_made_another_one_is_asked_again(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([edit("two", "TWO")], ["Done."])
    plugin.open("a.txt", "one\ntwo\n")
    nvim.command("Steersman shout")
    plugin.wait_for_question("edit a.txt")
    nvim.keys("Gcctwo, and more<Esc>")
    nvim.wait("vim.api.nvim_buf_get_lines(0, 1, 2, false)[1] == 'two, and more'", "the typed line")
    plugin.answer("edit a.txt", "a")
    nvim.wait("#vim.tbl_filter(function(e) return e[1] == 'Question' end, _G.user) == 2", "the question again")
    again = plugin.answer("edit a.txt", "a")
    assert "! This is no longer what was asked before: the file changed meanwhile." in again
    assert {"-two, and more", "+TWO, and more"} <= set(again)
    plugin.wait_until_done()
    assert nvim.lines() == ["one", "TWO, and more"]


def test_the_question_takes_the_cursor_only_from_the_conversation_and_not_at_once(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([{"gate": "start"}, edit("two", "TWO")], ["Done."])
    plugin.open("a.txt", "two\n")
    nvim.command("Steersman shout")
    plugin.gates.wait_reached("start")
    nvim.lua("require('steersman.config').get().question.guard_ms = 3600 * 1000")
    nvim.command("SteersmanToggle")
    nvim.command("SteersmanToggle")
    assert nvim.lua("return vim.bo.filetype") == "steersman"
    plugin.gates.open("start")
    plugin.wait_for_question("edit a.txt")
    assert nvim.lua("return vim.bo.filetype") == "steersman-question"
    nvim.keys("a")
    assert nvim.lua("return #require('steersman.approval').questions()") == 1, "a key on its way answers nothing"
    nvim.lua("require('steersman.config').get().question.guard_ms = 0")
    nvim.keys("q")
    nvim.wait("vim.bo.filetype == 'steersman'", "the conversation")
    nvim.keys("<CR>")
    nvim.wait("vim.bo.filetype == 'steersman-question'", "the question")
    nvim.keys("a")
    plugin.wait_until_done()


def test_who_answers_is_led_to_the_run_s_next_question(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([{"call": "delete_file", "arguments": {"path": "b.txt"}}, edit("two", "TWO")], ["Done."])
    plugin.write("b.txt", "x\n")
    plugin.open("a.txt", "two\n")
    nvim.command("Steersman shout")
    plugin.wait_for_question("delete b.txt")
    nvim.command("SteersmanAnswer")
    nvim.lua("require('steersman.config').get().question.guard_ms = 3600 * 1000")
    nvim.keys("a")
    plugin.wait_for_question("edit a.txt")
    assert nvim.lua("return vim.bo.filetype") == "steersman-question"
    nvim.keys("a")
    assert nvim.lua("return #require('steersman.approval').questions()") == 1, "a key on its way answers nothing"
    assert nvim.lines(nvim.lua("return vim.fn.bufnr('a.txt')")) == ["two"], "nor does it go into the file"
    plugin.answer("edit a.txt", "a")
    plugin.wait_until_done()
    assert nvim.lines() == ["TWO"], "the cursor is back in the file"


def test_who_has_typed_since_the_last_answer_is_left_alone(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([edit("one", "1")], [{"gate": "next"}, edit("two", "TWO")], ["Done."])
    plugin.open("a.txt", "one\ntwo\n")
    nvim.command("Steersman shout")
    plugin.answer("edit a.txt", "a")
    plugin.gates.wait_reached("next")
    nvim.keys("gg")
    nvim.wait("vim.fn.line('.') == 1", "the cursor to go up")
    plugin.gates.open("next")
    plugin.wait_for_question("edit a.txt")
    assert nvim.lua("return vim.fs.basename(vim.api.nvim_buf_get_name(0))") == "a.txt"
    plugin.answer("edit a.txt", "a")
    plugin.wait_until_done()


def test_keys_that_were_typed_ahead_answer_one_question_only(nvim: Neovim, plugin: Plugin) -> None:
    plugin.open("a.txt", "one\n")
    nvim.lua("""
        local options = { { id = "allow_once", label = "Allow once" }, { id = "reject", label = "Reject" } }
        _G.answered = {}
        for _, run in ipairs({ "first", "second" }) do
          coroutine.wrap(function()
            local asked = { runId = run, sessionId = run, callId = "c", tool = "t", title = run, changes = {} }
            asked.options = options
            _G.answered[run] = require("steersman.approval").on_request(nil, asked, { client_id = 0 }) or "nothing"
          end)()
        end
    """)
    nvim.command("SteersmanAnswer")
    nvim.keys("aaa")
    nvim.wait("_G.answered.first", "the answer to the first")
    assert nvim.lua("return vim.bo.filetype") == "steersman-question", "the next that waits is gone to at once"
    assert nvim.lua("return vim.tbl_keys(_G.answered)") == ["first"]
    nvim.command("SteersmanAnswer")
    nvim.keys("a")
    nvim.wait("_G.answered.second", "the answer to the second")
    assert nvim.lines() == ["one"]


def test_hunks_are_gone_through(nvim: Neovim, plugin: Plugin) -> None:
    lines = [f"line {number}" for number in range(40)]
    text = "\n".join(lines) + "\n"
    after = text.replace("line 3\n", "LINE 3\n").replace("line 30\n", "LINE 30\n")
    plugin.script([{"call": "read_file", "arguments": {"path": "a.txt"}}], [write("a.txt", after)], ["Done."])
    plugin.open("a.txt", text)
    nvim.command("Steersman shout")
    shown = plugin.wait_for_question("write a.txt")
    hunks = [number for number, line in enumerate(shown, start=1) if line.startswith("@@")]
    assert len(hunks) == 2
    nvim.command("SteersmanAnswer")
    seen = []
    for key in ("]c", "]c", "]c", "[c", "[c"):
        nvim.keys(key)
        seen.append(nvim.lua("return vim.api.nvim_win_get_cursor(0)[1]"))
    assert seen == [hunks[0], hunks[1], hunks[1], hunks[0], hunks[0]]
    nvim.keys("d")
    nvim.wait("vim.wo.diff", "the change side by side")
    assert "LINE 30" in nvim.lines()
    nvim.keys("q")
    nvim.wait("not vim.wo.diff", "the tab to close")
    plugin.answer("write a.txt", "a")
    plugin.wait_until_done()


def test_a_command_is_shown_whole(nvim: Neovim, plugin: Plugin) -> None:
    command = "echo one\necho two"
    plugin.script([{"call": "run_command", "arguments": {"command": command}}], ["Done."])
    plugin.open("a.txt", "two\n")
    nvim.command("Steersman shout")
    plugin.wait_for_text("? ")
    title = nvim.lua("return require('steersman.approval').questions()[1].params.title")
    shown = plugin.answer(title, "a")
    assert {"$ echo one", "$ echo two"} <= set(shown)
    plugin.wait_until_done()
    assert {"one", "two"} <= set(plugin.conversation())


def test_a_stream_is_stopped_in_the_middle(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script(["I begin ", {"gate": "mid"}, "and end."])
    plugin.open("a.txt", "one\n")
    nvim.command("Steersman talk")
    plugin.wait_for_text("I begin")
    nvim.command("SteersmanToggle")
    nvim.command("SteersmanToggle")
    nvim.keys("<C-c>")
    assert plugin.wait_until_done()["stop_reason"] == "aborted"
    assert plugin.conversation()[-5:] == [
        "I begin ",
        "",
        "· this answer was not finished, so it is not part of the conversation",
        "",
        "· stopped",
    ]


def test_a_failure_says_what_happened(nvim: Neovim, plugin: Plugin) -> None:
    plugin.script([{"fail": "provider_auth", "message": "The key was refused."}])
    plugin.open("a.txt", "one\n")
    nvim.command("Steersman talk")
    assert plugin.wait_until_done()["error"] == "The key was refused."
    assert plugin.conversation()[-1].startswith("· failed: The key was refused.")
