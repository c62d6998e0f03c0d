"""Where ``make test-editors`` has put the editors that are not Python packages; a missing one is a failure."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SERVER = (sys.executable, "-P", "-m", "steersman", "lsp")


def installed(name: str) -> str:
    """Return the path of an editor's program.

    Raises:
        AssertionError: it is not there.
    """
    folder = Path(os.environ.get("STEERSMAN_TEST_EDITORS", ROOT / ".cache" / "editors"))
    program = folder / name
    assert program.exists(), f"{program} is missing: run make test-editors, which installs it"
    return str(program)


def isolated(home: Path) -> dict[str, str]:
    """Return an environment that keeps an editor and its server inside ``home``; its folders are made."""
    folders = {
        "HOME": home / "user",
        "XDG_CONFIG_HOME": home / "config",
        "XDG_CACHE_HOME": home / "cache",
        "XDG_STATE_HOME": home / "state",
        "XDG_DATA_HOME": home / "data",
        "XDG_RUNTIME_DIR": home / "run",
        "STEERSMAN_STATE_DIR": home / "steersman",
    }
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)
    return {
        **{name: str(folder) for name, folder in folders.items()},
        "STEERSMAN_CONFIG": str(home / "steersman.toml"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TERM": "xterm-256color",
    }
