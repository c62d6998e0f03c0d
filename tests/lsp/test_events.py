"""Events on their way to the client: merged, in order, none lost (PROTOCOL §6)."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from steersman.agent.events import Event, EventBody, ReasoningDelta, TextDelta, ToolOutput, TurnEnded, TurnStarted
from steersman.lsp.events import EventStream
from steersman.lsp.outbox import Delivery, Outbox
from steersman.wire import EventWire
from support.fake_time import FakeTime


class Stream:
    def __init__(self) -> None:
        self.time = FakeTime()
        self.sent: list[dict[str, Any]] = []
        self.deliveries: list[Delivery | None] = []
        self.events = EventStream(self._notify, EventWire("r", "s"), self.time)
        self._seq = 0

    def _notify(self, method: str, params: Any, delivery: Delivery | None = None) -> None:
        assert method == "steersman/event"
        assert (params["runId"], params["sessionId"], params["seq"]) == ("r", "s", params["event"]["seq"])
        self.sent.append(params["event"])
        self.deliveries.append(delivery)

    def add(self, body: EventBody) -> None:
        self.events.add(Event("r", self._seq, 1, 0.0, body))
        self._seq += 1

    @property
    def shown(self) -> list[tuple[str, str | None]]:
        return [(event["type"], event.get("text")) for event in self.sent]


def test_two_thousand_deltas_a_second_are_about_thirty_notifications() -> None:
    stream = Stream()
    for n in range(2000):
        stream.add(TextDelta(f"{n} "))
        stream.time.pass_seconds(1 / 2000)
    stream.events.flush()
    assert len(stream.sent) <= 32
    assert "".join(event["text"] for event in stream.sent) == "".join(f"{n} " for n in range(2000))


def test_an_event_that_is_no_delta_brings_the_held_text_before_it() -> None:
    stream = Stream()
    for body in (TextDelta("a"), TextDelta("b"), TextDelta("c"), TurnEnded()):
        stream.add(body)
    assert stream.shown == [("text_delta", "a"), ("text_delta", "bc"), ("turn_ended", None)]


def test_text_reasoning_and_output_are_kept_apart() -> None:
    stream = Stream()
    for body in (TextDelta("a"), ReasoningDelta("b"), ToolOutput("1", "c"), ToolOutput("2", "d"), TextDelta("e")):
        stream.add(body)
    stream.events.flush()
    assert [text for _, text in stream.shown] == ["a", "b", "c", "d", "e"]


def test_held_text_is_sent_without_another_event() -> None:
    stream = Stream()
    stream.add(TextDelta("a"))
    stream.add(TextDelta("b"))
    stream.time.pass_seconds(1)
    assert stream.shown == [("text_delta", "a"), ("text_delta", "b")]


WIRE_NAMES = {
    TextDelta: "text_delta",
    ReasoningDelta: "reasoning_delta",
    ToolOutput: "tool_output",
    TurnStarted: "turn_started",
    TurnEnded: "turn_ended",
}
BODIES = st.sampled_from([TextDelta("x"), ReasoningDelta("y"), ToolOutput("1", "z"), TurnStarted(3), TurnEnded()])


def written(stream: Stream, *, reads_at_once: bool) -> list[dict[str, Any]]:
    """Return the events as the client reads them: each at once, or all at the end, when what waits has run together."""
    outbox, bodies = Outbox(), []
    for event, delivery in zip(stream.sent, stream.deliveries, strict=True):
        outbox.put({"params": {"seq": event["seq"], "event": event}}, delivery)
        if reads_at_once:
            bodies.append(outbox.take())
    outbox.close()
    bodies += iter(outbox.take, None)
    return [json.loads(body or b"")["params"]["event"] for body in bodies]


def told(name: str, text: str) -> str:
    return f"{name}:{text} " if not text else "".join(f"{name}:{char} " for char in text)


@given(st.lists(st.tuples(BODIES, st.integers(0, 3)), max_size=40), st.booleans())
def test_the_client_can_put_the_stream_together_again(steps: list[tuple[EventBody, int]], reads_at_once: bool) -> None:
    stream = Stream()
    for body, pause in steps:
        stream.add(body)
        stream.time.pass_seconds(pause / 60)
    stream.events.flush()
    got = written(stream, reads_at_once=reads_at_once)
    wanted = "".join(told(WIRE_NAMES[type(body)], getattr(body, "text", "")) for body, _ in steps)
    assert "".join(told(event["type"], event.get("text", "")) for event in got) == wanted
    seqs = [event["seq"] for event in got]
    assert seqs == sorted(set(seqs))


def test_deltas_that_the_client_has_not_read_run_together() -> None:
    stream = Stream()
    for body in (TextDelta("a"), TurnStarted(3), TextDelta("b"), TextDelta("c"), TextDelta("d")):
        stream.add(body)
        stream.time.pass_seconds(1)
    *_, last = events = written(stream, reads_at_once=False)
    assert len(events) == 3
    assert (last["text"], last["seq"]) == ("bcd", 4)
