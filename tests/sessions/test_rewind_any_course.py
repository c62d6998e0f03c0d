"""Any mix of changes, rewinds and undos: going back to a message always gives the files as they were when it was said."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.agent.changes import Change, ChangeSummary, text_digest
from steersman.agent.messages import AssistantMessage, ToolMessage, UserMessage
from steersman.rewind import rewind, undo_rewind
from steersman.sessions.store import SessionStore
from steersman_tools.kit.workspace import Document, FileMissingError, Location, Root, Snapshot
from support.session_store import CountingIds, TickingClock, call

ROOT = Root("w", Path("/w"))


@dataclass
class Files:
    """As much of a workspace as a rewind needs, in memory."""

    texts: dict[str, str] = field(default_factory=dict[str, str])

    def locate(self, path: str) -> Location:
        return Location(Path(path), ROOT, path)

    async def read(self, location: Location) -> Document:
        text = self.texts.get(str(location.path))
        if text is None:
            raise FileMissingError("nothing there")
        return Document(location, text, text_digest(text))

    async def snapshot(self, path: str) -> Snapshot:
        text = self.texts.get(path)
        return Snapshot(path, None if text is None else text.encode(), None if text is None else 0o644, None)

    async def restore(self, wanted: Snapshot, expected: Snapshot | None) -> str | None:
        assert expected is not None
        assert (await self.snapshot(wanted.path)).data == expected.data
        if wanted.data is None:
            self.texts.pop(wanted.path, None)
        else:
            self.texts[wanted.path] = wanted.data.decode()
        return None


class Course:
    """A session, its files, and the files as they were at each message."""

    def __init__(self) -> None:
        self.store = SessionStore.in_memory(Path("/w"), clock=TickingClock(), new_id=CountingIds())
        self.session_id = self.store.create("go").id
        self.files = Files()
        self.at: dict[int, dict[str, str]] = {-1: {}}
        self.rewinds: list[tuple[str, dict[str, str], list[int]]] = []
        self.ids = CountingIds("w")

    def numbers(self) -> list[int]:
        return [each.seq for each in self.store.messages(self.session_id)]

    async def say(self) -> None:
        with self.store.acquire(self.session_id, "run") as handle:
            self.at[handle.append(UserMessage("say"))] = dict(self.files.texts)

    async def change(self, path: str, text: str | None) -> None:
        before = self.files.texts.get(path)
        kind: Any = "delete" if text is None else "create" if before is None else "edit"
        if text is None and before is None:
            return
        with self.store.acquire(self.session_id, "run", snapshot=self.files.snapshot) as handle:
            handle.append(AssistantMessage("", (call(1),)))
            await handle.checkpoint(call(1), (Change(path, kind, "x", before, text),))
            handle.mark_started(call(1), durable=True)
            if text is None:
                del self.files.texts[path]
            else:
                self.files.texts[path] = text
            seen = {} if text is None else {path: text_digest(text)}
            seq = handle.append(ToolMessage("c1", "", changes=(ChangeSummary(path, kind, 1, 1),), seen=seen))
            self.at[seq] = dict(self.files.texts)

    async def rewind(self, point: int, files: bool, conversation: bool) -> None:
        numbers = self.numbers()
        target = ([-1, *numbers])[point % (len(numbers) + 1)]
        before = dict(self.files.texts)
        result = await rewind(
            self.store, self.files, self.session_id, target, new_id=self.ids, holder="r",  # pyright: ignore[reportArgumentType]
            files=files, conversation=conversation,
        )  # fmt: skip
        assert result.conflicts == ()
        assert self.files.texts == (self.at[result.last_kept] if files else before)
        kept = [seq for seq in numbers if seq <= result.last_kept]
        added = [seq for seq in self.numbers() if seq not in numbers]
        assert self.numbers() == ((kept if conversation else numbers) + added)
        self.at |= {seq: dict(self.files.texts) for seq in added}
        self.rewinds.append((result.rewind_id, before, numbers))

    async def undo(self) -> None:
        """Take back the latest rewind, if nothing was done since."""
        rewind_id, before, numbers = self.rewinds.pop()
        await undo_rewind(self.store, self.files, rewind_id, new_id=self.ids, holder="u")  # pyright: ignore[reportArgumentType]
        assert self.files.texts == before
        now = self.numbers()
        assert now[: len(numbers)] == numbers
        self.at |= {seq: dict(self.files.texts) for seq in now if seq not in self.at}


changes = st.tuples(st.just("change"), st.sampled_from(["/w/a", "/w/b"]), st.sampled_from(["1", "2", "3", None]))
rewinds = st.tuples(
    st.just("rewind"), st.integers(0, 20), st.sampled_from([(True, True), (True, False), (False, True)])
)
steps = st.lists(changes | rewinds | st.tuples(st.just("say")) | st.tuples(st.just("undo")), min_size=3, max_size=14)


@given(steps)
@settings(max_examples=80, deadline=None)
def test_going_back_gives_the_files_of_that_moment(course: list[tuple[Any, ...]]):
    async def run() -> None:
        made = Course()
        last = ""
        for kind, *how in course:
            if kind == "change":
                await made.change(how[0], how[1])
            elif kind == "say":
                await made.say()
            elif kind == "rewind":
                await made.rewind(how[0], *how[1])
            elif last == "rewind":
                await made.undo()
            last = kind
        made.store.close()

    asyncio.run(run())
