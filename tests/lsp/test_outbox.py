"""What waits to be written: order, joining, dropping, bounds."""

import json
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.lsp.outbox import Delivery, Outbox, OutboxFullError, newest


def drain(outbox: Outbox) -> list[Any]:
    outbox.close()
    messages = []
    while (body := outbox.take()) is not None:
        messages.append(json.loads(body))
    return messages


def joined_text(older: dict[str, Any], newer: dict[str, Any]) -> dict[str, Any] | None:
    return {"text": older["text"] + newer["text"]} if "text" in older and "text" in newer else None


def test_messages_come_out_in_the_order_they_went_in() -> None:
    outbox = Outbox()
    for n in range(5):
        outbox.put({"n": n})
    assert drain(outbox) == [{"n": n} for n in range(5)]


def test_a_newer_report_takes_the_place_of_one_that_still_waits() -> None:
    outbox = Outbox()
    report = Delivery("token", newest, droppable=True)
    outbox.put({"begin": 1}, Delivery("token"))
    outbox.put({"report": 1}, report)
    outbox.put({"other": 1})
    outbox.put({"report": 2}, report)
    outbox.put({"end": 1}, Delivery("token"))
    assert drain(outbox)[1:] == [{"report": 2}, {"other": 1}, {"end": 1}]


def test_what_stands_alone_is_never_replaced() -> None:
    outbox = Outbox()
    outbox.put({"begin": 1}, Delivery("token"))
    outbox.put({"report": 1}, Delivery("token", newest))
    assert drain(outbox) == [{"begin": 1}, {"report": 1}]


@given(st.lists(st.tuples(st.sampled_from("ab"), st.text(max_size=3) | st.none()), max_size=20))
def test_each_stream_keeps_its_order_and_its_text(puts: list[tuple[str, str | None]]) -> None:
    """None stands for an event that nothing may pass."""
    outbox = Outbox()
    for stream, text in puts:
        message = {"stream": stream, "mark": 1} if text is None else {"stream": stream, "text": text}

        def join(older: dict[str, Any], newer: dict[str, Any]) -> dict[str, Any] | None:
            both = joined_text(older, newer)
            return None if both is None else {**newer, **both}

        outbox.put(message, Delivery(stream, join))
    out = drain(outbox)
    for stream in "ab":
        wanted = "".join("|" if text is None else text for name, text in puts if name == stream)
        got = "".join("|" if "mark" in message else message["text"] for message in out if message["stream"] == stream)
        assert got == wanted


def test_a_message_that_was_taken_is_not_joined_any_more() -> None:
    outbox = Outbox()
    delta = Delivery("run", joined_text)
    outbox.put({"text": "a"}, delta)
    first = outbox.take()
    outbox.put({"text": "b"}, delta)
    assert first is not None
    assert [json.loads(first), *drain(outbox)] == [{"text": "a"}, {"text": "b"}]


def test_beyond_the_soft_bound_only_what_may_be_dropped_is_dropped() -> None:
    outbox = Outbox(soft_bound_bytes=10)
    outbox.put({"answer": "x" * 20})
    outbox.put({"report": 1}, Delivery("token", droppable=True))
    outbox.put({"answer": 2})
    assert outbox.dropped == 1
    assert drain(outbox) == [{"answer": "x" * 20}, {"answer": 2}]


def test_beyond_the_hard_bound_the_client_counts_as_lost() -> None:
    outbox = Outbox(hard_bound_bytes=30)
    outbox.put({"answer": 1})
    with pytest.raises(OutboxFullError):
        outbox.put({"answer": "x" * 30})


def test_what_is_no_json_is_told_to_the_caller() -> None:
    with pytest.raises(TypeError):
        Outbox().put({"a": object()})


def test_take_waits_for_the_next_message() -> None:
    outbox = Outbox()
    taken: list[bytes | None] = []
    thread = threading.Thread(target=lambda: taken.append(outbox.take()))
    thread.start()
    outbox.put({"n": 1})
    thread.join(10)
    assert taken == [b'{"n":1}']


def test_a_closed_outbox_forgets_what_comes_later() -> None:
    outbox = Outbox()
    outbox.close()
    outbox.put({"n": 1})
    assert outbox.is_empty()
    assert outbox.take() is None
