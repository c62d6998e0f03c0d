"""The command line as a process of its own, over a folder and a state of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from steersman.models.gates import FileGates

TIMEOUT_S = 60


@dataclass
class CommandLine:
    """Runs ``steersman …`` and keeps what it printed.

    Attributes:
        folder: the workspace folder.
        state: the state folder.
        environ: more environment variables.
    """

    folder: Path
    state: Path
    environ: dict[str, str] = field(default_factory=dict[str, str])

    def script(self, *replies: list[Any] | dict[str, Any]) -> str:
        """Write a script for the scripted model; returns the model's name."""
        path = self.state.parent / "script.jsonl"
        path.write_text("".join(json.dumps(reply) + "\n" for reply in replies), encoding="utf-8")
        return f"scripted/{path}"

    @property
    def gates(self) -> FileGates:
        """The gates of the script that ``script`` wrote."""
        return FileGates(self.state.parent / "script.jsonl.gates")

    def environment(self) -> dict[str, str]:
        """Return the process's environment: no configuration of this machine's user, no keys."""
        kept = {name: value for name, value in os.environ.items() if not name.endswith(("_KEY", "_TOKEN", "_BASE_URL"))}
        for name in ("STEERSMAN_MODEL", "STEERSMAN_MODE", "OLLAMA_HOST"):
            kept.pop(name, None)
        return {
            **kept,
            "STEERSMAN_STATE_DIR": str(self.state),
            "STEERSMAN_CONFIG": str(self.state.parent / "config.toml"),
            "PYTHONWARNINGS": "error",
            **self.environ,
        }

    def argv(self, *args: str) -> list[str]:
        """Return the whole command."""
        return [sys.executable, "-P", "-m", "steersman", *args]

    def __call__(self, *args: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run to the end; no terminal anywhere."""
        return subprocess.run(
            self.argv(*args),
            cwd=self.state.parent,
            env=self.environment(),
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )

    def start(self, *args: str, **options: Any) -> subprocess.Popen[str]:
        """Start it and go on."""
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stderr", subprocess.PIPE)
        return subprocess.Popen(
            self.argv(*args),
            cwd=self.state.parent,
            env=self.environment(),
            stdout=subprocess.PIPE,
            text=True,
            **options,
        )

    def messages(self) -> list[dict[str, Any]]:
        """Return the latest session's messages."""
        done = self("sessions", "show", "latest", "-C", str(self.folder), "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["messages"]
