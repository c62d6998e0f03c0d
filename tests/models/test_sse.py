"""Event streams to the letter of the standard (WHATWG HTML §9.2.6; DESIGN M3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.models.sse import EventTooLargeError, ServerSentEvent, SseDecoder


def decode(*chunks: bytes) -> list[ServerSentEvent]:
    decoder = SseDecoder()
    return [event for chunk in chunks for event in decoder.feed(chunk)]


def data_of(*chunks: bytes) -> list[str]:
    return [event.data for event in decode(*chunks)]


CASES = {
    "a plain event": (b"data: one\n\n", ["one"]),
    "one space after the colon is taken away": (b"data:  two\n\n", [" two"]),
    "a tab is not a space": (b"data:\ttab\n\n", ["\ttab"]),
    "no space is needed": (b"data:one\n\n", ["one"]),
    "lines of one event are joined": (b"data: a\ndata: b\ndata\ndata: c\n\n", ["a\nb\n\nc"]),
    "a lone field name is an empty line of data": (b"data\n\n", [""]),
    "an empty field is an event": (b"data:\n\n", [""]),
    "blank lines alone are no events": (b"\n\n\n", []),
    "an event without data is dropped": (b"event: nothing\n\n", []),
    "carriage returns end lines": (b"data: a\r\rdata: b\r\r", ["a", "b"]),
    "both together end one line": (b"data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]),
    "line ends may be mixed": (b"data: a\r\ndata: b\rdata: c\n\r\n", ["a\nb\nc"]),
    "a byte order mark at the start is taken away": (b"\xef\xbb\xbfdata: a\n\n", ["a"]),
    "a second one makes an unknown field": (b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\ndata: b\n\n", ["b"]),
    "one in the middle makes an unknown field": (b"data: a\n\n\xef\xbb\xbfdata: b\n\n", ["a"]),
    "half a mark is text": (b"\xef\xbbdata: a\n\ndata: b\n\n", ["b"]),
    "comments are ignored": (b": hello\ndata: a\n:\n:data: no\ndata: b\n\n", ["a\nb"]),
    "comments between events are ignored": (b": PROCESSING\n\ndata: a\n\n: PROCESSING\n\n", ["a"]),
    "field names are case sensitive": (b"Data: no\ndata: yes\n\n", ["yes"]),
    "a space before the name is another name": (b" data: no\ndata: yes\n\n", ["yes"]),
    "other fields are ignored": (b"id: 1\nretry: 10\nfoo: bar\ndata: a\n\n", ["a"]),
    "NUL is text": (b"data: a\x00b\n\n", ["a\x00b"]),
    "an event that is not ended is dropped": (b"data: a\n\ndata: b", ["a"]),
    "an ended line without a blank one is dropped": (b"data: a\n", []),
    "the line separator is text": ("data: a\u2028b\u2029c\n\n".encode(), ["a\u2028b\u2029c"]),
    "form feeds and next line are text": ("data: a\x0c\x0b\x1c\x85b\n\n".encode(), ["a\x0c\x0b\x1c\x85b"]),
    "broken UTF-8 is replaced": (b"data: a\xff\xc3\n\n", ["a\ufffd\ufffd"]),
    "an overlong form is replaced": (b"data: \xc0\xaf\n\n", ["\ufffd\ufffd"]),
    "nothing comes of nothing": (b"", []),
}


@pytest.mark.parametrize(("body", "events"), CASES.values(), ids=CASES.keys())
def test_the_standard_is_followed(body: bytes, events: list[str]):
    assert data_of(body) == events


@pytest.mark.parametrize(("body", "events"), CASES.values(), ids=CASES.keys())
def test_single_bytes_give_the_same_events(body: bytes, events: list[str]):
    assert data_of(*[body[at : at + 1] for at in range(len(body))]) == events


@pytest.mark.parametrize(("body", "events"), CASES.values(), ids=CASES.keys())
def test_any_two_pieces_give_the_same_events(body: bytes, events: list[str]):
    for at in range(len(body)):
        assert data_of(body[:at], b"", body[at:]) == events


def test_the_event_field_names_the_event():
    assert decode(b"event: error\ndata: x\n\ndata: y\n\n") == [ServerSentEvent("x", "error"), ServerSentEvent("y")]


def test_an_empty_event_field_means_message():
    assert decode(b"event: \ndata: x\n\n") == [ServerSentEvent("x", "message")]


def test_the_name_of_an_event_without_data_is_forgotten():
    assert decode(b"event: error\n\ndata: x\n\n") == [ServerSentEvent("x", "message")]


def test_a_raw_line_separator_inside_data_is_one_event():
    """Situation 23."""
    assert data_of('data: {"text":"a\u2028b"}\n\n'.encode()) == ['{"text":"a\u2028b"}']


def test_an_event_is_given_out_at_its_blank_line_and_not_later():
    """A carriage return ends the line although a line feed may follow."""
    decoder = SseDecoder()
    assert [event.data for event in decoder.feed(b"data: a\r\r")] == ["a"]
    assert list(decoder.feed(b"\n")) == []
    assert [event.data for event in decoder.feed(b"data: b\n\n")] == ["b"]


def test_an_event_may_not_grow_for_ever():
    decoder = SseDecoder(max_event_bytes=100)
    with pytest.raises(EventTooLargeError):
        [list(decoder.feed(b"x")) for _ in range(200)]


def test_many_lines_without_an_end_may_not_grow_for_ever():
    decoder = SseDecoder(max_event_bytes=100)
    with pytest.raises(EventTooLargeError):
        [list(decoder.feed(b"data: x\n")) for _ in range(200)]


def test_the_size_is_counted_for_each_event_anew():
    decoder = SseDecoder(max_event_bytes=20)
    assert sum(1 for _ in range(100) for _ in decoder.feed(b"data: 123456\n\n")) == 100


LINES = st.lists(
    st.one_of(
        st.just(""),
        st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=8).map("data: {}".format),
        st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=8),
        st.sampled_from([":", ": comment", "event: x", "data", "id: 1"]),
    ),
    max_size=12,
)


@given(
    lines=LINES, endings=st.lists(st.sampled_from(["\n", "\r", "\r\n"]), min_size=1), cuts=st.sets(st.integers(0, 200))
)
def test_any_split_of_any_stream_gives_the_same_events(lines: list[str], endings: list[str], cuts: set[int]):
    body = "".join(line + endings[number % len(endings)] for number, line in enumerate(lines)).encode()
    places = sorted(cut for cut in cuts if cut < len(body))
    pieces = [body[start:end] for start, end in zip([0, *places], [*places, len(body)], strict=True)]
    assert decode(*pieces) == decode(body)


@given(body=st.binary(max_size=200), cut=st.integers(0, 200))
def test_any_bytes_are_read_without_a_failure(body: bytes, cut: int):
    assert decode(body[:cut], body[cut:]) == decode(body)


@given(st.lists(st.text(st.characters(exclude_characters="\r\n\0", exclude_categories=["Cs"])), min_size=1, max_size=5))
def test_what_is_sent_as_data_is_read_as_data(texts: list[str]):
    body = "".join(f"data: {text}\n\n" for text in texts).encode()
    assert data_of(body) == texts
