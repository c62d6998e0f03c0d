"""What the editor's other servers find wrong, for a client that can tell (``steersman/diagnostics``, PROTOCOL §6).

The model asks for it by ``get_diagnostics``, as by any other reading tool. The client is asked, nothing is run; what
it says is bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from pydantic import BaseModel, ConfigDict, Field

from steersman.agent.cancel import CancelSignal
from steersman.agent.tool import Effect, Emit, Plan, ToolError, ToolResult
from steersman.lsp.contracts import ClientError
from steersman_tools.kit.workspace import Workspace

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


@dataclass(frozen=True, slots=True)
class Problem:
    """One diagnostic.

    Attributes:
        path: canonical path; None for what is no file.
        uri: as the client names the document.
        line: from 1; 0 where it was not said.
        severity: in words.
        message: one line, bounded.
        source: who found it, or "".
    """

    path: Path | None
    uri: str
    line: int
    severity: str
    message: str
    source: str

    def words(self, display: Callable[[Path], str]) -> str:
        """Return it as one line for the model."""
        name = display(self.path) if self.path is not None else self.uri
        return f"{name}:{self.line}: {self.severity}: {self.message}" + (f" ({self.source})" if self.source else "")


@dataclass(frozen=True, slots=True)
class Findings:
    """What the client answered.

    Attributes:
        problems: the problems there are.
        is_watched: whether anything in the editor looks at these files at all, so that more may come.
    """

    problems: list[Problem]
    is_watched: bool = True


class Diagnostics:
    """Asks the client.

    Args:
        client: the editor.
        path_of: gives the canonical path of a URI, or None.
        uri_of: gives the client's own URI of a path.
    """

    def __init__(
        self, client: DiagnosticsClient, path_of: Callable[[str], Path | None], uri_of: Callable[[Path], str]
    ) -> None:
        self._client = client
        self._path_of = path_of
        self._uri_of = uri_of

    async def problems(self, paths: Sequence[Path] | None) -> list[Problem]:
        """Return the problems of some files, or of all. Raises ``ClientError`` or ``TimeoutError``."""
        return (await self.findings(paths)).problems

    async def findings(self, paths: Sequence[Path] | None) -> Findings:
        """Return the same, and whether more is to be expected: a client may answer ``watched: false``."""
        params = {} if paths is None else {"uris": [self._uri_of(path) for path in paths]}
        answer = await self._client.request(METHOD, params, timeout_s=_ANSWER_S)
        return Findings(list(self._read(answer)), is_watched=_at(answer, "watched") is not False)

    def _read(self, answer: object) -> Iterator[Problem]:
        for item in _objects(_at(answer, "items")):
            uri = str(_at(item, "uri"))
            for diagnostic in _objects(_at(item, "diagnostics")):
                line = _at(_at(_at(diagnostic, "range"), "start"), "line")
                level = _at(diagnostic, "severity")
                source = _at(diagnostic, "source")
                yield Problem(
                    path=self._path_of(uri),
                    uri=uri,
                    line=line + 1 if isinstance(line, int) else 0,
                    severity=_SEVERITIES.get(level, "problem") if isinstance(level, int) else "problem",
                    message=" ".join(str(_at(diagnostic, "message")).split())[:_MAX_MESSAGE_CHARS],
                    source=source if isinstance(source, str) else "",
                )


class GetDiagnosticsArguments(BaseModel):
    """The tool's arguments (DESIGN W12)."""

    model_config = ConfigDict(extra="forbid")

    path: str | None = Field(default=None, description="The file; leave it out for the whole workspace.")


class GetDiagnostics:
    """The tool ``get_diagnostics``."""

    name = "get_diagnostics"
    description = "List the errors and warnings that the editor's language servers report, for a file or for all."
    parameters: type[BaseModel] = GetDiagnosticsArguments
    effects = frozenset({Effect.READ})

    def __init__(self, diagnostics: Diagnostics, workspace: Workspace) -> None:
        self._diagnostics = diagnostics
        self._workspace = workspace

    async def prepare(self, args: BaseModel) -> Plan | ToolResult:
        """Name the file; nothing is asked yet."""
        assert isinstance(args, GetDiagnosticsArguments)
        if args.path is None:
            return Plan("get diagnostics", self.effects)
        location = self._workspace.locate(args.path)
        title, targets = f"get diagnostics of {location.display}", (str(location.path),)
        return Plan(title, self.effects, targets, payload=location.path)

    async def run(self, plan: Plan, signal: CancelSignal, emit: Emit) -> ToolResult:
        """Ask the client."""
        del signal, emit
        paths = [plan.payload] if isinstance(plan.payload, Path) else None
        try:
            problems = await self._diagnostics.problems(paths)
        except (ClientError, TimeoutError) as error:
            raise ToolError("The editor does not tell its diagnostics.") from error
        if not problems:
            return ToolResult("No errors or warnings are reported.")
        return ToolResult(listed(problems, self._workspace))


def listed(problems: Sequence[Problem], workspace: Workspace) -> str:
    """Return problems for the model, one a line, bounded."""

    def display(path: Path) -> str:
        try:
            return workspace.locate(str(path)).display
        except ToolError:
            return str(path)

    lines = [problem.words(display) for problem in problems[:MAX_SHOWN]]
    more = [f"… and {len(problems) - MAX_SHOWN} more"] if len(problems) > MAX_SHOWN else []
    return "\n".join([*lines, *more])


def _at(value: object, name: str) -> Any:
    return cast("Mapping[str, Any]", value).get(name) if isinstance(value, Mapping) else None


def _objects(value: object) -> Sequence[object]:
    return cast("Sequence[object]", value) if isinstance(value, list) else ()
