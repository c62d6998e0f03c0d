"""Names that a command line only computes, where it writes or runs something (DESIGN A1, W7).

Protected paths are found in a command by its words. A word that the shell puts together itself (``$d/hooks``,
``$(…)``, names that come from another program) may name anything. In a sandbox that does not matter, for there they
cannot be written. Without one, ``auto`` mode asks about the commands that this module names. What only reads, and what
a program does by itself, is not looked at.

It must never run anything, and never take a line for harmless because it cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from steersman.permissions.shell_words import RUNNERS

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_CHARS = 20_000
_COMPUTED = frozenset(
    {"command_substitution", "process_substitution", "simple_expansion", "expansion", "arithmetic_expansion"}
    | {"ansi_c_string", "translated_string"}
)
_WRITERS = frozenset(
    {"bsdtar", "chgrp", "chmod", "chown", "cp", "cpio", "dd", "ed", "ex", "gunzip", "gzip", "install", "ln", "mv"}
    | {"patch", "rename", "rm", "rsync", "shred", "tar", "tee", "truncate", "unlink", "unzip", "xz"}
)
_WRITERS_IN_PLACE = frozenset({"perl", "ruby", "sed", "gsed"})
_IN_PLACE = re.compile(r"-[A-Za-z]*i|--in-place")
_ASSIGNMENT = re.compile(r"\w+=")
_SHELLS = frozenset({"ash", "bash", "csh", "dash", "fish", "ksh", "mksh", "pwsh", "rbash", "sh", "tcsh", "yash", "zsh"})
_EVALUATORS = frozenset({"eval", "source", "."})
_TAKES_NAMES = frozenset({"xargs", "parallel", "find", "fd"})
_PROGRAM = re.compile(r"[\w./+-]+")


def computed_names(command: str) -> str | None:
    """Return why nobody can tell what a command line writes to or runs, in plain words, or None."""
    if len(command) > _MAX_CHARS:
        return "it is too long to be read"
    from tree_sitter import Language, Parser  # noqa: PLC0415 -- costs start-up time, needed for commands only
    from tree_sitter_bash import language  # noqa: PLC0415 -- likewise

    root = Parser(Language(language())).parse(command.encode("utf-8", "replace")).root_node
    if root.has_error:
        return "it is not valid shell language"
    return next((why for node in _below(root) if (why := _why(node)) is not None), None)


def _below(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        here = waiting.pop()
        yield here
        waiting.extend(reversed(here.children))


def _why(node: Node) -> str | None:
    if node.type == "file_redirect":
        writes = any(child.type.strip("0123456789").startswith((">", "&>")) for child in node.children)
        return "it writes to a file whose name is computed" if writes and _is_computed(node) else None
    return _why_command(node) if node.type == "command" else None


def _why_command(node: Node) -> str | None:
    name = node.child_by_field_name("name")
    if name is None:
        return None
    if _is_computed(name):
        return "it runs a program whose name is computed"
    arguments = [each for each in node.children if each.start_byte > name.start_byte and each.type != "file_redirect"]
    words = [_text(each) for each in arguments]
    program = _base(_text(name))
    writes = _writes([program, *words]) or (
        program in RUNNERS | _TAKES_NAMES and any(_writes(words[at:]) for at in range(len(words)))
    )
    if _decides(program, words, arguments) or (writes and any(map(_is_computed, arguments))):
        return f"“{program}” gets names that are computed"
    if program in _TAKES_NAMES and (writes or "-delete" in words or _SHELLS & {_base(word) for word in words}):
        return f"“{program}” passes on names that it finds"
    if program in _SHELLS and not _has_script(words) and _is_fed(node):
        return f"“{program}” runs what another program prints"
    return None


def _writes(words: list[str]) -> bool:
    """Whether a command of these words writes to the files that it names."""
    program = _base(words[0])
    return program in _WRITERS or (program in _WRITERS_IN_PLACE and any(map(_IN_PLACE.match, words[1:])))


def _decides(program: str, words: list[str], arguments: list[Node]) -> bool:
    """Whether a computed word decides what a program that runs others runs, or what git does."""
    computed = [_is_computed(each) for each in arguments]
    if program in _EVALUATORS or (program in RUNNERS and (_SHELLS | _EVALUATORS) & {_base(word) for word in words}):
        return any(computed)
    if program in _SHELLS and any(re.match(r"-[A-Za-z]*c", word) for word in words):
        return any(computed)
    if program not in RUNNERS and program != "git":
        return False
    leading = next((at for at, word in enumerate(words) if word[:1] != "-" and not _ASSIGNMENT.match(word)), len(words))
    return any(computed[at] for at, word in enumerate(words[: leading + 1]) if not _ASSIGNMENT.match(word))


def _is_computed(node: Node) -> bool:
    return any(each.type in _COMPUTED for each in _below(node))


def _has_script(words: list[str]) -> bool:
    """Whether a shell is given a file or a text to run."""
    return "-c" in words or any(not word.startswith("-") for word in words)


def _is_fed(node: Node) -> bool:
    """Whether a command stands behind a pipe."""
    parent = node.parent
    if parent is not None and parent.type == "redirected_statement":
        node, parent = parent, parent.parent
    return parent is not None and parent.type == "pipeline" and parent.children[0].id != node.id


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _base(word: str) -> str:
    plain = re.sub(r"[\"'\\]", "", word)
    return plain.rpartition("/")[2].casefold() if _PROGRAM.fullmatch(plain) else ""
