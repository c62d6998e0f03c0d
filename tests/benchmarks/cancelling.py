"""Cancelling: from ``$/cancelRequest`` to the run's response, in each state that a run can stand in.

One server, the four states in turn, fifty times each. The floor is a ``steersman.status`` request on the same connection
at the same time: what any answer takes.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.model import Model, scripted_model
from benchmarks.providers import configured
from benchmarks.rows import Row, Suite, at_most
from benchmarks.server import Server, server

TIMES = 50


@dataclass(frozen=True, slots=True)
class State:
    """Where a run stands when it is cancelled: its script's provider, the event that says so, and the mode."""

    provider: str
    event: str
    mode: str
    name: str


STATES = (
    State("streaming", "text_delta", "auto", "while streaming"),
    State("asking", "approval_requested", "ask", "while waiting for approval"),
    State("retrying", "retry_waiting", "auto", "while waiting to retry"),
    State("commanding", "tool_output", "auto", "while running a command"),
)


def scripts(model: Model) -> dict[str, str]:
    """Open a script for each state."""
    write = ("write_file", json.dumps({"path": "new.txt", "content": "new\n"}))
    command = ("run_command", json.dumps({"command": "echo ready; sleep 300"}))
    return {
        "streaming": model.open(endless_s=0.004),
        "asking": model.open(calls=[write] * (TIMES + 1)),
        "retrying": model.open(status=503),
        "commanding": model.open(calls=[command] * (TIMES + 1)),
    }


async def cancelled(ours: Server, state: State) -> float:
    """Return the seconds from the cancellation to the response."""
    ours.arrivals.clear()
    ours.client.received.clear()
    running = ours.start_run(model=f"{state.provider}/scripted", mode=state.mode)
    await ours.wait_event(state.event)
    began = time.perf_counter()
    ours.client.cancel(running)
    result = await running.answer
    took = time.perf_counter() - began
    assert result["stopReason"] == "aborted", result
    return took


async def measure(folder: Path, model: Model) -> tuple[dict[str, list[float]], list[float]]:
    """Return the times of each state, and those of a status request."""
    times: dict[str, list[float]] = {state.provider: [] for state in STATES}
    floor: list[float] = []
    (folder / "ws").mkdir()
    async with server(configured(folder, model, scripts(model))) as ours:
        ours.client.on("window/showMessageRequest", lambda _: ours.client.NEVER)
        await ours.initialize(folder / "ws")
        for number in range(TIMES + 1):
            for state in STATES:
                took = await cancelled(ours, state)
                began = time.perf_counter()
                await ours.status()
                if number:  # the first of each imports
                    times[state.provider].append(took)
                    floor.append(time.perf_counter() - began)
    return times, floor


def rows() -> Iterator[Row]:
    """Measure all four."""
    with tempfile.TemporaryDirectory() as folder, scripted_model() as model:
        times, floor = asyncio.run(measure(Path(folder), model))
    for state in STATES:
        found = times[state.provider]
        ninth = statistics.quantiles(found, n=10)[-1]
        note = f"p90 {ninth * 1e3:.1f} ms, longest of {TIMES}: {max(found) * 1e3:.1f} ms"
        middle = statistics.median(found)
        yield Row(f"{state.name}, median", middle, statistics.median(floor), target=at_most(0.05), note=note)


SUITE = Suite("cancelling", "$/cancelRequest to the run's response", "a status request at the same time", rows)
