"""The loop's own cost: from the model's answer to the next request, over real HTTP.

The server is a process of its own, as an editor starts it: a durable session, every event sent to a client that reads.
The scripted model answers at once with a ``read_file`` call, 200 times, and then with a text. The floor is a loop of
httpx and JSON alone (``bare_reader.py``): what is above it are the ledger, the tool, the events and the checks.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.floors import bare
from benchmarks.model import Model, plant, reading_calls, scripted_model
from benchmarks.processes import clean_environment
from benchmarks.rows import Row, Suite, at_most, ratio_at_most
from benchmarks.server import server

TURNS = 200
EDGE = 10
ROUNDS = 3


@dataclass
class Gaps:
    """The gaps of several runs."""

    first: list[float] = field(default_factory=list[float])
    last: list[float] = field(default_factory=list[float])
    all: list[float] = field(default_factory=list[float])
    cpu: list[float] = field(default_factory=list[float])

    def add(self, gaps: list[float], cpu: float) -> None:
        """Add one run."""
        self.first += gaps[:EDGE]
        self.last += gaps[-EDGE:]
        self.all += gaps
        self.cpu.append(cpu / len(gaps))


async def one_run(model: Model, folder: Path, found: Gaps) -> None:
    """Let a fresh server do a run of 200 turns, after a small one that imports what a run needs."""
    name, first = model.open(calls=reading_calls(TURNS), pieces=["Done."]), model.open(pieces=["Ready."])
    environ = clean_environment(folder, **model.environ(name))
    (folder / "config.toml").write_text(
        f'[providers.first]\nkind = "openai-chat"\nbaseUrl = "{model.origin(first)}/v1"\n', encoding="utf-8"
    )
    async with server(environ) as ours:
        await ours.initialize(plant(folder / "ws"))
        await ours.run(model="first/scripted")
        before = ours.cpu
        result = await ours.run()
        found.add(model.take(name).gaps, ours.cpu - before)
        assert result["turns"] == TURNS + 1, result


def rows() -> Iterator[Row]:
    """Measure the loop and the bare loop in turn."""
    ours, floor = Gaps(), Gaps()
    with scripted_model() as model:
        for _ in range(ROUNDS):
            name = model.open(calls=reading_calls(TURNS), pieces=["Done."])
            took = bare("loop", model, name)
            floor.add(model.take(name).gaps, took.cpu)
            with tempfile.TemporaryDirectory() as folder:
                asyncio.run(one_run(model, Path(folder), ours))
    middle = statistics.median
    yield Row(f"gap, first {EDGE} turns", middle(ours.first), middle(floor.first))
    yield Row(f"gap, last {EDGE} of {TURNS} turns", middle(ours.last), middle(floor.last))
    yield Row(
        f"gap, all {TURNS} turns", middle(ours.all), middle(floor.all), target=at_most(0.003), note=spread(ours.all)
    )
    yield Row("CPU a turn, client's reading left out", middle(ours.cpu), middle(floor.cpu))
    last, first = f"gap, last {EDGE} (ours) beside first {EDGE}", middle(ours.first)
    yield Row(last, middle(ours.last), first, target=ratio_at_most(1.3))
    yield Row("  the same of the bare loop", middle(floor.last), middle(floor.first))


def spread(numbers: list[float]) -> str:
    """Return how they are spread, in milliseconds."""
    tenths = statistics.quantiles(numbers, n=10)
    return f"p10 {tenths[0] * 1e3:.2f} ms, p90 {tenths[-1] * 1e3:.2f} ms, longest {max(numbers) * 1e3:.1f} ms"


SUITE = Suite("loop", "The loop's own cost between reply and next request", "a loop of httpx and JSON alone", rows)
