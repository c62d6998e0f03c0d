"""Phrases that tell what each part of a step is for: ``replace X with Y in P``, ``move A to B``, ``write X to P``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from steersman.rules.schema import Role
from steersman.rules.step import Step
from steersman.rules.words import stem_set

_LINES = re.compile(r"\blines?\s+(\d{1,9})\s*(?:to|-|–|until|through|and)\s*(\d{1,9})", re.IGNORECASE)
_FROM_LINE = re.compile(r"\b(?:from|at|starting (?:at|from))\s+line\s+(\d{1,9})", re.IGNORECASE)
_FIRST_LINES = re.compile(r"\b(?:first|top)\s+(\d{1,9})\b", re.IGNORECASE)


_REPLACE = stem_set("replace change substitute swap turn rename correct fix")
_WRITE = stem_set("write put save store insert")
_CREATE = stem_set("create make generate write rewrite overwrite")
_MOVE = stem_set("move rename mv relocate copy cp")
_SEARCH = stem_set("search grep rg find locate scan")
_RUN = stem_set("run execute exec launch")
_REMOVE = stem_set("remove delete erase drop")
_INSIDE = frozenset({"in", "inside", "within", "of", "under", "from"})
_HOLDING = frozenset({"with", "as", "containing", "saying", "holding", "reading"})


@dataclass(slots=True)
class Roles:
    """What a phrase told.

    Attributes:
        texts: the values, by what they are for.
        verb: the stem of the verb that chooses the tool, where it is not the one that was written.
    """

    texts: dict[Role, str] = field(default_factory=dict[Role, str])
    numbers: dict[str, int] = field(default_factory=dict[str, int])
    verb: str | None = None


def find_roles(step: Step) -> Roles:
    """Return what the step's phrases tell; empty where it uses none."""
    roles = Roles(numbers=_line_range(step.text))
    for phrase in (_replacing, _removing, _moving, _writing, _creating, _searching, _running):
        if phrase(step, roles):
            break
    return roles


def _line_range(text: str) -> dict[str, int]:
    lines = _LINES.search(text)
    if lines is not None:
        first, last = int(lines.group(1)), int(lines.group(2))
        return {"offset": first, "limit": max(last - first + 1, 1)}
    numbers: dict[str, int] = {}
    first_lines, from_line = _FIRST_LINES.search(text), _FROM_LINE.search(text)
    if first_lines is not None:
        numbers["limit"] = int(first_lines.group(1))
    if from_line is not None:
        numbers["offset"] = int(from_line.group(1))
    return numbers


def _replacing(step: Step, roles: Roles) -> bool:
    """``replace X with Y in P``, ``change X to Y in P``, ``in P replace X by Y``."""
    verb = step.find_stem(_REPLACE)
    if verb is None:
        return False
    joint = step.find_word({"with", "by", "to", "into"}, verb + 1)
    if joint is None or joint in {verb + 1, len(step.tokens) - 1}:
        return False
    after = _path_place(step, joint + 1, len(step.tokens))
    between = _path_place(step, verb + 1, joint)
    place = after or between or _path_place(step, 0, verb)
    if place is None and step.tokens[verb].stem in _MOVE:
        return False
    if place is not None:
        _put_path(step, place, roles)
        roles.verb = "edit"
    roles.texts["old"] = step.slice(verb + 1, between.joint if between is not None and after is None else joint)
    roles.texts["new"] = step.slice(joint + 1, after.joint if after is not None else len(step.tokens))
    return True


@dataclass(frozen=True, slots=True)
class _Place:
    """``in P``: the index of the preposition and of the path."""

    joint: int
    path: int


def _path_place(step: Step, begin: int, end: int) -> _Place | None:
    """Return the last ``in P`` among tokens ``begin`` to ``end``; P is a path or "it"."""
    for index in range(end - 1, begin - 1, -1):
        token = step.tokens[index]
        if token.kind != "word" or token.lower not in _INSIDE:
            continue
        near = range(index + 1, min(index + 4, end))
        for at in near:
            if step.tokens[at].looks_like_path or step.tokens[at].lower == "it":
                return _Place(index, at)
        quoted = next((at for at in near if step.tokens[at].kind == "quote"), None)
        if quoted is not None:  # whatever a name looks like, quotes make it one here
            return _Place(index, quoted)
    return None


def _put_path(step: Step, place: _Place, roles: Roles) -> None:
    token = step.tokens[place.path]
    if token.looks_like_path or token.kind == "quote":
        roles.texts["path"] = token.text


def _removing(step: Step, roles: Roles) -> bool:
    """``remove "X" from P``: an edit, not the end of the file."""
    verb = step.find_stem(_REMOVE)
    if verb is None:
        return False
    place = _path_place(step, verb + 1, len(step.tokens))
    if place is None:
        return False
    between = step.tokens[verb + 1 : place.joint]
    quoted = [token for token in between if token.kind == "quote" and not token.looks_like_path]
    if len(quoted) != 1:
        return False
    roles.texts["old"], roles.texts["new"] = quoted[0].text, ""
    _put_path(step, place, roles)
    roles.verb = "edit"
    return True


def _moving(step: Step, roles: Roles) -> bool:
    """``move A to B``, ``rename A as B``."""
    verb = step.find_stem(_MOVE)
    if verb is None:
        return False
    joint = step.find_word({"to", "into", "as"}, verb + 1)
    if joint is None or joint in {verb + 1, len(step.tokens) - 1}:
        return False
    roles.texts["path"] = step.slice(verb + 1, joint)
    roles.texts["new_path"] = step.slice(joint + 1, len(step.tokens))
    return True


def _writing(step: Step, roles: Roles) -> bool:
    """``write X to P``."""
    verb = step.find_stem(_WRITE)
    if verb is None:
        return False
    for joint in range(len(step.tokens) - 2, verb + 1, -1):
        token = step.tokens[joint]
        if token.kind == "word" and token.lower in {"to", "into", "in", "as", "on"}:
            where = step.tokens[joint + 1 :]
            path = next((token for token in where if token.looks_like_path or token.kind == "quote"), where[-1])
            roles.texts["content"] = step.slice(verb + 1, joint)
            roles.texts["path"] = path.text
            return True
    return False


def _creating(step: Step, roles: Roles) -> bool:
    """``create P with X``, ``make a file P saying X``, ``create P``."""
    verb = step.find_stem(_CREATE)
    if verb is None:
        return False
    joint = step.find_word(_HOLDING, verb + 1)
    named = step.tokens[verb + 1 : joint]
    path = next((token for token in named if token.looks_like_path), None)
    if path is None and joint is not None:
        path = next((token for token in named if token.kind == "quote"), None)
    if path is None:
        return False
    roles.texts["path"] = path.text
    if joint is not None:
        roles.texts["content"] = _after_fillers(step, joint + 1)
    else:
        quotes = [token for token in named if token.kind == "quote" and token is not path]
        roles.texts["content"] = quotes[0].text if quotes else ""
    return True


def _after_fillers(step: Step, begin: int) -> str:
    """Return the rest of the step, without "the content" or "the text" before it."""
    fillers = {"the", "content", "contents", "text", "line", "words"}
    while begin < len(step.tokens) - 1 and step.tokens[begin].lower in fillers:
        begin += 1
    return step.slice(begin, len(step.tokens))


def _searching(step: Step, roles: Roles) -> bool:
    """``search for X in P``, ``grep X``."""
    verb = step.find_stem(_SEARCH)
    if verb is None:
        return False
    wanted = step.find_word({"for"}, verb + 1)
    begin = (verb if wanted is None else wanted) + 1
    quotes = [index for index in range(begin, len(step.tokens)) if step.tokens[index].kind == "quote"]
    end = quotes[0] + 1 if quotes else begin
    while not quotes and end < len(step.tokens) and step.tokens[end].lower not in _INSIDE:
        end += 1
    if end > begin:
        roles.texts["query"] = step.slice(begin, end)
    return bool(end > begin)


def _running(step: Step, roles: Roles) -> bool:
    """``run COMMAND``."""
    verb = step.find_stem(_RUN)
    if verb is None or verb + 1 >= len(step.tokens):
        return False
    begin = verb + 1
    while begin < len(step.tokens) - 1 and step.tokens[begin].lower in {"the", "command", "shell", "this"}:
        begin += 1
    roles.texts["command"] = step.slice(begin, len(step.tokens))
    return True
