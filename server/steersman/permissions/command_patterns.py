"""Patterns of commands: what a rule or a remembered answer covers, and what it does not (DESIGN A5).

A pattern is the first words of a command, as written; an open-ended one (``git log *``) lets more words follow. Which
words may follow is decided here, as an attacker would try them: no option that writes a file or runs a program, nothing
that the shell expands, no name outside of the workspace. It must never cover more than a person reads in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from steersman.permissions.commands import CommandLine, SimpleCommand, Word, analyse
from steersman.permissions.ground import Ground, folded
from steersman.permissions.programs import OpenProgram, find_program, has_subcommands


@dataclass(frozen=True, slots=True)
class CommandPattern:
    """The words a command begins with, as written.

    Attributes:
        words: the words, quotes and all; empty only in the user's own ``*``.
        open_ended: more words may follow.
    """

    words: tuple[str, ...]
    open_ended: bool = False

    def __str__(self) -> str:
        return " ".join([*self.words, *(["…"] if self.open_ended else [])])

    def covers(self, command: SimpleCommand, folder: str, ground: Ground) -> bool:
        """Whether the pattern covers the command when it runs in ``folder`` (canonical, absolute)."""
        if not self.words:
            return self.open_ended
        count = len(self.words)
        if tuple(word.raw for word in command.words[:count]) != self.words:
            return False
        if not self.open_ended:
            return len(command.words) == count and command.joint != "|"
        return is_plain_tail(command, count, folder, ground)

    def why_not(self, command: SimpleCommand, folder: str, ground: Ground) -> str | None:
        """Say why a command that begins with these words is not covered; None when it is, or begins otherwise."""
        count = len(self.words)
        begins = tuple(word.raw for word in command.words[:count]) == self.words
        if not begins or self.covers(command, folder, ground):
            return None
        tail = command.words[count:]
        if not self.open_ended:
            return "no more words may follow; end it with * to allow more" if tail else "it is fed by a pipe"
        known = find_program([word.raw for word in command.words])
        for word in tail:
            if word.expands:
                return f"the shell makes something else of {word.raw}"
            if known is not None and not _options_are_known(known, [word]):
                return f"what {word.raw} does is not known to be harmless"
            if known is not None and (word.text.startswith("@") or _leads_outside(word.text, folder, ground)):
                return f"{word.raw} leads outside of the workspace"
        return "an option stands where it could change what the words mean"


def parse_pattern(text: str) -> CommandPattern | None:
    """Read a pattern that allows, as a user writes it: ``git log *``, ``*``. None when it makes no sense."""
    words = text.split()
    open_ended = bool(words) and words[-1] == "*"
    if words == ["*"]:
        return CommandPattern((), open_ended=True)
    line = analyse(text.rstrip().removesuffix("*") if open_ended else text)
    if not line.understood or len(line.parts) != 1:
        return None
    return CommandPattern(tuple(word.raw for word in line.parts[0].words), open_ended)


def pattern_for(command: SimpleCommand, folder: str, ground: Ground) -> CommandPattern | None:
    """Return what "allow for this session" on this command would remember; None when it can only be allowed once.

    The program with its sub-command and more words to come where that is known to be safe and covers this very
    command; otherwise the command word by word. What reads its orders from a pipe is not remembered at all.
    """
    known = find_program([word.raw for word in command.words])
    if known is not None:
        pattern = CommandPattern(known.head, open_ended=True)
        if pattern.covers(command, folder, ground):
            return pattern
    if command.joint == "|":
        return None
    return CommandPattern(tuple(word.raw for word in command.words))


def is_plain_tail(command: SimpleCommand, count: int, folder: str, ground: Ground) -> bool:
    """Whether the words after the first ``count`` may follow in an open-ended pattern."""
    known = find_program([word.raw for word in command.words])
    if known is None:
        return _is_plain_unknown(command, count)
    tail = command.words[max(count, len(known.head)) :]
    return _options_are_known(known, tail) and not any(
        word.expands or word.text.startswith("@") or _leads_outside(word.text, folder, ground) for word in tail
    )


def only_reads(command: SimpleCommand) -> bool:
    """Whether the program is known only to read, with the options it has here."""
    known = find_program([word.raw for word in command.words])
    if known is None or not known.reads:
        return False
    return _options_are_known(known.wider or known, command.words[len(known.head) :])


def _is_plain_unknown(command: SimpleCommand, count: int) -> bool:
    """A program that only the user's own rule leaves open: literal words, and no options before a sub-command."""
    tail = command.words[count:]
    if count == 1 and has_subcommands(command.program) and tail and tail[0].text.startswith("-"):
        return False
    return not any(word.expands for word in tail)


def _options_are_known(known: OpenProgram, tail: Sequence[Word]) -> bool:
    """Every word that looks like an option is a known one; after ``--`` none may look like one.

    (``--`` may be taken as the value of the option before it, and what follows as options again.)
    """
    ended = False
    for word in tail:
        if word.text == "--":
            ended = True
        elif word.text.startswith("-") and word.text != "-" and (ended or not known.allows(word.text)):
            return False
    return True


def _leads_outside(text: str, folder: str, ground: Ground) -> bool:
    """Whether a word, or what follows an option's letter, "=" or ":" in it, names something outside of the roots."""
    return any(not ground.is_inside(ground.resolve(ground.join(folder, name))) for name in _names_in(text)) or any(
        name.startswith("~") for name in _names_in(text)
    )


def _names_in(text: str) -> Iterator[str]:
    yield text
    if re.match(r"-[^-].", text):
        yield text[2:]
    for part in re.split(r"[=:,]", text)[1:]:
        if part:
            yield part


def loosely_matches(pattern: str, line: CommandLine) -> bool:
    """Whether a pattern that asks or denies speaks of any part of the line. Errs on the side of yes.

    The words must follow one another from a program's place on: case, the folder of the program and options in between
    do not matter; in a line that is not understood, or behind a program that runs programs, any place will do.
    """
    wanted = [folded(word) for word in pattern.split()]
    if wanted and wanted[-1] == "*":
        wanted.pop()
    if not wanted:
        return True
    if any(_starts_with(wanted, [word.text for word in part.words]) for part in line.parts):
        return True
    return not line.understood and _in_order(wanted, list(line.mentions))


def configures_git(line: CommandLine) -> bool:
    """Whether a part of the line sets git's configuration, which names programs that git runs (W7's ``.git/``)."""
    asks = {"--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list"}
    if not line.understood and _in_order(["git", "config"], line.mentions):
        return not asks & set(line.mentions)
    return any(
        _starts_with(["git", "config"], [word.text for word in part.words])
        and not asks & {word.text for word in part.words}
        for part in line.parts
    )


def _starts_with(wanted: Sequence[str], words: Sequence[str]) -> bool:
    return _program_name(words[0]) == _program_name(wanted[0]) and _in_order(wanted[1:], list(words[1:]))


def _in_order(wanted: Sequence[str], words: Sequence[str]) -> bool:
    """Whether all wanted words come in this order among the words, with anything in between."""
    rest = iter([*words])
    return all(any(word in {folded(have), _program_name(have)} for have in rest) for word in wanted)


def _program_name(word: str) -> str:
    return folded(word).replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
