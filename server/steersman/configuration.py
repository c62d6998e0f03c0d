"""Where the user's settings and state are, and the settings put together from their sources (PROTOCOL §7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from steersman.agent.errors import InvalidRequestError
from steersman.agent.model_names import split_model
from steersman.settings import (
    Part,
    Settings,
    Source,
    combine,
    environment_part,
    parse_part,
    read_config_file,
)
from steersman.user_folders import config_file, state_dir
from steersman_tools.kit.workspace import Root

__all__ = ["config_file", "load_settings", "make_roots", "state_dir"]


def load_settings(
    environ: Mapping[str, str],
    *,
    command_line: Mapping[str, Any] | None = None,
    editor: Mapping[str, Any] | None = None,
    strict: bool = False,
) -> Settings:
    """Put the user's settings together; ``strict``: what no run could use is an error, not a warning.

    Raises:
        InvalidRequestError: ``strict`` and the config file cannot be read, or the model that holds has no name.
    """
    file = config_file(environ)
    warnings: list[str] = []
    sources: list[Source] = []

    def add(name: str, parsed: tuple[Part, list[str]]) -> None:
        sources.append(Source(name, parsed[0]))
        warnings.extend(parsed[1])

    add("command line", parse_part("command line", command_line))
    add("environment", environment_part(environ))
    add("editor", parse_part("initializationOptions", editor))
    try:
        part, problems = read_config_file(file)
        add(str(file), (part, [*problems, *_of_editors(str(file), part)]))
    except InvalidRequestError as error:
        if strict:
            raise
        warnings.append(f"{_said(error)} Until then everything asks.")
        from steersman.setting_parts import ASK_EVERYTHING, SettingsPart  # noqa: PLC0415 - where something is wrong

        sources.append(Source(str(file), SettingsPart(permissions=[ASK_EVERYTHING])))
    settings = combine(sources, warnings)
    try:
        split_model(settings.model)  # never another model in its place: it could cost, or send to somebody else
    except InvalidRequestError as error:
        if strict:
            raise
        return replace(settings, warnings=(*settings.warnings, f"{settings.model_source}: {_said(error)}"))
    return settings


def _said(error: InvalidRequestError) -> str:
    return f"{error.message} {error.hint or ''}".rstrip()


def _of_editors(name: str, part: Part) -> list[str]:
    """Warn of what only an editor can say."""
    said = [wire for field, wire in (("client", "client"), ("show_answer", "showAnswer")) if getattr(part, field, None)]
    return [f"{name}: {wire} is for initializationOptions; it is ignored here." for wire in said]


def make_roots(paths: Sequence[Path]) -> tuple[Root, ...]:
    """Return roots with real paths and unique names."""
    roots: list[Root] = []
    for path in paths:
        real = path.resolve()
        base = real.name or "root"
        name, number = base, 2
        while any(root.name == name for root in roots):
            name, number = f"{base}-{number}", number + 1
        if all(root.path != real for root in roots):
            roots.append(Root(name, real))
    return tuple(roots)
