"""Holding a command back: what it may write and reach, said to bubblewrap or to macOS's sandbox (DESIGN W10).

Pure: only arguments are made here. Whether a sandbox works is ``sandbox_probe``'s affair; this module starts nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath
from typing import Protocol

_PRIVATE = ("/tmp", "/var/tmp", "/run")  # noqa: S108 - these are what the sandbox replaces
_RUN_KEPT = ("/run/systemd/resolve", "/run/current-system", "/run/wrappers", "/run/opengl-driver", "/run/resolvconf")
_KERNEL = tuple(f"/proc/{name}" for name in ("sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "asound", "scsi"))
_CACHE = ".cache"


@dataclass(frozen=True, slots=True)
class Confines:
    """What a command may do. All paths are absolute and canonical.

    What is said of a path holds for all that is in it, until something else is said of a path further inside.

    Attributes:
        roots: the workspace folders.
        folder: where it starts; inside a root.
        home: the user's home folder.
        read_only: it may write nothing but its private temporary and cache folders.
        network: it may reach the network.
        writable: existing folders outside the roots that it may write to as well.
        protected: existing paths below the roots that stay as they are (W7).
        absent: paths below the roots that are not there and must not come to be.
        pinned: existing folders that may be written to, but neither renamed nor removed: whoever could do that could
            put others in their place, and what stands above of paths inside them would hold no more.
        hidden: existing folders and files that it must not see; folders end in "/".
        scratch: a folder that keeps its temporary files and caches from one command to the next, or None.
    """

    roots: tuple[Path, ...]
    folder: Path
    home: Path
    read_only: bool = False
    network: bool = False
    writable: tuple[Path, ...] = ()
    protected: tuple[Path, ...] = ()
    absent: tuple[Path, ...] = ()
    pinned: tuple[Path, ...] = ()
    hidden: tuple[str, ...] = ()
    scratch: Path | None = None


class Sandbox(Protocol):
    """A program that runs another one within confines."""

    @property
    def name(self) -> str:
        """What it is called, for people."""
        ...

    @property
    def needs_places(self) -> bool:
        """Whether it can keep away only what is there: an empty place has to be made for each ``absent`` path."""
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
    needs_places: bool = True
    ends_all: bool = True

    def argv(self, confines: Confines, command: Sequence[str]) -> list[str]:
        """Return the command line; later mounts lie over earlier ones, so a folder comes before what is in it."""
        # root would keep its capabilities otherwise, and could take the mounts away
        args = [self.program, "--die-with-parent", "--unshare-all", "--unshare-user", "--cap-drop", "ALL"]
        args += ["--share-net"] if confines.network else []
        args += ["--ro-bind", "/", "/"]
        for mount in sorted([*self._private(confines), *self._of_workspace(confines)], key=_depth_of_last):
            args += mount
        return [*args, "--chdir", str(confines.folder), "--", *command]

    def environment(self, confines: Confines) -> Mapping[str, str]:
        """Temporary and cache folders are where they always are, but private."""
        cache = confines.home / _CACHE
        return {"TMPDIR": "/tmp", "XDG_CACHE_HOME": str(cache) if cache.is_dir() else "/tmp/.cache"}  # noqa: S108

    def _private(self, confines: Confines) -> list[list[str]]:
        """Return the mounts that make the system's folders its own; each ends with its path."""
        mounts = [["--dev", "/dev"], ["--proc", "/proc"]]
        mounts += (["--tmpfs", folder] for folder in _PRIVATE)
        # where root could give orders to the kernel, which obeys outside, and what names are resolved with
        mounts += (["--ro-bind-try", path, path] for path in (*_KERNEL, *_RUN_KEPT))
        cache = confines.home / _CACHE
        has_cache = cache.is_dir()
        if confines.scratch is not None and not confines.read_only:
            mounts.append(["--bind", str(confines.scratch / "tmp"), "/tmp"])  # noqa: S108 - the private one
            mounts += [["--bind", str(confines.scratch / "cache"), str(cache)]] if has_cache else []
        elif has_cache:
            mounts.append(["--tmpfs", str(cache)])
        return mounts

    def _of_workspace(self, confines: Confines) -> list[list[str]]:
        """Return the mounts for what may be written to, what stays as it is, and what is not seen."""
        if confines.read_only:
            mounts = [["--ro-bind", str(root), str(root)] for root in confines.roots]
        else:
            mounts = [["--bind", str(path), str(path)] for path in (*confines.roots, *confines.writable)]
            kept = [("--bind", path) for path in confines.pinned]
            kept += (("--ro-bind-try", path) for path in confines.protected)
            kept += (("--ro-bind", path) for path in confines.absent)  # by now they are there
            mounts += ([how, str(path), str(path)] for how, path in kept if not _is_private(path, confines))
        for hidden in confines.hidden:
            path = hidden.rstrip("/")
            mounts.append(["--tmpfs", path] if hidden.endswith("/") else ["--ro-bind", "/dev/null", path])
        return mounts


def _is_private(path: Path, confines: Confines) -> bool:
    """Whether what the command sees there is a private folder, and nothing inside that which it may write to."""
    may_write = (*confines.roots, *confines.writable)
    folders = ("/dev", "/proc", *_PRIVATE, confines.home / _CACHE)
    return any(
        path.is_relative_to(folder)
        and not any(each.is_relative_to(folder) and path.is_relative_to(each) for each in may_write)
        for folder in folders
    )


def _depth_of_last(mount: Sequence[str]) -> int:
    """Return how deep a mount's path lies; of two with the same the later one shall lie over the earlier one."""
    return len(PurePosixPath(mount[-1]).parts)


@dataclass(frozen=True, slots=True)
class Seatbelt:
    """macOS: a profile for ``sandbox-exec``.

    Attributes:
        program: absolute path of ``sandbox-exec``.
    """

    program: str
    name: str = "sandbox-exec"
    needs_places: bool = False
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
        """Return the profile: later rules count more than earlier ones, so a folder comes before what is in it."""
        rules = ["(version 1)", "(allow default)", "(deny file-write*)"]
        devices = " ".join(f"(literal {_quoted(device)})" for device in ("/dev/null", "/dev/zero", "/dev/dtracehelper"))
        rules.append(f"(allow file-write* {devices})")
        rules += (rule for _, rule in sorted(self._of_paths(confines), key=lambda each: len(each[0].parts)))
        if not confines.network:
            rules.append("(deny network*)")
        rules.append('(deny mach-lookup (global-name-prefix "com.apple.pasteboard"))')
        return "\n".join(rules)

    def _of_paths(self, confines: Confines) -> list[tuple[PurePath, str]]:
        hidden = [PurePosixPath(each.rstrip("/")) for each in confines.hidden]
        rules: list[tuple[PurePath, str]] = [
            (root, f"(allow file-read* {_subpath(root)})")
            for root in confines.roots
            if any(root.is_relative_to(path) for path in hidden)
        ]
        may_write = [confines.scratch] if confines.scratch is not None else []
        if not confines.read_only:
            may_write += (*confines.roots, *confines.writable)
            kept = (*confines.protected, *confines.absent)
            rules += ((each, f"(deny file-write-unlink (literal {_quoted(str(each))}))") for each in confines.pinned)
            rules += ((each, f"(deny file-write* {_subpath(each)})") for each in kept)
        rules = [(each, f"(allow file-write* {_subpath(each)})") for each in may_write] + rules
        return rules + [(each, f"(deny file-read* file-write* {_subpath(each)})") for each in hidden]


def _subpath(path: PurePath) -> str:
    return f"(subpath {_quoted(str(path))})"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
