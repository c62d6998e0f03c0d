"""The one HTTP client of all wire formats: sends a request, reads its event stream, closes when told (DESIGN M6).

It must never follow a redirect, log a header, or let a foreign exception out. Retries are not its business (``retry``).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass

from steersman.agent.errors import ModelError, ModelNotFoundError
from steersman.agent.model import ModelEvent, ModelRequest
from steersman.models.bodies import RequestBodies
from steersman.models.content_coding import DamagedBodyError
from steersman.models.endpoint import Endpoint
from steersman.models.failures import (
    Report,
    broken,
    clean,
    error_from_report,
    read_report,
    redirected,
    report_of,
)
from steersman.models.http_errors import translated
from steersman.models.http_exchange import HttpResponse, HttpSender, TransportErrors
from steersman.models.http_pool import RequestHandler
from steersman.models.key_command import read_key
from steersman.models.retry_after import read_retry_after
from steersman.models.sse import MAX_EVENT_BYTES, EventTooLargeError, ServerSentEvent, SseDecoder
from steersman.models.wire_format import BrokenStreamError, ReplyReader, ReportedError, WireFormat

_REQUEST_ID_HEADERS = ("x-request-id", "request-id", "apim-request-id", "x-generation-id", "cf-ray")
_ADAPTATIONS = 3


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """How long is waited and how much is read.

    Attributes:
        connect_s: until a connection stands.
        silence_s: without a byte, after the first byte of the reply.
        drain_s: for the end of the body after the provider's last event, so that the connection can be used again.
        max_error_bytes: of an error's body.
        max_reply_bytes: of a whole reply.
    """

    connect_s: float = 10.0
    silence_s: float = 120.0
    drain_s: float = 1.0
    max_error_bytes: int = 64 * 1024
    max_reply_bytes: int = 512 * 1024 * 1024


class HttpModelClient:
    """A ``ModelClient`` over HTTP.

    Args:
        endpoint: where and with what.
        wire: the format spoken there.
        limits: times and sizes.
        near_names: returns the provider's names that are near to one it does not know; must not raise.
        now: seconds since the epoch, for ``Retry-After`` dates.
        handler: instead of the network, for tests.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        wire: WireFormat,
        *,
        limits: HttpLimits | None = None,
        near_names: Callable[[Endpoint], Awaitable[list[str]]] | None = None,
        now: Callable[[], float] = time.time,
        handler: RequestHandler | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._wire = wire
        self._bodies = RequestBodies(wire)
        self._limits = limits or HttpLimits()
        self._near_names = near_names
        self._now = now
        self._handler = handler
        self._http: HttpSender | None = None

    @property
    def model(self) -> str:
        """The full name, ``provider/model``."""
        return self._endpoint.full_model

    async def aclose(self) -> None:
        """Close the connections that were kept for the next request."""
        http, self._http = self._http, None
        if http is not None:
            await http.aclose()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Send the request and yield its events; see ``ModelClient``.

        Raises:
            ModelError: whatever went wrong.
        """
        for attempt in range(_ADAPTATIONS + 1):
            try:
                async with self._opened(request) as response, aclosing(self._reply(response, request)) as events:
                    async for event in events:
                        yield event
                    return
            except _RefusedFieldError as refused:
                if attempt == _ADAPTATIONS or not self._wire.adapt(refused.report.text):
                    raise refused.error from None
                self._bodies.forget()

    @asynccontextmanager
    async def _opened(self, request: ModelRequest) -> AsyncGenerator[HttpResponse, None]:
        """Send the request; give the response with its headers read, whatever its status."""
        await self._complete_key()
        headers = {"content-type": "application/json", "accept": "text/event-stream", "accept-encoding": "identity"}
        body = self._bodies.encode(request)
        url = self._endpoint.url(self._wire.path)
        headers |= dict(self._wire.headers) | self._endpoint.request_headers()
        async with translated(self._endpoint, answered=False):
            response = await self._sender().send("POST", url, headers, body)
        try:
            yield response
        finally:
            await response.aclose()

    async def _reply(self, response: HttpResponse, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        request_id = _request_id(response, self._endpoint.key)
        if not response.is_success:
            raise await self._failure(response, request_id)
        reader = self._wire.reader(request)
        try:
            async with (
                translated(self._endpoint, answered=True, request_id=request_id),
                aclosing(self._chunks(response)) as chunks,
                aclosing(self._read(chunks, reader)) as events,
            ):
                async for event in events:
                    yield event
        except ReportedError as error:
            report = report_of(error.payload, self._endpoint.key)
            raise error_from_report(self._endpoint, response.status, report, request_id=request_id) from None
        except (BrokenStreamError, EventTooLargeError) as error:
            raise broken(self._endpoint, str(error), request_id=request_id) from None

    async def _read(self, chunks: AsyncGenerator[bytes, None], reader: ReplyReader) -> AsyncGenerator[ModelEvent, None]:
        decoder = SseDecoder()
        start = await self._start(chunks)
        if not start.strip():
            raise BrokenStreamError("it held nothing at all, as some servers do when a prompt is too long for them")
        if start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in {b"{", b"[", b"<"}:
            async for event in self._read_whole(start, chunks, reader):
                yield event
            return
        try:
            for event in self._decoded(decoder, start, reader):
                yield event
            while not reader.is_done and (chunk := await anext(chunks, None)) is not None:
                for event in self._decoded(decoder, chunk, reader):
                    yield event
            if not reader.is_certain:
                await self._drain(chunks)  # a bare end mark counts only when the body ends as it should
        except (*TransportErrors, DamagedBodyError):
            if not reader.is_certain:
                raise
        for event in reader.finish():
            yield event
        await self._drain_quietly(chunks)

    def _decoded(self, decoder: SseDecoder, chunk: bytes, reader: ReplyReader) -> Iterator[ModelEvent]:
        for event in decoder.feed(chunk):
            yield from reader.read(event)
            if reader.is_done:
                return

    async def _start(self, chunks: AsyncGenerator[bytes, None]) -> bytes:
        """Return the first bytes that are more than white space: they tell an event stream from a single document."""
        start = bytearray()
        async for chunk in chunks:
            start += chunk
            if chunk.strip():
                break
        return bytes(start)

    async def _read_whole(
        self, start: bytes, chunks: AsyncGenerator[bytes, None], reader: ReplyReader
    ) -> AsyncGenerator[ModelEvent, None]:
        """Read a reply that is one document: an error, a proxy's web page, or the answer of who cannot stream."""
        body = bytearray(start)
        async for chunk in chunks:
            body += chunk
            if len(body) > MAX_EVENT_BYTES:
                raise EventTooLargeError(f"a document of more than {MAX_EVENT_BYTES} bytes")
        text = bytes(body).decode("utf-8-sig", "replace")
        if text.lstrip().startswith("<"):
            raise ReportedError(read_report(text, self._endpoint.key).message)
        for event in reader.read(ServerSentEvent(text)):
            yield event
        for event in reader.finish():
            yield event

    async def _chunks(self, response: HttpResponse) -> AsyncGenerator[bytes, None]:
        """Yield the body's bytes: the first may take as long as it likes, later ones may not stay away."""
        total, limit = 0, None
        async with aclosing(response.body()) as body:
            while True:
                async with asyncio.timeout(limit):
                    chunk = await anext(body, None)
                if chunk is None:
                    return
                limit = self._limits.silence_s
                total += len(chunk)
                if total > self._limits.max_reply_bytes:
                    raise BrokenStreamError(f"it grew past {self._limits.max_reply_bytes} bytes")
                yield chunk

    async def _drain(self, chunks: AsyncGenerator[bytes, None]) -> None:
        """Read the body to its end, for a short while."""
        try:
            async with asyncio.timeout(self._limits.drain_s):
                async for _ in chunks:
                    pass
        except TimeoutError:
            pass

    async def _drain_quietly(self, chunks: AsyncGenerator[bytes, None]) -> None:
        with suppress(*TransportErrors, DamagedBodyError, BrokenStreamError):  # the reply is whole already
            await self._drain(chunks)

    async def _failure(self, response: HttpResponse, request_id: str | None) -> Exception:
        status = response.status
        if response.is_redirect:
            return redirected(self._endpoint, status, response.headers.get("location", ""))
        report = await self._report(response)
        retry_after_s = read_retry_after(response.headers, self._now())
        error = error_from_report(self._endpoint, status, report, request_id=request_id, retry_after_s=retry_after_s)
        if isinstance(error, ModelNotFoundError) and self._near_names is not None:
            names = await self._near_names(self._endpoint)
            if names:
                error.hint = f"It has, for example: {', '.join(names)}. {error.hint or ''}".rstrip()
        return _RefusedFieldError(error, report) if status in {400, 422, 500} else error

    async def _report(self, response: HttpResponse) -> Report:
        body = bytearray()
        try:
            async with asyncio.timeout(self._limits.connect_s):
                async with aclosing(response.body()) as chunks:
                    async for chunk in chunks:
                        body += chunk
                        if len(body) >= self._limits.max_error_bytes:
                            break
        except (*TransportErrors, DamagedBodyError, TimeoutError):
            pass  # the status alone says enough
        text = bytes(body[: self._limits.max_error_bytes]).decode("utf-8", "replace")
        return read_report(text, self._endpoint.key)

    async def _complete_key(self) -> None:
        if self._endpoint.key is None and self._endpoint.key_command:
            key = await read_key(self._endpoint.key_command)
            self._endpoint = self._endpoint.with_key(key, self._endpoint.key_source)

    def _sender(self) -> HttpSender:
        if self._http is None:
            self._http = HttpSender(self._endpoint.base_url, self._limits.connect_s, self._handler)
        return self._http


class _RefusedFieldError(Exception):
    """A refusal (or a 500, as chat templates fail): perhaps something is to blame that can be left out."""

    def __init__(self, error: ModelError, report: Report) -> None:
        super().__init__(str(error))
        self.error = error
        self.report = report


def _request_id(response: HttpResponse, key: str | None) -> str | None:
    for name in _REQUEST_ID_HEADERS:
        value = response.headers.get(name)
        if value:
            return clean(value, key, 80)
    return None
