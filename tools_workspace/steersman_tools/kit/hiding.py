"""What no command may see: Steersman's own files, the person's keys, and daemons that obey anybody (DESIGN W10).

It is so wherever the workspace lies: inside what is hidden, beside it, or around it, as a home folder is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from steersman_tools.kit.leftovers import Leftover

_KEY_FOLDERS = (".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store", ".config/gh", ".config/gcloud")
_KEY_FILES = (".netrc", ".git-credentials", ".pypirc", ".docker/config.json", ".vault-token", ".pgpass")
_SOCKET_FOLDERS = (".docker/run", ".docker/desktop", ".colima", ".lima", ".rd", ".orbstack/run", ".1password")


@dataclass(frozen=True, slots=True)
class Hiding:
    """What is hidden.

    Attributes:
        paths: existing folders and files, canonical; folders end in "/".
        absent: what is not there and must not come to be.
        pinned: folders around them that a command could otherwise rename.
    """

    paths: tuple[str, ...]
    absent: tuple[Leftover, ...]
    pinned: tuple[Path, ...]


def hide(own: Sequence[Path], home: Path, roots: Sequence[Path], *, keys: bool) -> Hiding:
    """Return what is hidden. Blocks.

    Args:
        own: Steersman's own files; they are hidden even where they are not there yet.
        home: the user's home folder.
        roots: the workspace folders.
        keys: the usual folders and files with keys too. Not where one of them is itself a workspace folder.
    """
    mine = [Path(os.path.realpath(path)) for path in own]
    names = (*_SOCKET_FOLDERS, *((*_KEY_FOLDERS, *_KEY_FILES) if keys else ()))
    theirs = [path for name in names if (path := Path(os.path.realpath(home / name))) not in roots]
    there = dict.fromkeys(path for path in (*mine, *theirs) if os.path.lexists(path))
    absent = [_first_missing(path) for path in mine if path not in there and _is_below(path, roots)]
    around = {above for path in (*mine, *theirs) for above in _around(path, roots) if above.is_dir()}
    return Hiding(
        tuple(f"{path}/" if path.is_dir() else str(path) for path in there),
        tuple(dict.fromkeys(absent)),
        tuple(sorted(around)),
    )


def is_hidden(path: Path, hidden: Sequence[str], roots: Sequence[Path]) -> bool:
    """Whether a path lies in what is hidden, and in no workspace folder inside that."""
    around = [Path(each.rstrip("/")) for each in hidden if path.is_relative_to(each.rstrip("/"))]
    return any(not any(root != each and _between(path, root, each) for root in roots) for each in around)


def _between(path: Path, root: Path, hidden: Path) -> bool:
    return path.is_relative_to(root) and root.is_relative_to(hidden)


def _is_below(path: Path, roots: Sequence[Path]) -> bool:
    return any(root != path and path.is_relative_to(root) for root in roots)


def _around(path: Path, roots: Sequence[Path]) -> Iterator[Path]:
    """Yield the folders between a workspace folder and a path in it."""
    for above in path.parents:
        if not _is_below(above, roots):
            return
        yield above


def _first_missing(path: Path) -> Leftover:
    """Return the place that keeps a path away: the first folder on its way that is not there, or it itself."""
    missing = next(above for above in (*reversed(path.parents), path) if not os.path.lexists(above))
    return Leftover("place", str(missing), "" if missing == path else None)
