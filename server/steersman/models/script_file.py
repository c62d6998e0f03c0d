r"""The scripted model's script as a file, for tests that run Steersman in another process and stop or kill it there.

One JSON value a line is one reply; blank lines and lines that begin with ``#`` are skipped. A reply is a list of
items, or an object with ``items`` and what its end mark shall say::

    ["Let me look.", {"call": "read_file", "arguments": {"path": "a.py"}}]
    {"items": ["Half an ans"], "finish": "length", "usage": {"input": 90, "output": 4, "cachedInput": 0}}
    [{"wait": "rate limited", "seconds": 2, "attempt": 1}, {"fail": "provider_unavailable", "message": "Overloaded."}]
    ["Let me ", {"gate": "in-stream"}, "finish."]

Items: a string is text; ``{"reasoning": TEXT}``; ``{"call": NAME, "arguments": OBJECT or TEXT, "id": ID}``;
``{"gate": NAME}``; ``{"wait": REASON, "seconds": N, "attempt": N}``; ``{"fail": KIND, "message": TEXT}`` with a kind of
PROTOCOL §5 that a provider can cause; ``{"cut": true}`` for a stream that breaks off; ``{"end": false}`` for one that
stops without its end mark.

Gates are files (``FileGates``): at ``{"gate": "in-stream"}`` the file ``in-stream.reached`` appears in the gates folder
(``FILE.gates`` beside the script, unless another is given), and the model waits until ``in-stream.open`` is there.
"""

from __future__ import annotations

import json
from pathlib import Path

from steersman.agent.errors import InvalidRequestError, ModelError
from steersman.agent.lines import split_lines
from steersman.agent.messages import JsonValue
from steersman.agent.model import FinishReason, ReasoningPiece, Usage, Waiting
from steersman.models.gates import FileGates
from steersman.models.scripted import AtGate, Item, ScriptedModel, ScriptedReply, call, cut

_FINISHES: tuple[FinishReason, ...] = ("stop", "tool_calls", "length", "content_filter")


class _BadLineError(ValueError):
    """What is wrong with one line of a script."""


def load_script(path: Path, *, gates: FileGates | None = None) -> ScriptedModel[FileGates]:
    """Return the model that plays the script in a file.

    Args:
        path: the script, UTF-8.
        gates: None: files in ``FILE.gates`` beside it.

    Raises:
        InvalidRequestError: the file cannot be read or is no script; says which line.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidRequestError(f"The script {path} cannot be read: {error}") from None
    folder = path.with_name(f"{path.name}.gates")
    return ScriptedModel(parse_script(text), gates or FileGates(folder), model=f"scripted/{path}")


def parse_script(text: str) -> list[ScriptedReply]:
    """Return the replies of a script.

    Raises:
        InvalidRequestError: a line is no reply; says which and why.
    """
    replies: list[ScriptedReply] = []
    for number, line in enumerate(split_lines(text), start=1):
        content = line.strip()
        if not content or content.startswith("#"):
            continue
        try:
            value: JsonValue = json.loads(content)
            replies.append(_reply(value))
        except ValueError as error:
            raise InvalidRequestError(f"Line {number} of the script is no reply: {error}") from None
    return replies


def _reply(value: JsonValue) -> ScriptedReply:
    if isinstance(value, list):
        value = {"items": value}
    if not isinstance(value, dict):
        raise _BadLineError("it is neither a list of items nor an object")
    unknown = set(value) - {"items", "finish", "usage"}
    items = value.get("items", [])
    if unknown or not isinstance(items, list):
        raise _BadLineError(f"unknown fields: {', '.join(sorted(unknown))}" if unknown else "items is not a list")
    ends = {"end": False} not in items
    return ScriptedReply(
        tuple(_item(item) for item in items if item != {"end": False}),
        _finish(value.get("finish")),
        _usage(value.get("usage")),
        ends=ends,
    )


def _item(value: JsonValue) -> Item:
    match value:
        case str():
            return value
        case {"reasoning": str(text)}:
            return ReasoningPiece(text)
        case {"call": str(name)}:
            return _call(name, value)
        case {"gate": str(name)}:
            return AtGate(name)
        case {"wait": str(reason)}:
            return Waiting(reason, _number(value.get("seconds", 0)), int(_number(value.get("attempt", 1))))
        case {"fail": str(kind)}:
            return _failure(kind, str(value.get("message", "The script says so.")))
        case {"cut": True}:
            return cut()
        case _:
            raise _BadLineError(f"no such item: {json.dumps(value, ensure_ascii=False)}")


def _call(name: str, value: dict[str, JsonValue]) -> Item:
    arguments = value.get("arguments", {})
    if not isinstance(arguments, dict | str):
        raise _BadLineError(f"the arguments of {name} are neither an object nor a text")
    return call(name, arguments, call_id=str(value.get("id", "")))


def _failure(kind: str, message: str) -> ModelError:
    classes = {error.kind: error for error in ModelError.__subclasses__()}
    if kind not in classes:
        raise _BadLineError(f"no provider fails with {kind}; known are {', '.join(sorted(classes))}")
    return classes[kind](message)


def _finish(value: JsonValue) -> FinishReason | None:
    if value is None:
        return None
    for reason in _FINISHES:
        if value == reason:
            return reason
    raise _BadLineError(f"no such finish: {value!r}; known are {', '.join(_FINISHES)}")


def _usage(value: JsonValue) -> Usage | None:
    if value is None:
        return None
    if not isinstance(value, dict) or set(value) - {"input", "output", "cachedInput"}:
        raise _BadLineError("usage has the fields input, output and cachedInput")
    tokens = {name: int(_number(number)) for name, number in value.items()}
    return Usage(
        input_tokens=tokens.get("input", 0),
        cached_input_tokens=tokens.get("cachedInput", 0),
        output_tokens=tokens.get("output", 0),
    )


def _number(value: JsonValue) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _BadLineError(f"{value!r} is not a number")
    return value
