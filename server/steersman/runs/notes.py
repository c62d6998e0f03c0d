"""The repository's own notes to agents: AGENTS.md files, from the root down to where the person works."""

from __future__ import annotations

from pathlib import Path

from steersman.agent.instructions import RepositoryNote
from steersman.agent.tool import ToolError
from steersman_tools.kit.workspace import Workspace

NOTES_FILE = "AGENTS.md"


async def read_repository_notes(workspace: Workspace, focus: Path | None) -> list[RepositoryNote]:
    """Return the AGENTS.md of the run's folder and of each folder on the way down to ``focus``, in that order.

    Unsaved text counts. What cannot be read is left out: these are notes, not settings.
    """
    root = workspace.roots[0].path
    folders = [root]
    if focus is not None and focus.is_relative_to(root):
        parents = [parent for parent in focus.parents if parent.is_relative_to(root) and parent != root]
        folders.extend(reversed(parents))
    notes: list[RepositoryNote] = []
    for folder in folders:
        try:
            location = workspace.locate(str(folder / NOTES_FILE))
            if await workspace.exists(location):
                notes.append(RepositoryNote(location.display, (await workspace.read(location)).text))
        except ToolError:
            continue
    return notes
