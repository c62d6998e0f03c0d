"""The tool that shows a file's text, as the editor has it (DESIGN W1, W4, W9)."""

from __future__ import annotations

import asyncio
from functools import partial

from pydantic import BaseModel, ConfigDict, Field

from steersman.agent.cancel import CancelSignal
from steersman.agent.tool import Effect, Emit, Plan, ToolResult
from steersman_tools.kit.excerpt import MAX_LINES, take_excerpt
from steersman_tools.kit.listing import Lister
from steersman_tools.kit.naming import did_you_mean, nearest_names
from steersman_tools.kit.portions import Portions
from steersman_tools.kit.reading import payload_of
from steersman_tools.kit.workspace import Document, FileMissingError, Workspace

_SMALL_CHARS = 64 * 1024
"""An excerpt of so little is taken sooner than a thread is woken for it."""


class ReadFileArguments(BaseModel):
    """What the model gives."""

    model_config = ConfigDict(extra="forbid")

    path: str
    offset: int = Field(default=1, ge=1, description="The first line to show.")
    limit: int | None = Field(default=None, ge=1, description=f"How many lines, at most {MAX_LINES}.")
    column: int = Field(default=1, ge=1, description="Where to begin in it, if it is very long.")


class ReadFile:
    """Shows a file with line numbers."""

    name = "read_file"
    description = (
        "Show a text file: each line as its number, a tab and its text. Long files come in parts; the last line says "
        "how to go on."
    )
    parameters: type[BaseModel] = ReadFileArguments
    effects = frozenset({Effect.READ})

    def __init__(self, workspace: Workspace, lister: Lister) -> None:
        self._workspace = workspace
        self._lister = lister
        self._portions = Portions()

    async def prepare(self, args: BaseModel) -> Plan:
        """Find the file.

        Raises:
            ToolError: it leads outside, or is not there; with the names that exist.
        """
        assert isinstance(args, ReadFileArguments)
        location = self._workspace.locate(args.path)
        if not await self._workspace.exists(location):
            names = await nearest_names(location, self._workspace, self._lister)
            raise FileMissingError(f"{location.display} does not exist{did_you_mean(names)}")
        start = f" from line {args.offset}" if args.offset > 1 else ""
        return Plan(
            title=f"read {location.display}{start}",
            effects=self.effects,
            targets=(str(location.path),),
            payload=(location, args),
        )

    async def run(self, plan: Plan, signal: CancelSignal, emit: Emit) -> ToolResult:
        """Show it."""
        location, args = payload_of(plan, ReadFileArguments)
        document = await self._workspace.read(location)
        take = partial(
            take_excerpt,
            document.text,
            name=location.display,
            offset=args.offset,
            limit=args.limit,
            column=args.column,
        )
        excerpt = take() if len(document.text) < _SMALL_CHARS else await asyncio.to_thread(take)
        path = str(location.path)
        is_whole = self._portions.add(path, document.digest, excerpt.spans, len(document.text))
        content = "\n".join([*_remarks(document), excerpt.shown])
        return ToolResult(content, seen={path: document.digest if is_whole else ""})


def _remarks(document: Document) -> list[str]:
    """Return what the reader must know before the text."""
    remarks: list[str] = []
    if document.note:
        remarks.append(f"[{document.note}]")
    elif document.state == "dirty":
        remarks.append("[open in the editor and not saved; this is the editor's text]")
    if document.encoding != "utf-8":
        remarks.append(f"[encoding: {document.encoding}; new text may use only characters that it has]")
    return remarks
