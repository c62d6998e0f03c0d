"""Going back where nobody sees the editor: what stands unsaved in its buffers is told, never taken for back (S7, W2)."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from steersman.agent.changes import ChangeSummary, text_digest
from steersman.agent.messages import AssistantMessage, ToolMessage, UserMessage
from steersman.rewind import UNSAVED_EDIT_REASON, UNSAVED_THEN_REASON
from steersman.sessions.checkpoints import text_state
from steersman.sessions.handle import SessionHandle
from steersman_tools.kit.disk import DiskWorkspace
from steersman_tools.kit.workspace import Snapshot
from support.rewind_bench import Bench
from support.session_store import Stores, call


class SeeingWorkspace(DiskWorkspace):
    """The disk as an editor's workspace has it where nothing is open."""

    sees_buffers = True


class Editing:
    """A session in an editor in which ``a`` is open; no edit reaches the disk before it is saved."""

    def __init__(self, bench: Bench, buffer: str) -> None:
        self.bench = bench
        self.buffer = buffer
        self.count = 0

    @asynccontextmanager
    async def session(self) -> AsyncGenerator[SessionHandle]:
        async def snapshot(path: str) -> Snapshot:
            return replace(await self.bench.workspace.snapshot(path), buffer=self.buffer)

        with self.bench.store.acquire(self.bench.session_id, "editor", snapshot=snapshot) as handle:
            handle.append(UserMessage("go"))
            yield handle

    async def edit(self, handle: SessionHandle, text: str, *, save: bool = False) -> None:
        """Let a call make the buffer this text."""
        self.count += 1
        asked, path = call(self.count, "edit_file"), self.bench.path("a")
        handle.append(AssistantMessage("", (asked,)))
        await handle.checkpoint(asked, (self.bench.edit("a", self.buffer, text),))
        handle.mark_started(asked, durable=True)
        self.buffer = text
        if save:
            self.bench.write(a=text)
        changes = (ChangeSummary(path, "edit", 1, 1, saved=save),)
        handle.append(ToolMessage(asked.id, "done", changes=changes, seen={path: text_digest(text)}))


@pytest.fixture
def bench(stores: Stores) -> Bench:
    made = Bench.over(stores)
    made.write(a="one\n")
    return made


async def edited(bench: Bench, *texts: str, buffer: str = "one\n") -> None:
    """Edit the buffer to these texts, one call each, and save nothing."""
    editing = Editing(bench, buffer)
    async with editing.session() as handle:
        for text in texts:
            await editing.edit(handle, text)


@pytest.mark.parametrize("force", [False, True])
async def test_an_edit_that_was_never_saved_is_told_and_the_conversation_goes_back(bench: Bench, force: bool):
    await edited(bench, "two\n", "three\n")
    result = await bench.rewind(-1, force=force)
    assert result.restored == ()
    assert [(each.path, each.reason, each.never_saved) for each in result.conflicts] == [
        (bench.path("a"), UNSAVED_EDIT_REASON, True)
    ]
    assert (bench.files(), bench.said()) == ({"a": "one\n"}, [])


async def test_a_dry_run_tells_it_too_and_shows_no_change(bench: Bench):
    await edited(bench, "two\n")
    preview = await bench.preview(-1)
    assert ([each.never_saved for each in preview.conflicts], preview.files) == ([True], ())


async def test_an_edit_that_was_saved_since_is_put_back(bench: Bench):
    await edited(bench, "two\n")
    bench.write(a="two\n")
    assert bench.names(await bench.rewind(-1)) == (["a"], [])
    assert bench.files() == {"a": "one\n"}


async def test_an_edit_that_was_saved_and_changed_since_is_an_ordinary_conflict(bench: Bench):
    await edited(bench, "two\n")
    bench.write(a="two and more\n")
    result = await bench.rewind(-1)
    assert [each.never_saved for each in result.conflicts] == [False]


async def test_what_was_saved_after_a_later_edit_is_no_longer_unsaved(bench: Bench):
    editing = Editing(bench, "one\n")
    async with editing.session() as handle:
        await editing.edit(handle, "two\n")
        await editing.edit(handle, "three\n", save=True)
    bench.write(a="one\n")
    assert bench.names(await bench.rewind(-1)) == ([], [])


async def test_an_edit_on_a_branch_that_was_left_counts_as_well(bench: Bench):
    await edited(bench, "two\n")
    await bench.rewind(-1)
    with bench.hold() as handle:
        handle.append(UserMessage("another way"))
    result = await bench.rewind(-1)
    assert [each.never_saved for each in result.conflicts] == [True]


async def test_an_edit_before_that_point_is_not_spoken_of(bench: Bench):
    await edited(bench, "two\n")
    with bench.hold() as handle:
        handle.append(UserMessage("and now"))
    assert bench.names(await bench.rewind(2)) == ([], [])


async def test_an_editor_knows_that_a_closed_document_holds_nothing(bench: Bench):
    await edited(bench, "two\n")
    bench.workspace = SeeingWorkspace(bench.workspace.roots)
    assert bench.names(await bench.rewind(-1)) == ([], [])


class TestTextThatThePersonHadNotSaved:
    async def test_it_is_a_conflict_that_says_where_the_text_stood(self, bench: Bench):
        await edited(bench, "typed\nTWO\n", buffer="typed\none\n")
        result = await bench.rewind(-1)
        assert [(each.reason, each.never_saved) for each in result.conflicts] == [(UNSAVED_THEN_REASON, False)]
        assert bench.files() == {"a": "one\n"}

    async def test_forcing_it_writes_that_text_to_the_disk_as_a_dry_run_shows(self, bench: Bench):
        await edited(bench, "typed\nTWO\n", buffer="typed\none\n")
        (shown,) = (await bench.preview(-1)).files
        assert (shown.change.before, shown.change.after, shown.conflict) == (
            "one\n",
            "typed\none\n",
            UNSAVED_THEN_REASON,
        )
        assert bench.names(await bench.rewind(-1, force=True)) == (["a"], [])
        assert bench.files() == {"a": "typed\none\n"}


async def test_undoing_an_editor_s_rewind_claims_nothing_of_a_buffer_that_nobody_sees(bench: Bench):
    await edited(bench, "two\n")
    with bench.store.acquire(bench.session_id, "editor") as handle:
        plan = handle.plan_rewind(-1)
        now = Snapshot(bench.path("a"), b"one\n", plan.restores[0].wanted.mode, "two\n")
        await handle.begin_rewind("r1", plan, [(now, plan.restores[0].wanted)])
        handle.finish_rewind("r1", plan, {bench.path("a"): text_state("one\n")})
    undone = await bench.undo("r1")
    assert (undone.restored, [each.reason for each in undone.conflicts]) == ((), [UNSAVED_THEN_REASON])
    assert (bench.files(), len(bench.said())) == ({"a": "one\n"}, 3)
