"""Streaming: 20,000 text deltas at full speed through model, loop, events and LSP to a client.

A first run measures how fast; a second one is disturbed: a client asks ``steersman.status`` all the while, one request
after the other, and the longest answer counts. The floor is httpx and JSON reading the same stream.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.floors import Bare, bare
from benchmarks.model import Model, scripted_model
from benchmarks.processes import clean_environment
from benchmarks.rows import Row, Suite, Unit, at_least, at_most
from benchmarks.server import Server, server

DELTAS = 20_000
ROUNDS = 3
PIECES = [f"word{number} " for number in range(DELTAS)]
TEXT = "".join(PIECES)


@dataclass
class Streams:
    """What the rounds gave."""

    wall: list[float] = field(default_factory=list[float])
    cpu: list[float] = field(default_factory=list[float])
    a_second: list[int] = field(default_factory=list[int])
    notifications: list[int] = field(default_factory=list[int])
    delays: list[float] = field(default_factory=list[float])
    longest: list[float] = field(default_factory=list[float])
    quiet: list[float] = field(default_factory=list[float])


def busiest_second(times: Sequence[float]) -> int:
    """Return the most that fell within any one second."""
    return max(sum(1 for time_ in times if start <= time_ < start + 1) for start in times)


async def ask_all_the_while(ours: Server, running: asyncio.Future[object]) -> list[float]:
    """Return how long each status request took until the run had ended."""
    delays: list[float] = []
    while not running.done():
        began = time.perf_counter()
        await ours.status()
        delays.append(time.perf_counter() - began)
        await asyncio.sleep(0.001)
    return delays


async def one_round(model: Model, folder: Path, found: Streams) -> None:
    """Measure one server."""
    name = model.open(pieces=PIECES)
    folder.joinpath("ws").mkdir()
    async with server(clean_environment(folder, **model.environ(name))) as ours:
        await ours.initialize(folder / "ws")
        await ours.run("Warm up.")
        before, began = ours.cpu, time.perf_counter()
        result = await ours.start_run().answer
        found.wall.append(time.perf_counter() - began)
        found.cpu.append(ours.cpu - before)
        texts = [(when, event["text"]) for when, event in ours.arrivals if event["type"] == "text_delta"]
        assert "".join(text for _, text in texts) == result["answer"] == TEXT, "a delta was lost"
        found.notifications.append(len(texts))
        found.a_second.append(busiest_second([when for when, _ in texts]))
        found.quiet += await ask_for_a_while(ours)
        running = ours.start_run()
        delays = await ask_all_the_while(ours, running.answer)
        found.delays += delays
        found.longest.append(max(delays))


async def ask_for_a_while(ours: Server, times: int = 100) -> list[float]:
    """Return how long a status request takes when nothing else happens."""
    delays: list[float] = []
    for _ in range(times):
        began = time.perf_counter()
        await ours.status()
        delays.append(time.perf_counter() - began)
    return delays


def rows() -> Iterator[Row]:
    """Measure the server and the bare reader in turn."""
    ours = Streams()
    floors: list[Bare] = []
    with scripted_model() as model:
        for _ in range(ROUNDS):
            floors.append(bare("stream", model, model.open(pieces=PIECES)))
            assert floors[-1].chars == len(TEXT)
            with tempfile.TemporaryDirectory() as folder:
                asyncio.run(one_round(model, Path(folder), ours))
    middle = statistics.median
    floor_rate = DELTAS / middle(floor.wall for floor in floors)
    yield Row("text deltas a second", DELTAS / middle(ours.wall), floor_rate, Unit.PER_SECOND, at_least(2000))
    yield Row("CPU for 20,000 deltas", middle(ours.cpu), middle(floor.cpu for floor in floors))
    note = f"{middle(ours.notifications):,.0f} notifications carried {DELTAS:,} deltas, and no character was lost"
    yield Row("notifications in the busiest second", max(ours.a_second), None, Unit.COUNT, at_most(30), note=note)
    yield Row("a status request meanwhile, median", middle(ours.delays), middle(ours.quiet))
    yield Row("a status request meanwhile, longest", middle(ours.longest), max(ours.quiet), target=at_most(0.05))


SUITE = Suite("streaming", "Streaming, 20,000 text deltas at full speed", "a bare SSE reader (httpx and JSON)", rows)
