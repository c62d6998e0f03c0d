"""A thousand runs in one server: nothing of them stays behind but their conversations (issue "Fast", DESIGN §8).

Eight at once, each of another kind: answered, edited, refused, failed, cancelled while it streams and while it asks, a
command. What is left is counted after two hundred runs and after a thousand: tasks, threads, descriptors, locks, bytes.
"""

import asyncio
import gc
import linecache
import sys
import threading
import tracemalloc
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from steersman.agent.errors import UnavailableError
from steersman.agent.messages import ToolMessage, UserMessage
from steersman.agent.model import ModelRequest
from steersman.models.scripted import AtGate, ScriptedReply, call, reply
from support.face import Face
from support.lsp_client import LspError, Pending

pytestmark = [pytest.mark.storm, pytest.mark.timeout(900)]

KINDS = ("answer", "edit", "refuse", "fail", "cancel", "withdraw", "command", "stream")
WARM_UP, RUNS = 200, 1000
TABLES = 2  # blocks: a table that doubled at last (the interpreter's interned names are one) is not left of each run
BYTES_A_RUN = 300  # far below the smallest conversation, and above the noise of the interpreter


def play(request: ModelRequest) -> ScriptedReply:
    """Answer by what the prompt says: ``KIND NUMBER``."""
    prompt = next(message for message in request.messages if isinstance(message, UserMessage))
    kind, number = prompt.content.split()[:2]
    if isinstance(request.messages[-1], ToolMessage):
        return reply("Done.")
    match kind:
        case "edit" | "refuse" | "withdraw":
            return reply(call("write_file", {"path": f"{kind}-{number}.txt", "content": "new\n"}))
        case "command":
            return reply(call("run_command", {"command": "echo out"}))
        case "fail":
            return reply("Half an ", UnavailableError("The provider is overloaded."))
        case "cancel":
            return reply("I am ", AtGate(prompt.content), "never done.")
        case "stream":
            return reply(*["word "] * 200)
        case _:
            return reply("Done.")


def endlessly() -> Iterator[Callable[[ModelRequest], ScriptedReply]]:
    """Yield the same answer for ever."""
    while True:
        yield play


class Soak:
    """One server and what its client does to it.

    Attributes:
        ended: how often each kind ended in each way.
    """

    def __init__(self, tmp_path: Path) -> None:
        self.face = Face(tmp_path, [endlessly()])
        self.ended: dict[tuple[str, str], int] = {}
        self._asked: dict[str, asyncio.Event] = {}
        self.face.client.on("window/showMessageRequest", self._answer)

    def _answer(self, params: Any) -> Any:
        """Answer a question by the file or command that it names."""
        if "withdraw-" in params["message"]:
            name = next(name for name in self._asked if f"{name}.txt" in params["message"])
            self._asked[name].set()
            return self.face.client.NEVER
        return {"title": "Reject" if "refuse-" in params["message"] else "Allow once"}

    async def eight(self, first: int) -> None:
        """Do eight runs at once, one of each kind, and forget what the test itself keeps of them."""
        await asyncio.gather(*(self._one(kind, first + offset) for offset, kind in enumerate(KINDS)))
        self.face.client.received.clear()
        self.face.model.requests.clear()
        self.face.model.gates._gates.clear()  # pyright: ignore[reportPrivateUsage]
        self._asked.clear()

    async def _one(self, kind: str, number: int) -> None:
        prompt = f"{kind} {number}"
        asked = self._asked.setdefault(f"{kind}-{number}", asyncio.Event()) if kind == "withdraw" else None
        arguments = {"prompt": prompt, "mode": "ask"}
        running = self.face.client.start_command("steersman.run", arguments, workDoneToken=prompt)
        if kind == "cancel":
            await self.face.model.gates[prompt].wait_reached()
            self.face.client.cancel(running)
        elif asked is not None:
            await asked.wait()
            self.face.client.cancel(running)
        ended = kind, await _ending(running)
        self.ended[ended] = self.ended.get(ended, 0) + 1


async def _ending(running: Pending) -> str:
    try:
        return (await running.answer)["stopReason"]
    except LspError as error:
        return error.data["kind"]


@pytest.fixture
async def soak(tmp_path: Path) -> AsyncIterator[Soak]:
    """A server that has been initialized."""
    made = Soak(tmp_path)
    await made.face.initialize(initializationOptions={"client": {"events": True}})
    yield made
    await made.face.close()


@contextmanager
def counted_memory() -> Generator[None]:
    """Count every byte that Python allocates meanwhile."""
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()


def allocated() -> tracemalloc.Snapshot:
    """Return what Python holds, but for the source lines of tracebacks and what counts the memory."""
    aside = [
        tracemalloc.Filter(inclusive=False, filename_pattern=name)
        for name in (str(linecache.__file__), str(tracemalloc.__file__))
    ]
    return tracemalloc.take_snapshot().filter_traces(aside)


def descriptors() -> int:
    """Return how many descriptors this process has open; 0 where the system does not show them."""
    return len(list(Path("/dev/fd").iterdir())) if sys.platform != "win32" else 0


def own_threads() -> set[str]:
    """Return the names of the threads that are nobody's pool; a pool grows to its size and stays."""
    return {thread.name for thread in threading.enumerate() if not thread.name.startswith("asyncio_")}


async def settled_tasks() -> set[str]:
    """Return what is still at work when everything that was about to end has ended."""
    for _ in range(200):
        await asyncio.sleep(0)
    await asyncio.to_thread(gc.collect)
    for _ in range(200):
        await asyncio.sleep(0)
    return {str(task.get_coro()) for task in asyncio.all_tasks() if task is not asyncio.current_task()}


async def test_a_thousand_runs_leave_no_task_thread_descriptor_or_lock_and_no_memory(soak: Soak) -> None:
    with counted_memory():
        for first in range(0, WARM_UP, len(KINDS)):
            await soak.eight(first)
        tasks, threads, files = await settled_tasks(), own_threads(), descriptors()
        before = allocated()
        for first in range(WARM_UP, RUNS, len(KINDS)):
            await soak.eight(first)
        assert {name for name in await settled_tasks() if name not in tasks} == set()
        grown = allocated().compare_to(before, "lineno")
    assert own_threads() == threads
    assert descriptors() <= files
    left = [each for each in grown if each.count_diff > TABLES]
    assert sum(each.size_diff for each in left) < BYTES_A_RUN * (RUNS - WARM_UP), "\n".join(map(str, left[:20]))
    await every_session_is_free(soak)
    each = RUNS // len(KINDS)
    good = dict.fromkeys([(kind, "complete") for kind in ("answer", "edit", "refuse", "command", "stream")], each)
    bad = {("fail", "provider_unavailable"): each, ("cancel", "aborted"): each, ("withdraw", "aborted"): each}
    assert soak.ended == good | bad


async def listed(soak: Soak, offset: int) -> Any:
    """Return a page of the list of sessions."""
    return await soak.face.client.command("steersman.sessions.list", {"limit": 500, "offset": offset})


async def every_session_is_free(soak: Soak) -> None:
    """Every conversation is kept, none is at work, and each can be taken up again."""
    sessions: list[Any] = []
    while page := (await listed(soak, len(sessions)))["sessions"]:
        sessions += page
    assert (len(sessions), {each["running"] for each in sessions}) == (RUNS, {False})
    assert (await soak.face.client.command("steersman.status"))["runs"] == []
    (engine,) = soak.face.app.engines
    store = engine.stores.of(soak.face.folder.resolve())
    for session in sessions:
        with store.acquire(session["id"], "the test"):
            pass
