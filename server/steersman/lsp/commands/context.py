"""What a command has at hand, and what a command is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from steersman.lsp.contracts import JsonObject

if TYPE_CHECKING:
    from steersman.lsp.answers import Answers
    from steersman.lsp.approvals import Approvals
    from steersman.lsp.dispatch import IncomingRequest
    from steersman.lsp.folders import WorkspaceFolders
    from steersman.lsp.host import Engine, Host
    from steersman.lsp.progress import Token
    from steersman.lsp.run_request import RunRequests
    from steersman.lsp.run_view import RunViews


class Services(Protocol):
    """The parts of the face that commands use (``server.SteersmanServer``)."""

    @property
    def host(self) -> Host:
        """The composition root."""
        ...

    def engine(self) -> Engine:
        """Return everything behind the face, opened when first asked for. Raises ``SteersmanError``."""
        ...

    @property
    def approvals(self) -> Approvals:
        """The open questions."""
        ...

    @property
    def views(self) -> RunViews:
        """Shows runs to the client."""
        ...

    @property
    def answers(self) -> Answers:
        """Shows answers to the client."""
        ...

    @property
    def folders(self) -> WorkspaceFolders:
        """The workspace folders."""
        ...

    @property
    def requests(self) -> RunRequests:
        """Makes runs' requests of parameters."""
        ...

    @property
    def warnings(self) -> list[str]:
        """What a person should know of the connection."""
        ...

    def keep(self, work: Awaitable[Any]) -> None:
        """Own a piece of work that nobody waits for."""
        ...


@dataclass(frozen=True, slots=True)
class CommandCall:
    """One call of a command.

    Attributes:
        face: what there is to work with.
        request: the request it came with; decides what ``$/cancelRequest`` does.
        token: its ``workDoneToken``, or None.
    """

    face: Services
    request: IncomingRequest
    token: Token | None


@dataclass(frozen=True, slots=True)
class Command:
    """A command.

    Attributes:
        name: as the client calls it.
        params: its parameters' model in ``params``, by name, because that is loaded late.
        handle: does it.
        stops_itself: cancelling its request stops a run, which still answers.
    """

    name: str
    params: str
    handle: Callable[[CommandCall, Any], Awaitable[JsonObject]]
    stops_itself: bool = False
