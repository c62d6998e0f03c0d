"""What a command prints, made fit for people and models (DESIGN W9, W10)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman_tools.kit.command_output import HeadAndTail, PacedEmit, PlainText


def plain(*pieces: bytes) -> str:
    text = PlainText()
    return "".join(text.feed(piece) for piece in pieces) + text.end()


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        pytest.param(b"\x1b[1;31mred\x1b[0m\n", "red\n", id="colour"),
        pytest.param(b"\x1b]0;title\x07x\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\\n", "xlink\n", id="title and link"),
        pytest.param(b"\x1b]52;c;aGk=\x07ok\n", "ok\n", id="clipboard"),
        pytest.param(b"\x1b(B\x1b=\x1b>\x1bMx\n", "x\n", id="two and three characters"),
        pytest.param(b"\x1bPq#0;2;0;0;0\x1b\\x\n", "x\n", id="image"),
        pytest.param("\x9b31mx\n".encode(), "x\n", id="C1"),
        pytest.param(b"10%\r20%\r100%\ndone\n", "100%\ndone\n", id="progress bar"),
        pytest.param(b"a\r\nb\r\n", "a\nb\n", id="CRLF"),
        pytest.param(b"abc\x08\x08XY\n", "aXY\n", id="backspace"),
        pytest.param(b"a\x00\x07\x7fb\tc\n", "ab\tc\n", id="controls"),
        pytest.param(b"\xff\xfeok\n", "\ufffd\ufffdok\n", id="not UTF-8"),
        pytest.param(b"no newline", "no newline", id="last line"),
        pytest.param(b"last\r", "last", id="last carriage return"),
        pytest.param(b"\x1b[31", "", id="unfinished"),
    ],
)
def test_control_sequences_are_gone_and_lines_are_as_they_look(printed: bytes, shown: str):
    assert plain(printed) == shown


PIECES = st.sampled_from(
    [
        "a",
        "é",
        "😀",
        "\n",
        "\r",
        "\r\n",
        "\x1b[31m",
        "\x1b[0m",
        "\x1b]0;t\x07",
        "\x1b]0;t\x1b\\",
        "\x1b",
        "\x08",
        "[",
        "m",
        "\x07",
    ]
)


@settings(deadline=None, max_examples=150)
@given(st.lists(PIECES, max_size=30), st.data())
def test_however_the_output_is_cut_it_reads_the_same(parts: list[str], data: st.DataObject):
    printed = "".join(parts).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(printed)), max_size=6)))
    pieces = [printed[a:b] for a, b in zip([0, *cuts], [*cuts, len(printed)], strict=True)]

    shown = plain(*pieces)

    assert shown == plain(printed)
    assert "\x1b" not in shown
    assert "\r" not in shown


def test_a_line_without_end_is_passed_on_in_parts():
    text = PlainText()

    assert text.feed(b"x" * 10_000) == "x" * 10_000


def test_an_escape_without_end_is_given_up():
    text = PlainText()

    assert "x" * 5000 in text.feed(b"\x1b]0;" + b"x" * 10_000 + b"\n")


def test_short_output_is_kept_whole():
    kept = HeadAndTail(100)
    for _ in range(10):
        kept.add("0123456789")

    assert kept.text() == "0123456789" * 10


def test_of_long_output_head_and_tail_are_kept_and_the_gap_is_marked():
    kept = HeadAndTail(1000)
    for number in range(10_000):
        kept.add(f"line {number}\n")

    text = kept.text()

    assert text.startswith("line 0\nline 1\n")
    assert text.endswith("line 9999\n")
    assert "characters left out" in text
    assert len(text) < 1100


@settings(deadline=None, max_examples=100)
@given(st.lists(st.text("ab\n", max_size=300), max_size=40), st.integers(2, 100))
def test_the_gap_says_exactly_how_much_is_missing(pieces: list[str], limit: int):
    kept = HeadAndTail(limit)
    for piece in pieces:
        kept.add(piece)
    whole, text = "".join(pieces), kept.text()

    if len(whole) <= limit:
        assert text == whole
        return
    head, _, rest = text.partition("\n[… ")
    number, _, tail = rest.partition(" characters left out …]\n")
    assert whole.startswith(head)
    assert whole.endswith(tail)
    assert len(head) + int(number) + len(tail) == len(whole)


def test_a_flood_is_passed_on_at_the_pace_of_a_reader():
    now = 0.0
    shown: list[str] = []
    emit = PacedEmit(shown.append, lambda: now, burst=10, rate=5)

    emit.add("12345678")
    emit.add("abcd")
    now = 1.0
    emit.add("efgh")
    emit.add("too much at once")
    emit.end()

    assert shown == ["12345678", "\n[… 4 characters not shown …]\nefgh", "\n[… 16 characters not shown …]\n"]


def test_nothing_is_emitted_for_nothing():
    shown: list[str] = []
    emit = PacedEmit(shown.append, lambda: 0.0)

    emit.add("")
    emit.end()

    assert shown == []
