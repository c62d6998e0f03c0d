"""The file system as a workspace: reading, and changing all or nothing (DESIGN W2, W3, W6, W7)."""

import asyncio
import os
import socket
import stat
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from steersman.agent.changes import Change, text_digest
from steersman.agent.tool import ToolError
from steersman_tools.kit.anchored import Folder
from steersman_tools.kit.disk import DiskWorkspace, StagedChanges, paths_of
from steersman_tools.kit.paths import Confinement
from steersman_tools.kit.staging import Staging
from steersman_tools.kit.text import bytes_digest
from steersman_tools.kit.workspace import (
    Applied,
    ApplyError,
    ChangedError,
    FileMissingError,
    NotTextError,
    PathRefusedError,
    Root,
    Snapshot,
)
from support.reading import plant


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    return plant(tmp_path / "ws", a__py="one\ntwo\n", b__py="three\n")


def disk(folder: Path, **options: int) -> DiskWorkspace:
    return DiskWorkspace([Root("ws", folder)], **options)  # type: ignore[arg-type]


def edit(path: Path, before: str, after: str) -> Change:
    return Change(str(path), "edit", text_digest(before), before, after)


def create(path: Path, text: str) -> Change:
    return Change(str(path), "create", None, None, text)


def delete(path: Path, before: str) -> Change:
    return Change(str(path), "delete", text_digest(before), before, None)


def move(source: Path, path: Path, before: str, after: str | None = None) -> Change:
    return Change(str(path), "move", text_digest(before), before, after or before, moved_from=str(source))


def tree(folder: Path) -> dict[str, bytes | str]:
    """Everything below a folder: bytes of files, targets of links, "/" for folders."""
    found: dict[str, bytes | str] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        else:
            found[name] = "/" if path.is_dir() else path.read_bytes()
    return found


async def apply(folder: Path, *changes: Change) -> Applied:
    return await disk(folder).apply(changes, label="test")


class TestReading:
    async def test_a_document_tells_its_text_digest_and_encoding(self, ws: Path) -> None:
        plant(ws, bom__txt=b"\xef\xbb\xbfhi\r\n")
        kit = disk(ws)

        document = await kit.read(kit.locate("bom.txt"))

        assert ("hi\r\n", text_digest("hi\r\n"), "utf-8", True, "closed") == (
            document.text,
            document.digest,
            document.encoding,
            document.has_bom,
            document.state,
        )

    async def test_what_is_missing_a_folder_or_binary_is_said(self, ws: Path) -> None:
        plant(ws, "src/x", bin__dat=b"\x7fELF\x00")
        kit = disk(ws)

        for raw, kind, words in (
            ("missing.py", FileMissingError, "missing.py does not exist"),
            ("no/such/folder.py", FileMissingError, "does not exist"),
            ("a.py/x", FileMissingError, "is not a folder"),
            ("src", ToolError, "src is a folder"),
            (".", ToolError, "is a folder"),
            ("bin.dat", NotTextError, "bin.dat cannot be read as text: it is a binary file"),
        ):
            with pytest.raises(kind, match=words):
                await kit.read(kit.locate(raw))

    async def test_a_pipe_or_socket_is_named_and_never_opened(self, ws: Path, tmp_path: Path) -> None:
        os.mkfifo(ws / "pipe")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(os.path.relpath(ws / "sock"))  # absolute paths may be too long for a socket
            kit = disk(ws)

            for name, words in (("pipe", "named pipe"), ("sock", "socket")):
                with pytest.raises(ToolError, match=words):
                    await kit.read(kit.locate(name))

    async def test_a_file_that_is_too_large_says_how_to_see_parts(self, ws: Path) -> None:
        kit = disk(ws, max_bytes=7)

        with pytest.raises(ToolError, match=r"too large.*head, tail"):
            await kit.read(kit.locate("a.py"))
        assert (await kit.read(kit.locate("b.py"))).text == "three\n"

    async def test_a_part_of_the_path_swapped_for_a_link_is_not_followed(self, ws: Path, tmp_path: Path) -> None:
        plant(ws, "src/x.py")
        plant(tmp_path / "canary", x__py="secret")
        kit = disk(ws)
        location = kit.locate("src/x.py")
        (ws / "src").rename(ws / "old")
        (ws / "src").symlink_to(tmp_path / "canary")

        with pytest.raises(PathRefusedError, match="link"):
            await kit.read(location)

    async def test_the_file_itself_swapped_for_a_link_is_not_followed(self, ws: Path, tmp_path: Path) -> None:
        plant(tmp_path, canary="secret")
        kit = disk(ws)
        location = kit.locate("a.py")
        (ws / "a.py").unlink()
        (ws / "a.py").symlink_to(tmp_path / "canary")

        with pytest.raises(PathRefusedError, match="link"):
            await kit.read(location)


class TestChanging:
    async def test_an_edit_keeps_encoding_mark_and_mode(self, ws: Path) -> None:
        path = ws / "run.sh"
        path.write_bytes(b"\xff\xfe" + "a\r\nb\r\n".encode("utf-16-le"))
        path.chmod(0o750)

        applied = await apply(ws, edit(path, "a\r\nb\r\n", "a\r\nB\r\n"))

        assert b"\xff\xfe" + "a\r\nB\r\n".encode("utf-16-le") == path.read_bytes()
        assert stat.S_IMODE(path.stat().st_mode) == 0o750
        assert {str(path): "a\r\nB\r\n"} == applied.after
        assert (applied.changes[0].added, applied.changes[0].removed, applied.changes[0].saved) == (1, 1, True)

    async def test_create_makes_folders_and_new_files_are_plain_utf_8(self, ws: Path) -> None:
        await apply(ws, create(ws / "new/deep/x.py", "é\n"))

        assert "é\n".encode() == (ws / "new/deep/x.py").read_bytes()
        mask = os.umask(0)
        os.umask(mask)
        assert 0o666 & ~mask == stat.S_IMODE((ws / "new/deep/x.py").stat().st_mode)

    async def test_delete_and_move_and_move_with_edit(self, ws: Path) -> None:
        (ws / "a.py").chmod(0o700)

        await apply(ws, delete(ws / "b.py", "three\n"), move(ws / "a.py", ws / "sub/c.py", "one\ntwo\n", "one\n2\n"))

        assert tree(ws) == {"sub": "/", "sub/c.py": b"one\n2\n"}
        assert stat.S_IMODE((ws / "sub/c.py").stat().st_mode) == 0o700

    async def test_a_move_alone_keeps_the_very_file(self, ws: Path) -> None:
        inode = (ws / "a.py").stat().st_ino

        await apply(ws, move(ws / "a.py", ws / "c.py", "one\ntwo\n"))

        assert inode == (ws / "c.py").stat().st_ino

    async def test_a_binary_file_is_moved_and_deleted_by_its_bytes_digest(self, ws: Path) -> None:
        data = b"\x00\x01"
        plant(ws, x__bin=data, y__bin=data)
        digest = bytes_digest(data)

        await apply(
            ws,
            Change(str(ws / "z.bin"), "move", digest, None, None, moved_from=str(ws / "x.bin")),
            Change(str(ws / "y.bin"), "delete", digest, None, None),
        )

        assert {"a.py", "b.py", "z.bin"} == set(tree(ws))

    async def test_a_later_change_builds_on_an_earlier_one(self, ws: Path) -> None:
        await apply(
            ws,
            edit(ws / "a.py", "one\ntwo\n", "1\n"),
            edit(ws / "a.py", "1\n", "2\n"),
            delete(ws / "b.py", "three\n"),
            create(ws / "b.py", "new\n"),
            create(ws / "c.py", "c\n"),
            move(ws / "c.py", ws / "d.py", "c\n"),
        )

        assert tree(ws) == {"a.py": b"2\n", "b.py": b"new\n", "d.py": b"c\n"}

    async def test_links_inside_are_kept_and_their_target_changed(self, ws: Path) -> None:
        (ws / "link.py").symlink_to("a.py")
        location = disk(ws).locate("link.py")

        await apply(ws, edit(location.path, "one\ntwo\n", "x\n"))

        assert tree(ws) == {"a.py": b"x\n", "b.py": b"three\n", "link.py": "-> a.py"}

    async def test_hard_links_stay_one_file(self, ws: Path) -> None:
        os.link(ws / "a.py", ws / "same.py")

        await apply(ws, edit(ws / "a.py", "one\ntwo\n", "longer than before\n"))
        await apply(ws, edit(ws / "a.py", "longer than before\n", "x\n"))

        assert (ws / "same.py").read_bytes() == b"x\n"
        assert (ws / "a.py").samefile(ws / "same.py")

    async def test_extended_attributes_are_kept(self, ws: Path) -> None:
        if not hasattr(os, "setxattr"):
            return
        try:
            os.setxattr(ws / "a.py", "user.colour", b"red")
        except OSError:
            return  # this file system has none to lose

        await apply(ws, edit(ws / "a.py", "one\ntwo\n", "x\n"))

        assert os.getxattr(ws / "a.py", "user.colour") == b"red"

    async def test_nothing_is_left_beside(self, ws: Path) -> None:
        await apply(ws, edit(ws / "a.py", "one\ntwo\n", "x\n"), delete(ws / "b.py", "three\n"))

        assert list(tree(ws)) == ["a.py"]


class TestRefusing:
    @pytest.mark.parametrize(
        ("make", "kind", "words"),
        [
            (lambda ws: edit(ws / "a.py", "other\n", "x"), ChangedError, "not what it was"),
            (lambda ws: edit(ws / "gone.py", "other\n", "x"), ChangedError, "does not exist any more"),
            (lambda ws: create(ws / "a.py", "x"), ChangedError, "exists by now"),
            (lambda ws: create(ws / "a.py/x", "x"), ToolError, "is not a folder"),
            (lambda ws: move(ws / "a.py", ws / "b.py", "one\ntwo\n"), ChangedError, "a file is there"),
            (lambda ws: move(ws / "a.py", ws / "a.py", "one\ntwo\n"), ApplyError, "there already"),
            (lambda ws: Change(str(ws / "x"), "move", None, "", ""), ApplyError, "from where"),
            (lambda ws: Change(str(ws / "x"), "edit", None, None, "x"), FileMissingError, "does not exist"),
            (lambda ws: edit(ws / "a.py", "one\ntwo\n", "\ud800"), ApplyError, "U\\+D800"),
            (lambda ws: edit(ws / "sub", "", "x"), ToolError, "is a folder"),
            (lambda ws: delete(ws, ""), ApplyError, "workspace folder"),
            (lambda ws: create(ws.parent / "x", "x"), PathRefusedError, "out of the workspace"),
            (lambda ws: create(ws / "nul", "x"), PathRefusedError, "device"),
        ],
    )
    async def test_what_does_not_fit_changes_nothing_at_all(
        self, ws: Path, make: Callable[[Path], Change], kind: type[ToolError], words: str
    ) -> None:
        """The change before it in the same call is not made either (W6)."""
        (ws / "sub").mkdir()
        before = tree(ws.parent)

        with pytest.raises(kind, match=words):
            await apply(ws, create(ws / "made/for/nothing.py", "x\n"), make(ws))

        assert before == tree(ws.parent)

    async def test_a_read_only_file_is_not_overwritten(self, ws: Path) -> None:
        (ws / "a.py").chmod(0o444)

        with pytest.raises(ApplyError, match="read-only"):
            await apply(ws, edit(ws / "a.py", "one\ntwo\n", "x\n"))

    async def test_a_file_in_an_encoding_that_has_not_the_character_stays(self, ws: Path) -> None:
        data = b"# coding: latin-1\n\xe9\n"
        plant(ws, l__py=data)

        with pytest.raises(ApplyError, match="does not exist in iso8859-1"):
            await apply(ws, edit(ws / "l.py", data.decode("latin-1"), "# coding: latin-1\n→\n"))
        assert data == (ws / "l.py").read_bytes()


async def staged(folder: Path, *changes: Change) -> StagedChanges:
    return await disk(folder).stage(changes)


class Meddling(Confinement):
    """Somebody else is at work just before ``b.py`` is opened."""

    meddle: Callable[[], object] | None = None

    def parent(self, path: Path, made: list[str] | None = None) -> AbstractContextManager[Folder]:
        if path.name == "b.py" and self.meddle:
            meddle, self.meddle = self.meddle, None
            meddle()
        return super().parent(path, made)


class TestFailingHalfWay:
    """Between writing beside and renaming, the world changes; the first change is taken back."""

    async def test_a_folder_swapped_for_a_link_takes_back_what_was_done(self, ws: Path, tmp_path: Path) -> None:
        plant(ws, "sub/x.py")
        plant(tmp_path / "canary", x__py="canary\n")
        changes = await staged(
            ws,
            edit(ws / "a.py", "one\ntwo\n", "1\n"),
            delete(ws / "b.py", "three\n"),
            create(ws / "new/n.py", "n\n"),
            edit(ws / "sub/x.py", "some text\n", "x\n"),
        )
        (ws / "sub").rename(ws / "moved")
        (ws / "sub").symlink_to(tmp_path / "canary")

        with pytest.raises(ApplyError, match=r"link meanwhile.*nothing was changed"):
            await changes.commit()

        assert (ws / "a.py").read_bytes() == b"one\ntwo\n"
        assert (ws / "b.py").read_bytes() == b"three\n"
        assert not (ws / "new").exists()
        assert tree(tmp_path / "canary") == {"x.py": b"canary\n"}

    async def test_a_file_changed_in_between_takes_back_what_was_done(self, ws: Path) -> None:
        changes = await staged(
            ws, move(ws / "a.py", ws / "c.py", "one\ntwo\n", "1\n"), edit(ws / "b.py", "three\n", "3\n")
        )
        (ws / "b.py").write_text("typed by somebody\n")

        with pytest.raises(ChangedError, match=r"b\.py was changed.*nothing was changed"):
            await changes.commit()

        assert tree(ws) == {"a.py": b"one\ntwo\n", "b.py": b"typed by somebody\n"}

    async def test_a_file_that_appeared_is_never_overwritten(self, ws: Path) -> None:
        changes = await staged(ws, edit(ws / "a.py", "one\ntwo\n", "1\n"), create(ws / "c.py", "c\n"))
        (ws / "c.py").write_text("somebody's\n")

        with pytest.raises(ApplyError, match="nothing was changed"):
            await changes.commit()

        assert tree(ws) == {"a.py": b"one\ntwo\n", "b.py": b"three\n", "c.py": b"somebody's\n"}

    async def test_a_hard_linked_file_is_written_back_in_place(self, ws: Path) -> None:
        os.link(ws / "a.py", ws / "same.py")
        changes = await staged(ws, edit(ws / "a.py", "one\ntwo\n", "1\n"), edit(ws / "b.py", "three\n", "3\n"))
        (ws / "b.py").unlink()

        with pytest.raises(ChangedError):
            await changes.commit()

        assert tree(ws) == {"a.py": b"one\ntwo\n", "same.py": b"one\ntwo\n"}
        assert (ws / "a.py").samefile(ws / "same.py")

    def test_what_cannot_be_taken_back_is_named(self, ws: Path) -> None:
        plant(ws, "sub/x.py", "sub/y.py")
        kit = Meddling([Root("ws", ws)])
        staging = Staging(
            kit,
            [move(ws / "sub/x.py", ws / "x.py", "some text\n"), edit(ws / "b.py", "three\n", "3\n")],
            max_bytes=1000,
        )
        staging.prepare()
        kit.meddle = lambda: ((ws / "b.py").unlink(), (ws / "sub").rename(ws / "gone"))

        with pytest.raises(ApplyError, match=r"partly applied: x\.py could not be put back"):
            staging.commit()

        assert (ws / "x.py").read_bytes() == b"some text\n"

    async def test_discarded_changes_leave_nothing(self, ws: Path) -> None:
        before = tree(ws)
        changes = await staged(ws, edit(ws / "a.py", "one\ntwo\n", "1\n"), create(ws / "n/e/w.py", "x\n"))

        await changes.discard()

        assert before == tree(ws)


async def test_changes_that_nobody_waits_for_any_more_are_not_made(ws: Path) -> None:
    """As when the event loop is closed while they are being made ready."""
    before = tree(ws)
    kit, begun, gate = disk(ws), asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()
    kit.confinement = Meddling([Root("ws", ws)])
    kit.confinement.meddle = lambda: (loop.call_soon_threadsafe(begun.set), gate.wait())
    applying = asyncio.ensure_future(kit.apply([edit(ws / "b.py", "three\n", "3\n")], label="test"))
    await begun.wait()

    applying.cancel()
    await asyncio.wait([applying])
    gate.set()
    await loop.shutdown_default_executor()

    assert applying.cancelled()
    assert before == tree(ws)


async def test_two_runs_never_change_one_file_at_once(ws: Path) -> None:
    kit = disk(ws)

    async def append(mark: str) -> None:
        async with kit.locks.hold([str(ws / "a.py")]):
            text = (await kit.read(kit.locate("a.py"))).text
            await (await kit.stage([edit(ws / "a.py", text, text + mark)])).commit()

    await asyncio.gather(*(append(f"{number}\n") for number in range(10)))

    assert sorted(["one", "two", *map(str, range(10))]) == sorted((ws / "a.py").read_text().split())


def test_the_paths_of_changes_are_both_ends_of_a_move(ws: Path) -> None:
    assert paths_of([move(Path("/b"), Path("/a"), "")]) == ("/a", "/b")


class TestRewinding:
    async def test_an_edit_a_deletion_and_a_creation_are_put_back_exactly(self, ws: Path) -> None:
        (ws / "a.py").chmod(0o755)
        kit = disk(ws)
        names = ("a.py", "b.py", "new/c.py")
        before = [await kit.snapshot(str(ws / name)) for name in names]
        await kit.apply(
            [edit(ws / "a.py", "one\ntwo\n", "1\n"), delete(ws / "b.py", "three\n"), create(ws / "new/c.py", "c\n")],
            label="",
        )
        after = [await kit.snapshot(str(ws / name)) for name in names]

        told = [await kit.restore(wanted, left) for wanted, left in zip(before, after, strict=True)]

        assert told == [None, None, None]
        assert ((ws / "a.py").read_bytes(), (ws / "b.py").read_bytes()) == (b"one\ntwo\n", b"three\n")
        assert not (ws / "new/c.py").exists()
        assert stat.S_IMODE((ws / "a.py").stat().st_mode) == 0o755

    async def test_what_somebody_changed_since_is_a_conflict_unless_forced(self, ws: Path) -> None:
        kit = disk(ws)
        before = await kit.snapshot(str(ws / "a.py"))
        await kit.apply([edit(ws / "a.py", "one\ntwo\n", "1\n")], label="")
        after = await kit.snapshot(str(ws / "a.py"))
        (ws / "a.py").write_text("theirs\n")

        assert await kit.restore(before, after) == "it was changed since"
        assert (ws / "a.py").read_text() == "theirs\n"
        assert await kit.restore(before, None) is None
        assert (ws / "a.py").read_text() == "one\ntwo\n"

    async def test_created_again_and_deleted_since_are_conflicts_too(self, ws: Path) -> None:
        kit, path = disk(ws), str(ws / "a.py")
        nothing, earlier = Snapshot(path, None, None, None), Snapshot(path, b"earlier\n", 0o644, None)

        assert await kit.restore(earlier, nothing) == "it was created again since"
        (ws / "a.py").unlink()
        assert await kit.restore(earlier, Snapshot(path, b"one\ntwo\n", 0o644, None)) == "it was deleted since"
        assert tree(ws) == {"b.py": b"three\n"}

    async def test_a_link_there_now_is_not_followed(self, ws: Path, tmp_path: Path) -> None:
        plant(tmp_path, canary="canary\n")
        kit = disk(ws)
        before = await kit.snapshot(str(ws / "a.py"))
        (ws / "a.py").unlink()
        (ws / "a.py").symlink_to(tmp_path / "canary")

        told = await kit.restore(before, None)

        assert told is not None
        assert "link" in told
        assert (tmp_path / "canary").read_text() == "canary\n"

    async def test_what_is_too_large_to_be_kept_says_what_to_do_instead(self, ws: Path) -> None:
        with pytest.raises(ToolError, match=r"a\.py is too large to be kept for a rewind.*run_command"):
            await disk(ws, max_bytes=3).snapshot(str(ws / "a.py"))

    async def test_a_snapshot_of_what_is_no_file_is_an_error(self, ws: Path) -> None:
        (ws / "sub").mkdir()

        with pytest.raises(ToolError, match="folder"):
            await disk(ws).snapshot(str(ws / "sub"))
        with pytest.raises(PathRefusedError):
            await disk(ws).snapshot(str(ws.parent / "x"))


async def test_a_rename_of_case_alone_happens(ws: Path) -> None:
    await apply(ws, move(ws / "a.py", ws / "A.py", "one\ntwo\n"))

    assert list(tree(ws)) == ["A.py", "b.py"]
