"""Other processes, as the system sees them: what they have used, what they hold, and how they begin and end.

CPU time is asked for rather than wall time wherever possible: other programs on the machine do not count in it.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PYTHON = (sys.executable, "-P")
SERVER = (*PYTHON, "-m", "steersman", "lsp")


@dataclass(frozen=True, slots=True)
class Cost:
    """What something took, in seconds."""

    cpu: float
    wall: float


def cpu_seconds(pid: int) -> float:
    """Return the user and system time of a living process and its threads so far, its children's left out."""
    if sys.platform == "linux":  # the clock that clock_getcpuclockid(3) names: nanoseconds, not ticks of 10 ms
        return time.clock_gettime((~pid << 3) | 2)
    text = subprocess.run(["ps", "-o", "time=", "-p", str(pid)], capture_output=True, text=True, check=True).stdout
    seconds = 0.0
    for part in text.strip().replace("-", ":").split(":"):
        seconds = seconds * 60 + float(part)
    return seconds


def resident_bytes(pid: int) -> int:
    """Return what a process holds in memory."""
    if sys.platform == "linux":
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    text = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True).stdout
    return int(text) * 1024


def family_bytes(pid: int) -> int:
    """Return what a process and all below it hold (a launcher's memory is its program's)."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = [(int(child), int(parent)) for child, parent in (line.split() for line in listed.strip().split("\n"))]
    family, before = {pid}, 0
    while before != len(family):
        before = len(family)
        family |= {child for child, parent in parents if parent in family}
    total = 0
    for member in family:
        with contextlib.suppress(OSError, subprocess.CalledProcessError, ValueError):
            total += resident_bytes(member)
    return total


def until(
    argv: Sequence[str],
    environ: Mapping[str, str],
    is_there: Callable[[bytes], bool],
    *,
    first: bytes = b"",
    cwd: Path | None = None,
) -> Cost:
    """Return what a process took from its start until a line of its output is there; it is killed then.

    Raises:
        RuntimeError: its output ended without such a line.
    """
    began = time.perf_counter()
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environ, cwd=cwd
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        if first:
            process.stdin.write(first)
            process.stdin.flush()
        try:
            _read_until(process.stdout, is_there, argv)
            return Cost(cpu_seconds(process.pid), time.perf_counter() - began)
        finally:
            process.kill()


def whole(argv: Sequence[str], environ: Mapping[str, str], cwd: Path | None = None) -> Cost:
    """Return what a process took from its start to its end, its children included."""
    before, began = os.times(), time.perf_counter()
    subprocess.run(argv, env=environ, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Cost(cpu, time.perf_counter() - began)


def clean_environment(folder: Path, **more: str) -> dict[str, str]:
    """Return an environment in which Steersman keeps everything below the folder and nothing is configured.

    Python keeps the bytecode of what it imports, as it does of what was installed.
    """
    left_out = ("STEERSMAN_", "OPENAI_", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    own = {"STEERSMAN_STATE_DIR": str(folder / "state"), "STEERSMAN_CONFIG": str(folder / "config.toml")}
    return {**kept, **own, **more}


@contextlib.contextmanager
def ended(process: subprocess.Popen[bytes]) -> Generator[subprocess.Popen[bytes]]:
    """Kill a process at last."""
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def _read_until(stream: Iterable[bytes], is_there: Callable[[bytes], bool], argv: Sequence[str]) -> None:
    for line in stream:
        if is_there(line):
            return
    raise RuntimeError(f"{' '.join(argv)} ended without saying what was waited for")
