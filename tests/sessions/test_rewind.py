"""Going back: files on a real disk, conversation, both, and that taken back again (DESIGN S7)."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from steersman.agent.errors import (
    InvalidRequestError,
    SessionBusyError,
    SessionNotFoundError,
)
from steersman.agent.messages import AssistantMessage, Message, ToolMessage, UserMessage
from steersman.rewind import CHANGED_REASON, rewind
from steersman_tools.kit.disk import DiskWorkspace
from steersman_tools.kit.workspace import Root, Snapshot
from support.rewind_bench import Bench, two_edits
from support.session_store import Stores, call


@pytest.fixture
def bench(stores: Stores) -> Bench:
    return Bench.over(stores)


async def test_files_and_conversation_go_back_together(bench: Bench):
    await two_edits(bench)
    result = await bench.rewind(2)
    assert bench.files() == {"a": "two\n"}
    assert bench.said() == ["first", "", "done"]
    assert (*bench.names(result), result.last_kept, result.rewind_id) == (["a", "b"], [], 2, "w1")
    assert bench.store.get(bench.session_id).messages == 3


async def test_before_everything_is_the_beginning(bench: Bench):
    await two_edits(bench)
    await bench.rewind(-1)
    assert bench.files() == {"a": "one\n"}
    assert bench.said() == []


async def test_a_point_inside_a_group_is_the_one_before_it(bench: Bench):
    await two_edits(bench)
    assert (await bench.rewind(4)).last_kept == 3
    assert bench.files() == {"a": "two\n"}
    assert bench.said() == ["first", "", "done", "second"]


async def test_the_conversation_goes_on_from_there_and_nothing_is_deleted(bench: Bench):
    await two_edits(bench)
    await bench.rewind(2)
    with bench.hold() as handle:
        assert [message.content for message in handle.load()] == ["first", "", "done"]
        assert handle.append(UserMessage("another way")) == 6
    assert bench.said() == ["first", "", "done", "another way"]
    with bench.store._database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM message").fetchone() == (7,)


async def test_files_alone_go_back_and_the_model_is_told(bench: Bench):
    await two_edits(bench)
    result = await bench.rewind(2, conversation=False)
    assert bench.files() == {"a": "two\n"}
    messages = bench.store.messages(bench.session_id)
    assert len(messages) == 7
    note = messages[-1].message
    assert isinstance(note, UserMessage)
    assert note.origin == "host"
    assert "b, a" in note.content
    assert bench.names(result) == (["a", "b"], [])


async def test_the_conversation_alone_goes_back_and_files_stay(bench: Bench):
    await two_edits(bench)
    result = await bench.rewind(2, files=False)
    assert bench.files() == {"a": "three\n", "b": "new\n"}
    assert bench.said() == ["first", "", "done"]
    assert bench.names(result) == ([], [])


async def test_neither_makes_no_sense(bench: Bench):
    with pytest.raises(InvalidRequestError):
        await bench.rewind(-1, files=False, conversation=False)


@pytest.mark.parametrize("point", [6, 99, -2])
async def test_a_message_that_is_not_there_is_told_and_nothing_happens(bench: Bench, point: int):
    await two_edits(bench)
    with pytest.raises(InvalidRequestError, match="no message"):
        await bench.rewind(point)
    assert bench.files() == {"a": "three\n", "b": "new\n"}
    assert len(bench.said()) == 6


async def test_a_message_that_was_rewound_is_no_point_to_go_to(bench: Bench):
    await two_edits(bench)
    await bench.rewind(2)
    with pytest.raises(InvalidRequestError, match="no message 4"):
        await bench.rewind(4)


class TestConflicts:
    async def test_a_file_changed_since_is_reported_and_left_alone(self, bench: Bench):
        await two_edits(bench)
        bench.write(a="typed by hand\n")
        result = await bench.rewind(2)
        assert bench.files() == {"a": "typed by hand\n"}
        assert bench.names(result) == (["b"], ["a"])
        assert result.conflicts[0].reason == CHANGED_REASON

    async def test_force_overwrites_it(self, bench: Bench):
        await two_edits(bench)
        bench.write(a="typed by hand\n")
        result = await bench.rewind(2, force=True)
        assert bench.files() == {"a": "two\n"}
        assert bench.names(result) == (["a", "b"], [])

    async def test_and_what_was_forced_away_can_be_had_back(self, bench: Bench):
        await two_edits(bench)
        bench.write(a="typed by hand\n")
        result = await bench.rewind(2, force=True)
        await bench.undo(result.rewind_id)
        assert bench.files() == {"a": "typed by hand\n", "b": "new\n"}

    async def test_a_file_that_is_as_wanted_already_is_neither(self, bench: Bench):
        await two_edits(bench)
        bench.write(a="two\n")
        assert bench.names(await bench.rewind(2)) == (["b"], [])

    async def test_a_file_deleted_since_is_a_conflict(self, bench: Bench):
        await two_edits(bench)
        (bench.folder / "a").unlink()
        assert bench.names(await bench.rewind(2)) == (["b"], ["a"])

    async def test_a_file_made_in_place_of_a_deleted_one_is_a_conflict(self, bench: Bench):
        bench.write(a="one\n")
        with bench.hold() as handle:
            handle.append(UserMessage("go"))
            await bench.change(handle, bench.delete("a", "one\n"))
        bench.write(a="something else\n")
        assert bench.names(await bench.rewind(0)) == ([], ["a"])

    async def test_a_path_that_leads_outside_now_is_a_conflict(self, bench: Bench, tmp_path: Path):
        bench.write(x="x")
        sub, outside = bench.folder / "sub", tmp_path / "outside"
        sub.mkdir()
        outside.mkdir()
        with bench.hold() as handle:
            handle.append(UserMessage("go"))
            await bench.change(handle, bench.create("sub/f", "new\n"))
        (sub / "f").unlink()
        sub.rmdir()
        sub.symlink_to(outside)
        (outside / "f").write_text("new\n")
        result = await bench.rewind(0)
        assert bench.names(result) == ([], ["f"])
        assert (outside / "f").read_text() == "new\n"

    async def test_a_folder_in_the_way_is_a_conflict(self, bench: Bench):
        await two_edits(bench)
        (bench.folder / "b").unlink()
        (bench.folder / "b").mkdir()
        assert bench.names(await bench.rewind(2)) == (["a"], ["b"])


class TestKinds:
    async def test_a_deleted_file_comes_back_with_its_mode(self, bench: Bench):
        bench.write(a="#!/bin/sh\r\necho\n")
        (bench.folder / "a").chmod(0o755)
        text = (bench.folder / "a").read_bytes().decode()
        with bench.hold() as handle:
            handle.append(UserMessage("go"))
            await bench.change(handle, bench.delete("a", text))
        await bench.rewind(0)
        assert (bench.folder / "a").read_bytes() == b"#!/bin/sh\r\necho\n"
        assert (bench.folder / "a").stat().st_mode & 0o777 == 0o755

    async def test_a_moved_file_goes_home(self, bench: Bench):
        bench.write(a="text\n")
        with bench.hold() as handle:
            handle.append(UserMessage("go"))
            await bench.change(handle, bench.move("a", "b", "text\n"))
        assert bench.files() == {"b": "text\n"}
        assert bench.names(await bench.rewind(0)) == (["a", "b"], [])
        assert bench.files() == {"a": "text\n"}

    async def test_bytes_that_no_text_tells_apart_come_back(self, bench: Bench):
        original = b"\xef\xbb\xbfone\r\ntwo\rthree\n"
        (bench.folder / "a").write_bytes(original)
        before = original.decode("utf-8-sig")
        with bench.hold() as handle:
            handle.append(UserMessage("go"))
            await bench.change(handle, bench.edit("a", before, before.replace("two", "2")))
        await bench.rewind(0)
        assert (bench.folder / "a").read_bytes() == original


class TestUndo:
    async def test_everything_is_as_before_the_rewind(self, bench: Bench):
        await two_edits(bench)
        said = bench.said()
        result = await bench.rewind(2)
        undone = await bench.undo(result.rewind_id)
        assert bench.files() == {"a": "three\n", "b": "new\n"}
        assert bench.said() == said
        assert bench.names(undone) == (["a", "b"], [])

    async def test_it_can_be_undone_in_turn(self, bench: Bench):
        await two_edits(bench)
        result = await bench.rewind(2)
        undone = await bench.undo(result.rewind_id)
        await bench.undo(undone.rewind_id)
        assert bench.files() == {"a": "two\n"}
        assert bench.said() == ["first", "", "done"]

    async def test_once_is_enough(self, bench: Bench):
        await two_edits(bench)
        result = await bench.rewind(2)
        await bench.undo(result.rewind_id)
        with pytest.raises(InvalidRequestError, match="already"):
            await bench.undo(result.rewind_id)

    async def test_work_done_since_is_a_conflict_and_stays(self, bench: Bench):
        await two_edits(bench)
        result = await bench.rewind(2)
        with bench.hold() as handle:
            await bench.change(handle, bench.edit("a", "two\n", "other\n"))
        undone = await bench.undo(result.rewind_id)
        assert bench.names(undone) == (["b"], ["a"])
        assert bench.files() == {"a": "other\n", "b": "new\n"}

    async def test_forced_it_overwrites_what_was_changed_since_and_that_can_be_undone(self, bench: Bench):
        await two_edits(bench)
        result = await bench.rewind(2)
        bench.write(a="mine\n")
        undone = await bench.undo(result.rewind_id, force=True)
        assert bench.names(undone) == (["a", "b"], [])
        assert bench.files() == {"a": "three\n", "b": "new\n"}
        await bench.undo(undone.rewind_id)
        assert bench.files() == {"a": "mine\n"}

    async def test_forced_later_it_puts_back_what_was_left_alone_and_nothing_else(self, bench: Bench):
        await two_edits(bench)
        result = await bench.rewind(2)
        bench.write(a="mine\n")
        await bench.undo(result.rewind_id)
        with bench.hold() as handle:
            handle.append(UserMessage("going on"))
        bench.write(b="mine too\n")
        said = bench.said()
        undone = await bench.undo(result.rewind_id, force=True)
        assert bench.names(undone) == (["a"], [])
        assert bench.files() == {"a": "three\n", "b": "mine too\n"}
        assert bench.said()[:-1] == said
        assert "brought back" in bench.said()[-1]
        with pytest.raises(InvalidRequestError, match="already"):
            await bench.undo(result.rewind_id, force=True)

    async def test_messages_said_since_stay_in_the_session_but_not_in_the_conversation(self, bench: Bench):
        await two_edits(bench)
        result = await bench.rewind(2)
        with bench.hold() as handle:
            handle.append(UserMessage("another way"))
        await bench.undo(result.rewind_id)
        with bench.hold() as handle:
            assert handle.append(UserMessage("going on")) == 7
        assert bench.said() == ["first", "", "done", "second", "", "done", "going on"]

    async def test_files_alone_come_back_and_the_model_is_told(self, bench: Bench):
        await two_edits(bench)
        result = await bench.rewind(2, conversation=False)
        await bench.undo(result.rewind_id)
        assert bench.files() == {"a": "three\n", "b": "new\n"}
        assert "brought back" in bench.said()[-1]

    async def test_an_unknown_one_is_told(self, bench: Bench):
        with pytest.raises(InvalidRequestError, match="no rewind"):
            await bench.undo("nope")


class TestSeveral:
    async def test_rewinding_twice_goes_further_back(self, bench: Bench):
        await two_edits(bench)
        await bench.rewind(2)
        await bench.rewind(0)
        assert bench.files() == {"a": "one\n"}
        assert bench.said() == ["first"]

    async def test_files_alone_and_then_both_is_no_conflict(self, bench: Bench):
        await two_edits(bench)
        await bench.rewind(2, conversation=False)
        result = await bench.rewind(2)
        assert bench.names(result) == ([], [])
        assert bench.files() == {"a": "two\n"}

    async def test_files_left_ahead_can_be_fetched_back_later(self, bench: Bench):
        """The conversation went back alone; a later rewind to the same point takes the files there too."""
        await two_edits(bench)
        await bench.rewind(2, files=False)
        await bench.rewind(2)
        assert bench.files() == {"a": "two\n"}

    async def test_a_rewind_after_another_course_takes_both_courses_back(self, bench: Bench):
        await two_edits(bench)
        await bench.rewind(2)
        with bench.hold() as handle:
            handle.append(UserMessage("another way"))
            await bench.change(handle, bench.edit("a", "two\n", "drei\n"), bench.create("c", "c\n"))
        await bench.rewind(0)
        assert bench.files() == {"a": "one\n"}


class TestHolding:
    async def test_a_session_at_work_is_busy(self, bench: Bench):
        await two_edits(bench)
        with bench.hold(), pytest.raises(SessionBusyError):
            await bench.rewind(2)
        assert bench.files() == {"a": "three\n", "b": "new\n"}

    async def test_an_unknown_session_is_told(self, bench: Bench):
        with pytest.raises(SessionNotFoundError):
            await rewind(bench.store, bench.workspace, "nope", -1, new_id=bench.new_id, holder="x")

    async def test_it_is_free_again_afterwards(self, bench: Bench):
        await two_edits(bench)
        await bench.rewind(2)
        bench.hold().close()


class Flaky(DiskWorkspace):
    """Fails at the nth restore."""

    def __init__(self, roots: Sequence[Root], fail_at: int, error: BaseException) -> None:
        super().__init__(roots)
        self._left = fail_at
        self._error = error

    async def restore(self, wanted: Snapshot, expected: Snapshot | None) -> str | None:
        self._left -= 1
        if self._left == 0:
            raise self._error
        return await super().restore(wanted, expected)


async def test_a_rewind_that_breaks_off_can_be_taken_up_again(bench: Bench):
    """The first file was put back, then the process was told to stop."""
    await two_edits(bench)
    steady = bench.workspace
    bench.workspace = Flaky(steady.roots, 2, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        await bench.rewind(2)
    assert bench.files() == {"a": "three\n"}
    assert len(bench.said()) == 6
    bench.workspace = steady
    result = await bench.rewind(2)
    assert bench.names(result) == (["a"], [])
    assert bench.files() == {"a": "two\n"}


async def test_what_a_broken_rewind_did_can_be_undone(bench: Bench):
    await two_edits(bench)
    steady = bench.workspace
    bench.workspace = Flaky(steady.roots, 2, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        await bench.rewind(2)
    bench.workspace = steady
    await bench.undo("w1")
    assert bench.files() == {"a": "three\n", "b": "new\n"}


async def test_what_a_call_that_died_may_have_written_is_taken_back(bench: Bench):
    """Killed between the write and the result."""
    bench.write(a="one\n")
    with bench.hold() as handle:
        handle.append(UserMessage("go"))
        handle.append(AssistantMessage("", (call(1, "edit_file"),)))
        await handle.checkpoint(call(1), (bench.edit("a", "one\n", "two\n"), bench.create("b", "new\n")))
        handle.mark_started(call(1), durable=True)
        bench.write(a="two\n")
    result = await bench.rewind(0)
    assert bench.files() == {"a": "one\n"}
    assert bench.names(result) == (["a"], [])


async def test_what_commands_did_is_not_covered_and_told(bench: Bench):
    with bench.hold() as handle:
        messages: list[Message] = [UserMessage("go"), AssistantMessage("", (call(1, "run_command"),))]
        for message in messages:
            handle.append(message)
        handle.mark_started(call(1), durable=True)
        handle.append(ToolMessage("c1", "done"))
    assert (await bench.rewind(0)).uncovered == ("run_command",)
