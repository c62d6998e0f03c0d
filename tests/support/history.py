"""A repository's own commits, as material for edits: what every file was, and what it became."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class FileChange:
    """One file of a commit; None where it is not there."""

    path: str
    before: bytes | None
    after: bytes | None


@dataclass(frozen=True)
class Commit:
    """One commit against its first parent.

    Attributes:
        name: abbreviated.
        changes: what became of each file.
        diff: as git writes it, renames found, file modes left out.
    """

    name: str
    changes: tuple[FileChange, ...]
    diff: str


def commits(repository: Path, limit: int | None = None) -> Iterator[Commit]:
    """Yield the newest commits that are no merges, newest first."""
    count = [] if limit is None else [f"--max-count={limit}"]
    for line in _git(repository, "log", "--no-merges", "--min-parents=1", "--format=%h", *count).decode().split():
        yield _commit(repository, line)


def _commit(repository: Path, name: str) -> Commit:
    listed = _git(repository, "diff-tree", "-r", "-z", "--no-commit-id", "--no-renames", name).decode().split("\0")
    changes: list[FileChange] = []
    for meta, path in zip(listed[0::2], listed[1::2], strict=False):
        old_mode, new_mode, old, new, _ = meta.lstrip(":").split()
        if "160000" not in {old_mode, new_mode}:
            changes.append(FileChange(path, _blob(repository, old), _blob(repository, new)))
    diff = _git(repository, "diff-tree", "-p", "-M", "--no-commit-id", "--no-ext-diff", name)
    return Commit(name, tuple(changes), _without_modes(diff.decode("utf-8", "surrogateescape")))


def _blob(repository: Path, name: str) -> bytes | None:
    return None if set(name) == {"0"} else _git(repository, "cat-file", "blob", name)


def _without_modes(diff: str) -> str:
    """Say of every new file that it is a plain one, and nothing of changed modes: tools do not set them."""
    kept = (line for line in diff.split("\n") if not line.startswith(("old mode ", "new mode ")))
    return "\n".join("new file mode 100644" if line.startswith("new file mode ") else line for line in kept)


def _git(repository: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=repository, check=True, capture_output=True).stdout
