"""Writes ``src/protocol.gen.ts``: the wire in TypeScript, from the server's own code, so that nothing is typed twice.

What goes in comes from the pydantic models of ``steersman.lsp.params`` and ``steersman.setting_parts``. What comes out
has no models: it is made by functions from dataclasses. Those functions are called with samples of every shape their
dataclasses allow, and the types are read off the JSON they return. Must be run with the project's own environment;
``--check`` says whether the file is as it would be written now.
"""

from __future__ import annotations

import asyncio
import dataclasses
import enum
import itertools
import sys
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.alias_generators import to_camel

from steersman import library, wire
from steersman.agent import events, messages
from steersman.agent.approval import Option
from steersman.agent.changes import Change, ChangeSummary
from steersman.agent.errors import StorageError
from steersman.agent.result import RunResult, StopReason
from steersman.agent.tool import Plan
from steersman.app import model_to_wire
from steersman.lsp import approvals, params
from steersman.lsp.commands import status
from steersman.models.prices import ModelFacts
from steersman.models.provider_config import Price
from steersman.permissions.modes import Mode
from steersman.permissions.question import Question
from steersman.rewind import RewindPreview, RewindResult
from steersman.runs.report import RunReport
from steersman.sessions.records import SessionRecord, StoredMessage
from steersman.setting_parts import SettingsPart

TARGET = Path(__file__).resolve().parent.parent / "src" / "protocol.gen.ts"

HEAD = """\
// Made by scripts/protocol_types.py from the server's own code. Do not edit: `make vscode-protocol` writes it anew.
"""

_TEXT = "/…"
"""Stands for any text in samples; no text of a closed set is like it."""

_NAMES = {"StopReason": StopReason}


# What goes in: from JSON schemas.


class _Schemas:
    """Turns pydantic models into interfaces; models that others use come along once."""

    def __init__(self) -> None:
        self.written: dict[str, str] = {}

    def add(self, model: type[BaseModel]) -> None:
        """Write a model and what it uses."""
        schema = model.model_json_schema(by_alias=True)
        for name, each in {**schema.get("$defs", {}), model.__name__: schema}.items():
            if name not in self.written:
                self.written[name] = self._declare(name, each)

    def _declare(self, name: str, schema: Mapping[str, Any]) -> str:
        if schema.get("type") != "object":
            return f"export type {name} = {self._type(schema)};\n"
        lines = [f"export interface {name} {{"]
        required = set(schema.get("required", ()))
        for field, each in schema.get("properties", {}).items():
            mark = "" if field in required else "?"
            lines.append(f"  {field}{mark}: {self._type(each)};")
        return "\n".join([*lines, "}\n"])

    def _type(self, schema: Mapping[str, Any]) -> str:
        if "$ref" in schema:
            return str(schema["$ref"]).rpartition("/")[2]
        if "const" in schema:
            return _literal(schema["const"])
        if "enum" in schema:
            return " | ".join(_literal(value) for value in schema["enum"])
        if "anyOf" in schema:
            return " | ".join(dict.fromkeys(self._type(each) for each in schema["anyOf"]))
        match schema.get("type"):
            case "array":
                return f"readonly ({self._type(schema.get('items', {}))})[]"
            case "object":
                inner = schema.get("additionalProperties", {})
                return f"Readonly<Record<string, {self._type(inner) if isinstance(inner, dict) else 'unknown'}>>"
            case "string":
                return "string"
            case "integer" | "number":
                return "number"
            case "boolean":
                return "boolean"
            case "null":
                return "null"
            case _:
                return "unknown"


def _literal(value: object) -> str:
    return f"'{value}'" if isinstance(value, str) else str(value).lower()


# What comes out: from samples.


@dataclasses.dataclass(frozen=True)
class _Named:
    """Stands in a sample for a type that is declared by itself."""

    name: str


class _Samples:
    """Makes values of a type: each member of each closed set, each optional part there and not there."""

    def __init__(self) -> None:
        self.closed: set[str] = set()

    def of(self, annotation: Any) -> list[Any]:
        """Return samples of a type, at least one."""
        origin = typing.get_origin(annotation)
        arguments = typing.get_args(annotation)
        if origin is Literal:
            self.closed.update(value for value in arguments if isinstance(value, str))
            return list(arguments)
        if origin in (typing.Union, types.UnionType):
            return [value for each in arguments for value in self.of(each)]
        if origin in (tuple, Sequence):
            inner = self.of(arguments[0])
            return [(), tuple(inner)]
        if origin in (dict, Mapping):
            return [{}, {_TEXT: self.of(arguments[1])[0]}]
        return self._plain(annotation)

    def _plain(self, annotation: Any) -> list[Any]:
        if annotation is Price:
            return [Price(input=1.0, output=1.0)]
        if dataclasses.is_dataclass(annotation) or hasattr(annotation, "_fields"):
            return list(self.records(typing.cast("type[Any]", annotation)))
        if isinstance(annotation, type) and issubclass(annotation, enum.Enum):
            self.closed.update(str(member.value) for member in annotation)
            return list(annotation)
        simple: dict[Any, list[Any]] = {
            str: [_TEXT, ""], int: [1, 0], float: [1.0], bool: [False, True], type(None): [None],
        }  # fmt: skip
        return simple.get(annotation, [_TEXT])

    def records(self, record: type[Any]) -> Iterator[Any]:
        """Yield instances of a dataclass or a tuple with names so that each sample of each field occurs."""
        hints = typing.get_type_hints(record, localns={"RunResult": RunResult})
        fields = dataclasses.fields(record) if dataclasses.is_dataclass(record) else ()
        for constant in (each for each in fields if not each.init):
            self.of(hints[constant.name])
        names = [each.name for each in fields if each.init] if fields else list(getattr(record, "_fields", ()))
        columns = [self.of(hints[name]) for name in names]
        for number in range(max(map(len, columns), default=1)):
            values = (column[min(number, len(column) - 1)] for column in columns)
            yield record(**dict(zip(names, values, strict=True)))


class _Shapes:
    """Reads types off JSON values."""

    def __init__(self, closed: set[str]) -> None:
        self._closed = closed

    def type_of(self, values: Sequence[Any], depth: int = 1) -> str:
        """Return the type that all values have."""
        found: dict[str, None] = {}
        objects = [value for value in values if isinstance(value, dict)]
        arrays = [value for value in values if isinstance(value, list | tuple)]
        for value in values:
            if not isinstance(value, dict | list | tuple):
                found[self._scalar(value)] = None
        if {"true", "false"} <= found.keys():
            found = {each: None for each in found if each not in {"true", "false"}} | {"boolean": None}
        if objects:
            found[self._object(objects, depth)] = None
        if arrays:
            inner = list(itertools.chain.from_iterable(arrays))
            found[f"readonly ({self.type_of(inner, depth)})[]" if inner else "readonly unknown[]"] = None
        if "string" in found:
            found = {each: None for each in found if not each.startswith("'")}
        return " | ".join(sorted(found, key=lambda each: each == "null"))

    def _scalar(self, value: Any) -> str:
        if value is None:
            return "null"
        if isinstance(value, _Named):
            return value.name
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int | float):
            return "number"
        return f"'{value}'" if value in self._closed else "string"

    def _object(self, objects: Sequence[Mapping[str, Any]], depth: int) -> str:
        if all(set(each) <= {_TEXT} for each in objects) and any(objects):
            inner = [value for each in objects for value in each.values()]
            return f"Readonly<Record<string, {self.type_of(inner, depth)}>>"
        names = dict.fromkeys(name for each in objects for name in each)
        pad = "  " * depth
        lines = ["{"]
        for name in names:
            there = [each[name] for each in objects if name in each]
            mark = "" if len(there) == len(objects) else "?"
            lines.append(f"{pad}readonly {name}{mark}: {self.type_of(there, depth + 1)};")
        return "\n".join([*lines, "  " * (depth - 1) + "}"])


def _events(samples: _Samples) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for body_type in typing.get_args(events.EventBody):
        failed = [events.RunEnded(None, _TEXT, _TEXT)] if body_type is events.RunEnded else []
        for body in [*samples.records(body_type), *failed]:
            event = wire.EventWire(_TEXT, _TEXT)(events.Event(_TEXT, 1, 1, 1.0, body))
            kind = event.pop("type")
            for name in ("runId", "sessionId", "seq", "turn", "time"):
                del event[name]
            if "error" in event and event["error"]["kind"] is None:
                continue  # a run ends with a result or with an error
            if kind == "run_ended":
                event["result"] = _Named("RunResult")
            found.setdefault(kind, []).append(event)
    return found


def _status() -> Any:
    run = SimpleNamespace(id=_TEXT, session_id=_TEXT, turn=1, activity=_TEXT, started_at=1.0)
    engine = SimpleNamespace(
        model=_TEXT, mode=_TEXT, runs=SimpleNamespace(active=lambda: [run]), warnings=[_TEXT]
    )  # fmt: skip
    face = SimpleNamespace(
        engine=lambda: engine, host=SimpleNamespace(version=_TEXT, state_dir=Path("/")), warnings=[],
        folders=SimpleNamespace(roots=[SimpleNamespace(path=Path("/"))], warnings=[]),
    )  # fmt: skip
    call = typing.cast("Any", SimpleNamespace(face=face))
    return asyncio.run(status.status(call, typing.cast("Any", None)))


def _questions(samples: _Samples, *, full: bool) -> list[Any]:
    changes = tuple(samples.records(Change))
    plans = [Plan(_TEXT, frozenset(), changes=changes), Plan(_TEXT, frozenset(), command=_TEXT)]
    return [
        approvals.question_to_wire(
            Question(_TEXT, _TEXT, _TEXT, _TEXT, plan, (Option(_TEXT, _TEXT),), warning=warning), full=full
        )
        for plan in plans
        for warning in (None, _TEXT)
    ]


def _outgoing() -> Iterator[str]:
    samples = _Samples()
    samples.of(Mode)
    stored = [StoredMessage(1, message, 1.0) for message in samples.of(messages.Message)]
    reports = list(samples.records(RunReport))
    error = StorageError(_TEXT, hint=_TEXT)
    named: dict[str, list[Any]] = {
        "Usage": [wire.usage_to_wire(each.usage) for each in reports],
        "ChangeSummary": [wire.change_to_wire(each) for each in samples.records(ChangeSummary)],
        "RunResult": [wire.report_to_wire(each) for each in reports],
        "Session": [wire.session_to_wire(each) for each in samples.records(SessionRecord)],
        "Message": [wire.message_to_wire(each) for each in stored],
        "FailureData": [
            wire.error_to_wire(StorageError(_TEXT)),
            *(wire.error_to_wire(error, each) for each in reports),
        ],
        "OpenQuestion": _questions(samples, full=False),
        "ApprovalParams": _questions(samples, full=True),
        "Status": [_status()],
        "Model": [model_to_wire(each) for each in samples.records(ModelFacts)],
        "RewindResult": [
            library.rewind_to_wire(each) for kind in (RewindResult, RewindPreview) for each in samples.records(kind)
        ],
    }
    happened = _events(samples)
    shapes = _Shapes(samples.closed)
    for name, enumeration in _NAMES.items():
        yield f"export type {name} = {' | '.join(_literal(member.value) for member in enumeration)};\n"
    for name, values in named.items():
        text = shapes.type_of(values)
        yield f"export interface {name} {text}\n" if text.startswith("{") else f"export type {name} = {text};\n"
    for kind, values in happened.items():
        fields = shapes.type_of(values, 1)
        yield f"export type {_pascal(kind)} = {fields};\n"
    yield (
        "export interface EventEnvelope {\n  readonly runId: string;\n  readonly sessionId: string;\n"
        "  readonly seq: number;\n  readonly turn: number;\n  readonly time: string;\n}\n"
    )
    members = "".join(f"\n  | ({{ readonly type: '{kind}' }} & {_pascal(kind)})" for kind in happened)
    yield f"export type SteersmanEvent = EventEnvelope & ({members}\n);\n"


def _pascal(kind: str) -> str:
    camel = to_camel(kind)
    return f"{camel[:1].upper()}{camel[1:]}Event"


def render() -> str:
    """Return the whole file."""
    schemas = _Schemas()
    for name in sorted(vars(params)):
        model = getattr(params, name)
        if isinstance(model, type) and issubclass(model, BaseModel) and model is not BaseModel:
            schemas.add(model)
    schemas.add(SettingsPart)
    return "\n".join([HEAD, *schemas.written.values(), *_outgoing()])


def main(arguments: Sequence[str]) -> int:
    """Write the file, or with ``--check`` compare it."""
    text = render()
    if "--check" in arguments:
        same = TARGET.is_file() and TARGET.read_text(encoding="utf-8") == text
        if not same:
            sys.stderr.write(f"{TARGET.name} is not what the server's code says; run `make vscode-protocol`.\n")
        return 0 if same else 1
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
