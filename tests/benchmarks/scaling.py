"""How cost grows: CPU time of a server against turns, the size of a message, sessions and open documents.

Each amount doubles the one before, in a fresh server that has already done a small run. The exponent of the nearest power
law through the last three is printed, where what is paid once weighs least; 1 means in proportion. Each curve is drawn
beside its straight line in ``build/bench/``.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.model import Model, plant, reading_calls, scripted_model
from benchmarks.plot import Point, fit, plot
from benchmarks.providers import configured
from benchmarks.rows import Row, Suite, Unit, at_most
from benchmarks.server import Server, server

FIGURES = Path("build/bench")
ROUNDS = 2
PIECE = "a sentence of some fifty characters, more or less. "
LAST = 3
PROPORTIONATE = at_most(1.1)


@dataclass(frozen=True, slots=True)
class Curve:
    """What grows.

    Attributes:
        name: of the picture's file.
        title: what it costs, in words.
        counted: what n counts.
        amounts: the values of n.
        script: the model's script for an amount.
        work: does the work of an amount in a server; its runs use ``curve/scripted``.
    """

    name: str
    title: str
    counted: str
    amounts: Sequence[int]
    script: Callable[[int], dict[str, object]]
    work: Callable[[Server, Path, int], Awaitable[object]]


async def one_run(ours: Server, _folder: Path, _amount: int) -> None:
    """Do one run."""
    await ours.run(model="curve/scripted")


async def many_sessions(ours: Server, _folder: Path, amount: int) -> None:
    """Do a run in a session of its own, so many times, and list them as an editor's panel does after each."""
    for number in range(amount):
        await ours.run(f"Do it, {number}.", model="curve/scripted")
        await ours.client.command("steersman.sessions.list", {"limit": 20})


async def many_documents(ours: Server, folder: Path, amount: int) -> None:
    """Open so many documents, change each once, and do a run of five turns among them."""
    text = "".join(f"line {number} of a document\n" for number in range(80))
    start = {"line": 0, "character": 0}
    for number in range(amount):
        uri = (folder / f"open{number}.py").as_uri()
        item = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        ours.client.notify("textDocument/didOpen", {"textDocument": item})
        change = {"range": {"start": start, "end": start}, "text": "# new\n"}
        document = {"uri": uri, "version": 2}
        ours.client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    await ours.run(model="curve/scripted")


CURVES = (
    Curve(
        "turns",
        "A run of n turns",
        "turns",
        (25, 50, 100, 200, 400),
        lambda amount: {"calls": reading_calls(amount), "pieces": ["Done."]},
        one_run,
    ),
    Curve(
        "message-size",
        "An answer of n characters, streamed",
        "characters",
        (125_000, 250_000, 500_000, 1_000_000, 2_000_000),
        lambda amount: {"pieces": [PIECE] * (amount // len(PIECE))},
        one_run,
    ),
    Curve(
        "sessions",
        "n sessions of one run, each listed after it",
        "sessions",
        (10, 20, 40, 80, 160),
        lambda _: {"pieces": ["Done."]},
        many_sessions,
    ),
    Curve(
        "open-documents",
        "n documents opened and changed, and a run among them",
        "open documents",
        (100, 200, 400, 800, 1600),
        lambda _: {"calls": reading_calls(4), "pieces": ["Done."]},
        many_documents,
    ),
)


async def cost(curve: Curve, amount: int, model: Model, folder: Path) -> float:
    """Return the CPU seconds of one amount."""
    scripts = {
        "first": model.open(calls=reading_calls(2), pieces=["Ready."]),
        "curve": model.open(**curve.script(amount)),
    }
    workspace = plant(folder / "ws")
    async with server(configured(folder, model, scripts)) as ours:
        await ours.initialize(workspace)
        await ours.run(model="first/scripted")
        await ours.status()
        before = ours.cpu
        await curve.work(ours, workspace, amount)
        await ours.status()
        return ours.cpu - before


def points_of(curve: Curve, model: Model) -> list[Point]:
    """Return the curve: the better of two rounds at each amount, the rounds one after the other."""
    found: dict[int, float] = {}
    for _ in range(ROUNDS):
        for amount in curve.amounts:
            with tempfile.TemporaryDirectory() as folder:
                took = asyncio.run(cost(curve, amount, model, Path(folder)))
            found[amount] = min(took, found.get(amount, took))
    return [(float(amount), found[amount]) for amount in curve.amounts]


def rows() -> Iterator[Row]:
    """Measure, draw and fit every curve."""
    FIGURES.mkdir(parents=True, exist_ok=True)
    with scripted_model() as model:
        for curve in CURVES:
            points = points_of(curve, model)
            picture = plot(points, LAST, title=curve.title, x_label=curve.counted, y_label="CPU time of the server")
            target = FIGURES / f"{curve.name}.svg"
            target.write_text(picture, encoding="utf-8")
            told = ", ".join(f"{x:,.0f}: {Unit.SECONDS.write(y)}" for x, y in points)
            exponent = fit(points[-LAST:]).exponent
            yield Row(f"CPU against {curve.counted}", exponent, None, Unit.EXPONENT, PROPORTIONATE, f"{told}; {target}")


SUITE = Suite("scaling", "Growth", "cost in proportion, n^1", rows)
