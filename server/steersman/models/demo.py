"""``demo/rules``: the rule-based model in process, for whoever has neither key nor server (DESIGN M1).

Needs no network and imports nothing heavy. It streams like a real model, so that everything around it can be seen at
work; ``pause`` makes it as slow as a show needs.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import TYPE_CHECKING

from steersman.agent.errors import RejectedError
from steersman.agent.model import CallPiece, Finish, ModelEvent, ModelRequest, TextPiece
from steersman.agent.validity import InvalidHistoryError, check_history

if TYPE_CHECKING:  # the rules themselves are loaded when they are first asked
    from steersman.rules import Variant

NOT_CONFIGURED_NOTICE = (
    "(This answer comes from the built-in rule-based model, because no model is configured. "
    "Set STEERSMAN_MODEL to use a real one; `steersman doctor` shows what there is.)"
)


class DemoClient:
    """A ``ModelClient`` over the rules."""

    def __init__(
        self,
        variant: Variant = "mock",
        *,
        pause: Callable[[], Awaitable[None]] | None = None,
        notice: str | Callable[[], Awaitable[str]] = "",
    ) -> None:
        """Make one.

        Args:
            variant: how it behaves; ``mock-slow`` differs from ``mock`` by its ``pause`` only.
            pause: awaited before each piece; None: no wait at all.
            notice: added to the first answer of each conversation, such as ``NOT_CONFIGURED_NOTICE``; or what finds it,
                asked once.
        """
        self._variant: Variant = variant
        self._pause = pause
        self._notice = notice

    @property
    def model(self) -> str:
        """``demo/rules``, or ``demo/`` and the variant."""
        return "demo/rules" if self._variant == "mock" else f"demo/{self._variant}"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Yield the reply.

        Raises:
            RejectedError: the history is not valid, as a real provider says it.
        """
        from steersman.rules import next_reply  # noqa: PLC0415
        from steersman.rules.pieces import split_pieces  # noqa: PLC0415

        try:
            check_history(request.messages)
        except InvalidHistoryError as error:
            raise RejectedError(f"{self.model} refused the request: {error}", status=400) from None
        reply = next_reply(request, self._variant, notice=await self._find_notice())
        for piece in split_pieces(reply.text):
            await self._wait()
            yield TextPiece(piece)
        for call in reply.calls:
            await self._wait()
            yield CallPiece(call)
        await self._wait()
        yield Finish(reply.finish, reply.usage)

    async def _find_notice(self) -> str:
        if not isinstance(self._notice, str):
            self._notice = await self._notice()
        return self._notice

    async def _wait(self) -> None:
        if self._pause is not None:
            await self._pause()
