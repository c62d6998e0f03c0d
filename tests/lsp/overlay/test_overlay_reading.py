"""Reading: the buffer is the truth, unless the disk moved under it (DESIGN W1, W11)."""

import pytest

from steersman.agent.tool import ToolError
from steersman_tools.kit.workspace import FileMissingError, NotTextError
from support.editor_scene import EditorScene
from support.fake_editor import EGLOT, VSCODE
from support.virtual_time import run_virtual


def scene(tmp_path, habits=VSCODE, **files):
    it = EditorScene(tmp_path, habits)
    for name, text in files.items():
        it.write(f"{name}.txt", text)
    return it


def test_a_closed_file_is_read_from_disk(tmp_path):
    async def main():
        it = scene(tmp_path, a="one\n")
        document = await it.read("a.txt")
        assert (document.text, document.state) == ("one\n", "closed")

    run_virtual(main())


def test_unsaved_text_is_what_is_read(tmp_path):
    async def main():
        it = scene(tmp_path, a="one\n")
        await it.open("a.txt")
        await it.type("a.txt", 0, "typed ")
        document = await it.read("a.txt")
        assert (document.text, document.state, document.note) == ("typed one\n", "dirty", None)

    run_virtual(main())


def test_a_buffer_that_was_dirty_when_it_was_opened_is_dirty(tmp_path):
    """An editor may restore unsaved text of its last session."""

    async def main():
        it = scene(tmp_path, a="one\n")
        await it.open("a.txt", "restored\n")
        assert ((await it.read("a.txt")).text, (await it.read("a.txt")).state) == ("restored\n", "dirty")

    run_virtual(main())


def test_a_file_that_changed_on_disk_under_an_unchanged_buffer_is_read_from_disk_and_said_so(tmp_path):
    """A formatter or a command of the agent ran, and the editor does not reload."""

    async def main():
        it = scene(tmp_path, a="one\n")
        await it.open("a.txt")
        it.write("a.txt", "formatted\n")
        document = await it.read("a.txt")
        assert (document.text, document.state) == ("formatted\n", "stale")
        assert "on disk" in document.note

    run_virtual(main())


def test_a_file_that_changed_in_the_buffer_and_on_disk_is_read_from_the_buffer_with_a_warning(tmp_path):
    async def main():
        it = scene(tmp_path, a="one\n")
        await it.open("a.txt")
        await it.type("a.txt", 0, "typed ")
        it.write("a.txt", "formatted\n")
        document = await it.read("a.txt")
        assert (document.text, document.state) == ("typed one\n", "conflict")
        assert "unsaved" in document.note

    run_virtual(main())


def test_a_document_is_clean_again_once_it_is_saved_or_reloaded(tmp_path):
    async def main():
        it = scene(tmp_path, a="one\n")
        await it.open("a.txt")
        await it.type("a.txt", 0, "typed ")
        it.editor.save_file(it.uri("a.txt"))
        await it.moment()
        states = [(await it.read("a.txt")).state]
        it.write("a.txt", "formatted\n")
        it.editor.reload(it.uri("a.txt"), "formatted\n")
        await it.moment()
        states.append((await it.read("a.txt")).state)
        await it.type("a.txt", 0, "typed ")
        states.append((await it.read("a.txt")).state)
        assert states == ["clean", "clean", "dirty"]

    run_virtual(main())


@pytest.mark.parametrize("disk", [b"\xef\xbb\xbfone\r\ntwo\r\n", b"one\r\ntwo\r\n", "one\r\ntwo\r\n".encode("utf-16")])
def test_line_ends_mark_and_encoding_do_not_make_a_buffer_dirty(tmp_path, disk):
    """The editor owns them; the model keeps seeing the text as the disk has it."""

    async def main():
        it = scene(tmp_path, EGLOT, a=disk)
        await it.open("a.txt", "one\ntwo\n")
        document = await it.read("a.txt")
        assert (document.state, document.text) == ("clean", "one\r\ntwo\r\n")
        assert await it.workspace.open_texts() == {}

    run_virtual(main())


def test_typing_in_a_buffer_with_other_line_ends_shows_the_files_own(tmp_path):
    async def main():
        it = scene(tmp_path, EGLOT, a="one\r\ntwo\r\n")
        await it.open("a.txt", "one\ntwo\n")
        await it.type("a.txt", 4, "typed\n")
        assert (await it.read("a.txt")).text == "one\r\ntyped\r\ntwo\r\n"

    run_virtual(main())


def test_a_new_file_that_exists_in_the_editor_only_can_be_read(tmp_path):
    async def main():
        it = scene(tmp_path)
        await it.open("new.txt", "draft\n")
        document = await it.read("new.txt")
        assert (document.text, document.state) == ("draft\n", "dirty")
        assert await it.workspace.exists(it.workspace.locate("new.txt"))
        assert await it.workspace.open_texts() == {it.path("new.txt"): "draft\n"}

    run_virtual(main())


def test_a_file_deleted_under_an_unchanged_buffer_is_missing(tmp_path):
    async def main():
        it = scene(tmp_path, a="one\n")
        await it.open("a.txt")
        (tmp_path / "a.txt").unlink()
        with pytest.raises(FileMissingError):
            await it.read("a.txt")

    run_virtual(main())


def test_a_file_deleted_under_a_dirty_buffer_is_a_conflict(tmp_path):
    async def main():
        it = scene(tmp_path, a="one\n")
        await it.open("a.txt")
        await it.type("a.txt", 0, "typed ")
        (tmp_path / "a.txt").unlink()
        assert ((await it.read("a.txt")).text, (await it.read("a.txt")).state) == ("typed one\n", "conflict")

    run_virtual(main())


def test_search_is_given_the_texts_that_differ_from_the_disk(tmp_path):
    async def main():
        it = scene(tmp_path, clean="one\n", dirty="two\n", stale="three\n", outside="four\n")
        for name in ("clean.txt", "dirty.txt", "stale.txt"):
            await it.open(name)
        await it.type("dirty.txt", 0, "typed ")
        it.write("stale.txt", "changed\n")
        it.editor.open("untitled:Untitled-1", "context\n")
        await it.moment()
        assert await it.workspace.open_texts() == {it.path("dirty.txt"): "typed two\n"}

    run_virtual(main())


def test_a_document_without_a_file_has_no_path(tmp_path):
    """Situation 32, DESIGN W11: it can be read as context."""

    async def main():
        it = scene(tmp_path)
        it.editor.open("untitled:Untitled-1", "context\n")
        await it.moment()
        document = it.documents.get("untitled:Untitled-1")
        assert (document.path, document.text) == (None, "context\n")
        assert list(tmp_path.iterdir()) == []

    run_virtual(main())


def test_one_file_under_two_names_is_read_while_its_texts_agree(tmp_path):
    async def main():
        it = scene(tmp_path, a="one\n")
        (tmp_path / "link.txt").symlink_to("a.txt")
        await it.open("a.txt")
        await it.open("link.txt")
        assert (await it.read("link.txt")).text == "one\n"
        await it.type("link.txt", 0, "typed ")
        with pytest.raises(ToolError, match="two names"):
            await it.read("a.txt")

    run_virtual(main())


@pytest.mark.parametrize("spelling", ["file://{}", "file:{}", "FILE://{}", "file://localhost{}"])
def test_every_spelling_of_a_uri_is_the_same_file(tmp_path, spelling):
    async def main():
        it = scene(tmp_path, a="one\n")
        it.editor.open(spelling.format(tmp_path / "%61.txt"), "typed\n")
        await it.moment()
        assert (await it.read("a.txt")).text == "typed\n"

    run_virtual(main())


def test_a_buffer_that_the_editor_could_not_decode_is_refused(tmp_path):
    """Saving it would put U+FFFD over the bytes (situation 9)."""

    async def main():
        it = scene(tmp_path, a=b"const x = 1\n\xff\xfe\xfa text\n")
        await it.open("a.txt", "const x = 1\n\ufffd\ufffd\ufffd text\n")
        with pytest.raises(NotTextError, match="U\\+FFFD"):
            await it.read("a.txt")

    run_virtual(main())


def test_replacement_characters_that_the_disk_has_too_are_text(tmp_path):
    async def main():
        it = scene(tmp_path, a="a \ufffd b\n")
        await it.open("a.txt")
        assert (await it.read("a.txt")).text == "a \ufffd b\n"

    run_virtual(main())


def test_form_feeds_and_other_separators_are_read_as_they_are(tmp_path):
    """Situation 35."""

    async def main():
        it = scene(tmp_path, a="a\fb\u2028c\n\x85d\n")
        await it.open("a.txt")
        await it.type("a.txt", 6, "X")
        assert (await it.read("a.txt")).text == "a\fb\u2028c\nX\x85d\n"

    run_virtual(main())
