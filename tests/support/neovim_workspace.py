"""One test's folder in a Neovim that many tests share: its files, its server, its script."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from support.neovim import GateFiles, Json, Neovim, write_script


class Workspace:
    """A folder with a ``.git``, and the server that Neovim starts for it.

    Attributes:
        nvim: the editor.
        folder: the folder.
        gates: the gates of the script, once there is one.
    """

    def __init__(self, nvim: Neovim, folder: Path, script: Path | None = None) -> None:
        self.nvim = nvim
        self.folder = folder
        (folder / ".git").mkdir(parents=True, exist_ok=True)
        self._script = script or folder.with_name("script.jsonl")
        self.gates = GateFiles(self._script)
        nvim.lua("_G.progress = {}")

    def script(self, *replies: Any) -> None:
        """Let the server that is started next play these replies (``models.script_file``)."""
        environment = write_script(self._script, replies)
        self.nvim.lua('vim.lsp.config("steersman", { cmd_env = ... })', environment)

    def write(self, name: str, text: str) -> Path:
        """Write a file, without translating line ends."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return path

    def open(self, name: str, text: str | None = None) -> Path:
        """Open a file of the folder, written first when there is a text; wait for the server."""
        path = self.write(name, text) if text is not None else self.folder / name
        self.nvim.edit(path)
        self.nvim.wait("(vim.lsp.get_clients({ name = 'steersman', bufnr = 0 })[1] or {}).initialized", "the server")
        return path

    def read(self, name: str) -> str:
        """Return a file's text as it is on the disk."""
        return (self.folder / name).read_bytes().decode()

    def progress(self) -> Sequence[Json]:
        """Return what was reported as progress."""
        shown: Sequence[Json] = self.nvim.lua("return _G.progress")
        return shown

    def wait_for_end(self) -> str:
        """Wait until the run's progress ends; return the last message."""
        last = "_G.progress[#_G.progress]"
        message: str = self.nvim.wait(f"{last} and {last}.kind == 'end' and {last}.message", "the end of the run")
        return message

    def close(self) -> None:
        """Forget the buffers and stop the servers, also one that has just been started for a diff."""
        self.nvim.keys("<C-\\><C-N>")
        self.nvim.command("silent! %bwipeout!")
        self.nvim.wait(
            "(function()"
            " local clients = vim.lsp.get_clients({ name = 'steersman', _uninitialized = true })"
            " for _, client in ipairs(clients) do if client.initialized then client:stop() end end"
            " return #clients == 0 end)()",
            "the servers' end",
        )
        self.nvim.lua('vim.lsp.config("steersman", { cmd_env = { STEERSMAN_MODEL = "demo/rules" } })')
