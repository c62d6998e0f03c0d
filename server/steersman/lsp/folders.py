"""The workspace folders, as the client names and changes them (reports 30: there may be none)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from steersman.lsp.contracts import JsonMapping
from steersman_tools.kit.workspace import Root


class WorkspaceFolders:
    """The folders in the client's order, with real paths and unique names.

    Args:
        resolve: gives the canonical path for a ``file:`` URI, or None for what is no file.
    """

    def __init__(self, resolve: Callable[[str], Path | None]) -> None:
        self._resolve = resolve
        self._folders: list[tuple[str, str]] = []

    def read(self, initialize: JsonMapping) -> None:
        """Take the folders from the params of ``initialize``: the list, else the root, else none."""
        listed = initialize.get("workspaceFolders")
        root = initialize.get("rootUri")
        path = initialize.get("rootPath")
        if isinstance(listed, list) and listed:
            self._folders = [folder for each in cast("list[Any]", listed) if (folder := _folder_of(each)) is not None]
        elif isinstance(root, str) and root:
            self._folders = [(root, "")]
        elif isinstance(path, str) and path and Path(path).is_absolute():
            self._folders = [(Path(path).as_uri(), "")]

    def change(self, *, added: Sequence[tuple[str, str]], removed: Sequence[str]) -> None:
        """Take in a change: (URI, name) of those that came, URIs of those that went."""
        gone = {self._resolve(uri) for uri in removed} - {None}
        self._folders = [
            (uri, name) for uri, name in self._folders if uri not in removed and self._resolve(uri) not in gone
        ]
        self._folders += [each for each in added if each[0] not in [uri for uri, _ in self._folders]]

    @property
    def roots(self) -> tuple[Root, ...]:
        """The folders that are on this machine."""
        roots: list[Root] = []
        for uri, name in self._folders:
            path = self._resolve(uri)
            if path is not None and all(root.path != path for root in roots):
                roots.append(Root(_unique(name or path.name or "root", [root.name for root in roots]), path))
        return tuple(roots)

    @property
    def warnings(self) -> list[str]:
        """What is not used, one sentence each."""
        return [
            f"The folder {uri} is not on this machine; it is not used."
            for uri, _ in self._folders
            if not self._resolve(uri)
        ]

    def display(self, path: Path) -> str:
        """Return a path as people see it: relative to its folder, after the folder's name where it is not the first."""
        for number, root in enumerate(self.roots):
            if path.is_relative_to(root.path):
                inside = path.relative_to(root.path).as_posix()
                return inside if number == 0 else f"{root.name}/{inside}"
        return str(path)


def _folder_of(folder: object) -> tuple[str, str] | None:
    if not isinstance(folder, Mapping):
        return None
    fields = cast("Mapping[str, Any]", folder)
    uri, name = fields.get("uri"), fields.get("name")
    return (uri, name if isinstance(name, str) else "") if isinstance(uri, str) else None


def _unique(name: str, taken: list[str]) -> str:
    base = name.replace("/", "-").replace("\\", "-")
    candidate, number = base, 2
    while candidate in taken:
        candidate, number = f"{base}-{number}", number + 1
    return candidate
