"""A terminal for programs that need one: a tmux of its own, typed into and read as text."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from support.polling import wait_until


class Tmux:
    """One program in a terminal.

    Args:
        home: a folder of its own, for tmux's socket.
        argv: the program.
        environment: what the program's environment holds besides ours.
        size: columns and rows.
        folder: where it starts; default: ``home``.
    """

    def __init__(
        self,
        home: Path,
        argv: Sequence[str],
        environment: Mapping[str, str],
        *,
        size: tuple[int, int] = (100, 30),
        folder: Path | None = None,
    ) -> None:
        program = shutil.which("tmux")
        assert program is not None, "tmux is missing: apt-get install tmux"
        self._command = [program, "-S", str(home / "tmux"), "-f", "/dev/null"]
        variables = [f"{name}={value}" for name, value in environment.items()]
        line = shlex.join(["env", *variables, *argv])
        self._run("new-session", "-d", "-x", str(size[0]), "-y", str(size[1]), "-c", str(folder or home), line)
        self._run("set-option", "-s", "escape-time", "0")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the program with its terminal; fine when it has ended by itself."""
        subprocess.run([*self._command, "kill-server"], capture_output=True, check=False, timeout=30)

    def keys(self, *keys: str) -> None:
        """Press keys, in tmux's notation (``Enter``, ``C-c``, ``Escape``, ``M-x``)."""
        self._run("send-keys", *keys)

    def type(self, text: str) -> None:
        """Type a text as it is."""
        self._run("send-keys", "-l", text)

    def screen(self) -> str:
        """Return what the terminal shows, without white space at the ends of lines."""
        shown = self._run("capture-pane", "-p")
        return "\n".join(line.rstrip() for line in shown.split("\n")).rstrip() + "\n"

    def wait_for(self, *texts: str) -> str:
        """Wait until the terminal shows all these texts; return the whole screen."""
        last = ""

        def shows() -> bool:
            nonlocal last
            last = self.screen()
            return all(text in last for text in texts)

        try:
            wait_until(shows, f"{texts} on the screen", pause_s=0.05)  # each look is a process
        except AssertionError as error:
            raise AssertionError(f"{error}; it shows:\n{last}") from None
        return last

    def wait_until_gone(self, text: str) -> str:
        """Wait until the terminal does not show the text any more; return the whole screen."""
        wait_until(lambda: text not in self.screen(), f"the screen without {text!r}")
        return self.screen()

    def _run(self, *arguments: str) -> str:
        done = subprocess.run(
            [*self._command, *arguments], capture_output=True, text=True, encoding="utf-8", check=True, timeout=30
        )
        return done.stdout
