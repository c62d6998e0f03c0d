"""What is wrong with a setting, in plain words (PROTOCOL §7). Must never repeat what could be a key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

ShowAnswer: TypeAlias = Literal["auto", "message", "document", "none"]
Durability: TypeAlias = Literal["normal", "full"]

_ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
_HAS_TO_BE = (
    ("int_", "a whole number"),
    ("float_", "a number"),
    ("finite_", "a number"),
    ("bool_", "true or false"),
    ("string_", "text"),
    ("list_", "a list"),
    ("dict_", "a group of settings"),
    ("model_", "a group of settings"),
)
_MAX_SHOWN = 40


def setting_place(loc: Sequence[int | str]) -> str:
    """Return where a setting stands: ``limits.maxTokens``, ``the third rule of permissions, action``."""
    if loc[0] == "permissions" and len(loc) > 1 and isinstance(loc[1], int):
        return ", ".join([rule_place(loc[1]), *map(str, loc[2:])])
    return ".".join(map(str, loc))


def rule_place(index: int) -> str:
    """Return which permission rule it is, counted from 1."""
    named = f"the {_ORDINALS[index]} rule" if index < len(_ORDINALS) else f"rule {index + 1}"
    return f"{named} of permissions"


def setting_problem(problem: Mapping[str, Any]) -> str:
    """Return what is wrong, as the end of a sentence that begins with the place; ``problem`` is one of pydantic's."""
    kind, context = str(problem["type"]), problem.get("ctx", {})
    if kind == "extra_forbidden":
        return "is not a setting"
    if kind == "missing":
        return "is missing"
    if kind in {"enum", "literal_error"}:
        allowed = str(context["expected"]).replace("'", "")
        return f"does not fit: {_shown(problem['input'])}has to be {allowed}"
    if kind == "greater_than":
        return f"does not fit: it has to be more than {context['gt']}"
    wanted = next((words for start, words in _HAS_TO_BE if kind.startswith(start)), None)
    return f"does not fit: it has to be {wanted}" if wanted else f"does not fit: {problem['msg']}"


def _shown(value: object) -> str:
    """Return the word that is none of the allowed ones; such settings hold no secrets."""
    return f"“{value}” is not known, it " if isinstance(value, str) and len(value) <= _MAX_SHOWN else "it "
