"""A morning's work as a person would have it: two runs, searches, edits, a question, a failing test, a retry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from steersman.agent.changes import ChangeSummary
from steersman.agent.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from steersman.agent.model import Usage
from steersman.sessions.records import Timing
from support.sample_session import SetClock, tool_call

if TYPE_CHECKING:
    from steersman.sessions.handle import SessionHandle
    from steersman.sessions.records import TimingKind
    from steersman.sessions.store import SessionStore

MODEL = "anthropic/claude-sonnet"

PROMPT = """\
The feed leaves out `temperature_c` when a station is down, and `parse_reading` then crashes. Make it survive that, \
and keep **zero degrees** apart from *unknown*.

<context>
The person has src/weather/parser.py (python) open in the editor.

Selected, lines 12 to 14:
```
    return Reading(
        station=row["station"],
        temperature=float(row["temperature_c"]),
```

Problems reported there:
- line 14: error: "float" is not assignable to "float | None" (pyright)
</context>"""

OLD = """\
@dataclass(frozen=True)
class Reading:
    station: str
    temperature: float


def parse_reading(row: dict[str, str]) -> Reading:
    return Reading(
        station=row["station"],
        temperature=float(row["temperature_c"]),
    )
"""
NEW = """\
@dataclass(frozen=True)
class Reading:
    station: str
    temperature: float | None  # None: the station did not say


def parse_reading(row: dict[str, str]) -> Reading:
    measured = row.get("temperature_c", "").strip()
    return Reading(
        station=row["station"],
        temperature=float(measured) if measured else None,
    )
"""
PATCH = """\
*** Begin Patch
*** Update File: src/weather/report.py
@@ def mean(readings):
-    return sum(r.temperature for r in readings) / len(readings)
+    known = [r.temperature for r in readings if r.temperature is not None]
+    return sum(known) / len(known) if known else None
*** Add File: tests/test_missing.py
+from weather.parser import parse_reading
+
+
+def test_a_station_that_is_down_has_no_temperature():
+    assert parse_reading({"station": "EDDM"}).temperature is None
+
+
+def test_zero_degrees_is_a_temperature():
+    assert parse_reading({"station": "EDDM", "temperature_c": "0"}).temperature == 0.0
*** End Patch
"""
FAILED = """\
exit code 1
..F.....                                                      [100%]
=================== FAILURES ===================
___________ test_mean_of_all_stations __________

>       return sum(r.temperature for r in readings) / len(readings)
E       TypeError: unsupported operand type(s) for +: 'float' and 'NoneType'

src/weather/report.py:8: TypeError
1 failed, 7 passed in 0.31 s
"""
ANSWER = """\
Stations that are down no longer break the feed:

- `Reading.temperature` is `None` when the feed does not say; **zero stays zero**.
- `mean` leaves such stations out, and is `None` if no station reported.
- Two new tests in `tests/test_missing.py` pin both down.

```python
>>> parse_reading({"station": "EDDM"})
Reading(station='EDDM', temperature=None)
```

All 10 tests pass. The chart in `plot.py` still draws `None` as a gap, which seems right to me.
"""


@dataclass
class Narrator:
    """Records what happens with times that add up, turn after turn."""

    handle: SessionHandle
    clock: SetClock
    run_id: str
    turn: int = 0
    context: int = 3200

    def __post_init__(self) -> None:
        self._began = self.clock.now
        self._turn_began = self.clock.now

    def person(self, text: str) -> None:
        """Record a prompt."""
        self.handle.append(UserMessage(text))

    def turn_of(self, text: str, *calls: ToolCall, waits_s: float, grows: int, thinks: str = "") -> None:
        """Record an answer after a wait; the context grows by so many tokens."""
        self._end_turn()
        self.turn += 1
        self._turn_began = self.clock.now
        self._pass("model", waits_s)
        cached, self.context = self.context if self.turn > 1 else 0, self.context + grows
        cost = (self.context - cached) * 3e-6 + cached * 3e-7 + 400 * 15e-6
        self.handle.append(AssistantMessage(text, calls, reasoning=thinks, model=MODEL))
        self.handle.add_usage(Usage(self.context, cached, 0, 400), cost, run_id=self.run_id, turn=self.turn)

    def asks(self, call: ToolCall, waits_s: float, decided: str = "allow_once") -> None:
        """Record a question and its answer."""
        self._pass("approval", waits_s, call.id, decided)

    def runs(self, call: ToolCall, result: str, takes_s: float, label: str, *changes: ChangeSummary) -> None:
        """Record a call's run and its result; one that begins with an exit code other than 0 is an error."""
        self._pass("tool", takes_s, call.id, label)
        self.handle.append(ToolMessage(call.id, result, is_error=result.startswith("exit code 1"), changes=changes))

    def retries(self, reason: str, waits_s: float) -> None:
        """Record a wait before another attempt."""
        self._pass("retry", waits_s, None, reason)

    def ends(self, outcome: str) -> None:
        """Record the run's end."""
        self._end_turn()
        self.handle.record_timing(Timing(self.run_id, 0, "run", self._began, self.clock.now, None, outcome))

    def _end_turn(self) -> None:
        if self.turn:
            span = Timing(self.run_id, self.turn, "turn", self._turn_began, self.clock.now)
            self.handle.record_timing(span)

    def _pass(self, kind: TimingKind, seconds: float, call_id: str | None = None, label: str = "") -> None:
        started = self.clock.now
        self.clock.now += seconds
        self.handle.record_timing(Timing(self.run_id, self.turn, kind, started, self.clock.now, call_id, label))


def record_showcase(store: SessionStore, clock: SetClock, folder: str) -> str:
    """Record the session; return its id."""
    session = store.create("Survive stations that are down, and keep zero apart from unknown", MODEL)
    with store.acquire(session.id, "test") as handle:
        _first_run(Narrator(handle, clock, "r1"), folder)
    clock.now += 3600
    with store.acquire(session.id, "test") as handle:
        _second_run(Narrator(handle, clock, "r2", context=9800), folder)
    return session.id


def _first_run(told: Narrator, folder: str) -> None:
    read = tool_call(1, "read_file", path="src/weather/parser.py")
    search = tool_call(2, "search", pattern="temperature", path="src", glob="*.py")
    edit = tool_call(3, "edit_file", path="src/weather/parser.py", old_text=OLD, new_text=NEW)
    test = tool_call(4, "run_command", command="python -m pytest -q")
    patch = tool_call(5, "apply_patch", patch=PATCH)
    again = tool_call(6, "run_command", command="python -m pytest -q")
    told.person(PROMPT)
    thinks = "A missing key and an empty string may both mean unknown. Zero is falsy, so the test must be on the text."
    told.turn_of("I look at the parser and at who uses it.", read, search, waits_s=4.2, grows=900, thinks=thinks)
    told.runs(read, OLD, 0.4, "read src/weather/parser.py")
    found = "\n".join(f"src/weather/{name}.py:{line}: temperature" for name, line in (("parser", 4), ("report", 8)) * 6)
    told.runs(search, found, 0.6, "search temperature")
    told.turn_of("", edit, waits_s=6.8, grows=1400)
    told.asks(edit, 11.5)
    summary = ChangeSummary(f"{folder}/src/weather/parser.py", "edit", 4, 2)
    told.runs(edit, "Edited src/weather/parser.py: +4 −2.", 0.3, "edit src/weather/parser.py (+4 −2)", summary)
    told.turn_of("Now the tests.", test, waits_s=2.1, grows=500)
    told.asks(test, 3.0, "allow_session")
    told.runs(test, FAILED, 5.2, "run python -m pytest -q")
    told.retries("overloaded", 4.0)
    told.turn_of("`mean` adds up what may be `None` now. I mend it, and add the tests.", patch, waits_s=7.9, grows=2100)
    told.asks(patch, 6.1)
    changes = (
        ChangeSummary(f"{folder}/src/weather/report.py", "edit", 2, 1),
        ChangeSummary(f"{folder}/tests/test_missing.py", "create", 9, 0),
    )
    told.runs(patch, "Patched 2 files.", 0.5, "patch 2 files (+11 −1)", *changes)
    told.turn_of("", again, waits_s=1.9, grows=900)
    told.runs(again, "exit code 0\n10 passed in 0.29 s\n", 4.6, "run python -m pytest -q")
    told.turn_of(ANSWER, waits_s=5.5, grows=800)
    told.ends("complete")


def _second_run(told: Narrator, folder: str) -> None:
    delete = tool_call(1, "delete_file", path="src/weather/old_parser.py")
    move = tool_call(2, "move_file", path="src/weather/report.py", new_path="src/weather/summary.py")
    told.person("Is `old_parser.py` still used? If not, delete it. And call `report` `summary`.")
    told.turn_of("Nothing imports it.", delete, move, waits_s=3.4, grows=700)
    told.asks(delete, 2.2)
    gone = ChangeSummary(f"{folder}/src/weather/old_parser.py", "delete", 0, 58)
    told.runs(delete, "Deleted.", 0.2, "delete src/weather/old_parser.py", gone)
    told.asks(move, 9.0, "reject")
    told.handle.append(ToolMessage(move.id, "The person rejected this: keep the name.", is_error=True))
    told.turn_of("Deleted. I left `report` as it is.", waits_s=2.8, grows=300)
    told.ends("complete")
