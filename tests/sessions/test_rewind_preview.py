"""A dry run: what a rewind would make of each file, and that it then does that or nothing (DESIGN A4, S7)."""

from pathlib import Path

import pytest

from steersman.agent.changes import ChangeSummary, text_digest
from steersman.agent.errors import InvalidRequestError
from steersman.agent.messages import AssistantMessage, ToolMessage, UserMessage
from steersman.rewind import CHANGED_REASON, RewindPreview, RewindResult
from steersman_tools.kit.workspace import Snapshot
from support.rewind_bench import Bench, two_edits
from support.session_store import Stores, call


@pytest.fixture
def bench(stores: Stores) -> Bench:
    return Bench.over(stores)


def shown(preview: RewindPreview) -> dict[str, tuple[str, str | None, str | None, str | None]]:
    """Return name -> (kind, before, after, conflict)."""
    return {
        each.change.display: (each.change.kind, each.change.before, each.change.after, each.conflict)
        for each in preview.files
    }


def done(bench: Bench, text: str) -> ToolMessage:
    """Return the result of a call that left this text in the file ``a``."""
    path = bench.path("a")
    return ToolMessage("c1", "done", changes=(ChangeSummary(path, "edit", 1, 1),), seen={path: text_digest(text)})


async def test_it_says_what_each_file_would_become_and_touches_nothing(bench: Bench):
    await two_edits(bench)
    said = bench.said()
    preview = await bench.preview(2)
    assert shown(preview) == {"b": ("delete", "new\n", None, None), "a": ("edit", "three\n", "two\n", None)}
    assert (preview.last_kept, preview.conflicts, sorted(preview.restored)) == (
        2,
        (),
        [bench.path("a"), bench.path("b")],
    )
    assert bench.files() == {"a": "three\n", "b": "new\n"}
    assert bench.said() == said


async def test_a_deleted_file_would_come_back(bench: Bench):
    bench.write(a="one\n")
    with bench.hold() as handle:
        handle.append(UserMessage("go"))
        await bench.change(handle, bench.delete("a", "one\n"))
    assert shown(await bench.preview(0)) == {"a": ("create", None, "one\n", None)}


async def test_a_conflict_is_named_and_shows_what_force_would_do(bench: Bench):
    await two_edits(bench)
    bench.write(a="typed by hand\n")
    preview = await bench.preview(2)
    assert shown(preview)["a"] == ("edit", "typed by hand\n", "two\n", CHANGED_REASON)
    assert [(each.path, each.reason) for each in preview.conflicts] == [(bench.path("a"), CHANGED_REASON)]
    assert preview.restored == (bench.path("b"),)


async def test_with_force_there_is_no_conflict(bench: Bench):
    await two_edits(bench)
    bench.write(a="typed by hand\n")
    preview = await bench.preview(2, force=True)
    assert shown(preview)["a"] == ("edit", "typed by hand\n", "two\n", None)
    assert preview.conflicts == ()


async def test_a_file_that_cannot_be_looked_at_is_a_conflict_without_texts(bench: Bench):
    await two_edits(bench)
    (bench.folder / "b").unlink()
    (bench.folder / "b").mkdir()
    preview = await bench.preview(2)
    assert [each.path for each in preview.conflicts] == [bench.path("b")]
    assert list(shown(preview)) == ["a"]


async def test_a_file_as_wanted_already_is_not_shown(bench: Bench):
    await two_edits(bench)
    bench.write(a="two\n")
    assert list(shown(await bench.preview(2))) == ["b"]


async def test_the_conversation_alone_touches_no_file(bench: Bench):
    await two_edits(bench)
    assert (await bench.preview(2, files=False)).files == ()


async def test_what_is_no_text_has_none(bench: Bench):
    (bench.folder / "a").write_bytes(b"\x00\x01\xff")
    with bench.hold() as handle:
        handle.append(UserMessage("go"))
        handle.append(AssistantMessage("", (call(1, "write_file"),)))
        await handle.checkpoint(call(1), (bench.edit("a", "", "text\n"),))
        (bench.folder / "a").write_text("text\n")
        handle.append(done(bench, "text\n"))
    assert shown(await bench.preview(0))["a"][:3] == ("edit", "text\n", None)


async def test_unsaved_text_of_then_is_what_would_come_back_and_what_does(bench: Bench):
    """The document was dirty when it was edited; it was saved and closed since."""
    bench.write(a="saved\n")

    async def with_buffer(path: str) -> Snapshot:
        taken = await bench.workspace.snapshot(path)
        return Snapshot(taken.path, taken.data, taken.mode, "typed\nsaved\n")

    with bench.store.acquire(bench.session_id, "run", snapshot=with_buffer) as handle:
        handle.append(UserMessage("go"))
        handle.append(AssistantMessage("", (call(1, "edit_file"),)))
        await handle.checkpoint(call(1), (bench.edit("a", "typed\nsaved\n", "typed\nSAVED\n"),))
        bench.write(a="typed\nSAVED\n")
        handle.append(done(bench, "typed\nSAVED\n"))
    assert shown(await bench.preview(0)) == {"a": ("edit", "typed\nSAVED\n", "typed\nsaved\n", None)}
    await bench.rewind(0)
    assert bench.files() == {"a": "typed\nsaved\n"}


class TestCarryingOutWhatWasShown:
    async def test_it_is_done_when_nothing_moved(self, bench: Bench):
        await two_edits(bench)
        preview = await bench.preview(2)
        result = await bench.try_rewind(2, preview.token)
        assert isinstance(result, RewindResult)
        assert bench.files() == {"a": "two\n"}

    @pytest.mark.parametrize("name", ["a", "b"])
    async def test_a_file_that_changed_meanwhile_stops_it_and_is_shown_anew(self, bench: Bench, name: str):
        await two_edits(bench)
        preview = await bench.preview(2, force=True)
        (bench.folder / name).write_text("typed meanwhile\n")
        before = bench.files()
        again = await bench.try_rewind(2, preview.token, force=True)
        assert isinstance(again, RewindPreview)
        assert bench.files() == before
        assert shown(again)[name][1] == "typed meanwhile\n"
        assert isinstance(await bench.try_rewind(2, again.token, force=True), RewindResult)
        assert bench.files() == {"a": "two\n"}

    async def test_a_message_that_came_meanwhile_stops_it(self, bench: Bench):
        await two_edits(bench)
        preview = await bench.preview(2)
        with bench.hold() as handle:
            handle.append(UserMessage("one more thing"))
        assert isinstance(await bench.try_rewind(2, preview.token), RewindPreview)
        assert "one more thing" in bench.said()

    async def test_another_point_or_force_is_another_thing(self, bench: Bench):
        await two_edits(bench)
        bench.write(a="typed by hand\n")
        token = (await bench.preview(2)).token
        assert isinstance(await bench.try_rewind(0, token), RewindPreview)
        assert isinstance(await bench.try_rewind(2, token, force=True), RewindPreview)
        assert bench.files() == {"a": "typed by hand\n", "b": "new\n"}


@pytest.mark.parametrize("point", [6, 99])
async def test_a_message_that_is_not_there_is_told(bench: Bench, point: int):
    await two_edits(bench)
    with pytest.raises(InvalidRequestError, match="no message"):
        await bench.preview(point)


async def test_the_text_of_a_file_with_a_mark_and_odd_line_ends_is_shown_whole(bench: Bench, tmp_path: Path):
    original = b"\xef\xbb\xbfone\r\ntwo\rthree\n"
    (bench.folder / "a").write_bytes(original)
    before = original.decode("utf-8-sig")
    with bench.hold() as handle:
        handle.append(UserMessage("go"))
        await bench.change(handle, bench.edit("a", before, before.replace("two", "2")))
    assert shown(await bench.preview(0)) == {"a": ("edit", before.replace("two", "2"), before, None)}
