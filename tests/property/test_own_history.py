"""This project's own commits as edits, patches and whole writes: each gives exactly the commit's files (issue 4)."""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from steersman.agent.changes import text_digest
from steersman.agent.lines import split_lines
from steersman.agent.tool import ToolError
from steersman_tools.apply_patch import ApplyPatch
from steersman_tools.delete_file import DeleteFile
from steersman_tools.edit_file import EditFile
from steersman_tools.kit.seen import SeenTexts
from steersman_tools.kit.text import decode
from steersman_tools.patch.model import PatchError
from steersman_tools.write_file import WriteFile
from support.calling import call
from support.history import Commit, commits
from support.memory_workspace import MemoryWorkspace

ROOT = Path(__file__).parent.parent.parent
WIDTHS = (0, 3, 10, 100_000)


def before(commit: Commit) -> MemoryWorkspace:
    return MemoryWorkspace({change.path: change.before for change in commit.changes if change.before is not None})


def after(commit: Commit) -> dict[str, bytes]:
    return {change.path: change.after for change in commit.changes if change.after is not None}


def is_text(data: bytes | None) -> bool:
    try:
        return data is None or decode(data) is not None
    except ToolError:
        return False


async def by_writes(commit: Commit) -> MemoryWorkspace:
    workspace, seen = before(commit), SeenTexts()
    for change in commit.changes:
        if not is_text(change.before) or not is_text(change.after):
            continue
        if change.after is None:
            await call(DeleteFile(workspace, seen), path=change.path)
            continue
        if change.before is not None:
            seen.update({str(workspace.locate(change.path).path): text_digest(decode(change.before).text)})
        if change.before != change.after:
            await call(WriteFile(workspace, seen), path=change.path, content=decode(change.after).text)
    return workspace


async def by_edits(commit: Commit) -> MemoryWorkspace:
    workspace, seen = before(commit), SeenTexts()
    for change in commit.changes:
        if not is_text(change.before) or not is_text(change.after):
            continue
        if change.after is None:
            await call(DeleteFile(workspace, seen), path=change.path)
        elif not change.before:
            await call(WriteFile(workspace, seen), path=change.path, content=decode(change.after).text)
        elif change.before != change.after:
            await edit(workspace, change.path, decode(change.before).text, decode(change.after).text)
    return workspace


async def edit(workspace: MemoryWorkspace, path: str, old: str, new: str) -> None:
    """Turn the file into its new text, one edit a hunk, with as much context as it takes to be unambiguous."""
    tool = EditFile(workspace, SeenTexts())
    for width in WIDTHS:
        start = workspace.files[path]
        try:
            for old_text, new_text in hunks(old, new, width):
                await call(tool, path=path, old_text=old_text, new_text=new_text)
        except ToolError:
            workspace.files[path] = start
        else:
            return
    raise AssertionError(f"{path}: not even the whole text is unambiguous")


def hunks(old: str, new: str, width: int) -> list[tuple[str, str]]:
    one, other = split_lines(old), split_lines(new)
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    found = [(group[0], group[-1]) for group in matcher.get_grouped_opcodes(width)]
    return [("".join(one[a[1] : b[2]]), "".join(other[a[3] : b[4]])) for a, b in found]


async def by_patch(commit: Commit) -> MemoryWorkspace:
    workspace = before(commit)
    if not commit.diff.strip("\n"):  # nothing but modes
        return workspace
    await call(ApplyPatch(workspace, SeenTexts()), patch=commit.diff)
    return workspace


WAYS: dict[str, Callable[[Commit], Awaitable[MemoryWorkspace]]] = {
    "writes": by_writes,
    "edits": by_edits,
    "patch": by_patch,
}


async def check(way: str, limit: int | None) -> int:
    done = 0
    for commit in commits(ROOT, limit):
        texts = {change.path for change in commit.changes if is_text(change.before) and is_text(change.after)}
        if way == "patch" and len(texts) < len(commit.changes):  # binary files come by no patch, and then none of it
            with pytest.raises(PatchError, match="binary"):
                await by_patch(commit)
            continue
        files = (await WAYS[way](commit)).files
        wanted = after(commit)
        for change in commit.changes:
            if change.path in texts:
                assert files.get(change.path) == wanted.get(change.path), f"{commit.name}: {change.path}"
                done += 1
    return done


@pytest.mark.parametrize("way", WAYS)
async def test_the_newest_commits_are_made_again_exactly(way: str):
    assert await check(way, 12) > 0


@pytest.mark.storm
@pytest.mark.parametrize("way", WAYS)
async def test_every_commit_is_made_again_exactly(way: str):
    assert await check(way, None) > 0
