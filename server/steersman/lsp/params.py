"""The parameters of every command, as PROTOCOL §2 has them: strict, so that a typo never passes silently.

Loaded with the first command, because pydantic is. Nothing here does anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from steersman.lsp.failures import InvalidParamsError

MAX_LISTED = 500
MAX_NUMBER = 2**53 - 1
"""The greatest whole number that JSON holds exactly for every client, and every store."""

_Text: TypeAlias = Annotated[str, Field(min_length=1)]
_Count: TypeAlias = Annotated[int, Field(ge=0, le=MAX_NUMBER)]
_Positive: TypeAlias = Annotated[int, Field(gt=0, le=MAX_NUMBER)]
_Place: TypeAlias = Annotated[int, Field(ge=-1, le=MAX_NUMBER)]
"""A message's number, or -1 for before all."""
_Amount: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class CommandParams(BaseModel):
    """One command's one argument."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", strict=True, protected_namespaces=())

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        return {name: value for name, value in cast("dict[str, Any]", data).items() if value is not None}


class Nothing(CommandParams):
    """No parameters."""


class PositionParams(BaseModel):
    """An LSP position."""

    model_config = ConfigDict(strict=True)

    line: _Count
    character: _Count


class RangeParams(BaseModel):
    """An LSP range."""

    model_config = ConfigDict(strict=True)

    start: PositionParams
    end: PositionParams


class DiagnosticParams(BaseModel):
    """An LSP diagnostic, as far as a run is told of it; what else it holds is left out."""

    range: RangeParams
    message: str
    severity: int | None = None
    source: str | None = None
    code: int | str | None = None


class ContextParams(CommandParams):
    """What the person looks at."""

    uri: _Text
    selection: RangeParams | None = None
    diagnostics: list[DiagnosticParams] | None = None


class LimitsParams(CommandParams):
    """Limits of one run."""

    max_tokens: _Positive | None = None
    max_cost: _Amount | None = None
    deadline_seconds: _Amount | None = None


ModeName: TypeAlias = Literal["plan", "ask", "accept-edits", "auto"]


class RunParams(CommandParams):
    """``steersman.run`` and ``steersman.start``."""

    prompt: str
    session_id: _Text | None = None
    continue_: Annotated[bool, Field(alias="continue")] = False
    take_over: bool = False
    folder: _Text | None = None
    context: ContextParams | None = None
    mode: ModeName | None = None
    model: _Text | None = None
    max_turns: _Positive | None = None
    limits: LimitsParams | None = None

    @model_validator(mode="after")
    def _check(self) -> RunParams:
        if not self.prompt.strip():
            raise ValueError("prompt is empty; say what shall be done")
        if self.session_id is not None and self.continue_:
            raise ValueError("sessionId and continue exclude each other")
        if self.take_over and self.session_id is None and not self.continue_:
            raise ValueError("takeOver needs sessionId or continue: there is nothing to take over")
        return self


class WaitParams(CommandParams):
    """``steersman.wait``."""

    run_id: _Text


class AnswerParams(CommandParams):
    """``steersman.answer``."""

    run_id: _Text
    call_id: _Text
    option_id: _Text
    reason: str | None = None


class CancelParams(CommandParams):
    """``steersman.cancel``."""

    session_id: _Text | None = None
    run_id: _Text | None = None
    force: bool = False


class SteerParams(CommandParams):
    """``steersman.steer``."""

    session_id: _Text
    text: _Text


class SetModeParams(CommandParams):
    """``steersman.setMode``; without a session it holds for every run at work."""

    mode: ModeName
    session_id: _Text | None = None


class ListSessionsParams(CommandParams):
    """``steersman.sessions.list``."""

    folder: _Text | None = None
    query: str | None = None
    limit: Annotated[int, Field(gt=0, le=MAX_LISTED)] = 50
    offset: _Count = 0


class SearchSessionsParams(CommandParams):
    """``steersman.sessions.search``."""

    query: _Text
    folder: _Text | None = None
    limit: Annotated[int, Field(gt=0, le=MAX_LISTED)] = 20


class GetSessionParams(CommandParams):
    """``steersman.sessions.get``."""

    session_id: _Text
    after: _Place | None = None
    limit: _Positive | None = None


class RenameSessionParams(CommandParams):
    """``steersman.sessions.rename``."""

    session_id: _Text
    title: _Text


class SessionParams(CommandParams):
    """``steersman.sessions.delete``."""

    session_id: _Text


class ForkSessionParams(CommandParams):
    """``steersman.sessions.fork``."""

    session_id: _Text
    at_message: _Count | None = None


class ExportSessionParams(CommandParams):
    """``steersman.sessions.export``."""

    session_id: _Text
    format: Literal["json", "markdown", "html"] = "markdown"
    path: _Text | None = None
    force: bool = False
    files: bool = False
    keep_secrets: bool = False


class RewindParams(CommandParams):
    """``steersman.rewind``; ``toMessage`` is the last that stays, -1 for before all."""

    session_id: _Text
    to_message: _Place
    files: bool = True
    conversation: bool = True
    force: bool = False
    dry_run: bool = False
    preview: _Text | None = None


class UndoRewindParams(CommandParams):
    """``steersman.rewind.undo``."""

    rewind_id: _Text
    force: bool = False


class FolderParams(CommandParams):
    """``steersman.permissions.list`` and ``.reset``."""

    folder: _Text | None = None


P = TypeVar("P", bound=CommandParams)


def read_params(model: type[P], command: str, arguments: object) -> P:
    """Return the command's parameters from ``arguments`` as the client sent them.

    Raises:
        InvalidParamsError: with each field that is wrong, and what was wanted.
    """
    try:
        return model.model_validate(_one_object(command, arguments))
    except ValidationError as error:
        problems = [_problem(dict(each)) for each in error.errors(include_url=False, include_context=False)]
        fields = [field for field, _ in problems if field]
        raise InvalidParamsError(f"{command}: {'; '.join(text for _, text in problems)}.", fields=fields) from error


def _one_object(command: str, arguments: object) -> Mapping[str, Any]:
    if arguments is None or arguments == []:
        return {}
    if not isinstance(arguments, list):
        raise InvalidParamsError(f"{command}: arguments is an array with one object in it.", fields=["arguments"])
    first, *others = cast("list[Any]", arguments)
    if others:
        raise InvalidParamsError(f"{command} takes one argument, an object; {len(others) + 1} came.")
    if first is None or first == []:  # Lua writes an empty object as []
        return {}
    if not isinstance(first, dict):
        raise InvalidParamsError(f"{command}: its argument is an object with named fields.")
    return cast("dict[str, Any]", first)


def _problem(error: Mapping[str, Any]) -> tuple[str, str]:
    """Return the field and what is wrong with it, in words."""
    field = ".".join(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return field, f"there is no field {field}"
    if error["type"] == "missing":
        return field, f"{field} is missing"
    message = str(error["msg"]).removeprefix("Value error, ")
    if not field:
        return message.partition(" ")[0], message
    given = type(error["input"]).__name__
    return field, f"{field}: {message[:1].lower()}{message[1:]} ({_JSON_NAMES.get(given, given)} came)"


_JSON_NAMES = {
    "str": "a string",
    "int": "a number",
    "float": "a number",
    "bool": "true or false",
    "list": "an array",
    "dict": "an object",
    "NoneType": "null",
}
