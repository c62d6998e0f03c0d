"""Tools as a model sees them: those of the house, and those of courses and demonstrations."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, create_model

from steersman.agent.model import ToolSpec


def spec(name: str, description: str, **fields: Any) -> ToolSpec:
    """Return a tool; ``fields`` are pydantic's (type, default) pairs."""
    model = create_model(name, __config__=ConfigDict(extra="forbid"), **fields)
    return ToolSpec(name, description, model.model_json_schema())


HOUSE = (
    spec(
        "read_file", "Read a text file, with line numbers.", path=(str, ...), offset=(int, 1), limit=(int | None, None)
    ),
    spec("list_dir", "List the files and folders of a directory.", path=(str, "."), depth=(int, 1)),
    spec(
        "find_files",
        "Find files by a glob pattern, such as **/*.py.",
        pattern=(str, ...),
        path=(str, "."),
        limit=(int, 100),
    ),
    spec(
        "search",
        "Search the text of files.",
        pattern=(str, ...),
        path=(str, "."),
        glob=(str | None, None),
        literal=(bool, True),
        case_sensitive=(bool | None, None),
        context=(int, 0),
        limit=(int, 100),
    ),
    spec(
        "edit_file",
        "Replace a text in a file by another; old_text must occur exactly once.",
        path=(str, ...),
        old_text=(str, ...),
        new_text=(str, ...),
        replace_all=(bool, False),
    ),
    spec("write_file", "Create a file or overwrite it with new content.", path=(str, ...), content=(str, ...)),
    spec("apply_patch", "Apply a patch to several files.", patch=(str, ...)),
    spec("move_file", "Move or rename a file.", path=(str, ...), new_path=(str, ...)),
    spec("delete_file", "Delete a file.", path=(str, ...)),
    spec("run_command", "Run a shell command.", command=(str, ...), folder=(str, "."), timeout_s=(int, 60)),
    spec("get_diagnostics", "Get the editor's diagnostics (errors, warnings) of a file.", path=(str | None, None)),
)
"""Tools like Steersman's own."""

COURSE = (
    spec("add", "Add two numbers.", a=(int, ...), b=(int, ...)),
    spec("get_weather", "Get the current weather of a city.", city=(str, ...)),
    spec("ping", "Send a ping.", text=(str, "")),
    spec("multiply", "Multiply two numbers.", x=(float, ...), y=(float, ...)),
    spec("sum_list", "Sum a list of numbers.", numbers=(list[float], ...)),
    spec("calculator", "Evaluate an arithmetic expression.", expression=(str, ...)),
    spec("lookup", "Return the population of a town.", town=(str, ...)),
    spec("echo", "Repeat a text.", text=(str, ...)),
    spec("translate_text", "Translate a text into a language.", text=(str, ...), target_language=(str, ...)),
    spec("send_email", "Send an email to someone.", to=(str, ...), subject=(str, ...), body=(str, ...)),
    spec("book_flight", "Book a flight.", origin=(str, ...), destination=(str, ...), date=(str | None, None)),
    spec("convert", "Convert an amount of money.", amount=(float, ...), source=(str, ...), target=(str, ...)),
    spec("get_time", "Get the time in a timezone.", timezone=(str, ...)),
    spec("set_light", "Set a light's colour.", color=(Literal["red", "green", "blue"], ...), room=(str, ...)),
    spec("roll_dice", "Roll dice.", sides=(int, 6)),
)
"""Tools of the kind that courses use."""
