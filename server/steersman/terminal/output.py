"""Printing for people and for programs: tables, JSON, errors; never a stack trace."""

from __future__ import annotations

import json
import shlex
import unicodedata
from collections.abc import Callable, Container, Sequence
from functools import wraps
from typing import Any, TypeVar

from steersman.agent.errors import InvalidRequestError, SteersmanError
from steersman.permissions.visible import visible
from steersman.terminal.streams import note, say

ArgsT = TypeVar("ArgsT")


def print_json(value: Any) -> None:
    """Print one JSON value on a line of its own, at once; raises as ``say``."""
    say(json.dumps(value, ensure_ascii=False), flush=True)


def printable(text: str) -> str:
    """Return a text as a terminal may get it: whatever could steer the terminal or hide is written out (DESIGN A2)."""
    return visible(text.replace("\r\n", "\n"))


def print_warning(message: str) -> None:
    """Print what a person should know, and what ends nothing, on standard error."""
    note(f"steersman: {printable(message)}")


def print_error(error: SteersmanError) -> None:
    """Print what happened and what to do, on standard error."""
    print_warning(error.message + (f" {error.hint}" if error.hint else ""))


def exits(function: Callable[[ArgsT], int]) -> Callable[[ArgsT], int]:
    """Turn a command's ``SteersmanError`` into a message and an exit code."""

    @wraps(function)
    def command(args: ArgsT) -> int:
        try:
            return function(args)
        except InvalidRequestError as error:
            print_error(error)
            return 64
        except SteersmanError as error:
            print_error(error)
            return 1
        except KeyboardInterrupt:
            return 130

    return command


def in_folder(command: str, folder: str, *words: str) -> str:
    """Return a command line to be typed next, for the folder that this one named; ``folder``: as ``-C`` had it."""
    where = [] if folder == "." else ["-C", shlex.quote(folder)]
    return " ".join(["steersman", command, *where, *words])


def counted(number: int, what: str) -> str:
    """Return "1 session" or "2 sessions"."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def table(rows: Sequence[Sequence[str]], headers: Sequence[str], *, right: Container[int] = ()) -> str:
    """Return aligned columns; the last one is not padded. Columns whose index is in ``right`` hold numbers."""
    lines = [list(headers), *[list(row) for row in rows]]
    widths = [max(cells(line[column]) for line in lines) for column in range(len(headers))]
    return "\n".join(
        "  ".join(
            _padded(cell, width, to_right=column in right)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def _padded(cell: str, width: int, *, to_right: bool) -> str:
    padding = " " * (width - cells(cell))
    return padding + cell if to_right else cell + padding


def first_cells(text: str, room: int) -> str:
    """Return the beginning of a text that fits ``room`` cells, with “…” where something is left out."""
    if cells(text) <= room:
        return text
    kept = len(text)
    while kept and cells(text[:kept]) > room - 1:
        kept -= 1
    return text[:kept] + "…"


def last_cells(text: str, room: int) -> str:
    """Return the end of a text that fits ``room`` cells, with “…” where something is left out."""
    if cells(text) <= room:
        return text
    start = 0
    while start < len(text) and cells(text[start:]) > room - 1:
        start += 1
    return "…" + text[start:]


def cells(text: str) -> int:
    """Return how many columns of a terminal the text takes: Chinese letters and pictures take two."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )
