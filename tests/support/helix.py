"""A real Helix in a terminal, with the configuration that its README shows; every wait is for a condition."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from steersman.models.gates import FileGates
from support.installed_editors import ROOT, installed, isolated
from support.polling import wait_until
from support.tmux import Tmux

README = ROOT / "editors" / "helix" / "README.md"


def shown_configuration() -> tuple[str, str]:
    """Return the texts of ``languages.toml`` and ``config.toml`` as the README has them."""
    blocks: list[str] = re.findall(
        r"^```toml\n(.*?)^```$", README.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    languages, config = blocks
    return languages, config


class HelixWorkspace:
    """One test's folder, and the Helix in it.

    Attributes:
        folder: the folder.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self.folder = home / "work"
        (self.folder / ".git").mkdir(parents=True)
        self._environment = isolated(home)
        languages, config = shown_configuration()
        settings = home / "config" / "helix"
        settings.mkdir(parents=True)
        (settings / "languages.toml").write_text(languages, encoding="utf-8")
        (settings / "config.toml").write_text(config, encoding="utf-8")
        self._gates = FileGates(home / "script.jsonl.gates")
        self._terminal: Tmux | None = None

    @property
    def terminal(self) -> Tmux:
        """The terminal that Helix is in."""
        assert self._terminal is not None, "no file was opened"
        return self._terminal

    def script(self, *replies: Sequence[Any] | dict[str, Any]) -> None:
        """Let the server play these replies (``models.script_file``)."""
        path = self._home / "script.jsonl"
        path.write_text("".join(json.dumps(each) + "\n" for each in replies), encoding="utf-8")
        self._environment["STEERSMAN_MODEL"] = f"scripted/{path}"

    def open(self, name: str, text: str) -> None:
        """Write a file and open it in a Helix of its own; wait for the server."""
        (self.folder / name).write_bytes(text.encode())
        argv = [installed("hx"), "-v", name]
        self._terminal = Tmux(self._home, argv, self._environment, size=(90, 18), folder=self.folder)
        log = self._home / "cache" / "helix" / "helix.log"
        wait_until(lambda: log.exists() and "didOpen" in log.read_text(encoding="utf-8"), "the server")

    def wait_reached(self, gate: str) -> None:
        """Wait until the model stands at a gate."""
        wait_until(lambda: self._gates.is_reached(gate), f"the gate {gate}")

    def command(self, text: str) -> None:
        """Run a typed command."""
        self.terminal.type(f":{text}")
        self.terminal.keys("Enter")

    def save(self, name: str) -> str:
        """Save the buffer, which has changes; return the file's text."""
        self.terminal.wait_for(f"{name} [+]")
        self.command("write!")
        self.terminal.wait_until_gone("[+]")
        return (self.folder / name).read_bytes().decode()

    def close(self) -> None:
        """End Helix."""
        if self._terminal is not None:
            self._terminal.close()
