"""A process that answers HTTP requests from a list, whatever they ask: so that a measurement does not measure itself.

It reads one JSON line from standard input, ``{"answers": [text, …]}`` (each the body of one event stream), prints its
port, and answers every POST with the next of them, without a look into the body: it only counts off its bytes. At the
end of standard input it prints ``{"exchanges": [[first byte, whole request, before the answer's last piece], …],
"bytes": [size of each body]}`` with times in seconds. Run by ``prepared_server``; standard library only.
"""

from __future__ import annotations

import json
import re
import socket
import sys
import threading
import time
from collections.abc import Iterator

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_READ = 1 << 20
_LAST_PIECE = 1 << 14
_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: %d\r\n\r\n"
_NONE = b"HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"
_EXHAUSTED = b"HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"


class Prepared:
    """The answers that are left, and what was noted of those given."""

    def __init__(self, answers: list[str]) -> None:
        self._answers: Iterator[bytes] = iter([answer.encode() for answer in answers])
        self.exchanges: list[tuple[float, float, float]] = []
        self.sizes: list[int] = []

    def serve(self, connection: socket.socket) -> None:
        """Answer the requests of one connection until it ends."""
        with connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while True:
                request = _read_request(connection)
                if request is None:
                    return
                first, is_post, size = request
                whole = time.perf_counter()
                if not is_post:
                    connection.sendall(_NONE)
                    continue
                answer = next(self._answers, None)
                data = _EXHAUSTED if answer is None else _HEAD % len(answer) + answer
                connection.sendall(data[:-_LAST_PIECE])
                self.exchanges.append((first, whole, time.perf_counter()))
                self.sizes.append(size)
                connection.sendall(data[-_LAST_PIECE:])


def _read_request(connection: socket.socket) -> tuple[float, bool, int] | None:
    """Return (when its first byte came, whether it is a POST, bytes of its body), or None at the end."""
    data = connection.recv(_READ)
    first = time.perf_counter()
    while b"\r\n\r\n" not in data:
        more = connection.recv(_READ)
        if not more:
            return None
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    found = _LENGTH.search(head)
    size = int(found[1]) if found else 0
    missing = size - len(body)
    while missing > 0:
        more = connection.recv(_READ)
        if not more:
            return None
        missing -= len(more)
    return first, head.startswith(b"POST"), size


def main() -> None:
    """Serve until standard input ends."""
    prepared = Prepared(json.loads(sys.stdin.readline())["answers"])
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)

    def accept() -> None:
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=prepared.serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    sys.stdin.read()
    print(json.dumps({"exchanges": prepared.exchanges, "bytes": prepared.sizes}), flush=True)


if __name__ == "__main__":
    main()
