"""What a person sees and does in Neovim with the plugin, for tests."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from support.neovim import PLUGIN, Json, Neovim, lua_text, write_script
from support.neovim_workspace import Workspace

USER_EVENTS = ("RunStarted", "RunEnded", "Question", "QuestionClosed")


def start_plugin(home: Path, *, environment: Mapping[str, str] | None = None, **options: Any) -> Neovim:
    """Start a Neovim with the plugin set up; ``options`` go to ``setup``."""
    arguments = ("--cmd", f"set runtimepath^={PLUGIN}", "--cmd", "set columns=110 lines=32")
    nvim = Neovim(home, *arguments, environment=environment)
    nvim.lua("require('steersman').setup(...)", {"question": {"guard_ms": 0}, **options})
    nvim.watch_progress()
    nvim.watch_prompts()
    nvim.lua(
        """
        _G.ui = { select = vim.ui.select, input = vim.ui.input }
        _G.user, _G.notes = {}, {}
        for _, name in ipairs(...) do
          vim.api.nvim_create_autocmd("User", {
            pattern = "Steersman" .. name,
            callback = function(event) table.insert(_G.user, { name, event.data }) end,
          })
        end
        vim.notify = function(text, level) table.insert(_G.notes, text) end
        """,
        USER_EVENTS,
    )
    return nvim


class PluginWorkspace(Workspace):
    """A test's use of a folder in a Neovim with the plugin; the server goes on to the next test, nothing else does."""

    def __init__(self, nvim: Neovim, folder: Path, script: Path) -> None:
        super().__init__(nvim, folder, script)
        nvim.command("messages clear")
        nvim.lua("_G.user, _G.notes = {}, {}; require('steersman.choices').set_model('demo/rules')")

    def script(self, *replies: Any) -> None:
        """Let the runs from now on play these replies (``models.script_file``)."""
        model = write_script(self._script, replies)["STEERSMAN_MODEL"]
        self.nvim.lua("require('steersman.choices').set_model(...)", model)

    def command_server(self, name: str, params: Json) -> Json:
        """Send a command to the server; return its result."""
        self.nvim.lua(
            """
            local name, params = ...
            _G.answer = nil
            local client = vim.lsp.get_clients({ name = "steersman" })[1]
            require("steersman.client").command(client, name, params, function(result, failure)
              _G.answer = result or { failure = failure }
            end)
            """,
            name,
            params,
        )
        answer: Json = self.nvim.wait("_G.answer", f"the answer to {name}")
        return answer

    def conversation(self) -> list[str]:
        """Return the lines of the conversation used last."""
        lines: list[str] = self.nvim.lua(
            "return vim.api.nvim_buf_get_lines(require('steersman.conversation').current().buf, 0, -1, false)"
        )
        return lines

    def wait_for_text(self, text: str) -> None:
        """Wait until the conversation holds a text."""
        self.nvim.wait(
            "(function() local current = require('steersman.conversation').current(); return current and table.concat("
            "vim.api.nvim_buf_get_lines(current.buf, 0, -1, false), '\\n')"
            f":find({lua_text(text)}, 1, true) end)()",
            f"“{text}” in the conversation",
        )

    def wait_for_question(self, title: str) -> list[str]:
        """Wait until this question is the one that is shown; return what its window shows."""
        question = "require('steersman.approval').questions()[1]"
        self.nvim.wait(
            f"({question} or {{}}).shown and {question}.params.title == {lua_text(title)}", f"the question {title}"
        )
        lines: list[str] = self.nvim.lua(f"return vim.api.nvim_buf_get_lines({question}.shown.buf, 0, -1, false)")
        return lines

    def answer(self, title: str, key: str) -> list[str]:
        """Wait for a question, go there, and press a key; return what its window showed."""
        lines = self.wait_for_question(title)
        self.nvim.command("SteersmanAnswer")
        self.nvim.keys(key)
        return lines

    def wait_until_done(self, runs: int = 1) -> Json:
        """Wait until so many runs have ended; return the result of the last."""
        ended = "vim.tbl_filter(function(event) return event[1] == 'RunEnded' end, _G.user)"
        self.nvim.wait(f"#{ended} >= {runs}", "the run's end")
        last: Json = self.nvim.lua(f"local ended = {ended}; return ended[#ended][2]")
        return last

    def user_events(self) -> list[str]:
        """Return the names of our ``User`` events so far."""
        return [name for name, _ in self.nvim.lua("return _G.user")]

    def notes(self) -> Sequence[str]:
        """Return what the person was notified of."""
        notes: Sequence[str] = self.nvim.lua("return _G.notes")
        return notes

    def choose(self, *numbers: int) -> None:
        """Answer the next ``vim.ui.select`` menus by these numbers, 0 to leave one."""
        self.nvim.lua(
            """
            local numbers = ...
            _G.menus = {}
            vim.ui.select = function(items, options, choose)
              local shown = { prompt = options.prompt, items = vim.tbl_map(options.format_item or tostring, items) }
              if options.preview_item then
                shown.preview = options.preview_item(items[1])
              end
              table.insert(_G.menus, shown)
              local number = table.remove(numbers, 1)
              choose(items[number], items[number] and number or nil)
            end
            """,
            numbers,
        )

    def menus(self, count: int) -> list[Json]:
        """Wait until so many menus were shown; return them."""
        self.nvim.wait(f"#_G.menus >= {count}", f"{count} menus")
        menus: list[Json] = self.nvim.lua("return _G.menus")
        return menus

    def type_into_prompt(self, text: str) -> None:
        """Answer the next ``vim.ui.input`` with this text."""
        self.nvim.lua("local text = ...; vim.ui.input = function(_, done) done(text) end", text)

    def close(self) -> None:
        """Stop what runs; forget the buffers, the files and everything that was chosen."""
        self.nvim.keys("<C-\\><C-N>")
        self.nvim.command("SteersmanStop!")
        self.nvim.wait("#require('steersman.runs').active() == 0", "the runs' end")
        if self.nvim.lua("return #vim.lsp.get_clients({ name = 'steersman' }) > 0"):
            self.command_server("permissions.reset", {})
        self.nvim.command("silent! tabonly! | silent! only! | silent! %bwipeout!")
        self.nvim.lua("""
            vim.ui.select, vim.ui.input = _G.ui.select, _G.ui.input
            require("steersman.choices").set_mode(nil)
            require("steersman.choices").set_model(nil)
            require("steersman.config").get().question.guard_ms = 0
        """)
        for path in self.folder.iterdir():
            if path.name != ".git":
                shutil.rmtree(path) if path.is_dir() else path.unlink()
