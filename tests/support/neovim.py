"""A real Neovim for tests, driven over its own RPC; every wait is for a condition, none for time.

Each ``Neovim`` is a process of its own that knows nothing of the machine's user: no configuration, no plugins, state
and cache in the test's folder. The server it starts is the real one, with a script for a model.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pynvim  # pyright: ignore[reportMissingTypeStubs]

from support.polling import BOUND_S, wait_until

PLUGIN = Path(__file__).parents[2] / "editors" / "neovim"
BIN = Path(sys.executable).parent
NVIM = BIN / ("nvim.exe" if os.name == "nt" else "nvim")

Json = dict[str, Any]


def quoted(text: str | Path) -> str:
    """Return a text as a Vim script string."""
    return "'" + str(text).replace("'", "''") + "'"


def lua_text(text: str) -> str:
    """Return a text as a Lua string."""
    return json.dumps(text, ensure_ascii=False)


def isolated(home: Path, extra: Mapping[str, str]) -> dict[str, str]:
    """Return the environment that keeps an editor and its server inside ``home``; folders are made."""
    folders = {name: home / name.lower() for name in ("XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
    folders |= {"XDG_CONFIG_HOME": home / "config", "STEERSMAN_STATE_DIR": home / "steersman"}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    environment = {name: str(folder) for name, folder in folders.items()}
    environment["STEERSMAN_CONFIG"] = str(home / "steersman.toml")
    environment["PATH"] = f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}"
    return environment | dict(extra)


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)


class Neovim:
    """One headless Neovim.

    Args:
        home: a folder of its own, for state.
        arguments: more of the command line.
        environment: more of the environment, such as ``STEERSMAN_MODEL``.
    """

    def __init__(self, home: Path, *arguments: str, environment: Mapping[str, str] | None = None) -> None:
        self.home = home
        variables = isolated(home, environment or {})
        lets = " | ".join(f"let ${name} = {quoted(value)}" for name, value in variables.items())
        argv = [str(NVIM), "--clean", "--embed", "--headless", "--cmd", f"{lets} | set noswapfile", *arguments]
        self.nvim: Any = pynvim.attach("child", argv=argv)  # pyright: ignore[reportUnknownMemberType]
        self._pid: int = self.nvim.funcs.getpid()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End it, whatever it does: one that does not leave when told is killed."""
        watchdog = threading.Timer(BOUND_S / 2, _kill, (self._pid,))
        watchdog.daemon = True
        watchdog.start()
        with contextlib.suppress(OSError, EOFError, pynvim.NvimError):  # leaving cuts the connection
            self.nvim.command("qall!")
        watchdog.cancel()
        self.nvim.close()

    def leave(self, command: str) -> int:
        """Leave by an Ex command; return the exit status."""
        told = self.home / "exit-status"
        self.lua(
            "local path = ...; vim.api.nvim_create_autocmd('VimLeave', { callback = function()"
            " vim.fn.writefile({ tostring(vim.v.exiting) }, path) end })",
            str(told),
        )
        with contextlib.suppress(OSError, EOFError):
            self.command(command)
        wait_until(lambda: told.exists() and told.read_text().strip(), "Neovim's end")
        return int(told.read_text())

    def children(self) -> list[int]:
        """Return the ids of the processes it has started."""
        ids: list[int] = self.lua("return vim.api.nvim_get_proc_children(vim.fn.getpid())")
        return ids

    def signal(self, processes: Sequence[int], name: str) -> None:
        """Send processes a signal from within the editor, such as ``sigkill``: its next turn finds it done."""
        self.lua("local ids, name = ...; vim.iter(ids):each(function(id) vim.uv.kill(id, name) end)", processes, name)

    def lua(self, code: str, *arguments: Any) -> Any:
        """Run Lua and return what it returns; the arguments are its ``...``."""
        return self.nvim.exec_lua(code, *arguments)

    def command(self, text: str) -> None:
        """Run an Ex command."""
        self.nvim.command(text)

    def keys(self, keys: str) -> None:
        """Press keys, in Neovim's notation; returns at once, also when they lead into a prompt.

        Ctrl-C that comes while Neovim is at work interrupts that and is lost, whatever it is mapped to; so it waits
        its turn here, as it does for a person who finds Neovim idle.
        """
        if keys == "<C-c>":
            self.nvim.feedkeys(self.nvim.replace_termcodes(keys), "mt")
        else:
            self.nvim.input(keys)

    def edit(self, path: Path) -> None:
        """Open a file."""
        self.command(f"edit {path}")

    def lines(self, buffer: int = 0) -> list[str]:
        """Return a buffer's lines."""
        lines: list[str] = self.nvim.api.buf_get_lines(buffer, 0, -1, False)  # noqa: FBT003 - Neovim's own call
        return lines

    def wait(self, expression: str, what: str | None = None) -> Any:
        """Wait until a Lua expression is truthy; return its value."""
        found: list[Any] = []

        def holds() -> bool:
            found[:] = [self.lua(f"return {expression}")]
            return bool(found[0])

        wait_until(holds, what or expression)
        return found[0]

    def watch_prompts(self) -> None:
        """Keep the text of the list that the person chooses from in ``_G.prompt`` while it is there."""
        self.lua("""
            local inputlist = vim.fn.inputlist
            vim.fn.inputlist = function(lines)
              _G.prompt = table.concat(lines, "\\n")
              local chosen = inputlist(lines)
              _G.prompt = nil
              return chosen
            end
        """)

    def wait_for_prompt(self, text: str) -> str:
        """Wait until the person is asked to choose from a list that holds the text; return all of it."""
        shown: str = self.wait(f"_G.prompt and _G.prompt:find({lua_text(text)}, 1, true) and _G.prompt")
        wait_until(lambda: self.mode() == "c", "the prompt")
        return shown

    def watch_progress(self) -> None:
        """Keep the values of all work-done progress in ``_G.progress``."""
        self.lua("""
            _G.progress = {}
            vim.api.nvim_create_autocmd("LspProgress", {
              callback = function(event) table.insert(_G.progress, event.data.params.value) end,
            })
        """)

    def messages(self) -> str:
        """Return the message history."""
        shown: str = self.nvim.command_output("messages")
        return shown

    def mode(self) -> str:
        """Return the mode, such as ``n`` or ``i``."""
        mode: str = self.nvim.api.get_mode()["mode"]
        return mode


def write_script(path: Path, replies: Sequence[Any]) -> dict[str, str]:
    """Write a script for the scripted model; return the environment that makes the server play it."""
    path.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in replies), encoding="utf-8")
    return {"STEERSMAN_MODEL": f"scripted/{path}"}


class GateFiles:
    """The gates of a script (``models.script_file``): the model waits at each until it is opened."""

    def __init__(self, script: Path) -> None:
        self._folder = script.with_name(f"{script.name}.gates")

    def wait_reached(self, name: str) -> None:
        """Wait until the model stands at the gate."""
        wait_until((self._folder / f"{name}.reached").exists, f"the gate {name}")

    def open(self, name: str) -> None:
        """Let it pass, now or when it comes."""
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / f"{name}.open").touch()
