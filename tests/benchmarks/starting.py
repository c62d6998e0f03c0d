"""Starting: the server's first answer beside a bare pygls server, a run's first request beside its bare imports.

Whole processes, user and system time of each (other programs on the machine do not count) and wall time.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 7
BARE_SERVER = "from pygls.lsp.server import LanguageServer; LanguageServer('bare', '1').start_io()"
BARE_IMPORTS = "import httpx, pydantic, sqlite3"
INITIALIZE = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"processId": None, "rootUri": None, "capabilities": {}},
    }
).encode()


def first_answer(argv: list[str], environ: dict[str, str]) -> tuple[float, float]:
    """Return (CPU seconds, wall seconds) from the start of the process to its ``initialize`` answer."""
    began = time.perf_counter()
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environ
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(INITIALIZE), INITIALIZE))
        process.stdin.flush()
        process.stdout.readline()
        wall = time.perf_counter() - began
        cpu = cpu_seconds(process.pid)
        process.kill()
    return cpu, wall


def cpu_seconds(pid: int) -> float:
    """Return what a process has used so far; falls back to 0 where the system does not tell by file."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def whole_process(argv: list[str], environ: dict[str, str]) -> tuple[float, float]:
    """Return (CPU seconds, wall seconds) of a process from start to end."""
    before = os.times()
    began = time.perf_counter()
    subprocess.run(argv, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return used, time.perf_counter() - began


def rows() -> list[tuple[str, float, float, float]]:
    """Return (what, ours, floor, target ratio) in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        environ = {
            **{name: value for name, value in os.environ.items() if not name.startswith("STEERSMAN_")},
            "STEERSMAN_STATE_DIR": f"{folder}/state",
            "STEERSMAN_CONFIG": f"{folder}/config.toml",
        }
        python = [sys.executable, "-P"]
        ours, bare, run, imports = [], [], [], []
        for _ in range(ROUNDS):  # in turn, so that a drift of the machine's speed meets both
            bare.append(first_answer([*python, "-c", BARE_SERVER], environ))
            ours.append(first_answer([*python, "-m", "steersman", "lsp"], environ))
            imports.append(whole_process([*python, "-c", BARE_IMPORTS], environ))
            run.append(whole_process([*python, "-m", "steersman", "run", "hello", "-C", folder], environ))
    return [
        ("start to initialize reply, wall", middle(ours, 1), middle(bare, 1), 1.3),
        ("start to initialize reply, CPU", middle(ours, 0), middle(bare, 0), 1.3),
        ("a whole run with demo/rules, CPU", middle(run, 0), middle(imports, 0), 1.5),
    ]


def middle(pairs: list[tuple[float, float]], index: int) -> float:
    """Return the median of one of the two."""
    return statistics.median(pair[index] for pair in pairs)
