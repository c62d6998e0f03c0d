"""What a shell command line says, as far as that can be known before it runs (DESIGN A5, W10).

A command line is taken apart with the bash grammar of tree-sitter. Only a small part of the language counts as
understood: simple commands of literal words, joined by ``;``, ``&&``, ``||``, ``|`` or line breaks, with output sent
nowhere but to ``/dev/null`` or the other stream. Everything else is a *doubt*: assignments, substitutions,
redirections to files, here-documents, loops, functions, background jobs, names written with quotes, programs that run
other programs, characters that cannot be seen. A second, independent reading (``shlex``) must find the same words.
Whoever decides treats a line with doubts as one that nothing remembered can cover.

What no parser can see: aliases, functions and options of the shell from the user's start-up files; which file a name
is on ``PATH``; ``CDPATH``; what the program then does (a test runner runs the repository's code, ``git`` obeys its
configuration); what files and globs hold when the command runs. The sandbox is there for that, not this module.

It must never run anything, and never call a line understood because it looks harmless.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from steersman.permissions.shell_words import KEYWORDS, MEANING_CHANGERS, RUNNERS
from steersman.permissions.visible import has_hidden

if TYPE_CHECKING:
    from tree_sitter import Node

Joint: TypeAlias = Literal["", ";", "&&", "||", "|"]
"""What stands before a simple command; "" before the first."""

_MAX_CHARS = 20_000
_MAX_JOINTS = 100
_PROGRAM = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./+-]*")
_EXPANDED = re.compile(r"[*?\[\]{}]|(?:\A|[=:])~")
_BLANKS = re.compile(rb"(?:[ \t\n]|\\\n)*")
_DOUBTS = {
    "variable_assignment": "it sets a variable",
    "variable_assignments": "it sets a variable",
    "declaration_command": "it sets a variable",
    "unset_command": "it sets a variable",
    "command_substitution": "it runs a command inside another one",
    "process_substitution": "it runs a command inside another one",
    "simple_expansion": "it depends on a variable",
    "expansion": "it depends on a variable",
    "arithmetic_expansion": "it computes something",
    "ansi_c_string": "it hides characters behind escapes",
    "translated_string": "it hides characters behind escapes",
    "heredoc_redirect": "it feeds a text to a program",
    "herestring_redirect": "it feeds a text to a program",
    "function_definition": "it defines a function",
    "comment": "it holds a comment",
    "negated_command": "it is more than a plain command",
}


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a command.

    Attributes:
        text: without quotes, as the program gets it.
        raw: as it was written.
        expands: the shell may put other words in its place (an unquoted glob, brace or tilde).
    """

    text: str
    raw: str
    expands: bool = False


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """A program and its words; ``words`` is never empty and begins with the program."""

    words: tuple[Word, ...]
    joint: Joint = ""

    @property
    def program(self) -> str:
        """The program as it was written."""
        return self.words[0].text

    @property
    def raw(self) -> str:
        """The words as written, one blank between them."""
        return " ".join(word.raw for word in self.words)


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A command line taken apart.

    Attributes:
        text: the whole of it.
        parts: the simple commands in order; of a line with doubts, those that could be made out, nested ones too.
        doubts: why it is not fully understood, in plain words; empty when it is.
        mentions: every literal piece of text that might name a file, from anywhere in the line.
    """

    text: str
    parts: tuple[SimpleCommand, ...]
    doubts: tuple[str, ...]
    mentions: tuple[str, ...]

    @property
    def understood(self) -> bool:
        """Whether ``parts`` is all there is to it."""
        return not self.doubts


@dataclass(slots=True)
class _Reading:
    """What one walk over the tree collects."""

    source: bytes
    parts: list[SimpleCommand] = field(default_factory=list[SimpleCommand])
    doubts: dict[str, None] = field(default_factory=dict[str, None])
    words: list[str] = field(default_factory=list[str])

    def doubt(self, why: str) -> None:
        self.doubts[why] = None

    def text(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode()


def analyse(command: str) -> CommandLine:
    """Take a command line apart. Never raises; whatever is odd is a doubt."""
    mentions = tuple(_mentions(command))
    if len(command) > _MAX_CHARS or command.count("&&") + command.count("||") > _MAX_JOINTS:
        return CommandLine(command, (), ("it is too long to be read",), mentions)
    if has_hidden(command):
        return CommandLine(command, (), ("it holds characters that cannot be seen",), mentions)
    from tree_sitter import Language, Parser  # noqa: PLC0415 -- costs start-up time, needed for commands only
    from tree_sitter_bash import language  # noqa: PLC0415 -- likewise

    reading = _Reading(command.encode())
    if "\\\n" in command:
        reading.doubt("a word of it may go on over a line end")
    root = Parser(Language(language())).parse(reading.source).root_node
    if root.has_error or root.type != "program":
        reading.doubt("it is not valid shell language")
    else:
        _sequence(root, "", reading)
    if not reading.doubts and not reading.parts:
        reading.doubt("it runs nothing")
    if not reading.doubts and reading.words != _second_reading(command):
        reading.doubt("it can be read in two ways")
    parts = tuple(reading.parts) if not reading.doubts else tuple(_all_commands(root, reading))
    return CommandLine(command, parts, tuple(reading.doubts), mentions)


def _sequence(node: Node, joint: Joint, reading: _Reading) -> None:
    """Read a program, a list or a pipeline: statements and what stands between them."""
    allowed = {"program": {";"}, "list": {"&&", "||"}, "pipeline": {"|"}}[node.type]
    _check_gaps(node, reading)
    following: Joint = joint
    for child in node.children:
        if child.is_named:
            _statement(child, following, reading)
            following = ";"
        elif child.type in allowed:
            following = child.type  # pyright: ignore[reportAssignmentType] -- one of ``allowed``
        elif child.type != "\n" or node.type != "program":
            reading.doubt("it runs something in the background" if child.type == "&" else "it is more than a list")


def _statement(node: Node, joint: Joint, reading: _Reading) -> None:
    if node.type in {"list", "pipeline"}:
        _sequence(node, joint, reading)
    elif node.type == "command":
        _simple_command(node, joint, reading)
    elif node.type == "redirected_statement":
        _redirected(node, joint, reading)
    else:
        reading.doubt(_DOUBTS.get(node.type, "it is more than a list of plain commands"))


def _redirected(node: Node, joint: Joint, reading: _Reading) -> None:
    """Read a command whose output may go to ``/dev/null`` or to the other stream, and nowhere else."""
    _check_gaps(node, reading)
    body, *redirects = node.children
    if body.type != "command":
        reading.doubt("it redirects more than one plain command")
        return
    _simple_command(body, joint, reading)
    for redirect in redirects:
        if redirect.type != "file_redirect":
            reading.doubt(_DOUBTS.get(redirect.type, "it redirects something"))
            continue
        pieces = [reading.text(child) for child in redirect.children]
        if pieces and pieces[0] in {"1", "2"}:
            reading.words.append(pieces[0])
            pieces = pieces[1:]
        if pieces not in ([">", "/dev/null"], [">>", "/dev/null"], [">&", "1"], [">&", "2"]):
            reading.doubt("it reads from or writes to a file")
        reading.words.append(pieces[-1])


def _simple_command(node: Node, joint: Joint, reading: _Reading) -> None:
    """Read one program with its words."""
    _check_gaps(node, reading)
    words: list[Word] = []
    for child in node.children:
        if child.type == "command_name" and not words:
            words.extend(_program(child, reading))
        elif not words:
            reading.doubt(_DOUBTS.get(child.type, "something stands before the program's name"))
            return
        else:
            word = _word(child, reading)
            if word is None:
                return
            words.append(word)
    if words:
        reading.words.extend(word.text for word in words)
        reading.parts.append(SimpleCommand(tuple(words), joint))
        _check_program(words, joint, reading)


def _program(node: Node, reading: _Reading) -> Iterator[Word]:
    """Read the program's name: one plain word, nothing quoted, escaped, expanded or looked up."""
    name = reading.text(node)
    if len(node.children) != 1 or node.children[0].type != "word" or not _PROGRAM.fullmatch(name):
        reading.doubt("the program's name is not a plain word")
        return
    yield Word(name, name)


def _check_program(words: list[Word], joint: Joint, reading: _Reading) -> None:
    """Doubt programs whose words say too little about what happens."""
    name = words[0].text
    base = name.rpartition("/")[2].casefold()
    if base in KEYWORDS:
        reading.doubt("it is more than a list of plain commands")
    elif base in MEANING_CHANGERS or (base == "printf" and len(words) > 1 and words[1].text.startswith("-")):
        reading.doubt(f"“{name}” changes what the shell does afterwards")
    elif base in RUNNERS or (base == "find" and any(w.text.startswith(("-exec", "-ok")) for w in words[1:])):
        reading.doubt(f"“{name}” runs another program")
    elif base == "cd" and (
        joint == "|" or len(words) != 2 or words[1].expands or words[1].text.startswith("-") or not words[1].text
    ):
        reading.doubt("it changes the folder in an unclear way")


def _word(node: Node, reading: _Reading) -> Word | None:
    """Read one word, or doubt it and return None."""
    pieces = node.children if node.type == "concatenation" else [node]
    text, expands, end = "", False, node.start_byte
    for piece in pieces:
        raw = reading.text(piece)
        if piece.start_byte != end:
            reading.doubt("it can be read in two ways")
            return None
        end = piece.end_byte
        if piece.type in {"word", "number"} and not piece.children:
            bare = re.sub(r"\\(.)", "", raw, flags=re.DOTALL)
            expands = expands or _EXPANDED.search(bare) is not None
            text += re.sub(r"\\(.)", r"\1", raw, flags=re.DOTALL)
        elif piece.type == "raw_string":
            text += raw[1:-1]
        elif piece.type == "string" and all(c.type in {'"', "string_content"} for c in piece.children):
            text += re.sub(r'\\([$`"\\\n])', r"\1", raw[1:-1])
        else:
            kinds = [child.type for child in piece.children if child.type in _DOUBTS]
            reading.doubt(_DOUBTS.get(kinds[0] if kinds else piece.type, "it holds a word that the shell computes"))
            return None
    return Word(text, reading.text(node), expands)


def _check_gaps(node: Node, reading: _Reading) -> None:
    """Doubt a line in which the grammar stepped over anything but blanks."""
    end = node.start_byte
    for child in [*node.children, None]:
        start = child.start_byte if child is not None else node.end_byte
        if not _BLANKS.fullmatch(reading.source, end, start):
            reading.doubt("it can be read in two ways")
        end = child.end_byte if child is not None else end
    if node.type == "program" and not _BLANKS.fullmatch(reading.source[: node.start_byte] + reading.source[end:]):
        reading.doubt("it can be read in two ways")


def _second_reading(command: str) -> list[str]:
    """Return all words as another lexer sees them, operators left out."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";&|<>()")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return [token for token in lexer if not token or set(token) - set(";&|<>()")]
    except ValueError:
        return []


def _all_commands(root: Node, reading: _Reading) -> Iterator[SimpleCommand]:
    """Yield whatever commands of literal words stand anywhere in the tree, for showing and for denying."""
    silent = _Reading(reading.source)
    stack = [root]
    while stack:
        node = stack.pop()
        stack.extend(reversed(node.children))
        if node.type not in {"command", "declaration_command"}:
            continue
        words = [_word(c.children[0] if c.type == "command_name" and c.children else c, silent) for c in node.children]
        known = tuple(word for word in words if word is not None)
        if known:
            yield SimpleCommand(known)


def _mentions(command: str) -> Iterator[str]:
    """Yield every piece of the text that might name a file, quotes and escapes taken away."""
    plain = re.sub(r"[\"'`\\]", "", command.replace("\\\n", ""))
    for piece in re.split(r"[\s;&|<>(){}$,!]+", plain):
        if piece:
            yield piece
            if re.match(r"-[^-].", piece):
                yield piece[2:]
            for part in re.split(r"[=:@]", piece)[1:]:
                if part:
                    yield part
