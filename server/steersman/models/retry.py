"""Asks again when asking again can help, visibly, and only while nothing has been shown (DESIGN M4).

The few lines are ours: the retry libraries wait inside a decorated call, where a waiting cannot be yielded as an event
and closing the generator does not end it. This must never repeat a request after any piece of its reply was yielded.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass

from steersman.agent.errors import (
    EmptyResponseError,
    ModelError,
    RateLimitedError,
    StreamBrokenError,
    UnavailableError,
)
from steersman.agent.model import Finish, ModelClient, ModelEvent, ModelRequest, Waiting
from steersman.models.failures import LoadingError, UnreachableError


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how long.

    Attributes:
        retries: after 408, 409, 429, 5xx, 529, "overloaded", a connection lost before an answer.
        loading_retries: while a local server loads its model.
        unreachable_retries: when no connection can be made at all.
        broken_retries: after a reply that broke off, or was empty, before anything was shown.
        first_s: the first wait; each further one is twice as long.
        longest_s: the longest wait of our own choosing.
        longest_asked_s: the longest wait that a provider may ask for (``Retry-After``); more is an error at once.
    """

    retries: int = 5
    loading_retries: int = 20
    unreachable_retries: int = 2
    broken_retries: int = 1
    first_s: float = 0.5
    longest_s: float = 16.0
    longest_asked_s: float = 300.0

    def wait_s(self, error: ModelError, attempt: int, chance: float) -> float | None:
        """Return how long to wait before retry ``attempt`` (1 for the first), or None to give up.

        Args:
            error: what went wrong before any event.
            attempt: the retry that would come now.
            chance: in [0, 1): spreads the waits of many clients over the second half of each.
        """
        if attempt > self._allowed(error):
            return None
        if error.retry_after_s is not None and error.retry_after_s > self.longest_asked_s:
            return None
        own = min(self.longest_s, self.first_s * 2 ** min(attempt - 1, 20)) * (0.5 + chance / 2)
        return error.retry_after_s or own

    def _allowed(self, error: ModelError) -> int:
        if isinstance(error, LoadingError):
            return self.loading_retries
        if isinstance(error, UnreachableError):
            return self.unreachable_retries
        if isinstance(error, (RateLimitedError, UnavailableError)):
            return self.retries
        if isinstance(error, (StreamBrokenError, EmptyResponseError)):
            return self.broken_retries
        return 0


class RetryingClient:
    """A ``ModelClient`` around another.

    Args:
        client: the one that is asked.
        policy: how often and how long.
        chance: a random number in [0, 1).
        sleep: waits; cancelled when the run is.
    """

    def __init__(
        self,
        client: ModelClient,
        *,
        policy: RetryPolicy | None = None,
        chance: Callable[[], float] = random.random,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._client = client
        self._policy = policy or RetryPolicy()
        self._chance = chance
        self._sleep = sleep

    @property
    def model(self) -> str:
        """The full name, ``provider/model``."""
        return self._client.model

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Yield the events of the first attempt that begins; ``Waiting`` before each other one."""
        attempt = 0
        while True:
            begun = False
            try:
                async with aclosing(self._client.stream(request)) as events:
                    async for event in events:
                        if not begun and isinstance(event, Finish):
                            self._refuse_empty(event)
                        begun = True
                        yield event
            except ModelError as error:
                attempt += 1
                wait_s = None if begun else self._policy.wait_s(error, attempt, self._chance())
                if wait_s is None:
                    raise
                reason = reason_words(error)
            else:
                return
            yield Waiting(reason, wait_s, attempt)
            await self._sleep(wait_s)

    def _refuse_empty(self, finish: Finish) -> None:
        """A bare end mark is an empty reply, unless it says itself why there is nothing."""
        if finish.reason in {"stop", "tool_calls"}:
            raise EmptyResponseError(
                f"{self.model} answered with nothing, twice.",
                hint="Ask again, in other words, or choose another model.",
            )

    async def aclose(self) -> None:
        """Close the client within."""
        await close_client(self._client)


def reason_words(error: ModelError) -> str:
    """Return why it is asked again, in two or three plain words."""
    if isinstance(error, RateLimitedError):
        return "rate limited"
    if isinstance(error, LoadingError):
        return "the model is being loaded"
    if isinstance(error, UnreachableError):
        return "not reachable"
    if isinstance(error, EmptyResponseError):
        return "an empty reply"
    if isinstance(error, StreamBrokenError):
        return "the reply broke off"
    if "overloaded" in error.message:
        return "overloaded"
    return f"the provider failed ({error.status})" if error.status else "the connection was lost"


async def close_client(client: ModelClient) -> None:
    """Close a client's connections, if it is of the kind that has some."""
    aclose = getattr(client, "aclose", None)
    if aclose is not None:
        await aclose()
