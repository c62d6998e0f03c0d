"""The tool that changes a part of a file by the text that stands there (DESIGN W5)."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from steersman.agent.cancel import CancelSignal
from steersman.agent.tool import Effect, Emit, Plan, ToolError, ToolResult
from steersman_tools.kit.changing import (
    Remarks,
    apply_plan,
    check_writable,
    creation_of,
    edit_of,
    missing_file,
    read_for_change,
    worked_out,
)
from steersman_tools.kit.edits import Edited, replace_at_once, replace_text
from steersman_tools.kit.listing import Lister
from steersman_tools.kit.places import Tolerance
from steersman_tools.kit.seen import SeenTexts
from steersman_tools.kit.workspace import Document, FileMissingError, Location, Workspace


class EditFileArguments(BaseModel):
    """What the model gives."""

    model_config = ConfigDict(extra="forbid")

    path: str
    old_text: str = Field(
        description="Exactly as in the file, without line numbers, with enough lines to fit one place only."
    )
    new_text: str = Field(description="Empty to delete.")
    replace_all: bool = False


class EditFile:
    """Replaces one text in a file, wherever it stands now."""

    name = "edit_file"
    description = (
        "Replace a text in a file. old_text must fit exactly one place, or set replace_all to replace it everywhere."
    )
    parameters: type[BaseModel] = EditFileArguments
    effects = frozenset({Effect.EDIT})

    def __init__(self, workspace: Workspace, seen: SeenTexts, lister: Lister | None = None) -> None:
        self._workspace = workspace
        self._seen = seen
        self._lister = lister

    async def prepare(self, args: BaseModel) -> Plan:
        """Work out the new text from the present one.

        Raises:
            ToolError: old_text does not fit one place; with the nearest candidates.
        """
        assert isinstance(args, EditFileArguments)
        location = self._workspace.locate(args.path)
        try:
            document = await read_for_change(self._workspace, location)
        except FileMissingError:
            if args.old_text or not args.new_text:
                raise await missing_file(self._workspace, location, self._lister) from None
            return self._creation(location, args.new_text)
        if not args.old_text:
            return self._filling(document, args.new_text)
        name = location.display
        text = document.text
        edited = replace_at_once(text, args.old_text, args.new_text) or await worked_out(
            text, replace_text, text, args.old_text, args.new_text, replace_all=args.replace_all, name=name
        )
        check_writable(edited.text, document, name)
        return Plan(
            title=f"edit {name}",
            effects=self.effects,
            targets=(str(location.path),),
            changes=(edit_of(document, edited.text),),
            payload=Remarks(notes=_notes(edited)),
        )

    async def run(self, plan: Plan, signal: CancelSignal, emit: Emit) -> ToolResult:
        """Make the change."""
        return await apply_plan(self._workspace, self._seen, plan)

    def _creation(self, location: Location, text: str) -> Plan:
        check_writable(text, None, location.display)
        return Plan(
            title=f"create {location.display}",
            effects=self.effects,
            targets=(str(location.path),),
            changes=(creation_of(location, text),),
        )

    def _filling(self, document: Document, text: str) -> Plan:
        """An empty old_text fits an empty file only, as models expect; elsewhere it says nothing about the place."""
        name = document.location.display
        if document.text:
            raise ToolError(
                f"old_text is empty, which fits no place in {name}. Give the text to replace (to insert, give the line "
                "before it and put it into new_text too), or use write_file to replace the whole file."
            )
        if not text:
            raise ToolError(f"old_text and new_text are empty; {name} is empty already.")
        check_writable(text, document, name)
        return Plan(
            title=f"edit {name}",
            effects=self.effects,
            targets=(str(document.location.path),),
            changes=(edit_of(document, text),),
            payload=Remarks(known=frozenset({str(document.location.path)})),
        )


def _notes(edited: Edited) -> tuple[str, ...]:
    notes: list[str] = []
    if edited.count > 1:
        notes.append(f"{edited.count} places were replaced.")
    if edited.tolerance is not Tolerance.EXACT:
        notes.append(f"old_text fitted {edited.tolerance.words}; lines that new_text keeps are as they were.")
    return tuple(notes)
