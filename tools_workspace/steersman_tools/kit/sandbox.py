"""Holding a command back: what it may write and reach, said to bubblewrap or to macOS's sandbox (DESIGN W10).

Pure: only arguments are made here. Whether a sandbox works is ``sandbox_probe``'s affair; this module starts nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol

_PRIVATE = ("/tmp", "/var/tmp", "/run")  # noqa: S108 - these are what the sandbox replaces
_RUN_KEPT = ("/run/systemd/resolve", "/run/current-system", "/run/wrappers", "/run/opengl-driver", "/run/resolvconf")
_KERNEL = tuple(f"/proc/{name}" for name in ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "asound", "scsi"))
_CACHE = ".cache"


@dataclass(frozen=True, slots=True)
class Confines:
    """What a command may do. All paths are absolute and canonical.

    Attributes:
        roots: the workspace folders.
        folder: where it starts; inside a root.
        home: the user's home folder.
        read_only: it may write nothing but its private temporary and cache folders.
        network: it may reach the network.
        protected: existing paths below the roots that stay as they are (W7).
        absent: folders below the roots that are not there and must not come to be.
        hidden: existing folders and files that it must not see; folders end in "/".
        scratch: a folder that keeps its temporary files and caches from one command to the next, or None.
    """

    roots: tuple[Path, ...]
    folder: Path
    home: Path
    read_only: bool = False
    network: bool = False
    protected: tuple[Path, ...] = ()
    absent: tuple[Path, ...] = ()
    hidden: tuple[str, ...] = ()
    scratch: Path | None = None


class Sandbox(Protocol):
    """A program that runs another one within confines."""

    @property
    def name(self) -> str:
        """What it is called, for people."""
        ...

    @property
    def makes_folders(self) -> bool:
        """Whether it makes the ``absent`` folders to keep them empty, so that they are to be removed afterwards."""
        ...

    @property
    def ends_all(self) -> bool:
        """Whether its end is at once the end of everything that runs in it."""
        ...

    def argv(self, confines: Confines, command: Sequence[str]) -> list[str]:
        """Return program and arguments that run the command within the confines."""
        ...

    def environment(self, confines: Confines) -> Mapping[str, str]:
        """Return what the command must find in its environment there."""
        ...


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """Linux: a mount namespace in which everything is read-only but what is said.

    Attributes:
        program: absolute path of ``bwrap``.
    """

    program: str
    name: str = "bubblewrap"
    makes_folders: bool = True
    ends_all: bool = True

    def argv(self, confines: Confines, command: Sequence[str]) -> list[str]:
        """Return the command line; later mounts lie over earlier ones."""
        # root would keep its capabilities otherwise, and could take the mounts away
        args = [self.program, "--die-with-parent", "--unshare-all", "--unshare-user", "--cap-drop", "ALL"]
        args += ["--share-net"] if confines.network else []
        args += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
        for path in _KERNEL:  # where root could give orders to the kernel, which obeys outside
            args += ["--ro-bind-try", path, path]
        for folder in _PRIVATE:
            args += ["--tmpfs", folder]
        for folder in _RUN_KEPT:
            args += ["--ro-bind-try", folder, folder]
        args += self._private_folders(confines)
        for hidden in confines.hidden:
            args += ["--tmpfs", hidden.rstrip("/")] if hidden.endswith("/") else ["--ro-bind", "/dev/null", hidden]
        for root in confines.roots:
            args += ["--ro-bind" if confines.read_only else "--bind", str(root), str(root)]
        if not confines.read_only:
            for path in confines.protected:
                args += ["--ro-bind-try", str(path), str(path)]
            for path in confines.absent:
                args += ["--tmpfs", str(path), "--remount-ro", str(path)]
        return [*args, "--chdir", str(confines.folder), "--", *command]

    def environment(self, confines: Confines) -> Mapping[str, str]:
        """Temporary and cache folders are where they always are, but private."""
        cache = confines.home / _CACHE
        return {"TMPDIR": "/tmp", "XDG_CACHE_HOME": str(cache) if cache.is_dir() else "/tmp/.cache"}  # noqa: S108

    def _private_folders(self, confines: Confines) -> list[str]:
        cache = confines.home / _CACHE
        if confines.scratch is None or confines.read_only:
            return ["--tmpfs", str(cache)] if cache.is_dir() else []
        args = ["--bind", str(confines.scratch / "tmp"), "/tmp"]  # noqa: S108 - the private one
        return [*args, "--bind", str(confines.scratch / "cache"), str(cache)] if cache.is_dir() else args


@dataclass(frozen=True, slots=True)
class Seatbelt:
    """macOS: a profile for ``sandbox-exec``.

    Attributes:
        program: absolute path of ``sandbox-exec``.
    """

    program: str
    name: str = "sandbox-exec"
    makes_folders: bool = False
    ends_all: bool = False

    def argv(self, confines: Confines, command: Sequence[str]) -> list[str]:
        """Return the command line."""
        return [self.program, "-p", self.profile(confines), *command]

    def environment(self, confines: Confines) -> Mapping[str, str]:
        """Temporary and cache folders are in the scratch folder; without one there are none to write to."""
        if confines.scratch is None:
            return {}
        return {"TMPDIR": str(confines.scratch / "tmp"), "XDG_CACHE_HOME": str(confines.scratch / "cache")}

    def profile(self, confines: Confines) -> str:
        """Return the profile: later rules count more than earlier ones."""
        rules = ["(version 1)", "(allow default)", "(deny file-write*)"]
        devices = " ".join(f"(literal {_quoted(device)})" for device in ("/dev/null", "/dev/zero", "/dev/dtracehelper"))
        rules.append(f"(allow file-write* {devices})")
        if confines.scratch is not None:
            rules.append(f"(allow file-write* {_subpath(confines.scratch)})")
        if not confines.read_only:
            rules += (f"(allow file-write* {_subpath(root)})" for root in confines.roots)
            rules += (f"(deny file-write* {_subpath(path)})" for path in (*confines.protected, *confines.absent))
        for hidden in confines.hidden:
            rules.append(f"(deny file-read* {_subpath(PurePosixPath(hidden.rstrip('/')))})")
        if not confines.network:
            rules.append("(deny network*)")
        rules.append('(deny mach-lookup (global-name-prefix "com.apple.pasteboard"))')
        return "\n".join(rules)


def _subpath(path: Path | PurePosixPath) -> str:
    return f"(subpath {_quoted(str(path))})"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
