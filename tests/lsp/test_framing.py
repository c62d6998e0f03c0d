"""Frames out of any bytes (LSP, "Base Protocol")."""

from hypothesis import given
from hypothesis import strategies as st

from steersman.lsp.framing import MAX_LINE_BYTES, MAX_LINES, BadFrame, Frame, FrameReader, encode_frame


def read(data: bytes, **options: int) -> list[Frame | BadFrame]:
    return list(FrameReader(**options).feed(data))


@given(st.lists(st.binary(max_size=40), max_size=5), st.lists(st.integers(1, 30), max_size=60))
def test_any_split_of_the_bytes_gives_the_same_messages(bodies: list[bytes], cuts: list[int]) -> None:
    data = b"".join(encode_frame(body) for body in bodies)
    reader = FrameReader()
    frames = []
    for size in cuts:
        frames += reader.feed(data[:size])
        data = data[size:]
    frames += reader.feed(data)
    assert [Frame(body) for body in bodies] == frames


@given(st.binary(max_size=200))
def test_no_bytes_whatever_raise(data: bytes) -> None:
    read(data)


def test_header_names_are_case_insensitive_and_lines_may_end_in_a_bare_newline() -> None:
    assert [Frame(b"{}")] == read(b"content-LENGTH:2\nContent-Type: application/vscode-jsonrpc; charset=utf-8\n\n{}")


def test_blank_lines_between_messages_are_ignored() -> None:
    assert [Frame(b"{}"), Frame(b"[]")] == read(encode_frame(b"{}") + b"\r\n\r\n" + encode_frame(b"[]"))


def test_a_header_block_without_a_length_is_told_and_the_next_message_is_read() -> None:
    assert [BadFrame("no Content-Length"), Frame(b"{}")] == read(b"X-Any: 1\r\n\r\n" + encode_frame(b"{}"))


def test_a_length_that_is_no_number_is_told() -> None:
    for value in (b"-1", b"two", b"1e3", b"", b"9" * 40):
        pieces = read(b"Content-Length: " + value + b"\r\n\r\n" + encode_frame(b"{}"))
        assert isinstance(pieces[0], BadFrame)
        assert Frame(b"{}") == pieces[1]


def test_two_lengths_that_disagree_are_told() -> None:
    (piece,) = read(b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}")
    assert isinstance(piece, BadFrame)


def test_a_web_pages_request_is_refused_with_its_body() -> None:
    """A browser's POST must not run a command, however well its body is formed."""
    (piece,) = read(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}")
    assert isinstance(piece, BadFrame)
    assert piece.body == b"{}"


def test_stray_output_before_a_header_spoils_that_message_only() -> None:
    bad, good = read(b"loading ...\n" + encode_frame(b"{}") + encode_frame(b"[]"))
    assert isinstance(bad, BadFrame)
    assert bad.body == b"{}"
    assert Frame(b"[]") == good


def test_a_huge_length_is_told_at_once_and_its_body_skipped() -> None:
    reader = FrameReader(max_body_bytes=10)
    (bad,) = reader.feed(b"Content-Length: 25\r\n\r\n")
    assert isinstance(bad, BadFrame)
    assert list(reader.feed(b"x" * 20)) == []
    assert [Frame(b"{}")] == list(reader.feed(b"x" * 5 + encode_frame(b"{}")))


def test_an_endless_header_line_is_not_kept_in_memory() -> None:
    reader = FrameReader()
    for _ in range(50):
        assert list(reader.feed(b"x" * MAX_LINE_BYTES)) == []
    assert len(reader._buffer) <= 2 * MAX_LINE_BYTES
    bad, good = reader.feed(b"\r\n\r\n" + encode_frame(b"{}"))
    assert isinstance(bad, BadFrame)
    assert Frame(b"{}") == good


def test_endless_header_lines_are_not_kept_in_memory() -> None:
    reader = FrameReader()
    list(reader.feed(b"X-Any: 1\r\n" * MAX_LINES * 10))
    assert len(reader._lines) <= MAX_LINES
    bad, good = reader.feed(b"\r\n" + encode_frame(b"{}"))
    assert bad == BadFrame("too many header lines; no Content-Length")
    assert good == Frame(b"{}")


def test_only_utf_8_is_taken() -> None:
    (bad,) = read(b"Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-16\r\n\r\n{}")
    assert isinstance(bad, BadFrame)
    assert bad.body == b"{}"
