"""The tool that writes a whole file: a new one, or one that the model has read to its end (DESIGN W4)."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from steersman.agent.cancel import CancelSignal
from steersman.agent.changes import Change
from steersman.agent.tool import Effect, Emit, Plan, ToolError, ToolResult
from steersman_tools.kit.changing import (
    Remarks,
    apply_plan,
    check_writable,
    creation_of,
    edit_of,
    read_for_change,
    worked_out,
)
from steersman_tools.kit.endings import adopt_endings
from steersman_tools.kit.seen import SeenTexts
from steersman_tools.kit.workspace import Document, FileMissingError, Workspace


class WriteFileArguments(BaseModel):
    """What the model gives."""

    model_config = ConfigDict(extra="forbid")

    path: str
    content: str


class WriteFile:
    """Writes a whole file; never over something the model has not seen."""

    name = "write_file"
    description = (
        "Write a whole file; missing folders are made. An existing file must have been read to its end before; "
        "prefer edit_file to change a part."
    )
    parameters: type[BaseModel] = WriteFileArguments
    effects = frozenset({Effect.EDIT})

    def __init__(self, workspace: Workspace, seen: SeenTexts) -> None:
        self._workspace = workspace
        self._seen = seen

    async def prepare(self, args: BaseModel) -> Plan:
        """Work out what the file would hold.

        Raises:
            ToolError: the present text was not seen, changed since, or is already what shall be written.
        """
        assert isinstance(args, WriteFileArguments)
        location = self._workspace.locate(args.path)
        # a byte order mark is the file's own affair; models sometimes copy one from elsewhere
        content = args.content.removeprefix("\ufeff")
        try:
            document = await read_for_change(self._workspace, location)
        except FileMissingError:
            document = None
        change = await self._overwriting(document, content) if document else creation_of(location, content)
        check_writable(change.after or "", document, location.display)
        return Plan(
            title=f"{'create' if document is None else 'write'} {location.display}",
            effects=self.effects,
            targets=(change.path,),
            changes=(change,),
            payload=Remarks(known=frozenset({change.path})),
        )

    async def run(self, plan: Plan, signal: CancelSignal, emit: Emit) -> ToolResult:
        """Write it."""
        return await apply_plan(self._workspace, self._seen, plan)

    async def _overwriting(self, document: Document, content: str) -> Change:
        name = document.location.display
        if document.text:  # nothing can be lost of an empty file
            self._check_seen(document)
        after = await worked_out(document.text, adopt_endings, document.text, content)
        if after == document.text:
            raise ToolError(f"{name} already holds exactly this; nothing was changed.")
        return edit_of(document, after)

    def _check_seen(self, document: Document) -> None:
        name = document.location.display
        digest = self._seen.digest(str(document.location.path))
        if digest == document.digest:
            return
        if digest is None:
            raise ToolError(f"{name} exists and you have not read it. Read it first, or change a part by edit_file.")
        if not digest:
            raise ToolError(
                f"You have seen only a part of {name}. Read it to its end first, or change a part by edit_file."
            )
        raise ToolError(f"{name} was changed since you read it. Read it again, then decide what to write.")
