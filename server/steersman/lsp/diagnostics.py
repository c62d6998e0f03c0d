"""``get_diagnostics``: what the editor's other servers find wrong, for a client that can tell (PROTOCOL §6).

The model asks for it as for any other reading tool. The client is asked, nothing is run; what it says is bounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

from pydantic import BaseModel, ConfigDict, Field

from steersman.agent.cancel import CancelSignal
from steersman.agent.tool import Effect, Emit, Plan, ToolError, ToolResult
from steersman.lsp.contracts import ClientError
from steersman_tools.kit.workspace import PathRefusedError, Workspace

METHOD = "steersman/diagnostics"
MAX_SHOWN = 200
_ANSWER_S = 30.0
_MAX_MESSAGE_CHARS = 500
_SEVERITIES = {1: "error", 2: "warning", 3: "information", 4: "hint"}


class DiagnosticsClient(Protocol):
    """The client, as far as diagnostics need it."""

    async def request(self, method: str, params: object, *, timeout_s: float | None = None) -> Any:
        """Send a request (``contracts.Client.request``)."""
        ...


class GetDiagnosticsArgs(BaseModel):
    """The tool's arguments (DESIGN W12)."""

    model_config = ConfigDict(extra="forbid")

    path: str | None = Field(default=None, description="The file; leave it out for the whole workspace.")


class GetDiagnostics:
    """The tool. ``uri_of`` gives the client's own spelling of a path."""

    name = "get_diagnostics"
    description = "List the errors and warnings that the editor's language servers report, for a file or for all."
    parameters = GetDiagnosticsArgs
    effects = frozenset({Effect.READ})
    repeatable = True

    def __init__(self, client: DiagnosticsClient, workspace: Workspace) -> None:
        self._client = client
        self._workspace = workspace

    async def prepare(self, args: BaseModel) -> Plan | ToolResult:
        """Name the file; nothing is asked yet."""
        assert isinstance(args, GetDiagnosticsArgs)
        if args.path is None:
            return Plan("get diagnostics", self.effects)
        location = self._workspace.locate(args.path)
        path = str(location.path)
        return Plan(f"get diagnostics of {location.display}", self.effects, targets=(path,), payload=path)

    async def run(self, plan: Plan, signal: CancelSignal, emit: Emit) -> ToolResult:
        """Ask the client."""
        del signal, emit
        uris = [Path(plan.payload).as_uri()] if isinstance(plan.payload, str) else None
        try:
            answer = await self._client.request(METHOD, {"uris": uris} if uris else {}, timeout_s=_ANSWER_S)
        except (ClientError, TimeoutError) as error:
            raise ToolError("The editor does not tell its diagnostics.") from error
        lines = list(self._lines(answer))
        if not lines:
            return ToolResult("No errors or warnings are reported.")
        more = [f"… and {len(lines) - MAX_SHOWN} more"] if len(lines) > MAX_SHOWN else []
        return ToolResult("\n".join([*lines[:MAX_SHOWN], *more]))

    def _lines(self, answer: object) -> Iterator[str]:
        for item in _objects(_at(answer, "items")):
            name = self._display(_at(item, "uri"))
            for diagnostic in _objects(_at(item, "diagnostics")):
                line = _at(_at(_at(diagnostic, "range"), "start"), "line")
                level = _at(diagnostic, "severity")
                severity = _SEVERITIES.get(level, "problem") if isinstance(level, int) else "problem"
                message = " ".join(str(_at(diagnostic, "message")).split())[:_MAX_MESSAGE_CHARS]
                source = _at(diagnostic, "source")
                number = line + 1 if isinstance(line, int) else "?"
                yield f"{name}:{number}: {severity}: {message}" + (f" ({source})" if source else "")

    def _display(self, uri: object) -> str:
        try:
            return self._workspace.locate(str(uri)).display
        except PathRefusedError:
            return str(uri)


def _at(value: object, name: str) -> Any:
    return cast("Mapping[str, Any]", value).get(name) if isinstance(value, Mapping) else None


def _objects(value: object) -> Sequence[object]:
    return cast("Sequence[object]", value) if isinstance(value, list) else ()
