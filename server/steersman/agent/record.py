"""Frozen dataclasses that cost a fifth to define (DESIGN §9).

``dataclass(frozen=True, slots=True)`` compiles six functions for each class, half a millisecond in all; with a hundred
and fifty classes that was a quarter of what a start took. A ``record`` is the same to everyone who uses it (fields,
arguments, ``replace``, ``match``, comparison, hash, copies, ``FrozenInstanceError``), and compiles ``__init__`` alone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, eq_default=True, field_specifiers=(dataclasses.field,))
def record(cls: type[T]) -> type[T]:
    """Make a class a frozen dataclass with slots; what it defines itself stays."""
    doc = cls.__doc__
    cls.__doc__ = doc or cls.__name__  # for one without, dataclasses would inspect its signature to write one
    made: type[Any] = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    made.__doc__ = doc
    fields = dataclasses.fields(made)
    methods = {
        "__init__": _initialiser(made, fields),
        "__repr__": _representer([field.name for field in fields if field.repr]),
        **_comparers([field.name for field in fields if field.compare]),
        "__setattr__": _refuse_to_set,
        "__delattr__": _refuse_to_delete,
        "__getstate__": _get_state,
        "__setstate__": _set_state,
    }
    for name, method in methods.items():
        if cls.__dict__.get(name) is None:
            setattr(made, name, method)
    return made


def _representer(names: Sequence[str]) -> Callable[[Any], str]:
    def represent(each: Any) -> str:
        values = ", ".join(f"{name}={getattr(each, name)!r}" for name in names)
        return f"{type(each).__qualname__}({values})"

    return represent


def _comparers(names: Sequence[str]) -> dict[str, Callable[..., Any]]:
    """Return equality among one class, and the hash that goes with it."""
    values = attrgetter(*names) if len(names) > 1 else _single_values(names)

    def equal(one: Any, other: object) -> Any:
        return values(one) == values(other) if other.__class__ is one.__class__ else NotImplemented

    def hashed(each: Any) -> int:
        return hash(values(each))

    return {"__eq__": equal, "__hash__": hashed}


def _single_values(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    return lambda each: tuple(getattr(each, name) for name in names)


def _refuse_to_set(_: Any, name: str, __: object) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_: Any, name: str) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _get_state(each: Any) -> list[Any]:
    return [getattr(each, field.name) for field in dataclasses.fields(each)]


def _set_state(each: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(each), state, strict=True):
        object.__setattr__(each, field.name, value)


def _initialiser(cls: type[Any], fields: Sequence[dataclasses.Field[Any]]) -> Callable[..., None]:
    """Compile ``__init__``: each field is set by its slot, which being frozen does not touch."""
    known: dict[str, Any] = {"_MISSING": dataclasses.MISSING}
    taken: list[str] = []
    keywords: list[str] = []
    lines: list[str] = []
    for number, field in enumerate(fields):
        known[f"_set{number}"] = getattr(cls, field.name).__set__
        default, value = _default_of(field, number, known)
        if field.init:
            (keywords if field.kw_only else taken).append(f"{field.name}={default}" if default else field.name)
        if value:
            lines.append(f"  _set{number}(self, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append("  self.__post_init__()")
    arguments = ", ".join(["self", *taken, *(["*", *keywords] if keywords else [])])
    body = "\n".join(lines) or "  pass"
    exec(f"def __init__({arguments}):\n{body}", known)  # noqa: S102 - as dataclasses does, of classes of our own
    return known["__init__"]


def _default_of(field: dataclasses.Field[Any], number: int, known: dict[str, Any]) -> tuple[str, str]:
    """Return what stands for the field's default among the arguments, and what it is set to; "" for neither."""
    if field.default is not dataclasses.MISSING:
        known[f"_default{number}"] = field.default
        return f"_default{number}", field.name if field.init else f"_default{number}"
    if field.default_factory is not dataclasses.MISSING:
        known[f"_make{number}"] = field.default_factory
        made = f"_make{number}()"
        return "_MISSING", f"{made} if {field.name} is _MISSING else {field.name}" if field.init else made
    return "", field.name if field.init else ""  # one that is neither given nor made is set by ``__post_init__``
