"""Memory: a server at rest beside a bare pygls server, and what it grows by with work beside the work's own size.

Each kind of work is done four times in the same server. The first time, buffers and caches reach their size; what a later
time adds (the median of three) would be added every time: a conversation that has ended is on the disk, not in memory.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path

from benchmarks.model import Model, plant, reading_calls, scripted_model
from benchmarks.processes import clean_environment
from benchmarks.providers import configured
from benchmarks.rows import Row, Suite, Unit, at_most, ratio_at_most
from benchmarks.server import BARE_SERVER, Server, server

ROUNDS = 3
TIMES = 4
TURNS, SESSIONS, DELTAS = 200, 20, 100_000
NOISE = 2_000_000
TEXT = [f"word{number} " for number in range(DELTAS)]


async def idle(environ: Mapping[str, str], folder: Path, argv: tuple[str, ...] | None = None) -> int:
    """Return what a server holds when it has been initialized and has done all that follows."""
    async with server(environ, argv) if argv else server(environ) as found:
        await found.initialize(folder)
        if argv is None:
            await found.status()
        else:
            await found.client.request("shutdown")
        return found.resident


async def work(ours: Server, model: Model, scripts: Mapping[str, str]) -> AsyncIterator[tuple[str, int, int, int]]:
    """Do each kind of work again and again; yield (what, growth the first time, growth a later time, its own size)."""
    for name, prompts in (("turns", 1), ("sessions", SESSIONS), ("deltas", 1)):
        grown: list[int] = []
        for _ in range(TIMES):
            before = ours.resident
            for number in range(prompts):
                await ours.run(f"Do it, {number}.", model=f"{name}/scripted")
            await ours.status()
            grown.append(ours.resident - before)
        sizes = model.take(scripts[name]).sizes
        own = {"turns": sizes[-1], "sessions": sum(sizes) // TIMES, "deltas": sum(map(len, TEXT))}[name]
        yield name, grown[0], round(statistics.median(grown[1:])), own


async def grow(folder: Path, model: Model) -> list[tuple[str, int, int, int]]:
    """Do all the work in one server."""
    scripts = {
        "first": model.open(calls=reading_calls(3), pieces=["Ready."]),
        "turns": model.open(calls=[*reading_calls(TURNS), ("", "")] * TIMES, pieces=["Done."]),
        "sessions": model.open(pieces=["word "] * 100),
        "deltas": model.open(pieces=TEXT),
    }
    async with server(configured(folder, model, scripts)) as ours:
        await ours.initialize(plant(folder / "ws"))
        await ours.run(model="first/scripted")
        return [found async for found in work(ours, model, scripts)]


def rows() -> Iterator[Row]:
    """Measure all of it."""
    bare: list[int] = []
    ours: list[int] = []
    with tempfile.TemporaryDirectory() as name, scripted_model() as model:
        folder = Path(name)
        environ = clean_environment(folder)
        for _ in range(ROUNDS):
            bare.append(asyncio.run(idle(environ, folder, BARE_SERVER)))
            ours.append(asyncio.run(idle(environ, folder)))
        middle = statistics.median
        yield Row("idle, after the handshake", middle(ours), middle(bare), Unit.BYTES, ratio_at_most(1.5))
        titles = {
            "turns": f"a run of {TURNS} turns",
            "sessions": f"{SESSIONS} sessions",
            "deltas": f"{DELTAS:,} deltas",
        }
        for kind, first, again, own in asyncio.run(grow(folder, model)):
            note = f"the first time {Unit.BYTES.write(first)}"
            limit = at_most(own + NOISE)
            yield Row(f"grown by {titles[kind]}, done again", again, own, Unit.BYTES, limit, note)


SUITE = Suite("memory", "Memory", "a bare pygls server; the conversation's own size", rows)
