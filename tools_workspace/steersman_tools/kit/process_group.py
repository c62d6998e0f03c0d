"""A command and everything it starts, as one thing that can be ended (DESIGN W10).

The one module that names what exists on one system only: sessions and signals here, groups and ``taskkill`` there.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

_SHELLS = ("/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/run/current-system/sw/bin/bash", "/bin/sh")
_CONTINUE = int(getattr(signal, "SIGCONT", 0))
_CREATE_NEW_PROCESS_GROUP = 0x00000200
_CREATE_NO_WINDOW = 0x08000000


class ProcessGroups(Protocol):
    """What the system offers for groups of processes. Ending one that is gone already is fine."""

    @property
    def start_options(self) -> Mapping[str, Any]:
        """Arguments for starting a process as the leader of its own group, without a terminal."""
        ...

    def terminate(self, leader: int) -> None:
        """Ask every process of the group to end."""
        ...

    def terminate_within(self, leader: int, asked: Collection[int]) -> Collection[int]:
        """Ask all but the leader, whose own end would end them at once; return who was asked by now.

        Args:
            leader: the group.
            asked: who was asked before, and is not asked twice: to many programs that would mean "at once".
        """
        ...

    def kill(self, leader: int) -> None:
        """End every process of the group."""
        ...

    def is_alive(self, leader: int) -> bool:
        """Whether any process of the group is left."""
        ...


class PosixGroups:
    """A session of its own: no terminal to be asked on, one group for all but what leaves it on purpose."""

    start_options: Mapping[str, Any] = {"start_new_session": True}

    def terminate(self, leader: int) -> None:
        """Send TERM, and let go on what was stopped: it would not notice otherwise."""
        self._signal(leader, signal.SIGTERM)
        self._signal(leader, _CONTINUE)

    def terminate_within(self, leader: int, asked: Collection[int]) -> Collection[int]:
        """Send TERM to those that the system shows; to the whole group where it shows none."""
        members = _members_of(leader)
        if not members and leader not in asked:
            self._signal(leader, signal.SIGTERM)
        for member in members.keys() - {leader, *asked}:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(member, signal.SIGTERM)
        self._signal(leader, _CONTINUE)
        return {leader, *members, *asked}

    def kill(self, leader: int) -> None:
        """Send KILL."""
        self._signal(leader, getattr(signal, "SIGKILL", signal.SIGTERM))

    def is_alive(self, leader: int) -> bool:
        """Ask for the group; what has ended and was only not collected yet is not alive."""
        if not self._signal(leader, 0):
            return False
        states = _members_of(leader)
        return not states or any(state not in "ZX" for state in states.values())

    def _signal(self, leader: int, number: int) -> bool:
        try:
            os.killpg(leader, number)
        except PermissionError:  # macOS says so of a group of zombies
            return False
        except ProcessLookupError:
            return False
        return True


def _members_of(group: int) -> dict[int, str]:
    """Return the processes of a group and their states where the system shows them (Linux); none elsewhere."""
    members: dict[int, str] = {}
    try:
        with os.scandir("/proc") as entries:
            numbers = [entry.name for entry in entries if entry.name.isdigit()]
    except OSError:
        return members
    for number in numbers:
        try:
            status = Path("/proc", number, "stat").read_text(errors="replace")
        except OSError:
            continue
        fields = status.rpartition(")")[2].split()
        if len(fields) > 2 and fields[2] == str(group):
            members[int(number)] = fields[0]
    return members


class WindowsGroups:
    """A process group for Ctrl+Break, and ``taskkill`` for the whole tree."""

    def __init__(self, system_root: str) -> None:
        self._taskkill = rf"{system_root}\System32\taskkill.exe"

    start_options: Mapping[str, Any] = {"creationflags": _CREATE_NEW_PROCESS_GROUP | _CREATE_NO_WINDOW}

    def terminate(self, leader: int) -> None:
        """Send Ctrl+Break."""
        with contextlib.suppress(OSError):
            os.kill(leader, getattr(signal, "CTRL_BREAK_EVENT", signal.SIGTERM))

    def terminate_within(self, leader: int, asked: Collection[int]) -> Collection[int]:
        """Send Ctrl+Break, once: nothing here can be asked one by one."""
        if leader not in asked:
            self.terminate(leader)
        return {leader, *asked}

    def kill(self, leader: int) -> None:
        """End the tree."""
        with contextlib.suppress(OSError):
            subprocess.run([self._taskkill, "/PID", str(leader), "/T", "/F"], check=False, capture_output=True)  # noqa: S603 - by absolute path

    def is_alive(self, leader: int) -> bool:
        """Nothing to ask by; ``kill`` is harmless for what is gone."""
        del leader
        return False


def system_groups() -> ProcessGroups:
    """Return what this system offers."""
    if sys.platform == "win32":
        return WindowsGroups(os.environ.get("SYSTEMROOT", r"C:\Windows"))
    return PosixGroups()


def shell_argv(command: str, *, windows: bool = sys.platform == "win32", system_root: str = r"C:\Windows") -> list[str]:
    """Return the program and arguments that run a command line in the system's shell, named by absolute path."""
    if windows:
        program = rf"{system_root}\System32\WindowsPowerShell\v1.0\powershell.exe"
        return [program, "-NoProfile", "-NonInteractive", "-EncodedCommand", _encoded(command)]
    shell = next((each for each in _SHELLS if os.access(each, os.X_OK)), "/bin/sh")
    return [shell, "-c", command]


def _encoded(command: str) -> str:
    """Return a PowerShell command as its ``-EncodedCommand``: no quoting can go wrong, and UTF-8 comes back."""
    import base64  # noqa: PLC0415 - needed on Windows only

    script = (
        "[Console]::OutputEncoding = [Text.UTF8Encoding]::new($false); $ProgressPreference = 'SilentlyContinue'; "
        f"& {{ {command}\n }}; if ($null -ne $LASTEXITCODE) {{ exit $LASTEXITCODE }} elseif (-not $?) {{ exit 1 }}"
    )
    return base64.b64encode(script.encode("utf-16-le")).decode("ascii")


async def start_process(
    protocol: asyncio.SubprocessProtocol,
    argv: Sequence[str],
    *,
    folder: str,
    environment: Mapping[str, str],
    groups: ProcessGroups,
) -> asyncio.SubprocessTransport:
    """Start a program as the leader of its own group: no input, one pipe for all its output.

    Raises:
        OSError: it cannot be started.
    """
    transport, _ = await asyncio.get_running_loop().subprocess_exec(
        lambda: protocol,
        *argv,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        cwd=folder,
        env=dict(environment),
        **groups.start_options,
    )
    return transport
