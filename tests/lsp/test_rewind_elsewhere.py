"""A rewind on the command line of what an editor did, while that editor still has it unsaved (DESIGN S7, W2)."""

import asyncio
import sys
from pathlib import Path

from support.editor import Editor, editor
from support.lsp_process import server_environment

DISK = "x = 1\n"
EDIT = {"call": "edit_file", "arguments": {"path": "a.py", "old_text": "x = 1", "new_text": "x = 2"}}


async def typed(ed: Editor, *words: str) -> tuple[int | None, str, str]:
    """Run a command in the editor's folder; return its code and what it printed."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "steersman", *words),
        cwd=ed.folder,
        env=server_environment(ed.folder.parent, None),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


async def test_it_says_that_an_editor_may_still_hold_the_edit_and_that_editor_takes_it_back(tmp_path: Path) -> None:
    async with editor(tmp_path, [[EDIT], ["Edited."]]) as ed:
        (ed.folder / "a.py").write_text(DISK)
        ed.open("a.py", DISK)
        session = (await ed.command("steersman.run", {"prompt": "change it"}))["sessionId"]
        code, out, err = await typed(ed, "sessions", "rewind", "latest", "--files-only")
        assert (code, out.startswith("unsaved   a.py: "), "force" in out + err) == (1, True, False)
        assert (ed.text("a.py"), (ed.folder / "a.py").read_text()) == ("x = 2\n", DISK)

        taken_back = await ed.command("steersman.rewind", {"sessionId": session, "toMessage": -1})
        assert (taken_back["restored"], taken_back["conflicts"]) == ([ed.uri("a.py")], [])
        assert ed.text("a.py") == DISK


async def test_after_a_rewind_in_the_editor_the_command_line_finds_nothing_left(tmp_path: Path) -> None:
    async with editor(tmp_path, [[EDIT], ["Edited."]]) as ed:
        (ed.folder / "a.py").write_text(DISK)
        ed.open("a.py", DISK)
        session = (await ed.command("steersman.run", {"prompt": "change it"}))["sessionId"]
        await ed.command("steersman.rewind", {"sessionId": session, "toMessage": -1, "conversation": False})
        assert await typed(ed, "sessions", "rewind", "latest", "--to", "-1", "--files-only") == (
            0,
            "No file had to be put back.\n",
            "",
        )
