"""What may be configured, from where, and which source may set what (DESIGN A6, PROTOCOL §1, §7).

Order, strongest first: command line, environment, editor (``initializationOptions``), the user's ``config.toml``,
built-in. What the *workspace* says (an editor's configuration, which a clone may carry) never comes in here: it may
only tighten, see ``tightening_of``. Nothing in here reads a workspace file or prints a key; problems are warnings.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from steersman.agent.errors import InvalidRequestError
from steersman.permissions.modes import DEFAULT_MODE, Mode, tighten
from steersman.setting_words import Durability, ShowAnswer

if TYPE_CHECKING:
    from steersman.setting_parts import LimitsPart, PermissionPart, SettingsPart

DEFAULT_MODEL = "demo/rules"
DEFAULT_MAX_TURNS = 40


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds.

    Attributes:
        model: ``provider/model``.
        model_source: where the model comes from, for people: "built-in", "STEERSMAN_MODEL", ….
        mode: permission mode.
        max_turns: model responses a run.
        max_output_tokens: output limit of one response, or None for the provider's.
        max_tokens: tokens a run, or None.
        max_cost: US dollars a run, or None.
        deadline_s: seconds a run, or None.
        context_max_chars: budget of what is sent, or None for the model's window.
        providers: provider name -> its configuration, as written.
        permissions: the user's rules.
        durability: of the session store.
        sandbox_network: whether a confined command may use the network.
        sources: setting -> where it came from, for ``doctor``.
        warnings: what was wrong with a source.
    """

    model: str = DEFAULT_MODEL
    model_source: str = "built-in"
    mode: Mode = DEFAULT_MODE
    max_turns: int = DEFAULT_MAX_TURNS
    max_output_tokens: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    deadline_s: float | None = None
    context_max_chars: int | None = None
    providers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    permissions: tuple[PermissionPart, ...] = ()
    durability: Durability = "normal"
    sandbox_network: bool = False
    sources: Mapping[str, str] = field(default_factory=dict[str, str])
    warnings: tuple[str, ...] = ()


class Named(NamedTuple):
    """What a source says that says no more than a model and a mode, as most do: nothing is loaded to check that."""

    model: str | None = None
    mode: Mode | None = None


Part: TypeAlias = "SettingsPart | Named | None"
"""What one source says; None: nothing."""


@dataclass(frozen=True, slots=True)
class Source:
    """One source of settings: its name for people, and what it says."""

    name: str
    part: Part


def parse_part(name: str, data: Mapping[str, Any] | None) -> tuple[Part, list[str]]:
    """Check what a source says. What does not fit is left out and told; the rest counts.

    Keys may be written in camelCase or snake_case; ``null`` means default; a ``steersman`` object around it all is
    accepted. A permission rule that does not fit is not merely left out, since it may have been one that denies: as
    long as it stands there everything asks.

    Returns:
        The part and the warnings, each naming the source and the setting.
    """
    said = _said(data)
    if not said:
        return None, []
    named = _named(said)
    return (named, []) if named is not None else _checked(name, said)


def _said(data: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what is said at all, in a copy."""
    values: dict[str, Any] = dict(data or {})
    if len(values) == 1 and isinstance(values.get("steersman"), dict):
        values = values["steersman"]
    return {key: copy.deepcopy(value) for key, value in values.items() if value is not None}


def _named(said: Mapping[str, Any]) -> Named | None:
    """Return what is said where it is a sound model and mode alone."""
    model, mode = said.get("model", ""), said.get("mode", Mode.ASK)
    if not said.keys() <= {"model", "mode"} or not (isinstance(model, str) and model.isprintable()):
        return None
    if not (isinstance(mode, str) and mode in set(Mode)):
        return None
    return Named(said.get("model"), Mode(mode) if "mode" in said else None)


def _checked(name: str, said: Mapping[str, Any]) -> tuple[SettingsPart, list[str]]:
    from steersman.setting_parts import check_part  # noqa: PLC0415 - brings pydantic

    return check_part(name, said)


def environment_part(environ: Mapping[str, str]) -> tuple[Part, list[str]]:
    """Return what ``STEERSMAN_MODEL`` and ``STEERSMAN_MODE`` say."""
    named = {"model": environ.get("STEERSMAN_MODEL"), "mode": environ.get("STEERSMAN_MODE")}
    return parse_part("environment", {key: value for key, value in named.items() if value})


def read_config_file(path: Path) -> tuple[Part, list[str]]:
    """Read the user's ``config.toml``; a file that is not there says nothing.

    Raises:
        InvalidRequestError: the file cannot be read or is not TOML; names the line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return None, []
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidRequestError(f"{path} cannot be read ({error}).", hint="Mend or remove the file.") from error
    import tomllib  # noqa: PLC0415 - most runs have no such file

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidRequestError(f"{path} is not valid TOML: {error}.", hint="Mend the file.") from error
    return parse_part(str(path), data)


def combine(sources: Sequence[Source], warnings: Sequence[str] = ()) -> Settings:
    """Lay the sources over the built-in settings; the first source is the strongest."""
    values: dict[str, Any] = {}
    origin: dict[str, str] = {}
    providers: dict[str, Mapping[str, Any]] = {}
    permissions: list[PermissionPart] = []
    for source in reversed(sources):
        part = source.part
        if part is None:
            continue
        for key, value in _values(part).items():
            if value is not None:
                values[key] = value
                origin[key] = source.name
        if not isinstance(part, Named):
            providers.update(part.providers or {})
            permissions.extend(part.permissions or [])
    return Settings(
        **values,
        model_source=origin.get("model", "built-in"),
        providers=providers,
        permissions=tuple(permissions),
        sources=origin,
        warnings=tuple(warnings),
    )


@dataclass(frozen=True, slots=True)
class Tightening:
    """What a workspace's own configuration may do: be stricter, and choose how the answer is shown (A6).

    Attributes:
        mode: a mode that runs may not be laxer than, or None.
        max_turns: at most so many turns, or None.
        max_tokens: at most so many tokens, or None.
        max_cost: at most so many US dollars, or None.
        deadline_s: at most so many seconds, or None.
        show_answer: how a plain client gets the answer, or None.
        warnings: what it tried to set and may not.
    """

    mode: Mode | None = None
    max_turns: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    deadline_s: float | None = None
    show_answer: ShowAnswer | None = None
    warnings: tuple[str, ...] = ()

    def mode_of(self, mode: Mode) -> Mode:
        """Return the mode as the workspace leaves it."""
        return mode if self.mode is None else tighten(mode, self.mode)


_MAY_NOT = (
    *("model", "providers", "permissions", "client", "durability", "sandbox_network"),
    *("max_output_tokens", "context_max_chars"),
)


def tightening_of(data: Mapping[str, Any] | None) -> Tightening:
    """Return what the workspace's configuration may do; everything else in it is a warning and nothing more."""
    said = _said(data)
    if not said:
        return Tightening()
    part, warnings = _checked("the workspace's configuration", said)
    from steersman.setting_parts import LimitsPart, wire_name  # noqa: PLC0415 - loaded, since something is said

    warnings.extend(
        f"The workspace's configuration may not set {wire_name(key)}; it is ignored. "
        "Set it in your own config.toml, in the environment or on the command line."
        for key in _MAY_NOT
        if key in part.model_fields_set
    )
    limits = part.limits or LimitsPart.model_construct()
    return Tightening(
        mode=part.mode,
        max_turns=part.max_turns,
        max_tokens=limits.max_tokens,
        max_cost=limits.max_cost,
        deadline_s=limits.deadline_seconds,
        show_answer=part.show_answer,
        warnings=tuple(warnings),
    )


def at_most(value: float | None, bound: float | None) -> float | None:
    """Return the smaller of two limits, None being no limit."""
    if value is None or bound is None:
        return bound if value is None else value
    return min(value, bound)


def _values(part: SettingsPart | Named) -> dict[str, Any]:
    """Return what a part says, by the names of ``Settings``; None where it says nothing."""
    if isinstance(part, Named):
        return part._asdict()
    return {
        "model": part.model,
        "mode": part.mode,
        "max_turns": part.max_turns,
        "max_output_tokens": part.max_output_tokens,
        "context_max_chars": part.context_max_chars,
        "durability": part.durability,
        "sandbox_network": part.sandbox_network,
        **_limit_values(part.limits),
    }


def _limit_values(limits: LimitsPart | None) -> dict[str, Any]:
    if limits is None:
        return {}
    return {
        "max_tokens": limits.max_tokens,
        "max_cost": limits.max_cost,
        "deadline_s": limits.deadline_seconds,
    }
