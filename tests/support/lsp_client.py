"""A language client for tests, in the same event loop as the server: every message goes through JSON, none is lost.

Nothing here waits for time: ``wait_for`` returns as soon as what is waited for has arrived.
"""

from __future__ import annotations

import asyncio
import inspect
import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from steersman.lsp.dispatch import Dispatch
from steersman.lsp.framing import Frame
from steersman.lsp.outbox import Delivery

Json = dict[str, Any]
Handler = Callable[[Any], Any]


class LspError(Exception):
    """An error answer, of the server's or to be given to it."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.data = data


@dataclass
class Pending:
    """A request that was sent."""

    id: int | str
    answer: asyncio.Future[Any]


class FakeClient:
    """The client's end of a connection.

    ``on`` answers the server's requests: a handler may return the result, be a coroutine, raise ``LspError``, or return
    ``NEVER``. Requests without a handler get MethodNotFound.
    """

    NEVER = object()

    def __init__(self) -> None:
        self.received: list[Json] = []
        self._put: Callable[[bytes], object] | None = None
        self._ids = itertools.count(1)
        self._pending: dict[int | str, asyncio.Future[Any]] = {}
        self._handlers: dict[str, Handler] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._arrived = asyncio.Event()

    def connect(self, server: Dispatch) -> None:
        """Become the other end of this connection, in this process."""
        loop = asyncio.get_running_loop()
        self._put = lambda body: loop.call_soon(server.receive, Frame(body))
        server.connect(self._deliver)

    def connect_by(self, put: Callable[[bytes], object]) -> None:
        """Send bodies by this; what arrives is handed to ``take``."""
        self._put = put

    def on(self, method: str, handler: Handler) -> None:
        """Answer the server's requests of this method."""
        self._handlers[method] = handler

    # To the server

    def send(self, message: Json) -> None:
        """Send a message as it is."""
        self.send_bytes(json.dumps(message).encode())

    def send_bytes(self, body: bytes) -> None:
        """Send a body as it is."""
        assert self._put is not None
        self._put(body)

    def start(self, method: str, params: Any = None) -> Pending:
        """Send a request; its answer is awaited later."""
        pending = Pending(next(self._ids), asyncio.get_running_loop().create_future())
        self._pending[pending.id] = pending.answer
        self.send({"jsonrpc": "2.0", "id": pending.id, "method": method, "params": params})
        return pending

    async def request(self, method: str, params: Any = None) -> Any:
        """Send a request and return its result; raise ``LspError`` for an error."""
        return await self.start(method, params).answer

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def cancel(self, pending: Pending) -> None:
        """Cancel a request."""
        self.notify("$/cancelRequest", {"id": pending.id})

    def start_command(self, command: str, arguments: Json | None = None, **more: Any) -> Pending:
        """Send a command with its one argument."""
        params = {"command": command, "arguments": [] if arguments is None else [arguments], **more}
        return self.start("workspace/executeCommand", params)

    async def command(self, command: str, arguments: Json | None = None, **more: Any) -> Any:
        """Do a command and return its result."""
        return await self.start_command(command, arguments, **more).answer

    # From the server

    def of(self, method: str) -> list[Any]:
        """Return the params of all messages of this method so far."""
        return [message.get("params") for message in self.received if message.get("method") == method]

    async def wait_for(self, found: Callable[[], Any]) -> Any:
        """Return what ``found`` returns as soon as that is true."""
        while not (result := found()):
            self._arrived.clear()
            await self._arrived.wait()
        return result

    async def wait_for_message(self, method: str, count: int = 1) -> Any:
        """Return the params of the ``count``-th message of this method."""
        await self.wait_for(lambda: len(self.of(method)) >= count)
        return self.of(method)[count - 1]

    def _deliver(self, message: Json, delivery: Delivery | None) -> None:
        del delivery
        text = json.dumps(message, allow_nan=False)
        asyncio.get_running_loop().call_soon(self.take, json.loads(text))

    def take(self, message: Json) -> None:
        """Take in a message of the server's."""
        self.received.append(message)
        if "method" not in message:
            self._settle(message)
        elif "id" in message:
            task = asyncio.ensure_future(self._answer(message))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        elif message["method"] in self._handlers:
            self._handlers[message["method"]](message.get("params"))
        self._arrived.set()  # last, so that what answers the message is on its way first

    def _settle(self, message: Json) -> None:
        answer = self._pending.pop(message["id"], None)
        if answer is None or answer.done():
            return
        if "error" in message:
            error = message["error"]
            answer.set_exception(LspError(error["code"], error["message"], error.get("data")))
        else:
            answer.set_result(message["result"])

    async def _answer(self, message: Json) -> None:
        handler = self._handlers.get(message["method"], _refuse)
        reply: Json = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            result = handler(message.get("params"))
            if inspect.isawaitable(result):
                result = await result
            if result is self.NEVER:
                return
            reply["result"] = result
        except LspError as error:
            reply["error"] = {"code": error.code, "message": error.message}
        self.send(reply)


def _refuse(_params: Any) -> Any:
    raise LspError(-32601, "no such method")
