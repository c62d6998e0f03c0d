"""Whether a step plainly tells to do just what a call would do (DESIGN M7).

A call that writes, deletes, moves or runs is made only where the step is an instruction of its very verb, and each of
its words is a value of the call or belongs to a phrase that says no more. A word that is left over ("the second line
of", "at the end of", "if it is empty") asks for something else, however like it sounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from steersman.agent.messages import JsonValue
from steersman.agent.model import ToolSpec
from steersman.rules.schema import read_fields
from steersman.rules.step import PREPOSITIONS, Step
from steersman.rules.tokens import Token
from steersman.rules.words import families_of, split_words, stem, stem_set, word_set

_Kind: TypeAlias = Literal["run", "patch", "edit", "move", "write", "delete", "other"]

_VERBS: Mapping[_Kind, frozenset[str]] = {
    "run": stem_set("run execute exec launch"),
    "patch": stem_set("apply patch"),
    "edit": stem_set(
        "edit replace change modify substitute fix update correct swap turn rename rewrite remove delete erase drop"
    ),
    "move": stem_set("move rename mv relocate"),
    "write": stem_set("write create save put store generate make rewrite overwrite"),
    "delete": stem_set("delete remove erase rm unlink drop"),
}
_OTHER_EFFECTS = stem_set(
    """send mail book set buy pay order post publish upload install commit push kill stop start restart deploy drop
    insert append remove delete update create write edit move rename run execute cancel shut format reset turn"""
)
_POLITE = word_set("please kindly now just also so ok okay yes hey hi hello next finally instead then and well but")
_OPENINGS = (("i", "want", "you", "to"), ("i", "would", "like", "you", "to"), ("i'd", "like", "you", "to"),
             ("go", "ahead", "and"), ("go", "and"), ("let", "us"), ("let's",))  # fmt: skip
_NAMING = word_set("call use invoke")

_ALWAYS = _POLITE | word_set(
    """the a an this that it file folder directory named called my our your whole entire complete too again for me right
    away immediately"""
)
_FRAMES: Mapping[_Kind, frozenset[str]] = {
    "run": word_set("shell command following in terminal with a timeout of second seconds"),
    "patch": word_set("following diff"),
    "edit": word_set(
        """in inside within of from with by to into as all every each everywhere occurrence occurrences instance
        instances text word string term phrase value"""
    ),
    "move": word_set("to into as"),
    "write": word_set(
        """to into in as on with containing saying holding reading content contents text word words line string new
        empty python markdown json"""
    ),
    "delete": word_set("old empty temporary unused obsolete"),
}
_DETERMINERS = word_set("the a an this that these those some my our your its their another")
_PARTS = word_set(
    """line lines word words function functions method methods class classes paragraph paragraphs section sections text
    texts letter letters character characters sentence sentences part parts block chapter heading title comment comments
    import imports row rows column columns entry entries item items copy copies backup content contents everything
    anything all both each every rest first second third last next previous except but only another other one two three
    half beginning end start top bottom variable variables constant test tests whitespace blank blanks"""
)
"""Words for what is less than a file, or more than one."""
_NO_COMMANDS = word_set("anything everything something nothing all any each both it this that them again away")
_TALK = word_set("on in inside and with from again twice everywhere please now too first later")
"""Words that speak to whoever reads a step; in what is not quoted they are hardly part of a command or a text."""

_ADDING = word_set(
    "append prepend add insert adding appending end beginning begin start top bottom front head tail below above under "
    "underneath behind more another extend"
)


def has_effect(tool: ToolSpec) -> bool:
    """Whether a call of a tool may change something, as its name and the fields of its schema tell."""
    return _kind_of(tool) != "other" or bool(_name_stems(tool) & _OTHER_EFFECTS)


def commands(step: Step, tool: ToolSpec) -> bool:
    """Whether a step is an instruction whose verb is a tool's."""
    return _verb_place(step, tool) is not None


def says_just(step: Step, tool: ToolSpec, arguments: Mapping[str, JsonValue]) -> bool:
    """Whether a step tells to make a call and says nothing that the call leaves undone.

    Args:
        step: an instruction, see ``commands``.
        tool: a tool that has an effect.
        arguments: the call's.
    """
    kind = _kind_of(tool)
    if kind == "other" or (_names(step, tool) and _is_json_of(step, arguments)):
        return True
    verb = _verb_place(step, tool)
    if verb is None:
        return False
    values = _Values(step, kind)
    for field in read_fields(tool.parameters, tool.description):
        value = arguments.get(field.name)
        is_said = isinstance(value, str | int | float) and not isinstance(value, bool)
        told = str(value) if is_said else ""
        if is_said and not values.mark(field.name, field.role, told):
            return False
    if kind == "write" and any(token.kind == "word" and token.lower in _ADDING for token in step.tokens):
        return False
    left = (
        token
        for index, token in enumerate(step.tokens)
        if index not in values.marked and (index > verb or token.kind != "word")
    )
    return all(_says_no_more(token, kind) for token in left)


def _kind_of(tool: ToolSpec) -> _Kind:
    roles = {field.role for field in read_fields(tool.parameters, tool.description)}
    names = _name_stems(tool)
    by_roles: tuple[tuple[bool, _Kind], ...] = (
        ("command" in roles and bool(names & _VERBS["run"]), "run"),
        ("patch" in roles, "patch"),
        ({"old", "new"} <= roles, "edit"),
        ({"path", "new_path"} <= roles and bool(names & _VERBS["move"]), "move"),
        ({"path", "content"} <= roles and bool(names & _VERBS["write"]), "write"),
        ("path" in roles and bool(names & _VERBS["delete"]), "delete"),
    )
    for fits, kind in by_roles:
        if fits:
            return kind
    return "other"


def _name_stems(tool: ToolSpec) -> frozenset[str]:
    return frozenset(stem(word) for word in split_words(tool.name))


def _names(step: Step, tool: ToolSpec) -> bool:
    return any(token.kind == "word" and token.text.rstrip(":") == tool.name for token in step.tokens[:3])


def _is_json_of(step: Step, arguments: Mapping[str, JsonValue]) -> bool:
    """Whether a step gives the arguments as a JSON object."""
    return "{" in step.text and all(f'"{name}"' in step.text for name in arguments)


def _verb_place(step: Step, tool: ToolSpec) -> int | None:
    """Return the index of the verb that a step begins with, if it is one of the tool's; None for no instruction.

    Polite words may stand before it, and for an edit the file: ``in src/a.py replace …``.
    """
    tokens = step.tokens
    at = _skip_polite(tokens, 0)
    if _kind_of(tool) == "edit" and at + 1 < len(tokens) and tokens[at].lower in {"in", "inside", "within"}:
        path = next((index for index in range(at + 1, min(at + 4, len(tokens))) if tokens[index].kind != "word"), None)
        if path is None and tokens[at + 1].lower in {"it", "this"}:
            path = at + 1
        at = len(tokens) if path is None else _skip_polite(tokens, path + 1)
    if at + 1 < len(tokens) and tokens[at].lower in _NAMING:
        at += 1
        at += tokens[at].lower == "the"
    if at >= len(tokens) or tokens[at].kind != "word":
        return None
    named = tokens[at].text.rstrip(":") == tool.name
    return at if named or tokens[at].stem in _verbs_of(tool) else None


def _verbs_of(tool: ToolSpec) -> frozenset[str]:
    kind = _kind_of(tool)
    if kind != "other":
        return _VERBS[kind]
    names = _name_stems(tool)
    main = {families_of(name)[0] for name in names if families_of(name)}
    like = {word for verbs in _VERBS.values() for word in verbs if {*families_of(word)[:1]} & main}
    return names | like


def _skip_polite(tokens: Sequence[Token], at: int) -> int:
    while at < len(tokens) and tokens[at].kind == "word":
        words = tuple(token.lower.replace("’", "'") for token in tokens[at : at + 5])
        opening = next((said for said in _OPENINGS if words[: len(said)] == said), ())
        if opening:
            at += len(opening)
        elif words[0] in _POLITE:
            at += 1
        else:
            break
    return at


def _says_no_more(token: Token, kind: _Kind) -> bool:
    if token.kind != "word":
        return token.kind == "path" and not any(character.isalnum() for character in token.text) and kind == "run"
    return not any(character.isalnum() for character in token.text) or (
        token.lower in _ALWAYS | _FRAMES[kind] or token.stem in _VERBS[kind] & stem_set(token.lower)
    )


class _Values:
    """Finds the values of a call in its step.

    Attributes:
        marked: the indexes of the tokens that are part of a value.
    """

    def __init__(self, step: Step, kind: _Kind) -> None:
        self.marked: set[int] = set()
        self._step = step
        self._kind = kind

    def mark(self, name: str, role: str, value: str) -> bool:
        """Mark a value's tokens; False where it is no plain value: described, a part of a file, or not told."""
        tokens = self._step.tokens
        for index, token in enumerate(tokens):
            if token.kind != "quote" and token.text.startswith(f"{name}="):
                self.marked |= {index} if token.text != f"{name}=" else {index, index + 1}
                return True
        whole = [index for index, token in enumerate(tokens) if index not in self.marked and token.text == value]
        quoted = next((index for index in whole if tokens[index].kind == "quote"), None)
        if quoted is not None:
            self.marked.add(quoted)
        if quoted is not None or not value:
            return True
        span = (whole[-1], whole[-1] + 1) if whole else self._span(value)
        if span is None:
            return role == "path" and any(token.lower in {"it", "this", "that"} for token in tokens)
        self.marked.update(range(*span))
        return self._is_plain(role, *span)

    def _span(self, value: str) -> tuple[int, int] | None:
        """Return the tokens (from, to) that a value of several words was made of."""
        begins = {token.start: index for index, token in enumerate(self._step.tokens)}
        ends = {token.end: index + 1 for index, token in enumerate(self._step.tokens)}
        start = self._step.text.find(value)
        while start >= 0:
            if start in begins and start + len(value) in ends:
                return begins[start], ends[start + len(value)]
            start = self._step.text.find(value, start + 1)
        return None

    def _is_plain(self, role: str, begin: int, end: int) -> bool:
        """Whether an unquoted value is meant as it stands."""
        tokens = self._step.tokens
        words = [word for token in tokens[begin:end] for word in token.lower.split()]
        before = tokens[begin - 1].lower if begin else ""
        if role in {"path", "new_path"}:
            is_word = tokens[begin].kind == "word"
            described = _PARTS | {"folder", "directory", "file", "files"}
            return not (set(words) & described if is_word or len(words) > 1 else ()) and tokens[begin].kind != "glob"
        if role not in {"old", "new", "content", "command"}:
            return True
        if before in _DETERMINERS or tokens[begin].lower in PREPOSITIONS | _DETERMINERS:
            return False
        if role == "command":
            return words[0] not in _NO_COMMANDS and not set(words) & _TALK and tokens[begin].kind != "quote"
        if words[-1] in _TALK:
            return False
        if role == "content":
            return not any(token.looks_like_path for token in tokens[begin:end])
        return role != "old" or len(words) == 1 or not set(words) & _PARTS
